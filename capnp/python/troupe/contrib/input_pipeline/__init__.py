"""The texts of a list, whose place checkpoints save."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.contrib_ops.input_pipeline import obtain_next

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = ["obtain_next"]
