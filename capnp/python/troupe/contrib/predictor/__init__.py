"""Functions of arrays, made of SavedModels and of estimators."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.contrib_estimator.learn_predictor import from_contrib_estimator
from troupe._src.estimator.predictors import from_estimator, from_saved_model

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = ["from_contrib_estimator", "from_estimator", "from_saved_model"]
