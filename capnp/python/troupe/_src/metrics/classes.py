"""Metrics of several classes: means over the classes."""

from __future__ import annotations

from typing import Any, Optional, Sequence, Tuple

from troupe._src.graph.elements import Tensor
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.metrics.confusion_matrix import confusion_matrix
from troupe._src.metrics.means import safe_ratio
from troupe._src.metrics.streaming import Metric, collected, metric_variable
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops, selection_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types import dtypes
from troupe._src.variables.assign_ops import assign_add
from troupe._src.variables.scatter_ops import scatter_add
from troupe._src.variables.variable_store import variable_scope


def mean_iou(
    labels: TensorLike, predictions: TensorLike, num_classes: Any,
    weights: Optional[TensorLike] = None, metrics_collections: Optional[Sequence[str]] = None,
    updates_collections: Optional[Sequence[str]] = None, name: Optional[str] = None,
) -> Metric:  # fmt: skip
    """The mean over classes of the intersection of labels and predictions divided by their union.

    Args:
        labels: classes, below `num_classes`.
        predictions: as many classes.
        num_classes: how many there are.
        weights: what each pair counts, 1 by default.
        metrics_collections: where the value is added to.
        updates_collections: where the update is added to.
        name: the scope of the variable.

    Returns:
        The mean so far, of classes that occurred, and the update, whose result is the matrix of
        counts with this step.

    Raises:
        ValueError: if shapes are known to differ.
    """
    with variable_scope(name, "mean_iou"):
        total, update = streaming_confusion_matrix(labels, predictions, num_classes, weights)
        value = _mean_of_ratios(total)
    return collected(value, update, metrics_collections, updates_collections)


def streaming_confusion_matrix(
    labels: Any, predictions: Any, num_classes: Any, weights: Any = None
) -> Tuple[Any, Any]:
    """How often each class was predicted for each class so far.

    Args:
        labels: the classes.
        predictions: the predicted ones.
        num_classes: how many there are.
        weights: what each pair counts, 1 by default.

    Returns:
        The variable, a matrix with a row for each class, and its update with this step.

    Raises:
        ValueError: if shapes are known to differ.
    """
    predicted, expected = convert_to_tensor(predictions), convert_to_tensor(labels)
    predicted.shape.assert_is_compatible_with(expected.shape)
    shape = [num_classes, num_classes]
    total = metric_variable(shape, dtypes.float64, "total_confusion_matrix")
    weight = None if weights is None else _line(weights)
    lines = _line(expected), _line(predicted)
    step = confusion_matrix(*lines, num_classes, dtypes.float64, weights=weight)
    return total, assign_add(total, step)


def _line(values: Any) -> Tensor:
    return array_ops.reshape(values, [-1])


def _mean_of_ratios(matrix: Any) -> Tensor:
    """0 if no class occurred."""
    rows, columns, both = (
        math_ops.cast(counts, dtypes.float32)
        for counts in (
            math_ops.reduce_sum(matrix, 0),
            math_ops.reduce_sum(matrix, 1),
            gen_ops.diag_part(matrix),
        )
    )
    union = rows + columns - both
    occurring = math_ops.reduce_sum(math_ops.cast(gen_ops.not_equal(union, 0), dtypes.float32))
    ones = creation_ops.ones_like(union)
    ratios = math_ops.div(both, selection_ops.where(gen_ops.greater(union, 0), union, ones))
    mean = math_ops.reduce_sum(ratios, name="mean_iou") / occurring
    return selection_ops.where_v2(gen_ops.greater(occurring, 0), mean, 0.0)


def mean_per_class_accuracy(
    labels: TensorLike, predictions: TensorLike, num_classes: Any,
    weights: Optional[TensorLike] = None, metrics_collections: Optional[Sequence[str]] = None,
    updates_collections: Optional[Sequence[str]] = None, name: Optional[str] = None,
) -> Metric:  # fmt: skip
    """The mean over classes of how many labels of the class are predicted as it.

    Args:
        labels: classes, below `num_classes`.
        predictions: as many classes.
        num_classes: how many there are.
        weights: what each pair counts, 1 by default.
        metrics_collections: the names of the collections that the value is added to, or None.
        updates_collections: the names of the collections that the update is added to, or None.

    Returns:
        The mean so far, a float32 scalar; and the update, whose result is the fraction of each
        class, [num_classes], with this step.

    Raises:
        ValueError: if shapes are known to differ.
    """
    with variable_scope(name, "mean_accuracy"):
        expected = _line(math_ops.cast(convert_to_tensor(labels), dtypes.int64))
        predicted = _line(convert_to_tensor(predictions))
        predicted.shape.assert_is_compatible_with(expected.shape)
        total = metric_variable([num_classes], dtypes.float32, "total")
        count = metric_variable([num_classes], dtypes.float32, "count")
        is_right = gen_ops.equal(math_ops.cast(predicted, expected.dtype), expected)
        right = math_ops.cast(is_right, dtypes.float32)
        number = creation_ops.ones_like(right)
        if weights is not None:
            weight = math_ops.cast(_line(weights), dtypes.float32)
            right, number = right * weight, number * weight
        total_update = scatter_add(total, expected, number)
        count_update = scatter_add(count, expected, right)
        value = math_ops.reduce_mean(safe_ratio(count, total, "per_class"), name="mean_accuracy")
        update = safe_ratio(count_update, total_update, "update_op")
    return collected(value, update, metrics_collections, updates_collections)
