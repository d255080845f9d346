"""Counts of numbers, and sums of rows by segment."""

from __future__ import annotations

from typing import Any, Callable, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import (
    array_ops,
    clip_ops,
    creation_ops,
    gen_ops,
    math_ops,
    raw_ops,
    selection_ops,
)
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike


def bincount(
    arr: TensorLike,
    weights: Optional[TensorLike] = None,
    minlength: Optional[TensorLike] = None,
    maxlength: Optional[TensorLike] = None,
    dtype: DTypeLike = dtypes.int32,
) -> Tensor:
    """How often each of 0, 1, ... is in an array, or the sum of the weights of its places.

    There are as many counts as the greatest number says, at least minlength and at most maxlength.

    Args:
        arr: integers of any shape, not negative.
        weights: numbers in the shape of `arr`; None for counts.
        minlength: the least size of the result.
        maxlength: its greatest size; greater numbers do not count.
        dtype: the dtype of the counts.

    Returns:
        A tensor of rank 1, of the dtype of the weights if there are some.
    """
    with get_default_graph().name_scope("bincount"):
        numbers = convert_to_tensor(arr, dtypes.int32)
        is_empty = gen_ops.equal(array_ops.size(numbers), 0)
        size = selection_ops.where_v2(is_empty, 0, math_ops.reduce_max(numbers) + 1)
        if minlength is not None:
            size = gen_ops.maximum(convert_to_tensor(minlength, dtypes.int32), size)
        if maxlength is not None:
            size = gen_ops.minimum(convert_to_tensor(maxlength, dtypes.int32), size)
        if weights is None:
            return raw_ops.Bincount(arr=numbers, size=size, weights=constant([], dtype))
        # Not by Bincount, which has no gradient. It takes a negative number as one to drop.
        kept = selection_ops.where_v2(gen_ops.less(numbers, size), numbers, -1)
        return raw_ops.UnsortedSegmentSum(data=weights, segment_ids=kept, num_segments=size)


def histogram_fixed_width(
    values: TensorLike,
    value_range: TensorLike,
    nbins: TensorLike = 100,
    dtype: DTypeLike = dtypes.int32,
    name: Optional[str] = None,
) -> Tensor:
    """How many values are in each of `nbins` equal parts of a range, or beyond it at that end.

    Args:
        values: numbers of any shape.
        value_range: the ends of the range, [2], of the dtype of the values.
        nbins: the number of parts, a scalar.
        dtype: int32 or int64.

    Returns:
        The counts, [nbins].
    """
    with get_default_graph().name_scope(name or "histogram_fixed_width") as scope:
        numbers = convert_to_tensor(values)
        return raw_ops.HistogramFixedWidth(
            values=numbers,
            value_range=convert_to_tensor(value_range, numbers.dtype),
            nbins=nbins,
            dtype=dtype,
            name=scope,
        )


def histogram_fixed_width_bins(
    values: TensorLike,
    value_range: TensorLike,
    nbins: TensorLike = 100,
    dtype: DTypeLike = dtypes.int32,
    name: Optional[str] = None,
) -> Tensor:
    """The number of the bin of each value, as histogram_fixed_width counts them.

    Args:
        values: numbers of any shape.
        value_range: the ends of the range, [2], of the dtype of the values.
        nbins: the number of parts, a scalar.
        dtype: has no effect.

    Returns:
        int32 numbers in [0, nbins), in the shape of the values.
    """
    with get_default_graph().name_scope(name or "histogram_fixed_width_bins"):
        numbers = convert_to_tensor(values)
        ends = convert_to_tensor(value_range, numbers.dtype)
        position = math_ops.truediv(numbers - ends[0], ends[1] - ends[0])
        bins = math_ops.cast(convert_to_tensor(nbins, dtypes.int32), position.dtype)
        places = clip_ops.clip_by_value(gen_ops.floor(bins * position), 0, bins - 1)
        return math_ops.cast(places, dtypes.int32)


def unsorted_segment_mean(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: Optional[str] = None
) -> Tensor:
    """The mean of the elements of each segment, 0 of one without any; ids may be in any order.

    Args:
        data: floats.
        segment_ids: int32 or int64, in the shape of the first axes of `data`; negative ones do not
            count.
        num_segments: the number of segments, a scalar.

    Returns:
        A tensor of the shape of `data`, with `num_segments` instead of the axes of the ids.
    """
    with get_default_graph().name_scope(name or "UnsortedSegmentMean"):
        return _unsorted_segment_quotient(data, segment_ids, num_segments, lambda count: count)


def unsorted_segment_sqrt_n(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: Optional[str] = None
) -> Tensor:
    """The sum of the elements of each segment over the square root of their number.

    Args:
        data: floats.
        segment_ids: int32 or int64, in the shape of the first axes of `data`; negative ones do not
            count.
        num_segments: the number of segments, a scalar.

    Returns:
        A tensor of the shape of `data`, with `num_segments` instead of the axes of the ids.
    """
    with get_default_graph().name_scope(name or "UnsortedSegmentSqrtN"):
        return _unsorted_segment_quotient(data, segment_ids, num_segments, gen_ops.sqrt)


def _unsorted_segment_quotient(
    data: Any, segment_ids: Any, num_segments: Any, divisor_of: Callable[[Any], Any]
) -> Tensor:
    values, ids = convert_to_tensor(data), convert_to_tensor(segment_ids)
    ones = creation_ops.ones_like(ids, dtype=values.dtype)
    counts = raw_ops.UnsortedSegmentSum(data=ones, segment_ids=ids, num_segments=num_segments)
    sums = raw_ops.UnsortedSegmentSum(data=values, segment_ids=ids, num_segments=num_segments)
    kept = gen_ops.maximum(counts, convert_to_tensor(1, values.dtype))
    rank, rank_of_ids = values.shape.ndims, ids.shape.ndims
    if rank is not None and rank_of_ids is not None and kept.shape.is_fully_defined():
        # Shape functions see a constant, and not what is computed of ranks.
        shape: Any = kept.shape.as_list() + [1] * (rank - rank_of_ids)
    else:
        rest = gen_ops.rank(values) - gen_ops.rank(ids)
        shape = array_ops.concat([array_ops.shape(kept), creation_ops.fill([rest], 1)], 0)
    quotient: Tensor = sums / array_ops.reshape(divisor_of(kept), shape)
    return quotient


def sparse_segment_sum(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    name: Optional[str] = None,
    num_segments: Optional[TensorLike] = None,
) -> Tensor:
    """The sum of the rows that the indices of each segment name; ids must not decrease.

    Args:
        data: numbers, [rows, ...].
        indices: rows of `data`, int32 or int64 [count].
        segment_ids: the segment of each index, int32 [count].
        num_segments: the number of segments, by default the last id + 1.

    Returns:
        A tensor [segments, ...] in the dtype of `data`.
    """
    op, op_of_count = raw_ops.SparseSegmentSum, raw_ops.SparseSegmentSumWithNumSegments
    if num_segments is None:
        return op(data, indices, segment_ids, name=name)
    return op_of_count(data, indices, segment_ids, num_segments, name=name)


def sparse_segment_mean(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    name: Optional[str] = None,
    num_segments: Optional[TensorLike] = None,
) -> Tensor:
    """The mean of the rows that the indices of each segment name; ids must not decrease.

    Args:
        data: numbers, [rows, ...].
        indices: rows of `data`, int32 or int64 [count].
        segment_ids: the segment of each index, int32 [count].
        num_segments: the number of segments, by default the last id + 1.

    Returns:
        A tensor [segments, ...] in the dtype of `data`.
    """
    op, op_of_count = raw_ops.SparseSegmentMean, raw_ops.SparseSegmentMeanWithNumSegments
    if num_segments is None:
        return op(data, indices, segment_ids, name=name)
    return op_of_count(data, indices, segment_ids, num_segments, name=name)


def sparse_segment_sqrt_n(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    name: Optional[str] = None,
    num_segments: Optional[TensorLike] = None,
) -> Tensor:
    """As sparse_segment_sum, over the square root of the number of rows.

    Args:
        data: numbers, [rows, ...].
        indices: rows of `data`, int32 or int64 [count].
        segment_ids: the segment of each index, int32 [count].
        num_segments: the number of segments, by default the last id + 1.

    Returns:
        A tensor [segments, ...] in the dtype of `data`.
    """
    op, op_of_count = raw_ops.SparseSegmentSqrtN, raw_ops.SparseSegmentSqrtNWithNumSegments
    if num_segments is None:
        return op(data, indices, segment_ids, name=name)
    return op_of_count(data, indices, segment_ids, num_segments, name=name)


def cumsum(
    x: TensorLike,
    axis: TensorLike = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: Optional[str] = None,
) -> Tensor:
    """The sums of all elements up to each one along an axis, without it if `exclusive`.

    Args:
        x: numbers, of rank 1 or more.
        axis: the axis, negative to count from the last.
        exclusive: whether the first result is 0.
        reverse: whether the sums begin at the end of the axis.

    Returns:
        A tensor of the shape and dtype of `x`.
    """
    return gen_ops.cumsum(x, axis, exclusive, reverse, name)


def cumulative_logsumexp(
    x: TensorLike,
    axis: TensorLike = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: Optional[str] = None,
) -> Tensor:
    """The logarithms of the sums of exponentials of all elements up to each one along an axis.

    Args:
        x: floats, of rank 1 or more.
        axis: the axis, negative to count from the last.
        exclusive: whether the element itself does not count; the first result is then the least
            number of the dtype.
        reverse: whether the sums begin at the end of the axis.

    Returns:
        A tensor of the shape and dtype of `x`.
    """
    return gen_ops.cumulative_logsumexp(x, axis, exclusive, reverse, name)


def cumprod(
    x: TensorLike,
    axis: TensorLike = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: Optional[str] = None,
) -> Tensor:
    """The products of all elements up to each one along an axis, without it if `exclusive`.

    Args:
        x: numbers, of rank 1 or more.
        axis: the axis, negative to count from the last.
        exclusive: whether the first result is 1.
        reverse: whether the products begin at the end of the axis.

    Returns:
        A tensor of the shape and dtype of `x`.
    """
    return gen_ops.cumprod(x, axis, exclusive, reverse, name)
