"""Metrics of forests by their names."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.tensor_forest.eval_metrics import (
    FEATURE_IMPORTANCE_NAME,
    INFERENCE_PRED_NAME,
    INFERENCE_PROB_NAME,
    get_metric,
    get_prediction_key,
)
from troupe.contrib import losses

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "FEATURE_IMPORTANCE_NAME",
    "INFERENCE_PRED_NAME",
    "INFERENCE_PROB_NAME",
    "get_metric",
    "get_prediction_key",
    "losses",
]
