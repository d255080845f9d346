"""Functions of the columns of matrices, applied to batches of vectors."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from troupe._src.graph.elements import Tensor
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor, is_tensor
from troupe._src.types import dtypes


def of_columns(function: Callable[[Tensor], Tensor], x: Tensor, batch_ndims: Any) -> Tensor:
    """A function of matrices in a batch, applied to samples of vectors in that batch.

    The samples become the columns, so that all of them take one product with each matrix.

    Args:
        function: Of [batch..., rows, columns], which gives the same shape.
        x: [samples..., batch..., rows].
        batch_ndims: How many axes the batch has.

    Returns:
        [samples..., batch..., rows].

    Raises:
        ValueError: `x` is known to have fewer axes.
    """
    rank: Any = x.shape.rank
    if rank is None or is_tensor(batch_ndims):
        rank = array_ops.rank(x)
    samples = rank - batch_ndims - 1
    if not is_tensor(samples) and samples < 0:
        raise ValueError(f"expected batch_ndims({batch_ndims}) + event_ndims(1) <= ndims({rank})")
    sizes = array_ops.shape(x)
    count = math_ops.reduce_prod(sizes[:samples])
    flat = array_ops.reshape(x, array_ops.concat([[count], sizes[samples:]], 0))
    if not is_tensor(samples):
        flat.set_shape([_product(x.shape.as_list()[:samples]), *x.shape.as_list()[samples:]])
    found = rotate_transpose(function(rotate_transpose(flat, -1)), 1)
    whole = array_ops.reshape(
        found, array_ops.concat([sizes[:samples], array_ops.shape(found)[1:]], 0)
    )
    if not is_tensor(samples) and found.shape.rank is not None:
        whole.set_shape([*x.shape.as_list()[:samples], *found.shape.as_list()[1:]])
    return whole


def _product(sizes: Any) -> Any:
    return None if None in sizes else int(np.prod(sizes, dtype=np.int64))


def rotate_transpose(x: Any, shift: Any, name: str = "rotate_transpose") -> Tensor:
    """The tensor with its axes moved to the right, those at the end to the beginning.

    Args:
        x: A tensor.
        shift: By how many axes; a negative number moves to the left.
        name: The name of the node.

    Returns:
        The tensor with the axes in that order.
    """
    tensor = convert_to_tensor(x, name="x")
    moved = convert_to_tensor(shift, name="shift")
    if not moved.dtype.is_integer:
        raise TypeError(f"shift must be of an integer type, not {moved.dtype.name}")
    known, rank = array_ops.get_static_value(moved), tensor.shape.rank
    if known is not None and rank is not None:
        if rank < 2 or int(known) % rank == 0:
            return tensor
        return array_ops.transpose(tensor, np.roll(np.arange(rank), int(known)), name=name)
    axes = array_ops.rank(tensor)
    start = gen_ops.floormod(-math_ops.cast(moved, dtypes.int32), axes)
    order = array_ops.concat([math_ops.range(start, axes), math_ops.range(0, start)], 0)
    return array_ops.transpose(tensor, order, name=name)
