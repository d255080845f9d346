"""Sums and the like of rows, and of rows with the same number."""

from __future__ import annotations

from typing import Any, Callable, List, Optional

import numpy as np

from troupe._src.framework.static_values import get_static_value
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import control_dependencies, name_scope
from troupe._src.ops import creation_ops, gen_ops, math_ops, selection_ops
from troupe._src.ops.assert_ops import assert_equal
from troupe._src.ragged import rows
from troupe._src.ragged.flat import map_flat_values
from troupe._src.ragged.parts import RaggedParts
from troupe._src.ragged.tensor import (
    RaggedTensor, convert_to_tensor_or_ragged_tensor, match_row_splits_dtypes,
)  # fmt: skip
from troupe._src.strings import string_ops
from troupe._src.types import dtypes

Segments = Callable[[Any, Any, Any], Tensor]  # of values, their segments and the number of these


def segments(
    function: Segments, data: Any, segment_ids: Any, num_segments: Any, name: Optional[str] = None
) -> Any:
    """What a function makes of rows with the same number; rows are as long as the longest of them.

    Args:
        function: Of tensors.
        data: A ragged tensor, or a tensor.
        segment_ids: int32 or int64, in the shape of the first axes of the data.
        num_segments: How many numbers there are.
        name: The name scope of the nodes.

    Returns:
        A ragged tensor; a tensor where the numbers are of single elements.

    Raises:
        ValueError: The numbers do not fit the data.
    """
    with name_scope(name, "RaggedSegment", [data, segment_ids, num_segments]):
        values = convert_to_tensor_or_ragged_tensor(data, name="data")
        ids = convert_to_tensor_or_ragged_tensor(segment_ids, name="segment_ids")
        match_row_splits_dtypes(values, ids)
        if ids.dtype not in rows.INDEX_DTYPES:
            raise ValueError("segment_ids must have dtype int32 or int64.")
        return _combined(function, values, ids, num_segments)


def _combined(function: Segments, data: Any, ids: Any, count: Any) -> Any:
    if isinstance(ids, RaggedParts):
        wrong = "segment_ids.shape must be a prefix of data.shape"
        if not isinstance(data, RaggedParts):
            raise ValueError(f"{wrong}, but segment_ids is ragged and data is not.")
        check = assert_equal(ids.row_splits, data.row_splits, message=wrong)
        with control_dependencies([check]):
            return _combined(function, data.values, ids.values, count)
    if not isinstance(data, RaggedParts):
        return function(data, ids, count)
    lengths = rows.splits_to_lengths(data.row_splits)
    longest = gen_ops.maximum(gen_ops.unsorted_segment_max(lengths, ids, count), 0)
    splits = rows.lengths_to_splits(longest)
    starts = selection_ops.gather(splits, ids)
    places = rows.places_between(starts, starts + lengths)
    values = _combined(function, data.values, places, splits[-1])
    return RaggedTensor.from_row_splits(values, splits, validate=False)


def segment_mean(
    data: Any, segment_ids: Any, num_segments: Any, name: Optional[str] = None
) -> Any:
    """The means."""
    return _quotient(data, segment_ids, num_segments, name, lambda count: count)


def segment_sqrt_n(
    data: Any, segment_ids: Any, num_segments: Any, name: Optional[str] = None
) -> Any:
    """The sums, divided by the square roots of how many elements they are of."""
    return _quotient(data, segment_ids, num_segments, name, gen_ops.sqrt)


def _quotient(
    data: Any, ids: Any, count: Any, name: Optional[str], of_count: Callable[[Tensor], Tensor]
) -> Any:
    with name_scope(name, "RaggedSegmentMean", [data, ids, count]):
        values = convert_to_tensor_or_ragged_tensor(data, name="data")
        total = segments(gen_ops.unsorted_segment_sum, values, ids, count)
        ones = map_flat_values(creation_ops.ones_like, values)
        number = segments(gen_ops.unsorted_segment_sum, ones, ids, count)
        divisor = of_count(getattr(number, "flat_values", number))
        if not isinstance(total, RaggedParts):
            return total / divisor
        return total.with_flat_values(total.flat_values / divisor)


class Reduction:
    """A function of the elements along axes.

    Args:
        whole: What makes one element of all of a tensor, or of those along an axis.
        by_segment: The same of those with the same number.
    """

    def __init__(self, whole: Callable[..., Tensor], by_segment: Segments) -> None:
        self._whole, self._by_segment = whole, by_segment

    def __call__(self, data: Any, axis: Any, keepdims: Any, name: Optional[str]) -> Any:
        if keepdims:
            raise ValueError("keepdims=True is not supported for RaggedTensors.")
        ragged = convert_to_tensor_or_ragged_tensor(data, name="rt_input")
        if isinstance(axis, Tensor):
            axis = get_static_value(axis)
            if axis is None:
                raise ValueError("axis must be known at graph construction time.")
        if isinstance(axis, (np.ndarray, np.generic)):
            axis = axis.tolist()
        if axis is None:
            return self._whole(ragged.flat_values, None, name=name)
        with name_scope(name, "RaggedReduce", [data]):
            rank = ragged.shape.rank
            axes = axis if isinstance(axis, (list, tuple)) else [axis]
            numbers = [rows.positive_axis(each, rank) for each in axes]
            return self._along(ragged, sorted(numbers, reverse=True))

    def _along(self, data: Any, axes: List[int]) -> Any:
        for axis in axes:  # the inner ones first, so that the others keep their places
            data = self._along_one(data, axis)
        return data

    def _along_one(self, data: Any, axis: int) -> Any:
        if not isinstance(data, RaggedParts):
            return self._whole(data, axis)
        if axis > 1:
            return data.with_values(self._along_one(data.values, axis - 1))
        if axis == 1:
            ids, count = data.value_rowids(), data.nrows()
        else:
            starts = rows.repeat_rows(data.row_starts(), data.row_lengths())
            ids = math_ops.range(data.row_splits[-1]) - starts
            count = rows.size_of_longest(data.row_splits)
        return _combined(self._by_segment, data.values, ids, count)


reduce_sum = Reduction(math_ops.reduce_sum, gen_ops.unsorted_segment_sum)
reduce_prod = Reduction(math_ops.reduce_prod, gen_ops.unsorted_segment_prod)
reduce_min = Reduction(math_ops.reduce_min, gen_ops.unsorted_segment_min)
reduce_max = Reduction(math_ops.reduce_max, gen_ops.unsorted_segment_max)


def reduce_mean(data: Any, axis: Any, keepdims: Any, name: Optional[str]) -> Any:
    """The means; NaN of no elements."""
    with name_scope(name, "RaggedReduceMean", [data]):
        ones = map_flat_values(creation_ops.ones_like, data)
        total = reduce_sum(data, axis, keepdims, None)
        count = reduce_sum(ones, axis, keepdims, None)
        if not isinstance(total, RaggedParts):
            return total / count
        return total.with_flat_values(total.flat_values / count.flat_values)


def reduce_all(data: Any, axis: Any, keepdims: Any, name: Optional[str]) -> Any:
    """Whether all are true."""
    return _of_bools(reduce_prod, data, axis, keepdims, name)


def reduce_any(data: Any, axis: Any, keepdims: Any, name: Optional[str]) -> Any:
    """Whether any is true."""
    return _of_bools(reduce_sum, data, axis, keepdims, name)


def _of_bools(
    reduction: Reduction, data: Any, axis: Any, keepdims: Any, name: Optional[str]
) -> Any:
    with name_scope(name, "RaggedReduceBools", [data]):
        numbers = map_flat_values(math_ops.cast, data, dtypes.int32)
        found = reduction(numbers, axis, keepdims, None)
        return map_flat_values(math_ops.cast, found, dtypes.bool_)


def reduce_join(data: Any, axis: Any, keepdims: Any, separator: str, name: Optional[str]) -> Any:
    """Strings one behind the other, with a separator between them."""

    def whole(strings: Any, axes: Any, name: Optional[str] = None) -> Tensor:
        return string_ops.reduce_join(strings, axes, separator=separator, name=name)

    def by_segment(strings: Any, ids: Any, count: Any) -> Tensor:
        return gen_ops.unsorted_segment_join(strings, ids, count, separator=separator)

    return Reduction(whole, by_segment)(data, axis, keepdims, name)
