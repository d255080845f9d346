"""Sums, products, greatest and smallest elements of slices."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.contrib_ops.reduce_slice import (
    reduce_slice_max,
    reduce_slice_min,
    reduce_slice_prod,
    reduce_slice_sum,
)

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = ["reduce_slice_max", "reduce_slice_min", "reduce_slice_prod", "reduce_slice_sum"]
