"""Parts of ragged tensors by position and range."""

from __future__ import annotations

import numbers
from typing import Any, List, Optional, Tuple

from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.ops import array_ops, gen_ops, math_ops, raw_ops, selection_ops
from troupe._src.ops.convert import constant, convert_to_tensor

from troupe._src.ragged.gathering import gather
from troupe._src.ragged.parts import RaggedParts
from troupe._src.ragged.tensor import RaggedTensor
from troupe._src.types.dimensions import Dimension
from troupe._src.types.dtypes import DType

_ALL = slice(None)


def getitem(ragged: Any, key: Any) -> Any:
    """ragged[key]: positions and ranges of rows, and ranges along ragged axes."""
    keys = list(key) if isinstance(key, (list, tuple)) else [key]
    with name_scope(None, "RaggedGetItem", [ragged]):
        return _part(ragged, keys)


def _part(data: Any, keys: List[Any]) -> Any:
    if not keys:
        return data
    if not isinstance(data, RaggedParts):
        return data[tuple(keys)]
    first, inner = keys[0], keys[1:]
    if first is Ellipsis:
        return _part(data, _expanded(keys, data.shape.rank))
    if first is None:
        found = _part(data, inner)
        return _in_one_row(found)
    if isinstance(first, slice):
        return _part_of_each(_range_of_rows(data, first), inner)
    place = _integer(first, data.row_splits.dtype)
    begin, end = data.row_splits[:-1][place], data.row_splits[1:][place]
    return _part(_between(data.values, begin, end), inner)


def _in_one_row(found: Any) -> Any:
    if not isinstance(found, RaggedParts):
        return array_ops.expand_dims(found, 0)
    count = found.nrows()
    splits = array_ops.stack([constant(0, count.dtype), count])
    return RaggedTensor.from_row_splits(found, splits, validate=False)


def _between(values: Any, begin: Tensor, end: Tensor) -> Any:
    """The values from one place up to another."""
    if not isinstance(values, RaggedParts):
        return values[begin:end]
    splits = array_ops.concat([values.row_splits[begin:end], values.row_splits[end:][:1]], axis=0)
    inner = _between(values.values, splits[0], splits[-1])
    return RaggedTensor.from_row_splits(inner, splits - splits[0], validate=False)


def _range_of_rows(data: Any, key: slice) -> Any:
    if key == _ALL:
        return data
    count = data.nrows()
    begin, end, step = _bounds(key, count)
    if isinstance(step, int) and step == 1:
        return _between(data, begin, gen_ops.maximum(begin, end))
    places = raw_ops.RaggedRange(
        starts=begin, limits=end, deltas=_as(step, count.dtype), Tsplits=count.dtype
    )[1]
    return gather(data, places)


def _part_of_each(data: Any, keys: List[Any]) -> Any:
    """With the keys for what each row has."""
    if not keys:
        return data
    if not isinstance(data, RaggedParts):
        return data[(_ALL, *keys)]
    first, inner = keys[0], keys[1:]
    if first is Ellipsis:
        return _part_of_each(data, _expanded(keys, data.values.shape.rank))
    if first is None:
        return _with_axis(_part_of_each(data, inner))
    if not isinstance(first, slice):
        raise ValueError("Cannot index into an inner ragged dimension.")
    found = data if first == _ALL else _range_of_each(data, first)
    return found.with_values(_part_of_each(found.values, inner))


def _with_axis(found: Any) -> Any:
    """Each row as the only row of one."""
    if not isinstance(found, RaggedParts):
        return array_ops.expand_dims(found, 1)
    splits = math_ops.range(found.nrows() + 1)
    return RaggedTensor.from_row_splits(found, splits, validate=False)


def _range_of_each(data: Any, key: slice) -> Any:
    """The range of the values in each row."""
    starts = data.row_splits[:-1]
    begin, end, step = _bounds(key, data.row_splits[1:] - starts)
    splits, places = raw_ops.RaggedRange(
        starts=starts + begin, limits=starts + end, deltas=_as(step, starts.dtype),
        Tsplits=starts.dtype,
    )  # fmt: skip
    return RaggedTensor.from_row_splits(gather(data.values, places), splits, validate=False)


def _bounds(key: slice, size: Tensor) -> Tuple[Tensor, Tensor, Any]:
    """Where a range begins and ends in rows of those sizes, as of lists in Python."""
    dtype = size.dtype
    step = 1 if key.step is None else _integer(key.step, dtype)
    forth = (constant(0, dtype), size)
    back = (constant(-1, dtype), size - 1)
    if isinstance(step, int):
        lowest, highest = back if step < 0 else forth
        first, last = (highest, lowest) if step < 0 else (lowest, highest)
    else:
        is_back = gen_ops.less(step, 0)
        lowest, highest = (
            _choose(is_back, one, other, size) for one, other in zip(back, forth)
        )
        first = _choose(is_back, highest, lowest, size)
        last = _choose(is_back, lowest, highest, size)
    begin = _clipped(key.start, size, lowest, highest, first)
    end = _clipped(key.stop, size, lowest, highest, last)
    return begin, end, step


def _clipped(
    place: Optional[Any], size: Tensor, lowest: Tensor, highest: Tensor, default: Tensor
) -> Tensor:
    if place is None:
        return default
    given = _integer(place, size.dtype)
    if isinstance(given, int):
        from_begin: Any = size + given if given < 0 else constant(given, size.dtype)
    else:
        from_begin = _choose(gen_ops.less(given, 0), size + given, given, size)
    return gen_ops.minimum(gen_ops.maximum(from_begin, lowest), highest)


def _choose(is_one: Tensor, one: Tensor, other: Tensor, like: Tensor) -> Tensor:
    """One or the other, in the shape of `like`."""
    found = selection_ops.where_v2(is_one, one, other)
    return found if like.shape.rank == 0 else array_ops.broadcast_to(found, array_ops.shape(like))


def _integer(value: Any, dtype: DType) -> Any:
    """A position: an integer, or a scalar tensor."""
    if isinstance(value, Dimension):
        value = value.value
    if isinstance(value, numbers.Integral) and not isinstance(value, bool):
        return int(value)
    if not isinstance(getattr(value, "dtype", None), DType):
        raise TypeError(f"positions and steps must be integers or None, not {value!r}")
    tensor = convert_to_tensor(value)
    if not tensor.dtype.is_integer:
        raise TypeError(f"positions and steps must be integers or None, not {value!r}")
    return math_ops.cast(tensor, dtype)


def _as(step: Any, dtype: DType) -> Tensor:
    return constant(step, dtype) if isinstance(step, int) else math_ops.cast(step, dtype)


def _expanded(keys: List[Any], rank: Optional[int]) -> List[Any]:
    """With one range for an axis that the ellipsis stands for, or without it."""
    if rank is None:
        raise ValueError("Ellipsis not supported for unknown shape RaggedTensors")
    count = sum(key is not None for key in keys)
    if count > rank + 1:
        raise IndexError("Too many indices for RaggedTensor")
    return keys[1:] if count == rank + 1 else [_ALL, *keys]
