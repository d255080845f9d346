"""What graphs and steps cost, by older names than those of `tf.profiler`."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe.contrib.tfprof import model_analyzer

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = ["model_analyzer"]
