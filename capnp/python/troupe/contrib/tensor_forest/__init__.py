"""Forests of decision trees that grow while examples come."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe.contrib.tensor_forest import client, proto
from troupe.contrib.tensor_forest.client import eval_metrics, random_forest

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__, lazy=("python",))

__all__ = ["client", "eval_metrics", "proto", "random_forest"]
