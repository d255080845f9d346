"""Loads SavedModels."""

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.saved_model.loader import (
    load,
    maybe_saved_model_directory,
)

__getattr__ = _missing_names(__name__)

__all__ = [
    "load",
    "maybe_saved_model_directory",
]
