"""Metrics of heads, which sum up over the steps of an evaluation."""

from __future__ import annotations

from typing import Any, Tuple

from troupe._src.metrics import curves
from troupe._src.metrics.means import accuracy, mean
from troupe._src.metrics.thresholds import precision_at_thresholds, recall_at_thresholds
from troupe._src.metrics.weights import broadcast_weights
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.types import dtypes

Metric = Tuple[Any, Any]


def _pair(values: Any, weights: Any) -> Tuple[Any, Any]:
    numbers = math_ops.cast(values, dtypes.float32)
    return numbers, broadcast_weights(weights, numbers)


def mean_of(values: Any, weights: Any, name: str) -> Metric:
    """The mean of numbers, each of which has the weight of its example."""
    return mean(*_pair(values, weights), name=name)


def area(labels: Any, scores: Any, weights: Any, name: str, curve: str = "ROC") -> Metric:
    """The area under a curve of scores in [0, 1]."""
    numbers, full = _pair(scores, weights)
    return curves.auc(labels, numbers, full, curve=curve, name=name)


def accuracy_baseline(label_mean: Metric) -> Metric:
    """The accuracy of who always says the class that is more frequent."""
    value, update = label_mean
    return gen_ops.maximum(value, 1.0 - value), gen_ops.maximum(update, 1.0 - update)


def accuracy_at(labels: Any, scores: Any, weights: Any, threshold: float, name: str) -> Metric:
    """How many of the scores are on the side of a threshold where their labels are."""
    chosen = math_ops.cast(gen_ops.greater_equal(scores, threshold), dtypes.float32)
    return accuracy(labels, chosen, weights, name=name)


def precision_at(labels: Any, scores: Any, weights: Any, threshold: float, name: str) -> Metric:
    """How many of the scores above a threshold are right."""
    return _squeezed(precision_at_thresholds(labels, scores, [threshold], weights, name=name))


def recall_at(labels: Any, scores: Any, weights: Any, threshold: float, name: str) -> Metric:
    """How many of the true labels have scores above a threshold."""
    return _squeezed(recall_at_thresholds(labels, scores, [threshold], weights, name=name))


def _squeezed(found: Metric) -> Metric:
    return array_ops.squeeze(found[0]), array_ops.squeeze(found[1])
