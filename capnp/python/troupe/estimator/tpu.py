"""Estimators of programs for TPUs, which run on the devices that there are."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.tpu.config import InputPipelineConfig, RunConfig, TPUConfig
from troupe._src.tpu.estimator import TPUEstimator
from troupe._src.tpu.spec import TPUEstimatorSpec

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "InputPipelineConfig",
    "RunConfig",
    "TPUConfig",
    "TPUEstimator",
    "TPUEstimatorSpec",
]
