"""Models of one layer."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.learn_models.simple_models import linear_regression, logistic_regression

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = ["linear_regression", "logistic_regression"]
