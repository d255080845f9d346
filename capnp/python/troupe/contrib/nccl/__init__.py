"""Reductions of one tensor per device."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.collectives.nccl_ops import (
    all_max,
    all_min,
    all_prod,
    all_sum,
    broadcast,
    reduce_sum,
)

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = ["all_max", "all_min", "all_prod", "all_sum", "broadcast", "reduce_sum"]
