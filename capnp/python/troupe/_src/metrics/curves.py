"""Areas under curves of thresholds, and points on them."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Sequence

from troupe._src.graph.elements import Tensor
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.metrics.means import safe_ratio
from troupe._src.metrics.streaming import Metric, collected
from troupe._src.metrics.thresholds import EPSILON, Counts, confusion_at_thresholds
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops, reduction_ops, selection_ops
from troupe._src.platform import logging
from troupe._src.types import dtypes
from troupe._src.variables.variable_store import variable_scope

_SMALL = 1.0e-6  # what keeps rates of empty classes defined

# How high the curve is between two of its points.
_HEIGHTS: Any = {
    "trapezoidal": lambda left, right: (left + right) / 2.0,
    "careful_interpolation": lambda left, right: (left + right) / 2.0,
    "minoring": gen_ops.minimum,
    "majoring": gen_ops.maximum,
}


def _between(num_thresholds: int) -> List[float]:
    """Thresholds of equal distances between 0 and 1, without both."""
    return [(i + 1) * 1.0 / (num_thresholds - 1) for i in range(num_thresholds - 2)]


def evenly_spaced(num_thresholds: int) -> List[float]:
    """As many thresholds of equal distances, from just below 0 to just above 1."""
    return [0.0 - EPSILON, *_between(num_thresholds), 1.0 + EPSILON]


def auc(
    labels: TensorLike, predictions: TensorLike, weights: Optional[TensorLike] = None,
    num_thresholds: int = 200, metrics_collections: Optional[Sequence[str]] = None,
    updates_collections: Optional[Sequence[str]] = None, curve: str = "ROC",
    name: Optional[str] = None, summation_method: str = "trapezoidal",
    thresholds: Optional[Sequence[float]] = None,
) -> Metric:  # fmt: skip
    """The area under the curve of the rates of true and false positives, or precision and recall.

    Args:
        labels: numbers or booleans; those that are not 0 are true.
        predictions: as many numbers in [0, 1].
        weights: of the same rank, or one number; 1 by default.
        num_thresholds: how many points of the curve are computed.
        metrics_collections: where the value is added to.
        updates_collections: where the update is added to.
        curve: "ROC" or "PR".
        name: the scope of the variables.
        summation_method: "trapezoidal", "careful_interpolation", which is exact for "PR",
            "minoring" or "majoring".
        thresholds: the points, instead of equal distances.

    Returns:
        The area so far, and the update, whose result is the area with this step.

    Raises:
        ValueError: for another curve or method, and if shapes are known not to fit.
    """
    with variable_scope(name, "auc"):
        if curve not in ("ROC", "PR"):
            raise ValueError(f"curve must be either ROC or PR, {curve} unknown")
        if summation_method not in _HEIGHTS:
            raise ValueError(f"Invalid summation_method: {summation_method}")
        if curve == "PR" and summation_method == "trapezoidal":
            logging.warning(
                "Trapezoidal rule is known to produce incorrect PR-AUCs; please switch to "
                '"careful_interpolation" instead.'
            )
        inner = _between(num_thresholds) if thresholds is None else sorted(thresholds)
        limits = [0.0 - EPSILON, *inner, 1.0 + EPSILON]
        values, updates = confusion_at_thresholds(labels, predictions, limits, weights)
        value = _area(values, curve, summation_method, "value")
        update = _area(updates, curve, summation_method, "update_op")
    return collected(value, update, metrics_collections, updates_collections)


def _area(counts: Counts, curve: str, method: str, name: str) -> Tensor:
    tp, fn, tn, fp = (array_ops.identity(counts[kind]) for kind in ("tp", "fn", "tn", "fp"))
    if curve == "PR" and method == "careful_interpolation":
        return _interpolated_area(tp, fp, fn)
    recall = math_ops.div(tp + _SMALL, tp + fn + _SMALL)
    if curve == "ROC":
        x, y = math_ops.div(fp, fp + tn + _SMALL), recall
    else:
        x, y = recall, math_ops.div(tp + _SMALL, tp + fp + _SMALL)
    height = _HEIGHTS[method](y[:-1], y[1:])
    return math_ops.reduce_sum(gen_ops.multiply(x[:-1] - x[1:], height), name=name)


def _interpolated_area(tp: Tensor, fp: Tensor, fn: Tensor) -> Tensor:
    """The area if true positives grow linearly with positives between two thresholds."""
    found = tp[:-1] - tp[1:]
    positives = tp + fp
    more, fewer = positives[:-1], positives[1:]
    slope = safe_ratio(found, more - fewer, "prec_slope")
    intercept = tp[1:] - slope * fewer
    ratio = selection_ops.where(
        gen_ops.logical_and(gen_ops.greater(more, 0), gen_ops.greater(fewer, 0)),
        safe_ratio(more, fewer, "recall_relative_ratio"),
        creation_ops.ones_like(fewer),
    )
    grown = slope * (found + intercept * gen_ops.log(ratio))
    parts = safe_ratio(grown, tp[1:] + fn[1:], "pr_auc_increment")
    return math_ops.reduce_sum(parts, name="interpolate_pr_auc")


def sensitivity_at_specificity(
    labels: TensorLike, predictions: TensorLike, specificity: float,
    weights: Optional[TensorLike] = None, num_thresholds: int = 200,
    metrics_collections: Optional[Sequence[str]] = None,
    updates_collections: Optional[Sequence[str]] = None, name: Optional[str] = None,
) -> Metric:  # fmt: skip
    """The rate of true positives at the threshold whose specificity is nearest to the given one.

    Args:
        labels: numbers or booleans of any shape; those that are not 0 are true.
        predictions: as many numbers in [0, 1]; a step fails for others.
        specificity: the rate of true negatives, in [0, 1].
        weights: what each value counts, of the same rank with equal sizes or 1, or one number; None
            for 1.
        num_thresholds: how many thresholds are tried, at equal distances.
        metrics_collections: the names of the collections that the value is added to, or None.
        updates_collections: the names of the collections that the update is added to, or None.

    Returns:
        The rate so far, a float32 scalar; and the update, whose result is the rate with this step.

    Raises:
        ValueError: if the specificity is out of range, or shapes are known not to fit.
    """
    if specificity < 0 or specificity > 1:
        raise ValueError("`specificity` must be in the range [0, 1].")

    def at_nearest(counts: Counts, name: str) -> Tensor:
        tp, fn, tn, fp = (counts[kind] for kind in ("tp", "fn", "tn", "fp"))
        rates = math_ops.div(tn, tn + fp + EPSILON)
        nearest = reduction_ops.argmin(gen_ops.abs(rates - specificity), 0)
        return _rate(tp, fn, nearest, name)

    with variable_scope(name, "sensitivity_at_specificity"):
        limits = evenly_spaced(num_thresholds)
        metric = _on_curve(at_nearest, labels, predictions, limits, weights)
    return collected(*metric, metrics_collections, updates_collections)


def specificity_at_sensitivity(
    labels: TensorLike, predictions: TensorLike, sensitivity: float,
    weights: Optional[TensorLike] = None, num_thresholds: int = 200,
    metrics_collections: Optional[Sequence[str]] = None,
    updates_collections: Optional[Sequence[str]] = None, name: Optional[str] = None,
) -> Metric:  # fmt: skip
    """The rate of true negatives at the last threshold whose sensitivity is nearest to the given
    one.

    Args:
        labels: numbers or booleans of any shape; those that are not 0 are true.
        predictions: as many numbers in [0, 1]; a step fails for others.
        sensitivity: the rate of true positives, in [0, 1].
        weights: what each value counts, of the same rank with equal sizes or 1, or one number; None
            for 1.
        num_thresholds: how many thresholds are tried, at equal distances.
        metrics_collections: the names of the collections that the value is added to, or None.
        updates_collections: the names of the collections that the update is added to, or None.

    Returns:
        The rate so far, a float32 scalar; and the update, whose result is the rate with this step.

    Raises:
        ValueError: if the sensitivity is out of range, or shapes are known not to fit.
    """
    if sensitivity < 0 or sensitivity > 1:
        raise ValueError("`sensitivity` must be in the range [0, 1].")

    def at_nearest(counts: Counts, name: str) -> Tensor:
        tp, fn, tn, fp = (counts[kind] for kind in ("tp", "fn", "tn", "fp"))
        distances = gen_ops.abs(math_ops.div(tp, tp + fn + EPSILON) - sensitivity)
        is_nearest = gen_ops.equal(distances, math_ops.reduce_min(distances))
        # The sum reaches its maximum at the last of them, which is where argmax finds it first.
        counted = gen_ops.cumsum(math_ops.cast(is_nearest, dtypes.int64), 0)
        return _rate(tn, fp, reduction_ops.argmax(counted, 0), name)

    with variable_scope(name, "specificity_at_sensitivity"):
        limits = [0.0 - EPSILON, *_between(num_thresholds), 1.0 - EPSILON]
        metric = _on_curve(at_nearest, labels, predictions, limits, weights)
    return collected(*metric, metrics_collections, updates_collections)


def _on_curve(
    point: Callable[[Counts, str], Tensor],
    labels: Any,
    predictions: Any,
    thresholds: List[float],
    weights: Any,
) -> Metric:
    values, updates = confusion_at_thresholds(labels, predictions, thresholds, weights)
    return point(values, "value"), point(updates, "update_op")


def _rate(part: Any, rest: Any, index: Tensor, name: str) -> Tensor:
    of_part, of_rest = (selection_ops.gather(counts, index) for counts in (part, rest))
    return math_ops.div(of_part, of_part + of_rest + EPSILON, name)
