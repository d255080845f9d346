"""Sums, products, greatest and smallest elements of slices."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe.contrib.reduce_slice_ops.python.ops import reduce_slice_ops

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = ["reduce_slice_ops"]
