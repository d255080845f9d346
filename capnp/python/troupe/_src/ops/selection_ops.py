"""Elements that are selected: by indices, conditions and masks."""

from __future__ import annotations

from typing import Any, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import raw_ops


def gather(
    params: TensorLike,
    indices: TensorLike,
    validate_indices: Any = None,
    name: Optional[str] = None,
    axis: Optional[TensorLike] = None,
    batch_dims: int = 0,
) -> Tensor:
    """The slices of `params` at `indices` along an axis, by default the first that is no batch.

    Args:
        params: a tensor or a variable.
        indices: int32 or int64 of any shape, in [0, size of the axis).
        validate_indices: has no effect: indices are always checked.
        axis: the axis of `params`, also a scalar tensor.
        batch_dims: the number of first axes that `params` and indices have in common.

    Returns:
        A tensor of the shape of `params`, with the axes of the indices, without the common ones,
        instead of the one.
    """
    return raw_ops.GatherV2(
        params=params,
        indices=indices,
        axis=batch_dims if axis is None else axis,
        batch_dims=batch_dims,
        name=name,
    )


def where(
    condition: TensorLike,
    x: Optional[TensorLike] = None,
    y: Optional[TensorLike] = None,
    name: Optional[str] = None,
) -> Tensor:
    """Elements of x where the condition is true, else of y; without them, where it is true.

    Args:
        condition: bools: of the shape of `x`, or one for each slice along its first axis.
        x: a tensor of any dtype.
        y: of the shape and dtype of `x`.

    Returns:
        A tensor of the shape of `x`; without `x` and `y` the indices of true elements, int64
        [count, rank].

    Raises:
        ValueError: if only one of `x` and `y` is given.
    """
    if x is None and y is None:
        return raw_ops.Where(input=condition, name=name)
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    return raw_ops.Select(condition=condition, t=x, e=y, name=name)


def where_v2(
    condition: TensorLike,
    x: Optional[TensorLike] = None,
    y: Optional[TensorLike] = None,
    name: Optional[str] = None,
) -> Tensor:
    """`where` whose three arguments broadcast.

    Args:
        condition: bools.
        x: a tensor of any dtype.
        y: of the dtype of `x`.

    Returns:
        A tensor in the broadcast shape; without `x` and `y` the indices of true elements, int64
        [count, rank].

    Raises:
        ValueError: if only one of `x` and `y` is given.
    """
    if x is None and y is None:
        return raw_ops.Where(input=condition, name=name)
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    return raw_ops.SelectV2(condition=condition, t=x, e=y, name=name)
