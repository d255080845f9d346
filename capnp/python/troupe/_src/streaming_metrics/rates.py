"""Rates of wrong decisions, and what is best among several thresholds."""

from __future__ import annotations

from typing import Any, Callable, Optional, Sequence, Tuple

from troupe._src.graph.elements import Tensor
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.metrics import counts
from troupe._src.metrics.curves import evenly_spaced
from troupe._src.metrics.streaming import Metric, collected
from troupe._src.metrics.thresholds import EPSILON, confusion_at_thresholds
from troupe._src.ops import array_ops, creation_ops, gen_ops, grouping_ops, math_ops, reduction_ops
from troupe._src.arguments import required
from troupe._src.ops.selection_ops import where, where_v2
from troupe._src.types import dtypes
from troupe._src.variables.variable_store import variable_scope

_SMALL = 1.0e-6  # what keeps rates of empty classes defined


def streaming_false_positive_rate(
    predictions: TensorLike, labels: TensorLike, weights: Optional[TensorLike] = None,
    metrics_collections: Optional[Sequence[str]] = None,
    updates_collections: Optional[Sequence[str]] = None, name: Optional[str] = None,
) -> Metric:  # fmt: skip
    """How many of the false labels are predicted as true, as a fraction.

    It is `tf.contrib.metrics.streaming_false_positive_rate`.

    Args:
        predictions: numbers or booleans of any shape; those that are not 0 are true.
        labels: as many, read in the same way.
        weights: what each value counts, of the same rank with equal sizes or 1, or one number; None
            for 1.
        metrics_collections: the names of the collections that the value is added to, or None.
        updates_collections: the names of the collections that the update is added to, or None.

    Returns:
        The fraction so far, a float32 scalar, 0 while there are no such labels; and the update,
        whose result is the fraction with this step.

    Raises:
        ValueError: if shapes are known not to fit.
    """
    with variable_scope(name, "false_positive_rate"):
        wrong = counts.false_positives(labels, predictions, weights)
        right = counts.true_negatives(labels, predictions, weights)
        value, update = _fraction(wrong[0], right[0]), _fraction(wrong[1], right[1])
    return collected(value, update, metrics_collections, updates_collections)


def streaming_false_negative_rate(
    predictions: TensorLike, labels: TensorLike, weights: Optional[TensorLike] = None,
    metrics_collections: Optional[Sequence[str]] = None,
    updates_collections: Optional[Sequence[str]] = None, name: Optional[str] = None,
) -> Metric:  # fmt: skip
    """How many of the true labels are predicted as false, as a fraction.

    It is `tf.contrib.metrics.streaming_false_negative_rate`.

    Args:
        predictions: numbers or booleans of any shape; those that are not 0 are true.
        labels: as many, read in the same way.
        weights: as of `streaming_false_positive_rate`.
        metrics_collections: the names of the collections that the value is added to, or None.
        updates_collections: the names of the collections that the update is added to, or None.

    Returns:
        The fraction so far, a float32 scalar, 0 while there are no such labels; and the update,
        whose result is the fraction with this step.

    Raises:
        ValueError: if shapes are known not to fit.
    """
    with variable_scope(name, "false_negative_rate"):
        wrong = counts.false_negatives(labels, predictions, weights)
        right = counts.true_positives(labels, predictions, weights)
        value, update = _fraction(wrong[0], right[0]), _fraction(wrong[1], right[1])
    return collected(value, update, metrics_collections, updates_collections)


def streaming_false_positive_rate_at_thresholds(
    predictions: TensorLike, labels: TensorLike, thresholds: Sequence[float],
    weights: Optional[TensorLike] = None, metrics_collections: Optional[Sequence[str]] = None,
    updates_collections: Optional[Sequence[str]] = None, name: Optional[str] = None,
) -> Metric:  # fmt: skip
    """The fraction of false labels whose prediction is above each threshold.

    It is `tf.contrib.metrics.streaming_false_positive_rate_at_thresholds`.

    Args:
        predictions: numbers in [0, 1]; a step fails for others.
        labels: as many numbers or booleans; those that are not 0 are true.
        thresholds: numbers in [0, 1].
        weights: as of `streaming_false_positive_rate`.
        metrics_collections: the names of the collections that the value is added to, or None.
        updates_collections: the names of the collections that the update is added to, or None.

    Returns:
        The fractions so far, float32 [thresholds]; and the update, whose result are the fractions
        with this step.

    Raises:
        ValueError: if shapes are known not to fit.
    """
    with variable_scope(name, "false_positive_rate_at_thresholds"):
        metric = _at_thresholds(
            predictions, labels, thresholds, weights,
            lambda fp, tn: fp / (EPSILON + fp + tn), ("fp", "tn"),
        )  # fmt: skip
    return collected(*metric, metrics_collections, updates_collections)


def streaming_false_negative_rate_at_thresholds(
    predictions: TensorLike, labels: TensorLike, thresholds: Sequence[float],
    weights: Optional[TensorLike] = None, metrics_collections: Optional[Sequence[str]] = None,
    updates_collections: Optional[Sequence[str]] = None, name: Optional[str] = None,
) -> Metric:  # fmt: skip
    """The fraction of true labels whose prediction is not above each threshold.

    It is `tf.contrib.metrics.streaming_false_negative_rate_at_thresholds`.

    Args:
        predictions: numbers in [0, 1]; a step fails for others.
        labels: as many numbers or booleans; those that are not 0 are true.
        thresholds: numbers in [0, 1].
        weights: as of `streaming_false_positive_rate`.
        metrics_collections: the names of the collections that the value is added to, or None.
        updates_collections: the names of the collections that the update is added to, or None.

    Returns:
        The fractions so far, float32 [thresholds]; and the update, whose result are the fractions
        with this step.

    Raises:
        ValueError: if shapes are known not to fit.
    """
    with variable_scope(name, "false_negative_rate_at_thresholds"):
        metric = _at_thresholds(
            predictions, labels, thresholds, weights,
            lambda fn, tp: fn / (EPSILON + fn + tp), ("fn", "tp"),
        )  # fmt: skip
    return collected(*metric, metrics_collections, updates_collections)


def streaming_curve_points(
    labels: Optional[TensorLike] = None, predictions: Optional[TensorLike] = None,
    weights: Optional[TensorLike] = None, num_thresholds: int = 200,
    metrics_collections: Optional[Sequence[str]] = None,
    updates_collections: Optional[Sequence[str]] = None, curve: str = "ROC",
    name: Optional[str] = None,
) -> Tuple[Tensor, Any]:  # fmt: skip
    """Points of the curve whose area `streaming_auc` is.

    It is `tf.contrib.metrics.streaming_curve_points`.

    Args:
        labels: numbers or booleans; those that are not 0 are true.
        predictions: as many numbers in [0, 1]; a step fails for others.
        weights: as of `streaming_false_positive_rate`.
        num_thresholds: how many points are computed, for thresholds of equal distances.
        metrics_collections: the names of the collections that the value is added to, or None.
        updates_collections: the names of the collections that the update is added to, or None.
        curve: "ROC", the rates of false and of true positives, or "PR", recall and precision.

    Returns:
        The points so far, float32 [num_thresholds, 2]; and the update, which has no result.

    Raises:
        ValueError: for another curve, and if shapes are known not to fit.
    """
    if curve not in ("ROC", "PR"):
        raise ValueError(f"curve must be either ROC or PR, {curve} unknown")
    with variable_scope(name, "curve_points"):
        given = required("labels", labels), required("predictions", predictions)
        values, updates = confusion_at_thresholds(*given, evenly_spaced(num_thresholds), weights)
        tp, fn, tn, fp = (array_ops.identity(values[kind]) for kind in ("tp", "fn", "tn", "fp"))
        recall = (tp + _SMALL) / (tp + fn + _SMALL)
        if curve == "ROC":
            x, y = fp / (fp + tn + _SMALL), recall
        else:
            x, y = recall, (tp + _SMALL) / (tp + fp + _SMALL)
        points: Any = array_ops.stack([x, y], axis=1)
        update: Any = grouping_ops.group(*updates.values())
    return collected(points, update, metrics_collections, updates_collections)


def f1_score(
    labels: TensorLike, predictions: TensorLike, weights: Optional[TensorLike] = None,
    num_thresholds: int = 200, metrics_collections: Optional[Sequence[str]] = None,
    updates_collections: Optional[Sequence[str]] = None, name: Optional[str] = None,
) -> Metric:  # fmt: skip
    """The greatest 2 * precision * recall / (precision + recall) of several thresholds.

    It is `tf.contrib.metrics.f1_score`.

    Args:
        labels: numbers or booleans; those that are not 0 are true.
        predictions: as many numbers in [0, 1]; a step fails for others.
        weights: as of `streaming_false_positive_rate`.
        num_thresholds: how many thresholds there are, at equal distances.
        metrics_collections: the names of the collections that the value is added to, or None.
        updates_collections: the names of the collections that the update is added to, or None.

    Returns:
        The score so far, a float32 scalar; and the update, whose result is the score with this
        step.

    Raises:
        ValueError: if shapes are known not to fit.
    """

    def best(tp: Tensor, fp: Tensor, fn: Tensor) -> Tensor:
        precision, recall = tp / (EPSILON + tp + fp), tp / (EPSILON + tp + fn)
        return math_ops.reduce_max(2.0 * precision * recall / (precision + recall + EPSILON))

    with variable_scope(name, "f1"):
        thresholds = evenly_spaced(num_thresholds)
        metric = _at_thresholds(predictions, labels, thresholds, weights, best, ("tp", "fp", "fn"))
    return collected(*metric, metrics_collections, updates_collections)


def recall_at_precision(
    labels: TensorLike, predictions: TensorLike, precision: float,
    weights: Optional[TensorLike] = None, num_thresholds: int = 200,
    metrics_collections: Optional[Sequence[str]] = None,
    updates_collections: Optional[Sequence[str]] = None, name: Optional[str] = None,
    strict_mode: bool = False,
) -> Metric:  # fmt: skip
    """The recall at the threshold whose precision is nearest to the given one.

    It is `tf.contrib.metrics.recall_at_precision`.

    Args:
        labels: numbers or booleans; those that are not 0 are true.
        predictions: as many numbers in [0, 1]; a step fails for others.
        precision: a number in [0, 1].
        weights: as of `streaming_false_positive_rate`.
        num_thresholds: how many thresholds there are, at equal distances.
        metrics_collections: the names of the collections that the value is added to, or None.
        updates_collections: the names of the collections that the update is added to, or None.
        strict_mode: whether only thresholds count whose precision is not less than the given one;
            without any, the recall is 0.

    Returns:
        The recall so far, a float32 scalar; and the update, whose result is the recall with this
        step.

    Raises:
        ValueError: if the precision is not in [0, 1], or shapes are known not to fit.
    """
    if not 0 <= precision <= 1:
        raise ValueError(f"`precision` must be in the range [0, 1], not {precision}")

    def recall(tp: Tensor, fp: Tensor, fn: Tensor) -> Tensor:
        more = tp / (tp + fp + EPSILON) - precision
        recalls = tp / (tp + fn + EPSILON)
        if not strict_mode:
            return recalls[reduction_ops.argmin(gen_ops.abs(more), 0)]
        # The reciprocal is greatest for the least excess, and negative for a precision below.
        nearest = reduction_ops.argmax(1.0 / (more + EPSILON), 0)
        return where_v2(gen_ops.greater_equal(more[nearest], 0.0), recalls[nearest], 0.0)

    with variable_scope(name, "recall_at_precision"):
        limits = evenly_spaced(num_thresholds)
        metric = _at_thresholds(predictions, labels, limits, weights, recall, ("tp", "fp", "fn"))
    return collected(*metric, metrics_collections, updates_collections)


def precision_at_recall(
    labels: TensorLike, predictions: TensorLike, target_recall: float,
    weights: Optional[TensorLike] = None, num_thresholds: int = 200,
    metrics_collections: Optional[Sequence[str]] = None,
    updates_collections: Optional[Sequence[str]] = None, name: Optional[str] = None,
) -> Metric:  # fmt: skip
    """The precision at the greatest threshold whose recall is not less than the given one.

    It is `tf.contrib.metrics.precision_at_recall`.

    Args:
        labels: numbers or booleans; those that are not 0 are true.
        predictions: as many numbers in [0, 1]; a step fails for others.
        target_recall: a number in [0, 1].
        weights: as of `streaming_false_positive_rate`.
        num_thresholds: how many thresholds there are, at equal distances.
        metrics_collections: the names of the collections that the value is added to, or None.
        updates_collections: the names of the collections that the update is added to, or None.

    Returns:
        The precision so far, a float32 scalar; and the update, whose result is the precision with
        this step.

    Raises:
        ValueError: if the recall is not in [0, 1], or shapes are known not to fit.
    """
    if not 0 <= target_recall <= 1:
        raise ValueError(f"`target_recall` must be in the range [0, 1], not {target_recall}")

    def precision(tp: Tensor, fp: Tensor, fn: Tensor) -> Tensor:
        is_enough = gen_ops.greater_equal(tp / (tp + fn + EPSILON), target_recall)
        # Recall falls as thresholds grow, so the last that is enough has as many before it.
        last = math_ops.reduce_sum(math_ops.cast(is_enough, dtypes.int32)) - 1
        return ((tp + EPSILON) / (tp + fp + EPSILON))[last]

    with variable_scope(name, "precision_at_recall"):
        limits = evenly_spaced(num_thresholds)
        metric = _at_thresholds(predictions, labels, limits, weights, precision, ("tp", "fp", "fn"))
    return collected(*metric, metrics_collections, updates_collections)


def _at_thresholds(
    predictions: Any, labels: Any, thresholds: Sequence[float], weights: Any,
    compute: Callable[..., Tensor], kinds: Sequence[str],
) -> Metric:  # fmt: skip
    """What `compute` gives for these kinds of counts: so far, and with this step."""
    both = confusion_at_thresholds(labels, predictions, thresholds, weights, kinds)
    value, update = (
        compute(*(array_ops.identity(found[kind]) for kind in kinds)) for found in both
    )
    return value, update


def _fraction(part: Any, rest: Any) -> Tensor:
    """part / (part + rest), and 0 where both are."""
    total = math_ops.add(part, rest)
    return where(
        gen_ops.greater(total, 0), math_ops.div(part, total), creation_ops.zeros_like(total)
    )
