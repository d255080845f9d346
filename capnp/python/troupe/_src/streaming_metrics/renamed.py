"""Metrics under the names of `tf.contrib.metrics`, most of which take the predictions first."""

from __future__ import annotations

import functools
import inspect
from typing import Any, Callable, Dict

from troupe._src.metrics import classes, counts, curves, means, ranking, thresholds
from troupe._src.metrics.streaming import Metric

_MODULE = "troupe.contrib.metrics"


def _renamed(
    metric: Callable[..., Metric],
    name: str,
    *leading: str,
    without: str = "",
    **others: str,
) -> Callable[..., Metric]:
    """The metric as the function `name`, with these arguments first.

    `others` are {name: the metric's name} of arguments that are called otherwise, and `without` are
    arguments of the metric, with a space between them, that the function does not have.
    """
    here = {theirs: ours for ours, theirs in others.items()}
    parameters = {
        here.get(key, key): each.replace(name=here.get(key, key))
        for key, each in inspect.signature(metric).parameters.items()
        if key not in without.split()
    }
    order = [*leading, *(key for key in parameters if key not in leading)]
    signature = inspect.Signature([parameters[key] for key in order])

    @functools.wraps(metric)
    def renamed(*args: Any, **kwargs: Any) -> Metric:
        given: Dict[str, Any] = signature.bind(*args, **kwargs).arguments
        return metric(**{others.get(key, key): value for key, value in given.items()})

    renamed.__name__ = renamed.__qualname__ = name
    renamed.__module__ = _MODULE
    renamed.__signature__ = signature  # type: ignore[attr-defined]
    hints = {here.get(key, key): hint for key, hint in metric.__annotations__.items()}
    renamed.__annotations__ = hints
    documented = metric.__doc__ or ""
    for theirs, ours in here.items():
        documented = documented.replace(f"        {theirs}:", f"        {ours}:")
    renamed.__doc__ = documented
    return renamed


streaming_accuracy = _renamed(means.accuracy, "streaming_accuracy", "predictions", "labels")
streaming_auc = _renamed(
    curves.auc, "streaming_auc", "predictions", "labels", without="summation_method thresholds"
)
streaming_false_negatives = _renamed(
    counts.false_negatives, "streaming_false_negatives", "predictions", "labels"
)
streaming_false_negatives_at_thresholds = _renamed(
    thresholds.false_negatives_at_thresholds,
    "streaming_false_negatives_at_thresholds",
    "predictions",
    "labels",
    without="metrics_collections updates_collections name",
)
streaming_false_positives = _renamed(
    counts.false_positives, "streaming_false_positives", "predictions", "labels"
)
streaming_false_positives_at_thresholds = _renamed(
    thresholds.false_positives_at_thresholds,
    "streaming_false_positives_at_thresholds",
    "predictions",
    "labels",
    without="metrics_collections updates_collections name",
)
streaming_mean = _renamed(means.mean, "streaming_mean")
streaming_mean_absolute_error = _renamed(
    means.mean_absolute_error, "streaming_mean_absolute_error", "predictions", "labels"
)
streaming_mean_cosine_distance = _renamed(
    means.mean_cosine_distance, "streaming_mean_cosine_distance", "predictions", "labels"
)
streaming_mean_iou = _renamed(classes.mean_iou, "streaming_mean_iou", "predictions", "labels")
streaming_mean_relative_error = _renamed(
    means.mean_relative_error, "streaming_mean_relative_error", "predictions", "labels"
)
streaming_mean_squared_error = _renamed(
    means.mean_squared_error, "streaming_mean_squared_error", "predictions", "labels"
)
streaming_mean_tensor = _renamed(means.mean_tensor, "streaming_mean_tensor")
streaming_percentage_less = _renamed(means.percentage_below, "streaming_percentage_less")
streaming_precision = _renamed(counts.precision, "streaming_precision", "predictions", "labels")
streaming_precision_at_thresholds = _renamed(
    thresholds.precision_at_thresholds,
    "streaming_precision_at_thresholds",
    "predictions",
    "labels",
)
streaming_recall = _renamed(counts.recall, "streaming_recall", "predictions", "labels")
streaming_recall_at_thresholds = _renamed(
    thresholds.recall_at_thresholds, "streaming_recall_at_thresholds", "predictions", "labels"
)
streaming_root_mean_squared_error = _renamed(
    means.root_mean_squared_error, "streaming_root_mean_squared_error", "predictions", "labels"
)
streaming_sensitivity_at_specificity = _renamed(
    curves.sensitivity_at_specificity,
    "streaming_sensitivity_at_specificity",
    "predictions",
    "labels",
)
streaming_specificity_at_sensitivity = _renamed(
    curves.specificity_at_sensitivity,
    "streaming_specificity_at_sensitivity",
    "predictions",
    "labels",
)
streaming_sparse_average_precision_at_k = _renamed(
    ranking.average_precision_at_k,
    "streaming_sparse_average_precision_at_k",
    "predictions",
    "labels",
)
streaming_sparse_average_precision_at_top_k = _renamed(
    ranking.average_precision_at_top_k,
    "streaming_sparse_average_precision_at_top_k",
    "top_k_predictions",
    "labels",
    top_k_predictions="predictions_idx",
)
streaming_sparse_precision_at_k = _renamed(
    ranking.precision_at_k, "streaming_sparse_precision_at_k", "predictions", "labels"
)
streaming_sparse_precision_at_top_k = _renamed(
    ranking.precision_at_top_k,
    "streaming_sparse_precision_at_top_k",
    "top_k_predictions",
    "labels",
    without="k",
    top_k_predictions="predictions_idx",
)
streaming_sparse_recall_at_k = _renamed(
    ranking.recall_at_k, "streaming_sparse_recall_at_k", "predictions", "labels"
)
sparse_recall_at_top_k = _renamed(
    ranking.recall_at_top_k,
    "sparse_recall_at_top_k",
    without="k",
    top_k_predictions="predictions_idx",
)
streaming_true_negatives = _renamed(
    counts.true_negatives, "streaming_true_negatives", "predictions", "labels"
)
streaming_true_negatives_at_thresholds = _renamed(
    thresholds.true_negatives_at_thresholds,
    "streaming_true_negatives_at_thresholds",
    "predictions",
    "labels",
    without="metrics_collections updates_collections name",
)
streaming_true_positives = _renamed(
    counts.true_positives, "streaming_true_positives", "predictions", "labels"
)
streaming_true_positives_at_thresholds = _renamed(
    thresholds.true_positives_at_thresholds,
    "streaming_true_positives_at_thresholds",
    "predictions",
    "labels",
    without="metrics_collections updates_collections name",
)
