"""Profiles of models, and options for them."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.profiler.model_analyzer import (
    FLOAT_OPS_OPTIONS,
    PRINT_ALL_TIMING_MEMORY,
    TRAINABLE_VARS_PARAMS_STAT_OPTIONS,
    print_model_analysis,
)
from troupe._src.profiler.profile import Profiler

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "FLOAT_OPS_OPTIONS",
    "PRINT_ALL_TIMING_MEMORY",
    "Profiler",
    "TRAINABLE_VARS_PARAMS_STAT_OPTIONS",
    "print_model_analysis",
]
