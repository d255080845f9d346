"""Ragged tensors in greater shapes."""

from __future__ import annotations

from typing import Any, Callable, List, Optional

from troupe._src.framework.static_values import get_static_value
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import control_dependencies
from troupe._src.ops import array_ops, gen_ops, selection_ops
from troupe._src.ops.convert import constant
from troupe._src.ragged import rows
from troupe._src.ragged.dynamic_shape import RaggedTensorDynamicShape
from troupe._src.ragged.factories import row_count
from troupe._src.ragged.gathering import gather
from troupe._src.ragged.parts import RaggedParts
from troupe._src.ragged.tensor import (
    RaggedTensor, convert_to_tensor_or_ragged_tensor, match_row_splits_dtypes,
)  # fmt: skip
from troupe._src.ragged.tiling import tile


def broadcast_dynamic_shape(
    shape_x: RaggedTensorDynamicShape, shape_y: RaggedTensorDynamicShape
) -> RaggedTensorDynamicShape:
    """The shape to which two shapes broadcast. Steps fail where there is none.

    Args:
        shape_x: A shape.
        shape_y: A shape.

    Returns:
        The shape.

    Raises:
        TypeError: One is no such shape.
        ValueError: The rank of one is unknown.
    """
    for name, shape in (("shape_x", shape_x), ("shape_y", shape_y)):
        if not isinstance(shape, RaggedTensorDynamicShape):
            raise TypeError(f"{name} must be a RaggedTensorDynamicShape")
    if shape_x.rank is None or shape_y.rank is None:
        raise ValueError("Unable to broadcast: unknown rank")
    rank = max(shape_x.rank, shape_y.rank)
    x, y = shape_x.broadcast_to_rank(rank), shape_y.broadcast_to_rank(rank)
    for axis in range(rank):
        x = x.broadcast_dimension(axis, y.dimension_size(axis))
        y = y.broadcast_dimension(axis, x.dimension_size(axis))
    return x


def broadcast_to(
    rt_input: Any, shape: RaggedTensorDynamicShape, broadcast_inner_dimensions: bool = True
) -> Any:
    """A tensor, or a ragged one, in a greater shape.

    Args:
        rt_input: The tensor.
        shape: A shape to which its own broadcasts.
        broadcast_inner_dimensions: Whether the axes that are uniform at the innermost are, too.

    Returns:
        A ragged tensor, or a tensor.

    Raises:
        TypeError: The shape is none.
        ValueError: There is no such broadcast.
    """
    if not isinstance(shape, RaggedTensorDynamicShape):
        raise TypeError("shape must be a RaggedTensorDynamicShape")
    tensor = convert_to_tensor_or_ragged_tensor(rt_input)
    if shape.num_partitioned_dimensions > 0:
        return _in_ragged_shape(tensor, shape, broadcast_inner_dimensions)
    if isinstance(tensor, RaggedParts):
        raise ValueError("Incompatible with shape: ragged rank mismatch")
    if not broadcast_inner_dimensions:
        return tensor
    return array_ops.broadcast_to(tensor, shape.inner_dim_sizes)


def _in_ragged_shape(tensor: Any, shape: RaggedTensorDynamicShape, with_inner: bool) -> Any:
    _check_fits(tensor, shape)
    source = RaggedTensorDynamicShape.from_tensor(tensor, shape.dim_size_dtype)
    assert shape.rank is not None
    source = source.broadcast_to_rank(shape.rank)
    tensor = _with_axes_of(tensor, shape)
    axes = range(shape.num_partitioned_dimensions)
    multiples: List[Any] = [1] * shape.rank
    for axis in axes:
        if source.is_ragged(axis) or shape.is_ragged(axis):
            continue
        size, wanted = source.dimension_size(axis), shape.dimension_size(axis)
        if get_static_value(size) in (1, None) and get_static_value(wanted) != 1:
            one = constant(1, wanted.dtype)
            multiples[axis] = selection_ops.where(gen_ops.equal(size, 1), wanted, one)
    if any(isinstance(each, Tensor) for each in multiples):
        tensor = tile(tensor, array_ops.stack(multiples))
    if with_inner:
        flat = tensor.flat_values
        count = array_ops.shape(flat, out_type=shape.dim_size_dtype)[:1]
        sizes = array_ops.concat([count, shape.inner_dim_sizes], axis=0)
        tensor = tensor.with_flat_values(array_ops.broadcast_to(flat, sizes))
    for axis in axes:
        if shape.is_ragged(axis) and not source.is_ragged(axis):
            tensor = _with_ragged_axis(tensor, axis, shape.dimension_size(axis))
    return tensor


def _check_fits(tensor: Any, shape: RaggedTensorDynamicShape) -> None:
    is_ragged = isinstance(tensor, RaggedParts)
    if is_ragged and tensor.row_splits.dtype != shape.dim_size_dtype:
        raise ValueError(
            "rt_input and dst_shape have different row_split dtypes; use "
            "RaggedTensor.with_row_splits_dtype() or RaggedTensorDynamicShape."
            "with_dim_size_dtype() to convert to a compatible dtype."
        )
    if tensor.shape.rank is None or shape.rank is None:
        raise ValueError("Unable to broadcast: unknown rank")
    if tensor.shape.rank > shape.rank:
        raise ValueError("Incompatible with shape: rank mismatch")
    if is_ragged and tensor.ragged_rank >= shape.num_partitioned_dimensions:
        raise ValueError("Incompatible with shape: ragged rank mismatch")


def _with_axes_of(tensor: Any, shape: RaggedTensorDynamicShape) -> Any:
    """With axes of size 1 before the first, and as many partitioned axes as the shape has."""
    dtype = shape.dim_size_dtype
    assert shape.rank is not None and shape.num_inner_dimensions is not None
    least = shape.num_inner_dimensions + 1
    while not isinstance(tensor, RaggedParts) and tensor.shape.rank < least:
        tensor = array_ops.expand_dims(tensor, 0)
    for _ in range(shape.rank - tensor.shape.rank):
        count = array_ops.reshape(row_count(tensor, dtype), [1])
        tensor = RaggedTensor.from_row_lengths(tensor, count, validate=False)
    outer = shape.num_partitioned_dimensions - 1
    if not isinstance(tensor, RaggedParts):
        return RaggedTensor.from_tensor(tensor, ragged_rank=outer, row_splits_dtype=dtype)
    missing = outer - tensor.ragged_rank
    if missing == 0:
        return tensor
    flat = RaggedTensor.from_tensor(
        tensor.flat_values, ragged_rank=missing, row_splits_dtype=dtype
    )
    return tensor.with_flat_values(flat)


def _with_ragged_axis(tensor: Any, axis: int, lengths: Tensor) -> Any:
    """With rows of those lengths along an axis, each of what the row has, which is one value."""
    if axis > 1:
        return tensor.with_values(_with_ragged_axis(tensor.values, axis - 1, lengths))
    values = gather(tensor.values, rows.row_splits_to_segment_ids(rows.lengths_to_splits(lengths)))
    return RaggedTensor.from_row_lengths(values, lengths, validate=False)


def apply_binary(function: Callable[..., Any], x: Any, y: Any, *args: Any, **kwargs: Any) -> Any:
    """What a function of two tensors gives for ragged ones, which broadcast."""
    is_x, is_y = isinstance(x, RaggedParts), isinstance(y, RaggedParts)
    if is_x and is_y:
        match_row_splits_dtypes(x, y)
    if not (is_x and is_y and _have_same_splits(x, y)) and _needs_broadcast(x, y):
        shape = broadcast_dynamic_shape(
            RaggedTensorDynamicShape.from_tensor(x, _index_dtype(x, y)),
            RaggedTensorDynamicShape.from_tensor(y, _index_dtype(x, y)),
        )
        x = broadcast_to(x, shape, broadcast_inner_dimensions=False)
        y = broadcast_to(y, shape, broadcast_inner_dimensions=False)
    flat = [getattr(each, "flat_values", each) for each in (x, y)]
    found = [each.nested_row_splits for each in (x, y) if isinstance(each, RaggedParts)]
    like = x if isinstance(x, RaggedParts) else y
    with control_dependencies(rows.check_same_splits(found)):
        return like.with_flat_values(function(*flat, *args, **kwargs))


def _have_same_splits(x: Any, y: Any) -> bool:
    pairs = list(zip(x.nested_row_splits, y.nested_row_splits))
    return x.ragged_rank == y.ragged_rank and all(one is other for one, other in pairs)


def _needs_broadcast(x: Any, y: Any) -> bool:
    """Whether it is not only the innermost values that broadcast."""
    for one, other in ((x, y), (y, x)):
        if isinstance(one, RaggedParts) and not isinstance(other, RaggedParts):
            inner, rank = one.flat_values.shape.rank, other.shape.rank
            return inner is None or rank is None or inner <= rank
    return True


def _index_dtype(x: Any, y: Any) -> Optional[Any]:
    return next(each.row_splits.dtype for each in (x, y) if isinstance(each, RaggedParts))
