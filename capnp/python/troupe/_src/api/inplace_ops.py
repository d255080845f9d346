"""Rows of a tensor that are replaced or changed, at `tensorflow.python.ops.inplace_ops`.

Tensors do not change here: those that TensorFlow changes in place are given as new ones, too. The
runtime reuses the memory of one that nothing else needs.
"""

from __future__ import annotations

from typing import Any, Callable, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.ops import array_ops, raw_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types import dtypes


def _changed(op: Callable[..., Tensor], x: Any, i: Any, v: Any) -> Tensor:
    """The rows i of x, changed by v: all for None, one for a scalar."""
    tensor = convert_to_tensor(x)
    values = convert_to_tensor(v, tensor.dtype)
    if i is None:
        # The tensor is one row of another.
        rows = op(x=array_ops.expand_dims(tensor, 0), i=[0], v=array_ops.expand_dims(values, 0))
        return array_ops.squeeze(rows, [0])
    places = convert_to_tensor(i, dtypes.int32)
    if places.shape.rank == 0:
        places, values = array_ops.reshape(places, [1]), array_ops.expand_dims(values, 0)
    return op(x=tensor, i=places, v=values)


def alias_inplace_update(x: Any, i: Optional[Any], v: Any) -> Tensor:
    """The tensor with some rows replaced.

    Args:
        x: The tensor.
        i: A row, a vector of rows, or None for all.
        v: What is there then: in the shape of a row, of rows, or of `x`.

    Returns:
        A tensor of the shape of `x`.
    """
    return _changed(raw_ops.InplaceUpdate, x, i, v)


def alias_inplace_add(x: Any, i: Optional[Any], v: Any) -> Tensor:
    """The tensor with something added to some rows.

    Args:
        x: The tensor.
        i: A row, a vector of rows, or None for all.
        v: What is added: in the shape of a row, of rows, or of `x`.

    Returns:
        A tensor of the shape of `x`.
    """
    return _changed(raw_ops.InplaceAdd, x, i, v)


def alias_inplace_sub(x: Any, i: Optional[Any], v: Any) -> Tensor:
    """The tensor with something subtracted from some rows.

    Args:
        x: The tensor.
        i: A row, a vector of rows, or None for all.
        v: What is subtracted: in the shape of a row, of rows, or of `x`.

    Returns:
        A tensor of the shape of `x`.
    """
    return _changed(raw_ops.InplaceSub, x, i, v)


inplace_update = alias_inplace_update
inplace_add = alias_inplace_add
inplace_sub = alias_inplace_sub


def empty_like(x: Any, init: Optional[bool] = None) -> Tensor:
    """A tensor of that shape and dtype, to be replaced row by row; zeros until then.

    Args:
        x: The tensor.
        init: Has no effect.

    Returns:
        The tensor.
    """
    tensor = convert_to_tensor(x)
    return raw_ops.Empty(shape=array_ops.shape(tensor), dtype=tensor.dtype, init=bool(init))
