"""Random tensors."""

from troupe._src.graph.random_seed import set_random_seed
from troupe._src.ops.array_ops import random_normal as normal
from troupe._src.ops.array_ops import random_uniform as uniform
from troupe._src.ops.array_ops import truncated_normal

__all__ = ["normal", "set_random_seed", "truncated_normal", "uniform"]
