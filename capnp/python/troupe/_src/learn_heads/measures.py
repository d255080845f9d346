"""Metrics of heads."""

from __future__ import annotations

from typing import Any, Optional, Tuple

from troupe._src.metrics.curves import auc
from troupe._src.metrics.means import accuracy, mean
from troupe._src.metrics.thresholds import precision_at_thresholds, recall_at_thresholds
from troupe._src.metrics.weights import broadcast_weights
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.types import dtypes

Metric = Tuple[Any, Any]


def _floats(tensor: Any) -> Any:
    return None if tensor is None else math_ops.cast(tensor, dtypes.float32)


def _of_class(values: Any, weights: Any, class_id: Optional[int]) -> Tuple[Any, Any]:
    """The values and the weights, as floats, of one class or of all."""
    numbers, full = _floats(values), _floats(weights)
    if full is not None:
        full = broadcast_weights(full, numbers)
    if class_id is None:
        return numbers, full
    return numbers[:, class_id], None if full is None else full[:, class_id]


def mean_of(values: Any, weights: Any = None, class_id: Optional[int] = None) -> Metric:
    """The mean of predictions or labels, of one class or of all."""
    return mean(*_of_class(values, weights, class_id))


def mean_of_being(values: Any, weights: Any, class_id: int) -> Metric:
    """How many of the values are the number of a class."""
    is_class = gen_ops.equal(math_ops.cast(values, dtypes.int32), class_id)
    return mean(math_ops.cast(is_class, dtypes.float32), weights)


def area(
    predictions: Any, labels: Any, weights: Any = None, class_id: Optional[int] = None,
    curve: str = "ROC",
) -> Metric:  # fmt: skip
    """The area under a curve of predictions in [0, 1], of one class or of all."""
    numbers, full = _of_class(predictions, weights, class_id)
    truth = math_ops.cast(labels, dtypes.bool_)
    return auc(truth if class_id is None else truth[:, class_id], numbers, full, curve=curve)


def accuracy_at(predictions: Any, labels: Any, weights: Any, threshold: float) -> Metric:
    """How many of the predictions are on the side of a threshold where their labels are."""
    chosen = math_ops.cast(gen_ops.greater_equal(predictions, threshold), dtypes.float32)
    return accuracy(labels, chosen, weights)


def precision_at(predictions: Any, labels: Any, weights: Any, threshold: float) -> Metric:
    """How many of the predictions above a threshold are right."""
    found = precision_at_thresholds(labels, predictions, [threshold], _floats(weights))
    return array_ops.squeeze(found[0]), array_ops.squeeze(found[1])


def recall_at(predictions: Any, labels: Any, weights: Any, threshold: float) -> Metric:
    """How many of the true labels have predictions above a threshold."""
    found = recall_at_thresholds(labels, predictions, [threshold], _floats(weights))
    return array_ops.squeeze(found[0]), array_ops.squeeze(found[1])
