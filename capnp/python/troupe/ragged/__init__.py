"""Ragged tensors: rows of different lengths."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.ragged.constants import constant, constant_value, placeholder
from troupe._src.ragged.flat import map_flat_values
from troupe._src.ragged.joining import stack
from troupe._src.ragged.ranges import ragged_range as range
from troupe._src.ragged.rows import row_splits_to_segment_ids, segment_ids_to_row_splits
from troupe._src.ragged.selection import boolean_mask, stack_dynamic_partitions
from troupe._src.ragged.value import RaggedTensorValue

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "RaggedTensorValue",
    "boolean_mask",
    "constant",
    "constant_value",
    "map_flat_values",
    "placeholder",
    "range",
    "row_splits_to_segment_ids",
    "segment_ids_to_row_splits",
    "stack",
    "stack_dynamic_partitions",
]
