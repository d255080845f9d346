"""Metrics that keep values, count them, or tell whether two of them agree."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.metrics.confusion_matrix import confusion_matrix
from troupe._src.metrics.means import mean, safe_ratio
from troupe._src.metrics.streaming import Metric, collected, metric_variable
from troupe._src.metrics.weights import broadcast_weights, matched
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops
from troupe._src.ops.arithmetic_ops import equal
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.order_ops import in_top_k
from troupe._src.types import dtypes
from troupe._src.variables.assign_ops import assign, assign_add
from troupe._src.variables.variable import Variable
from troupe._src.variables.variable_store import variable_scope


def accuracy(
    predictions: TensorLike,
    labels: TensorLike,
    weights: Optional[TensorLike] = None,
    name: Optional[str] = None,
) -> Tensor:
    """How many of the predictions of this step are equal to their labels, as a fraction.

    It is `tf.contrib.metrics.accuracy`, which has no variables.

    Args:
        predictions: of the shape and dtype of the labels.
        labels: booleans, integers or strings.
        weights: what each value counts, which is broadcast; None for 1.

    Returns:
        A float32 scalar.

    Raises:
        ValueError: if the dtypes are others, or differ.
    """
    expected, predicted = convert_to_tensor(labels), convert_to_tensor(predictions)
    dtype = expected.dtype
    if not (dtype.is_integer or dtype in (dtypes.bool_, dtypes.string)):
        raise ValueError(f"Labels should have bool, integer, or string dtype, not {dtype!r}")
    if dtype != predicted.dtype:
        raise ValueError(
            f"Dtypes of predictions and labels should match: {predicted.dtype!r} and {dtype!r}"
        )
    with get_default_graph().name_scope(name or "accuracy"):
        is_right = math_ops.cast(equal(predicted, expected), dtypes.float32)
        if weights is None:
            return math_ops.reduce_mean(is_right)
        weight = gen_ops.multiply(weights, creation_ops.ones_like(is_right))
        right = math_ops.reduce_sum(gen_ops.multiply(is_right, weight))
        return math_ops.div(right, math_ops.reduce_sum(weight))


def streaming_recall_at_k(
    predictions: TensorLike, labels: TensorLike, k: int, weights: Optional[TensorLike] = None,
    metrics_collections: Optional[Sequence[str]] = None,
    updates_collections: Optional[Sequence[str]] = None, name: Optional[str] = None,
) -> Metric:  # fmt: skip
    """How often the label is among the k greatest predictions, as a fraction.

    It is `tf.contrib.metrics.streaming_recall_at_k`.

    Args:
        predictions: a float32 number for each class, [rows, classes].
        labels: the class of each row, int32 or int64.
        k: how many classes are predicted for each row.
        weights: what each row counts, or one number; None for 1.
        metrics_collections: the names of the collections that the value is added to, or None.
        updates_collections: the names of the collections that the update is added to, or None.

    Returns:
        The fraction so far, a float32 scalar; and the update, whose result is the fraction with
        this step.

    Raises:
        ValueError: if shapes are known not to fit.
    """
    found = math_ops.cast(in_top_k(predictions, labels, k), dtypes.float32)
    scope = name or f"recall_at_{k}"
    return mean(found, weights, metrics_collections, updates_collections, scope)


def count(
    values: TensorLike, weights: Optional[TensorLike] = None,
    metrics_collections: Optional[Sequence[str]] = None,
    updates_collections: Optional[Sequence[str]] = None, name: Optional[str] = None,
) -> Metric:  # fmt: skip
    """How many values all steps had, or the sum of their weights: `tf.contrib.metrics.count`.

    Args:
        values: a tensor of any shape; only that counts.
        weights: what each value counts, of the same rank with equal sizes or 1, or one number; None
            for 1.
        metrics_collections: the names of the collections that the value is added to, or None.
        updates_collections: the names of the collections that the update is added to, or None.

    Returns:
        The number so far, a float32 scalar; and the update, whose result is the number with this
        step.

    Raises:
        ValueError: if shapes are known not to fit.
    """
    with variable_scope(name, "count"):
        variable: Any = metric_variable([], dtypes.float32, "count")
        each, _, weight = matched(values, None, weights)
        if weight is None:
            number = math_ops.cast(array_ops.size(each), dtypes.float32)
        else:
            each = math_ops.cast(each, dtypes.float32)
            number = math_ops.reduce_sum(
                broadcast_weights(math_ops.cast(weight, dtypes.float32), each)
            )
        with get_default_graph().control_dependencies([each]):
            update = assign_add(variable, number)
    return collected(variable, update, metrics_collections, updates_collections)


def streaming_concat(
    values: TensorLike, axis: int = 0, max_size: Optional[int] = None,
    metrics_collections: Optional[Sequence[str]] = None,
    updates_collections: Optional[Sequence[str]] = None, name: Optional[str] = None,
) -> Metric:  # fmt: skip
    """The values of all steps, one after the other: `tf.contrib.metrics.streaming_concat`.

    A step writes all of them again, so many small steps take more time the more there are.

    Args:
        values: a tensor whose rank and sizes, but for that of the axis, are known.
        axis: along which they are concatenated.
        max_size: how many are kept along the axis; those of later steps are left out. None for all.
        metrics_collections: the names of the collections that the value is added to, or None.
        updates_collections: the names of the collections that the update is added to, or None.

    Returns:
        The values so far, of the rank and dtype of `values`; and the update, whose result is their
        number along the axis, int32.

    Raises:
        ValueError: if the rank or another size is not known, or there is no such axis.
    """
    with variable_scope(name, "streaming_concat"):
        each = convert_to_tensor(values)
        rank = each.shape.rank
        if rank is None:
            raise ValueError("`values` must have a rank that is known.")
        if not -rank <= axis < rank:
            raise ValueError(f"axis = {axis} is not in [{-rank}, {rank})")
        along = axis % rank
        sizes: List[Any] = each.shape.as_list()
        sizes[along] = 0
        if None in sizes:
            raise ValueError(f"All sizes but that of axis {axis} must be known, not {each.shape}")
        array = _growing_variable(sizes, along, each.dtype)
        grown = array_ops.concat([array_ops.identity(array), each], along)
        if max_size is not None:
            grown = grown[(*[slice(None)] * along, slice(max_size))]
        update = array_ops.shape(assign(array, grown, validate_shape=False))[along]
        value = array_ops.identity(array)
        value.set_shape(_growing_shape(sizes, along))
    return collected(value, update, metrics_collections, updates_collections)


def _growing_shape(sizes: List[int], along: int) -> List[Optional[int]]:
    return [None if place == along else size for place, size in enumerate(sizes)]


def _growing_variable(sizes: List[int], along: int, dtype: Any) -> Any:
    """A local variable that begins empty, and whose size along one axis is not known."""
    shape = _growing_shape(sizes, along)
    return Variable(
        lambda: creation_ops.placeholder_with_default(creation_ops.zeros(sizes, dtype), shape),
        trainable=False,
        collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES],
        validate_shape=False,
        name="array",
    )


def cohen_kappa(
    labels: TensorLike, predictions_idx: TensorLike, num_classes: int,
    weights: Optional[TensorLike] = None, metrics_collections: Optional[Sequence[str]] = None,
    updates_collections: Optional[Sequence[str]] = None, name: Optional[str] = None,
) -> Metric:  # fmt: skip
    """How much more often two choices of classes agree than by chance.

    It is `tf.contrib.metrics.cohen_kappa`: (agreed - by_chance) / (all - by_chance).

    Args:
        labels: a vector of classes, int32 or int64, or [rows, 1].
        predictions_idx: as many classes of the same dtype.
        num_classes: how many classes there are, from 0 on.
        weights: what each row counts, or None for 1.
        metrics_collections: the names of the collections that the value is added to, or None.
        updates_collections: the names of the collections that the update is added to, or None.

    Returns:
        Cohen's kappa so far, a float64 scalar, 0 where it is not defined; and the update, whose
        result is that with this step.

    Raises:
        ValueError: if there are fewer than 2 classes, or shapes are known not to fit.
    """
    if num_classes < 2:
        raise ValueError(f"`num_classes` must be >= 2, not {num_classes}")
    with variable_scope(name, "cohen_kappa"):
        expected = convert_to_tensor(labels)
        expected.shape.with_rank_at_most(2)
        if expected.shape.rank == 2:
            expected = array_ops.squeeze(expected, [-1])
        predicted, expected_1d, weight = matched(predictions_idx, expected, weights)
        assert expected_1d is not None
        is_whole = weight is None or weight.dtype.is_integer
        dtype = dtypes.int64 if is_whole else dtypes.float32
        table = confusion_matrix(expected_1d, predicted, num_classes, dtype, weights=weight)
        parts = {
            "po": gen_ops.diag_part(table),
            "pe_row": math_ops.reduce_sum(table, axis=0),
            "pe_col": math_ops.reduce_sum(table, axis=1),
        }
        variables: List[Any] = [metric_variable([num_classes], dtype, part) for part in parts]
        updates = [assign_add(*pair) for pair in zip(variables, parts.values())]
        value, update = _kappa(*variables), _kappa(*updates)
    return collected(value, update, metrics_collections, updates_collections)


def _kappa(agreed: Any, rows: Any, columns: Any) -> Tensor:
    same, by_row, by_column = (
        math_ops.cast(array_ops.identity(each), dtypes.float64) for each in (agreed, rows, columns)
    )
    total = math_ops.reduce_sum(by_row)
    by_chance = math_ops.reduce_sum(gen_ops.div_no_nan(by_row * by_column, total))
    return safe_ratio(math_ops.reduce_sum(same) - by_chance, total - by_chance, "kappa")


def aggregate_metrics(*value_update_tuples: Metric) -> Tuple[List[Any], List[Any]]:
    """The values and the updates of metrics, in two lists: `tf.contrib.metrics.aggregate_metrics`.

    Args:
        *value_update_tuples: what functions of metrics return.

    Returns:
        The list of the values, and that of the updates.

    Raises:
        ValueError: if there are no metrics.
    """
    if not value_update_tuples:
        raise ValueError("Expected at least one pair of a value and an update")
    return [value for value, _ in value_update_tuples], [each for _, each in value_update_tuples]


def aggregate_metric_map(
    names_to_tuples: Mapping[str, Metric],
) -> Tuple[Dict[str, Any], Dict[str, Any]]:
    """The values and the updates of metrics by their names, in two dictionaries.

    It is `tf.contrib.metrics.aggregate_metric_map`.

    Args:
        names_to_tuples: {name: what the function of a metric returns}.

    Returns:
        {name: value} and {name: update}.
    """
    pairs = names_to_tuples.items()
    values = {name: value for name, (value, _) in pairs}
    return values, {name: update for name, (_, update) in pairs}
