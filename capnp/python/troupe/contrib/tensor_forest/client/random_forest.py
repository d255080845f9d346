"""Estimators of forests."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.estimator.export_outputs import PredictOutput
from troupe._src.tensor_forest.estimators import (
    CoreTensorForestEstimator,
    MultiForestMultiHeadEstimator,
    TensorForestEstimator,
    get_combined_model_fn,
)
from troupe._src.tensor_forest.hooks import (
    LOSS_NAME,
    TensorForestLossHook,
    TensorForestRunOpAtEndHook,
)
from troupe._src.tensor_forest.model import (
    ALL_SERVING_KEY,
    EPSILON,
    KEYS_NAME,
    TREE_PATHS_PREDICTION_KEY,
    VARIANCE_PREDICTION_KEY,
    ModelBuilderOutputType,
    get_model_fn,
)
from troupe.contrib import layers
from troupe.contrib.tensor_forest.client import eval_metrics

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "ALL_SERVING_KEY",
    "CoreTensorForestEstimator",
    "EPSILON",
    "KEYS_NAME",
    "LOSS_NAME",
    "ModelBuilderOutputType",
    "MultiForestMultiHeadEstimator",
    "PredictOutput",
    "TREE_PATHS_PREDICTION_KEY",
    "TensorForestEstimator",
    "TensorForestLossHook",
    "TensorForestRunOpAtEndHook",
    "VARIANCE_PREDICTION_KEY",
    "eval_metrics",
    "get_combined_model_fn",
    "get_model_fn",
    "layers",
]
