"""Estimators of forests, and their metrics."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe.contrib.tensor_forest.client import eval_metrics, random_forest

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = ["eval_metrics", "random_forest"]
