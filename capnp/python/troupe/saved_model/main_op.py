"""What a program runs once it has loaded a SavedModel."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.saved_model.main_op import (
    main_op,
    main_op_with_restore,
)

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "main_op",
    "main_op_with_restore",
]
