"""Estimators of models of `troupe.keras`."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.tf_keras.estimators import model_to_estimator

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = ["model_to_estimator"]
