"""How many elements datasets have, as far as that is known without making them."""

from __future__ import annotations

from typing import Any, Callable, Dict, List

from troupe._src.data.dataset import Dataset
from troupe._src.graph.elements import Operation, Tensor
from troupe._src.ops.array_ops import shape
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.gen_ops import equal, maximum, minimum
from troupe._src.ops.math_ops import cast
from troupe._src.ops.selection_ops import where
from troupe._src.types import dtypes

# Elements without an end, and an unknown number of them.
INFINITE, UNKNOWN = -1, -2


def cardinality(dataset: Dataset) -> Tensor:
    """How many elements a dataset has.

    Args:
        dataset: The dataset.

    Returns:
        An int64 scalar: the number, INFINITE_CARDINALITY where there is no end, or
        UNKNOWN_CARDINALITY, as after a filter or of files.
    """
    return _of(dataset._variant_tensor)


def _number(value: Any) -> Tensor:
    return convert_to_tensor(value, dtypes.int64)


def _is(number: Tensor, value: int) -> Tensor:
    return equal(number, _number(value))


def _of(variant: Tensor) -> Tensor:
    count = _COUNTS.get(variant.op.type)
    return _number(UNKNOWN) if count is None else cast(count(variant.op), dtypes.int64)


def _first(op: Operation) -> Tensor:
    return _of(op.inputs[0])


def _finite(number: Tensor, known: Tensor) -> Tensor:
    """`known` where the number is one of elements, and else that."""
    return where(number < 0, number, known)


def _range(op: Operation) -> Tensor:
    start, stop, step = op.inputs[:3]
    sign = where(step < 0, _number(-1), _number(1))
    steps = ((stop - start) * sign + step * sign - 1) // (step * sign)
    return maximum(steps, _number(0))


def _repeat(op: Operation) -> Tensor:
    number, times = _first(op), op.inputs[1]
    endless = where(_is(number, 0), number, _number(INFINITE))
    some = where(number < 0, number, number * times)
    return where(times < 0, endless, where(_is(times, 0), times, some))


def _take(op: Operation) -> Tensor:
    number, wanted = _first(op), op.inputs[1]
    given = where(_is(number, INFINITE), wanted, minimum(number, wanted))
    return where(_is(number, UNKNOWN), number, where(wanted < 0, number, given))


def _skip(op: Operation) -> Tensor:
    number, left_out = _first(op), op.inputs[1]
    rest = _finite(number, maximum(number - left_out, _number(0)))
    none = where(_is(number, UNKNOWN), number, _number(0))
    return where(left_out < 0, none, rest)


def _batch(op: Operation) -> Tensor:
    number, size, drops = _first(op), op.inputs[1], op.inputs[-1]
    full = number // size
    return _finite(number, where(drops, full, (number + size - 1) // size))


def _sparse_batch(op: Operation) -> Tensor:
    number, size = _first(op), op.inputs[1]
    return _finite(number, (number + size - 1) // size)


def _window(op: Operation) -> Tensor:
    number, (size, shift, stride, drops) = _first(op), op.inputs[1:5]
    behind_the_first = number - ((size - 1) * stride + 1)
    full = where(behind_the_first < 0, _number(0), behind_the_first // shift + 1)
    return _finite(number, where(drops, full, (number + shift - 1) // shift))


def _shard(op: Operation) -> Tensor:
    number, shards, index = _first(op), op.inputs[1], op.inputs[2]
    more = where(index < number % shards, _number(1), _number(0))
    return _finite(number, number // shards + more)


def _zip(op: Operation) -> Tensor:
    numbers = [_of(each) for each in op.inputs]
    least, unknown = numbers[0], _is(numbers[0], UNKNOWN)
    for number in numbers[1:]:
        unknown = unknown | _is(number, UNKNOWN)
        both = where(number < 0, least, minimum(least, number))
        least = where(least < 0, number, both)
    return where(unknown, _number(UNKNOWN), least)


def _concatenate(op: Operation) -> Tensor:
    one, other = _of(op.inputs[0]), _of(op.inputs[1])
    endless = _is(one, INFINITE) | _is(other, INFINITE)
    unknown = _is(one, UNKNOWN) | _is(other, UNKNOWN)
    rest = where(unknown, _number(UNKNOWN), one + other)
    return where(endless, _number(INFINITE), rest)


def _slices(op: Operation) -> Tensor:
    return shape(op.inputs[0], out_type=dtypes.int64)[0]


_SAME: List[str] = [
    "CacheDataset", "MapDataset", "ParallelMapDataset", "PrefetchDataset", "ScanDataset",
    "ShuffleDataset",
]  # fmt: skip

_COUNTS: Dict[str, Callable[[Operation], Tensor]] = {
    **dict.fromkeys(_SAME, _first),
    "BatchDatasetV2": _batch,
    "ConcatenateDataset": _concatenate,
    "DenseToSparseBatchDataset": _sparse_batch,
    "PaddedBatchDatasetV2": _batch,
    "RangeDataset": _range,
    "RepeatDataset": _repeat,
    "ShardDataset": _shard,
    "SkipDataset": _skip,
    "TakeDataset": _take,
    "TensorDataset": lambda op: _number(1),
    "TensorSliceDataset": _slices,
    "WindowDataset": _window,
    "ZipDataset": _zip,
}
