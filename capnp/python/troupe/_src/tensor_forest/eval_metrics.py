"""Metrics of forests by their names."""

from __future__ import annotations

from typing import Any, Callable, Dict, Tuple

import numpy as np

from troupe._src.learn.keys import PredictionKey
from troupe._src.metrics import counts, curves, means, thresholds
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.ops.creation_ops import one_hot
from troupe._src.ops.order_ops import in_top_k
from troupe._src.slim import losses
from troupe._src.types import dtypes

# The names of predictions, and of what estimators report.
INFERENCE_PROB_NAME = PredictionKey.PROBABILITIES
INFERENCE_PRED_NAME = PredictionKey.CLASSES
FEATURE_IMPORTANCE_NAME = "global_feature_importance"

_STEPS = np.arange(0, 1, 0.01, dtype=np.float32).tolist()  # thresholds


def _top_k(k: int) -> Callable[[Any, Any], Any]:
    def metric(probabilities: Any, targets: Any) -> Any:
        targets = math_ops.cast(targets, dtypes.int32)
        if targets.shape.rank is not None and targets.shape.rank > 1:
            targets = array_ops.squeeze(targets, axis=[1])
        return means.mean(in_top_k(probabilities, targets, k))

    return metric


def _accuracy(predictions: Any, targets: Any, weights: Any = None) -> Any:
    return means.accuracy(targets, predictions, weights)


def _r2(probabilities: Any, targets: Any, weights: Any = None) -> Any:
    targets = math_ops.cast(targets, dtypes.float32)
    average = math_ops.reduce_mean(targets, 0)
    total = math_ops.reduce_sum(gen_ops.squared_difference(targets, average), 0)
    rest = math_ops.reduce_sum(gen_ops.squared_difference(targets, probabilities), 0)
    return means.mean(1 - math_ops.reduce_sum(rest / total), weights)


def _one_hot(targets: Any, probabilities: Any) -> Any:
    labels = math_ops.cast(array_ops.squeeze(targets, axis=[1]), dtypes.int32)
    return one_hot(labels, array_ops.shape(probabilities)[1])


def _sigmoid_entropy(probabilities: Any, targets: Any, weights: Any = None) -> Any:
    wanted = _one_hot(targets, probabilities)
    return means.mean(losses.sigmoid_cross_entropy(probabilities, wanted), weights)


def _softmax_entropy(probabilities: Any, targets: Any, weights: Any = None) -> Any:
    wanted = math_ops.cast(targets, dtypes.int32)
    return means.mean(losses.sparse_softmax_cross_entropy(probabilities, wanted), weights)


def _predictions(predictions: Any, unused_targets: Any, **unused_kwargs: Any) -> Any:
    return predictions


def _class_log_loss(probabilities: Any, targets: Any, weights: Any = None) -> Any:
    wanted = _one_hot(targets, probabilities)
    return means.mean(losses.log_loss(probabilities, wanted), weights)


def _precision(predictions: Any, targets: Any, weights: Any = None) -> Any:
    return counts.precision(targets, predictions, weights)


def _recall(predictions: Any, targets: Any, weights: Any = None) -> Any:
    return counts.recall(targets, predictions, weights)


def _of_class_1(probabilities: Any) -> Any:
    return array_ops.slice(probabilities, [0, 1], [-1, 1])


def _precision_at_thresholds(predictions: Any, targets: Any, weights: Any = None) -> Any:
    scores = _of_class_1(predictions)
    return thresholds.precision_at_thresholds(targets, scores, _STEPS, weights)


def _recall_at_thresholds(predictions: Any, targets: Any, weights: Any = None) -> Any:
    scores = _of_class_1(predictions)
    return thresholds.recall_at_thresholds(targets, scores, _STEPS, weights)


def _auc(probs: Any, targets: Any, weights: Any = None) -> Any:
    return curves.auc(targets, _of_class_1(probs), weights)


# For each name, the metric, and the name of the predictions that it takes.
_METRICS: Dict[str, Tuple[Callable[..., Any], str]] = {
    "auc": (_auc, INFERENCE_PROB_NAME),
    "sigmoid_entropy": (_sigmoid_entropy, INFERENCE_PROB_NAME),
    "softmax_entropy": (_softmax_entropy, INFERENCE_PROB_NAME),
    "accuracy": (_accuracy, INFERENCE_PRED_NAME),
    "r2": (_r2, PredictionKey.SCORES),
    "predictions": (_predictions, INFERENCE_PRED_NAME),
    "classification_log_loss": (_class_log_loss, INFERENCE_PROB_NAME),
    "precision": (_precision, INFERENCE_PRED_NAME),
    "precision_at_thresholds": (_precision_at_thresholds, INFERENCE_PROB_NAME),
    "recall": (_recall, INFERENCE_PRED_NAME),
    "recall_at_thresholds": (_recall_at_thresholds, INFERENCE_PROB_NAME),
    "top_5": (_top_k(5), INFERENCE_PROB_NAME),
}


def get_metric(metric_name: str) -> Callable[..., Any]:
    """A metric.

    Args:
        metric_name: "auc", "sigmoid_entropy", "softmax_entropy", "accuracy", "r2", "predictions",
            "classification_log_loss", "precision", "precision_at_thresholds", "recall",
            "recall_at_thresholds" or "top_5".

    Returns:
        A function of predictions, labels and, except for "top_5", weights, that gives a value and
        its update; "predictions" gives the predictions.

    Raises:
        KeyError: There is no such metric.
    """
    return _METRICS[metric_name][0]


def get_prediction_key(metric_name: str) -> str:
    """The name of the predictions that a metric takes.

    Args:
        metric_name: As of `get_metric`.

    Returns:
        The name.

    Raises:
        KeyError: There is no such metric.
    """
    return _METRICS[metric_name][1]
