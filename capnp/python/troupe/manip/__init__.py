"""Functions that move elements of tensors."""

from troupe._src.ops.array_ops import reshape
from troupe._src.ops.gen_ops import batch_to_space_nd, roll, scatter_nd, space_to_batch_nd, tile
from troupe._src.ops.rearrange_ops import gather_nd, reverse

__all__ = [
    "batch_to_space_nd",
    "gather_nd",
    "reshape",
    "reverse",
    "roll",
    "scatter_nd",
    "space_to_batch_nd",
    "tile",
]
