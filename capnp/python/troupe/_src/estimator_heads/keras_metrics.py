"""Metrics of `tf.keras` for heads, which are loaded once a head needs them."""

from __future__ import annotations

from typing import Any, Dict, Sequence

from troupe._src.metrics.weights import broadcast_weights
from troupe._src.ops import gen_ops, math_ops
from troupe._src.ops.grouping_ops import no_op
from troupe._src.keras.loaded import keras_module
from troupe._src.types import dtypes


def make(kind: str, name: str, **more: Any) -> Any:
    """A metric of a class of `tf.keras.metrics`.

    Args:
        kind: The name of the class.
        name: The name of the metric.
        **more: More arguments of the class.
    """
    return getattr(keras_module("metrics"), kind)(name=name, **more)


def _weights(weights: Any, values: Any) -> Any:
    """A weight for each value; None where all are 1."""
    return None if isinstance(weights, float) else broadcast_weights(weights, values)


def count_mean(metric: Any, values: Any, weights: Any = 1.0) -> None:
    """Lets a mean count numbers."""
    numbers = math_ops.cast(values, dtypes.float32)
    metric.update_state(numbers, sample_weight=_weights(weights, numbers))


def count_pairs(metric: Any, labels: Any, predictions: Any, weights: Any) -> None:
    """Lets a metric count labels and what was predicted."""
    numbers = math_ops.cast(predictions, dtypes.float32)
    wanted = math_ops.cast(labels, dtypes.float32)
    metric.update_state(wanted, numbers, sample_weight=_weights(weights, numbers))


def count_accuracy(metric: Any, labels: Any, predictions: Any, weights: Any) -> None:
    """Lets an accuracy count examples, each of which is the mean over its classes."""
    numbers = math_ops.cast(predictions, dtypes.float32)
    wanted = math_ops.cast(labels, dtypes.float32)
    of_examples = None if isinstance(weights, float) else weights
    metric.update_state(wanted, numbers, sample_weight=of_examples)


def count_at_thresholds(
    metrics: Dict[str, Any], given: Any, thresholds: Sequence[float], key_of: Any
) -> None:
    """Lets the metrics of `at_thresholds` count.

    Args:
        metrics: Metrics by their keys.
        given: (labels, scores, weights).
        thresholds: The thresholds.
        key_of: Makes keys.
    """
    for threshold in thresholds:
        for kind, count in (
            ("accuracy", count_accuracy), ("precision", count_pairs), ("recall", count_pairs)
        ):  # fmt: skip
            count(metrics[key_of(f"{kind}/positive_threshold_{threshold:g}")], *given)


def count_baseline(metric: Any, label_mean: Any) -> None:
    """Lets a mean be the accuracy of who always says the class that is more frequent.

    Args:
        metric: The mean.
        label_mean: The mean of labels, which has counted.
    """
    metric.total = gen_ops.maximum(label_mean.total, label_mean.count - label_mean.total)
    metric.count = label_mean.count
    metric.add_update(no_op())


def at_thresholds(thresholds: Sequence[float], key_of: Any) -> Dict[str, Any]:
    """Accuracies, precisions and recalls at thresholds, by their keys."""
    found = {}
    for threshold in thresholds:
        for key, kind, argument in (
            ("accuracy", "BinaryAccuracy", "threshold"),
            ("precision", "Precision", "thresholds"),
            ("recall", "Recall", "thresholds"),
        ):
            name = key_of(f"{key}/positive_threshold_{threshold:g}")
            found[name] = make(kind, name, **{argument: threshold})
    return found
