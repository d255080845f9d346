"""Runs the signatures of exported models of time series."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.series_estimators.saved_model_utils import (
    cold_start_filter,
    filter_continuation,
    predict_continuation,
)

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = ["cold_start_filter", "filter_continuation", "predict_continuation"]
