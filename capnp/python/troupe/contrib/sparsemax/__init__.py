"""Projections onto the simplex, in the place of softmax."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.contrib.sparsemax import sparsemax, sparsemax_loss

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = ["sparsemax", "sparsemax_loss"]
