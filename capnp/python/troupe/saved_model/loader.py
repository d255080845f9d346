"""Loads SavedModels."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.saved_model.loader import (
    load,
    maybe_saved_model_directory,
)

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "load",
    "maybe_saved_model_directory",
]
