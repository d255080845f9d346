"""The predictions and losses of layers."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.learn_models.simple_models import mean_squared_error_regressor, softmax_classifier

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = ["mean_squared_error_regressor", "softmax_classifier"]
