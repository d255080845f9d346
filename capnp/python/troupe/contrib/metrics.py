"""Metrics of an evaluation, under the names they had before `troupe.metrics`, and more of them."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.metrics.confusion_matrix import confusion_matrix
from troupe._src.sparse.sets import difference as set_difference
from troupe._src.sparse.sets import intersection as set_intersection
from troupe._src.sparse.sets import size as set_size
from troupe._src.sparse.sets import union as set_union
from troupe._src.streaming_metrics.histograms import (
    auc_using_histogram,
    precision_recall_at_equal_thresholds,
)
from troupe._src.streaming_metrics.moments import (
    streaming_covariance,
    streaming_pearson_correlation,
)
from troupe._src.streaming_metrics.placements import (
    auc_with_confidence_intervals,
    streaming_dynamic_auc,
)
from troupe._src.streaming_metrics.rates import (
    f1_score,
    precision_at_recall,
    recall_at_precision,
    streaming_curve_points,
    streaming_false_negative_rate,
    streaming_false_negative_rate_at_thresholds,
    streaming_false_positive_rate,
    streaming_false_positive_rate_at_thresholds,
)
from troupe._src.streaming_metrics.renamed import (
    sparse_recall_at_top_k,
    streaming_accuracy,
    streaming_auc,
    streaming_false_negatives,
    streaming_false_negatives_at_thresholds,
    streaming_false_positives,
    streaming_false_positives_at_thresholds,
    streaming_mean,
    streaming_mean_absolute_error,
    streaming_mean_cosine_distance,
    streaming_mean_iou,
    streaming_mean_relative_error,
    streaming_mean_squared_error,
    streaming_mean_tensor,
    streaming_percentage_less,
    streaming_precision,
    streaming_precision_at_thresholds,
    streaming_recall,
    streaming_recall_at_thresholds,
    streaming_root_mean_squared_error,
    streaming_sensitivity_at_specificity,
    streaming_sparse_average_precision_at_k,
    streaming_sparse_average_precision_at_top_k,
    streaming_sparse_precision_at_k,
    streaming_sparse_precision_at_top_k,
    streaming_sparse_recall_at_k,
    streaming_specificity_at_sensitivity,
    streaming_true_negatives,
    streaming_true_negatives_at_thresholds,
    streaming_true_positives,
    streaming_true_positives_at_thresholds,
)
from troupe._src.streaming_metrics.values import (
    accuracy,
    aggregate_metric_map,
    aggregate_metrics,
    cohen_kappa,
    count,
    streaming_concat,
    streaming_recall_at_k,
)

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "accuracy",
    "aggregate_metric_map",
    "aggregate_metrics",
    "auc_using_histogram",
    "auc_with_confidence_intervals",
    "cohen_kappa",
    "confusion_matrix",
    "count",
    "f1_score",
    "precision_at_recall",
    "precision_recall_at_equal_thresholds",
    "recall_at_precision",
    "set_difference",
    "set_intersection",
    "set_size",
    "set_union",
    "sparse_recall_at_top_k",
    "streaming_accuracy",
    "streaming_auc",
    "streaming_concat",
    "streaming_covariance",
    "streaming_curve_points",
    "streaming_dynamic_auc",
    "streaming_false_negative_rate",
    "streaming_false_negative_rate_at_thresholds",
    "streaming_false_negatives",
    "streaming_false_negatives_at_thresholds",
    "streaming_false_positive_rate",
    "streaming_false_positive_rate_at_thresholds",
    "streaming_false_positives",
    "streaming_false_positives_at_thresholds",
    "streaming_mean",
    "streaming_mean_absolute_error",
    "streaming_mean_cosine_distance",
    "streaming_mean_iou",
    "streaming_mean_relative_error",
    "streaming_mean_squared_error",
    "streaming_mean_tensor",
    "streaming_pearson_correlation",
    "streaming_percentage_less",
    "streaming_precision",
    "streaming_precision_at_thresholds",
    "streaming_recall",
    "streaming_recall_at_k",
    "streaming_recall_at_thresholds",
    "streaming_root_mean_squared_error",
    "streaming_sensitivity_at_specificity",
    "streaming_sparse_average_precision_at_k",
    "streaming_sparse_average_precision_at_top_k",
    "streaming_sparse_precision_at_k",
    "streaming_sparse_precision_at_top_k",
    "streaming_sparse_recall_at_k",
    "streaming_specificity_at_sensitivity",
    "streaming_true_negatives",
    "streaming_true_negatives_at_thresholds",
    "streaming_true_positives",
    "streaming_true_positives_at_thresholds",
]
