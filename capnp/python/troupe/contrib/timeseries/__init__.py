"""Estimators of time series: autoregressive ones, and state space models."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.timeseries.ar_model import ARModel
from troupe._src.series_estimators.estimators import (
    ARRegressor,
    StructuralEnsembleRegressor,
    TimeSeriesRegressor,
)
from troupe._src.timeseries.feature_keys import FilteringResults, TrainEvalFeatures
from troupe._src.series_estimators.head import OneShotPredictionHead
from troupe._src.timeseries.input_fns import (
    RandomWindowInputFn,
    WholeDatasetInputFn,
    predict_continuation_input_fn,
)
from troupe._src.timeseries.readers import CSVReader, NumpyReader
from troupe.contrib.timeseries import saved_model_utils

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "ARModel",
    "ARRegressor",
    "CSVReader",
    "FilteringResults",
    "NumpyReader",
    "OneShotPredictionHead",
    "RandomWindowInputFn",
    "StructuralEnsembleRegressor",
    "TimeSeriesRegressor",
    "TrainEvalFeatures",
    "WholeDatasetInputFn",
    "predict_continuation_input_fn",
    "saved_model_utils",
]
