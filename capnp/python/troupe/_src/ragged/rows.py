"""Where rows begin and end, and to which row each value belongs."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence

from troupe._src.framework.static_values import get_static_value
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import control_dependencies, name_scope
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import array_ops, gen_ops, math_ops, order_ops, raw_ops, segment_ops
from troupe._src.ops import selection_ops
from troupe._src.ops.assert_ops import assert_equal
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DType, DTypeLike, as_dtype
from troupe._src.types.shapes import dimension_at_index

INDEX_DTYPES = (dtypes.int32, dtypes.int64)


def row_splits_to_segment_ids(
    splits: TensorLike, name: Optional[str] = None, out_type: Optional[DTypeLike] = None
) -> Tensor:
    """The row of each value, where rows are given by what they lie between.

    Args:
        splits: Where each row begins, and the last ends: an int32 or int64 vector from 0 on.
        name: The name scope of the nodes.
        out_type: int32 or int64; by default the dtype of the splits.

    Returns:
        A vector of as many numbers as the last split says.

    Raises:
        ValueError: The splits are no such vector, or an empty one.
    """
    with name_scope(name, "RaggedSplitsToSegmentIds", [splits]):
        ends = convert_to_tensor(splits, name="splits", preferred_dtype=dtypes.int64)
        if ends.dtype not in INDEX_DTYPES:
            raise ValueError("splits must have dtype int32 or int64")
        ends.shape.assert_has_rank(1)
        if dimension_at_index(ends.shape, 0).value == 0:
            raise ValueError("Invalid row_splits: []")
        dtype = ends.dtype if out_type is None else as_dtype(out_type)
        return rows_of_places(ends, math_ops.range(ends[-1]), dtype)


def rows_of_places(splits: Tensor, places: Tensor, dtype: DType) -> Tensor:
    """The rows in which values at those places lie: the last that begins there or before."""
    found = order_ops.searchsorted(splits, places, side="right", out_type=dtype)
    return found - constant(1, dtype)


def segment_ids_to_row_splits(
    segment_ids: TensorLike,
    num_segments: Optional[TensorLike] = None,
    out_type: Optional[DTypeLike] = None,
    name: Optional[str] = None,
) -> Tensor:
    """Where rows begin and end, of which values have numbers that do not fall.

    Args:
        segment_ids: The row of each value: an integer vector.
        num_segments: The number of rows; by default one more than the last row of a value.
        out_type: int32 or int64; by default the dtype of what is a tensor, or int64.
        name: The name scope of the nodes.

    Returns:
        A vector of a number more than there are rows.
    """
    tensors = [each for each in (segment_ids, num_segments) if isinstance(each, Tensor)]
    wanted = tensors[0].dtype if tensors else dtypes.int64
    dtype = wanted if out_type is None else as_dtype(out_type)
    with name_scope(name, "SegmentIdsToRaggedSplits", [segment_ids]):
        ids = to_int_tensor(segment_ids, "segment_ids", dtypes.int32)
        ids.shape.assert_has_rank(1)
        count = num_segments
        if count is not None:
            count = to_int_tensor(count, "num_segments", dtypes.int32)
            count.shape.assert_has_rank(0)
        lengths = segment_ops.bincount(ids, minlength=count, maxlength=count, dtype=dtype)
        splits = lengths_to_splits(lengths)
        known = None if count is None else get_static_value(count)
        if known is not None:
            splits.set_shape([int(known) + 1])
        return splits


def lengths_to_splits(lengths: Tensor) -> Tensor:
    """Where rows of those lengths begin, and the last ends."""
    return array_ops.concat([constant([0], lengths.dtype), segment_ops.cumsum(lengths)], axis=0)


def splits_to_lengths(splits: Tensor) -> Tensor:
    """The length of each row."""
    return splits[1:] - splits[:-1]


def repeat_rows(data: Tensor, repeats: Tensor) -> Tensor:
    """Each element along the first axis as often as a vector says, or a scalar for all."""
    if repeats.shape.rank == 0:
        count = array_ops.reshape(repeats, [1])
        repeats = array_ops.broadcast_to(count, array_ops.shape(data)[:1])
    splits = lengths_to_splits(repeats)
    return selection_ops.gather(data, row_splits_to_segment_ids(splits))


def repeat_ranges(params: Tensor, splits: Tensor, repeats: Tensor) -> Tensor:
    """Each row of values so often in succession: as many as a vector says, or a scalar for all."""
    starts, limits = (repeat_rows(each, repeats) for each in (splits[:-1], splits[1:]))
    return selection_ops.gather(params, places_between(starts, limits))


def places_between(starts: Tensor, limits: Tensor) -> Tensor:
    """The numbers from each start up to its limit, one row of them behind the other."""
    ranges = raw_ops.RaggedRange(
        starts=starts, limits=limits, deltas=constant(1, starts.dtype), Tsplits=starts.dtype
    )
    places: Tensor = ranges[1]
    return places


def size_of_longest(splits: Tensor) -> Tensor:
    """The length of the longest row, 0 without any."""
    return gen_ops.maximum(math_ops.reduce_max(splits_to_lengths(splits)), 0)


def after(checks: Sequence[Any], tensor: Tensor) -> Tensor:
    """The tensor, computed after the checks."""
    if not checks:
        return tensor
    with control_dependencies(checks):
        return array_ops.identity(tensor)


def check_same_splits(nested_splits: Sequence[Sequence[Tensor]]) -> List[Any]:
    """Operations that fail unless all have the same splits; those that are the same need none."""
    first = nested_splits[0]
    if any(len(splits) != len(first) for splits in nested_splits):
        raise ValueError("Inputs must have identical ragged splits")
    return [
        assert_equal(one, other, message="Inputs must have identical ragged splits")
        for splits in nested_splits[1:]
        for one, other in zip(first, splits)
        if one is not other
    ]


def positive_axis(axis: Any, ndims: Optional[int]) -> int:
    """The number of an axis from the first on."""
    if not isinstance(axis, int):
        raise TypeError(f"axis must be an int; got {type(axis).__name__}")
    if ndims is None:
        if axis < 0:
            raise ValueError("axis may only be negative if ndims is statically known.")
        return axis
    if not -ndims <= axis < ndims:
        raise ValueError(f"axis={axis} out of bounds: expected {-ndims}<=axis<{ndims}")
    return axis % ndims


def to_int_tensor(value: Any, name: str, dtype: DType) -> Tensor:
    """A tensor of integers in that dtype."""
    tensor = convert_to_tensor(value, name=name, preferred_dtype=dtype)
    if not tensor.dtype.is_integer:
        raise TypeError(f"{name} must be an integer tensor; dtype={tensor.dtype}")
    return tensor if tensor.dtype == dtype else math_ops.cast(tensor, dtype)
