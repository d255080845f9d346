"""Tensors of SavedModels as messages."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.saved_model.tensor_infos import (
    build_tensor_info,
    get_tensor_from_tensor_info,
)

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "build_tensor_info",
    "get_tensor_from_tensor_info",
]
