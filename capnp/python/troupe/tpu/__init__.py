"""What programs for TPUs use: sums among cores, of which there is one, and bfloat16."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.tpu.bfloat16 import bfloat16_scope
from troupe._src.tpu.cross_shard import CrossShardOptimizer, cross_replica_sum

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "CrossShardOptimizer",
    "bfloat16_scope",
    "cross_replica_sum",
]
