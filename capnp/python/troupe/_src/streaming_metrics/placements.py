"""Areas under curves of all values so far: exact ones, and with confidence intervals."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional, Sequence, Tuple

from troupe._src.control_flow.conditional import cond
from troupe._src.distributions.normal import Normal
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.scopes import control_dependencies
from troupe._src.metrics.streaming import collected
from troupe._src.metrics.weights import matched
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops
from troupe._src.ops.assert_ops import assert_greater_equal, assert_less_equal
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.ops.grouping_ops import group
from troupe._src.ops.order_ops import top_k
from troupe._src.ops.rearrange_ops import reverse
from troupe._src.ops.segment_ops import cumsum
from troupe._src.ops.selection_ops import gather, where
from troupe._src.streaming_metrics.values import streaming_concat
from troupe._src.types import dtypes
from troupe._src.variables.variable_store import variable_scope

_SMALL = 1e-7  # keeps divisors from 0


class AucData(NamedTuple):
    """An area, with the ends of its confidence interval."""

    auc: Any
    lower: Any
    upper: Any


def _flat(values: Any, dtype: Any) -> Any:
    return array_ops.reshape(math_ops.cast(values, dtype), [-1])


def _checks(labels: Any) -> Any:
    """What is computed in here fails where labels are not 0 or 1."""
    message = "labels must be 0 or 1, at least one is "
    zeros, ones = creation_ops.zeros_like(labels), creation_ops.ones_like(labels)
    return control_dependencies(
        [
            assert_greater_equal(labels, zeros, message=message + "<0"),
            assert_less_equal(labels, ones, message=message + ">1"),
        ]
    )


def _before(totals: Any) -> Any:
    """Sums of those before each, and of all."""
    return creation_ops.pad(cumsum(totals), [[1, 0]])


def _dynamic_area(labels: Any, predictions: Any, weights: Any, curve: str) -> Any:
    positive = where(gen_ops.greater(labels, 0), weights, creation_ops.zeros_like(weights))
    total, total_positive = math_ops.reduce_sum(weights), math_ops.reduce_sum(positive)

    def area() -> Any:
        ordered, order = top_k(predictions, k=array_ops.size(predictions))
        # Equal predictions have one threshold.
        _, _, counts = gen_ops.unique_with_counts(ordered)
        splits = _before(counts)
        every = gather(_before(gather(weights, order)), splits)
        true = gather(_before(gather(positive, order)), splits)
        recall = true / total_positive
        if curve == "ROC":
            xs, ys = (every - true) / (total - total_positive), recall
        else:
            xs, ones = recall, creation_ops.ones_like(true)
            ys = where(gen_ops.greater(splits, 0), true / every, ones)
        return math_ops.reduce_sum((ys[1:] + ys[:-1]) / 2.0 * gen_ops.abs(xs[1:] - xs[:-1]))

    is_one_class = gen_ops.logical_or(
        gen_ops.equal(total_positive, 0), gen_ops.equal(total_positive, total)
    )
    return cond(is_one_class, lambda: constant(0, dtypes.float64), area)


def streaming_dynamic_auc(
    labels: Any,
    predictions: Any,
    curve: str = "ROC",
    metrics_collections: Sequence[str] = (),
    updates_collections: Sequence[str] = (),
    name: Optional[str] = None,
    weights: Any = None,
) -> Tuple[Any, Any]:
    """The area under a curve of all values so far, with a threshold at each of them.

    Args:
        labels: 0 and 1.
        predictions: As many numbers, which are more likely of 1 the greater they are.
        curve: `"ROC"`, of the rates of true and false positives, or `"PR"`, of precision and
            recall.
        metrics_collections: The names of the collections that the area is added to.
        updates_collections: The names of the collections that the update is added to.
        name: The scope of the variables.
        weights: Of each, by default 1.

    Returns:
        The area, float64, 0 as long as all labels are equal; and the update.

    Raises:
        ValueError: There is no such curve, or the shapes are not the same.
        InvalidArgumentError: When a step runs: there are other labels.
    """
    if curve not in ("PR", "ROC"):
        raise ValueError(f"curve must be either ROC or PR, {curve} unknown")
    with variable_scope(name, "dynamic_auc"):
        labels, predictions = convert_to_tensor(labels), convert_to_tensor(predictions)
        labels.shape.assert_is_compatible_with(predictions.shape)
        scores, kinds = _flat(predictions, dtypes.float64), _flat(labels, dtypes.int64)
        with _checks(kinds):
            scores, score_update = streaming_concat(scores, name="concat_preds")
            kinds, kind_update = streaming_concat(kinds, name="concat_labels")
            updates = [kind_update, score_update]
            if weights is None:
                all_weights = creation_ops.ones_like(kinds, dtypes.float64)
            else:
                given = _flat(weights, dtypes.float64)
                all_weights, weight_update = streaming_concat(given, name="concat_weights")
                updates.append(weight_update)
            area = _dynamic_area(kinds, scores, all_weights, curve)
            update: Any = group(*updates)
            return collected(area, update, metrics_collections, updates_collections)


def _placements(totals: Any, of_each: Any) -> Any:
    """How much of the weight of another class is below each value, of equal ones half."""
    below = cumsum(totals, exclusive=True) + totals / 2.0
    return gather(below / (math_ops.reduce_sum(totals) + _SMALL), of_each)


def _placement_area(labels: Any, predictions: Any, weights: Any) -> Tuple[Any, Any]:
    """The area and its standard error, by the placements of each class among the other."""
    ordered, order = top_k(predictions, k=array_ops.size(predictions))
    ordered, order = reverse(ordered, [0]), reverse(order, [0])
    positive = math_ops.cast(gather(labels, order), weights.dtype)
    weight = gather(weights, order)
    ones, zeros = weight * positive, weight * (1.0 - positive)
    _, places = gen_ops.unique(ordered)
    above = _placements(gen_ops.segment_sum(zeros, places), places)  # those of class 1
    other = _placements(gen_ops.segment_sum(ones, places), places)
    total_0, total_1 = math_ops.reduce_sum(zeros), math_ops.reduce_sum(ones)
    place_0, place_1 = other * (1.0 - positive), above * positive
    area_0 = math_ops.reduce_sum(zeros * (1.0 - place_0)) / (total_0 + _SMALL)
    area_1 = math_ops.reduce_sum(ones * place_1) / (total_1 + _SMALL)
    square_0 = math_ops.reduce_sum(zeros * gen_ops.square(1.0 - place_0 - area_0))
    square_1 = math_ops.reduce_sum(ones * gen_ops.squared_difference(place_1, area_1))
    variance_0 = square_0 / (total_0 - 1.0 + _SMALL) / (total_0 + _SMALL)
    variance_1 = square_1 / (total_1 - 1.0 + _SMALL) / (total_1 + _SMALL)
    area = where(gen_ops.less(total_0, total_1), area_1, area_0)
    return area, gen_ops.sqrt(variance_0 + variance_1)


def _interval(area: Any, error: Any, alpha: float, logit_transformation: bool) -> AucData:
    z = Normal(loc=0.0, scale=1.0).quantile((1.0 - alpha) / 2.0)
    if logit_transformation:
        center = gen_ops.log(area / (1.0 - area + _SMALL))
        scaled = error / (area * (1.0 - area + _SMALL))
        ends = [center + z * scaled, center - z * scaled]
        ends = [1.0 / (1.0 + gen_ops.exp(-end) + _SMALL) for end in ends]
    else:
        ends = [area + z * error, area - z * error]
    is_extreme = gen_ops.logical_or(gen_ops.equal(area, 1.0), gen_ops.equal(area, 0.0))
    return AucData(area, *(where(is_extreme, area, end) for end in ends))


def auc_with_confidence_intervals(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    alpha: float = 0.95,
    logit_transformation: bool = True,
    metrics_collections: Sequence[str] = (),
    updates_collections: Sequence[str] = (),
    name: Optional[str] = None,
) -> Tuple[AucData, Any]:
    """The area under the curve of the rates of true and false positives of all values so far, with
    a confidence interval by the placements of values (DeLong et al., 1988).

    Args:
        labels: 0 and 1.
        predictions: As many numbers, which are more likely of 1 the greater they are.
        weights: Of each, by default 1.
        alpha: How likely the area is in the interval.
        logit_transformation: Whether the interval is made of the logit of the area, so that it does
            not leave 0 to 1.
        metrics_collections: The names of the collections that the result is added to.
        updates_collections: The names of the collections that the update is added to.
        name: The scope of the variables.

    Returns:
        `auc`, `lower` and `upper`, zeros where the values of a step are of one class or their
        weights are less than 1 together; and the update.

    Raises:
        ValueError: `alpha` is not between 0 and 1.
        InvalidArgumentError: When a step runs: there are other labels.
    """
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must be between 0 and 1; currently {alpha:.2f}")
    predictions = convert_to_tensor(predictions)
    given = creation_ops.ones_like(predictions) if weights is None else weights
    with variable_scope(name, "auc_with_confidence_intervals"):
        predictions, labels, all_given = matched(predictions, labels, given)
        given = convert_to_tensor(all_given)
        total = math_ops.reduce_sum(given)
        scores, kinds = _flat(predictions, dtypes.float64), _flat(labels, dtypes.int64)
        given = array_ops.reshape(given, [-1])
        with _checks(kinds):
            scores, score_update = streaming_concat(scores, name="concat_preds")
            all_kinds, kind_update = streaming_concat(kinds, name="concat_labels")
            all_weights, weight_update = streaming_concat(given, name="concat_weights")
            has_both = gen_ops.logical_and(
                gen_ops.equal(math_ops.reduce_min(kinds), 0),
                gen_ops.equal(math_ops.reduce_max(kinds), 1),
            )
            is_valid = gen_ops.logical_and(has_both, gen_ops.greater_equal(total, 1.0))
            area, error = _placement_area(all_kinds, scores, all_weights)
            found = _interval(area, error, alpha, logit_transformation)
            result = cond(is_valid, lambda: list(found), lambda: [constant(0.0)] * 3)
            update = group(kind_update, score_update, weight_update)
            data = AucData(*result)
            get_default_graph().add_to_collections(updates_collections, update)
            get_default_graph().add_to_collections(metrics_collections, data)
            return data, update
