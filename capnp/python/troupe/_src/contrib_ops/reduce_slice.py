"""Sums, products, greatest and smallest elements of slices of an axis."""

from __future__ import annotations

from typing import Any, Callable, Optional

from troupe._src.graph.scopes import name_scope
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.rearrange_ops import repeat
from troupe._src.ops.segment_ops import cumsum
from troupe._src.ops.selection_ops import gather, where_v2
from troupe._src.types import dtypes

_INFINITY = float("inf")


def _reduced(
    data: Any, indices: Any, axis: int, reduce: Callable[..., Any], empty: Any, name: Optional[str],
    default_name: str,
) -> Any:  # fmt: skip
    with name_scope(name, default_name):
        tensor, given = convert_to_tensor(data), convert_to_tensor(indices)
        rank = tensor.shape.rank or 0
        order = [axis, *(other for other in range(rank) if other != axis)]
        rows = array_ops.transpose(tensor, order)
        if given.shape.rank == 1 or given.shape[1].value == 1:
            flat = array_ops.reshape(given, [-1])
            starts, ends = flat[:-1], flat[1:]
        else:
            starts, ends = given[:, 0], given[:, 1]
        starts = gen_ops.maximum(math_ops.cast(starts, dtypes.int32), 0)
        ends = gen_ops.minimum(math_ops.cast(ends, dtypes.int32), array_ops.shape(rows)[0])
        counts = gen_ops.maximum(ends - starts, 0)
        n_slices = array_ops.size(counts)
        # The elements of all slices, one slice after another.
        numbers = repeat(math_ops.range(n_slices), counts, axis=0)
        first = repeat(starts - cumsum(counts, exclusive=True), counts, axis=0)
        places = first + math_ops.range(math_ops.reduce_sum(counts))
        found = reduce(gather(rows, places), numbers, n_slices)
        if empty is not None and not _fits(empty, tensor.dtype):
            empty = tensor.dtype.max if empty > 0 else tensor.dtype.min
        if empty is not None:
            sizes = array_ops.concat([[-1], creation_ops.ones([rank - 1], dtypes.int32)], 0)
            is_empty = array_ops.reshape(gen_ops.equal(counts, 0), sizes)
            found = where_v2(is_empty, convert_to_tensor(empty, tensor.dtype), found)
        back = [order.index(other) for other in range(rank)]
        return array_ops.transpose(found, back)


def _fits(number: float, dtype: Any) -> bool:
    return bool(dtype.is_floating) or abs(number) != _INFINITY


def reduce_slice_sum(data: Any, indices: Any, axis: int, name: Optional[str] = None) -> Any:
    """The sums of slices.

    Args:
        data: Numbers, of rank 1 or more.
        indices: Where slices start and end, [slices, 2]; or of slices that follow each other,
            [slices + 1]. A slice ends where the axis does.
        axis: The axis.
        name: Of the result.

    Returns:
        A tensor of the shape of `data`, with slices along the axis; 0 where a slice is empty.
    """
    sums = gen_ops.unsorted_segment_sum
    return _reduced(data, indices, axis, sums, None, name, "ReduceSliceSum")


def reduce_slice_prod(data: Any, indices: Any, axis: int, name: Optional[str] = None) -> Any:
    """The products of slices.

    Args:
        data: As of `reduce_slice_sum`.
        indices: As of `reduce_slice_sum`.
        axis: The axis.
        name: Of the result.

    Returns:
        A tensor of the shape of `data`, with slices along the axis; 1 where a slice is empty.
    """
    products = gen_ops.unsorted_segment_prod
    return _reduced(data, indices, axis, products, None, name, "ReduceSliceProd")


def reduce_slice_max(data: Any, indices: Any, axis: int, name: Optional[str] = None) -> Any:
    """The greatest elements of slices.

    Args:
        data: Real numbers; as of `reduce_slice_sum`.
        indices: As of `reduce_slice_sum`.
        axis: The axis.
        name: Of the result.

    Returns:
        A tensor of the shape of `data`, with slices along the axis; minus infinity, or the smallest
        integer, where a slice is empty.
    """
    greatest = gen_ops.unsorted_segment_max
    return _reduced(data, indices, axis, greatest, -_INFINITY, name, "ReduceSliceMax")


def reduce_slice_min(data: Any, indices: Any, axis: int, name: Optional[str] = None) -> Any:
    """The smallest elements of slices.

    Args:
        data: Real numbers; as of `reduce_slice_sum`.
        indices: As of `reduce_slice_sum`.
        axis: The axis.
        name: Of the result.

    Returns:
        A tensor of the shape of `data`, with slices along the axis; infinity, or the greatest
        integer, where a slice is empty.
    """
    smallest = gen_ops.unsorted_segment_min
    return _reduced(data, indices, axis, smallest, _INFINITY, name, "ReduceSliceMin")
