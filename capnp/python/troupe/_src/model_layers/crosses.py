"""Crosses of features: all combinations of one value of each, row by row."""

from __future__ import annotations

from typing import Any, List, NamedTuple, Optional, Sequence

from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.ops import (
    array_ops,
    creation_ops,
    gen_ops,
    math_ops,
    raw_ops,
    rearrange_ops,
    segment_ops,
    selection_ops,
)
from troupe._src.ops.convert import constant
from troupe._src.ops.sparse_tensor import SparseTensor
from troupe._src.types import dtypes

SPARSE_FEATURE_CROSS_DEFAULT_HASH_KEY = 0xDECAFCAFFE
_FIRST_HASH = 0xDECAFCAFFE
_ADDED = 0x9E3779B97F4A7800 - 2**64
_GREATEST = 2**63 - 1


def sparse_feature_cross(
    inputs: Sequence[Any],
    hashed_output: bool = False,
    num_buckets: int = 0,
    name: Optional[str] = None,
    hash_key: Optional[int] = None,
) -> SparseTensor:
    """All combinations of one value of each tensor, row by row.

    The columns of sparse tensors come first, then those of dense ones.

    Args:
        inputs: A list of tensors of strings or integers, sparse or dense, [batch, values].
        hashed_output: Whether the results are hashes, instead of strings joined by "_X_".
        num_buckets: The hashes are below it; 0 for any.
        name: The scope of the nodes.
        hash_key: What hashes depend on; None, or 0, for those of before there were keys, which
            collide more often.

    Returns:
        A sparse tensor of int64 or strings.

    Raises:
        TypeError: An input is no tensor.
    """
    if not isinstance(inputs, list):
        raise TypeError("Inputs must be a list")
    if not all(isinstance(each, (SparseTensor, Tensor)) for each in inputs):
        raise TypeError("All inputs must be SparseTensors")
    with name_scope(name, "SparseFeatureCross"):
        plain = [_plain(each) for each in inputs]
        sparse = [each for each in plain if isinstance(each, SparseTensor)]
        dense = [each for each in plain if not isinstance(each, SparseTensor)]
        if hashed_output and not hash_key:
            return _hashed_without_key(sparse, dense, num_buckets)
        is_number = any(each.dtype == dtypes.int64 for each in plain)
        indices, values, shape = raw_ops.SparseCross(
            indices=[each.indices for each in sparse],
            values=[each.values for each in sparse],
            shapes=[each.dense_shape for each in sparse],
            dense_inputs=dense,
            hashed_output=hashed_output,
            num_buckets=num_buckets,
            hash_key=hash_key or 0,
            out_type=dtypes.int64 if hashed_output else dtypes.string,
            internal_type=dtypes.int64 if is_number else dtypes.string,
        )
        return SparseTensor(indices, values, shape)


def _plain(given: Any) -> Any:
    """Integers as int64."""
    return given if given.dtype == dtypes.string else math_ops.cast(given, dtypes.int64)


class _Column(NamedTuple):
    """The values of one column, and of each row how many it has, and where they begin."""

    values: Tensor
    counts: Tensor
    begins: Tensor


def _sparse_column(given: SparseTensor) -> _Column:
    rows = given.indices[:, 0]
    ones = creation_ops.ones_like(rows)
    counts = gen_ops.unsorted_segment_sum(ones, rows, given.dense_shape[0])
    return _Column(given.values, counts, segment_ops.cumsum(counts, exclusive=True))


def _dense_column(given: Tensor) -> _Column:
    rows, count = array_ops.unstack(array_ops.shape(given, out_type=dtypes.int64))
    begins = math_ops.range(rows) * count
    return _Column(array_ops.reshape(given, [-1]), creation_ops.zeros_like(begins) + count, begins)


def _hashed_without_key(
    sparse: List[SparseTensor], dense: List[Tensor], num_buckets: int
) -> SparseTensor:
    columns = [*map(_sparse_column, sparse), *map(_dense_column, dense)]
    counts = columns[0].counts
    for column in columns[1:]:
        counts = counts * column.counts
    most = gen_ops.maximum(math_ops.reduce_max(counts), 0)
    places = selection_ops.where(rearrange_ops.sequence_mask(counts, most))
    row, number = places[:, 0], places[:, 1]
    numbers: List[Tensor] = []  # of the features of each column; those of the last change fastest
    for column in reversed(columns):
        own = selection_ops.gather(column.counts, row)
        at = selection_ops.gather(column.begins, row) + number % own
        numbers.insert(0, selection_ops.gather(_numbers(column.values), at))
        number = number // own
    rows = array_ops.size(counts, out_type=dtypes.int64)
    values = remainder(combined_hash(numbers), num_buckets or _GREATEST)
    return SparseTensor(places, values, array_ops.stack([rows, most]))


def _numbers(values: Tensor) -> Tensor:
    """Integers as they are, strings as their fingerprints."""
    if values.dtype != dtypes.string:
        return values
    texts = array_ops.reshape(values, [-1])
    prints = raw_ops.Fingerprint(data=texts, method=constant("farmhash64"))
    return array_ops.reshape(gen_ops.bitcast(prints, dtypes.int64), array_ops.shape(values))


def combined_hash(numbers: Sequence[Tensor]) -> Any:
    """One hash of some numbers of int64, one after another, as programs without a key have it."""
    found: Any = constant(_FIRST_HASH, dtypes.int64)
    for number in numbers:
        shifted = raw_ops.LeftShift(x=found, y=constant(10, dtypes.int64))
        lower = raw_ops.RightShift(x=found, y=constant(4, dtypes.int64))
        added = number + constant(_ADDED, dtypes.int64) + shifted + lower
        found = raw_ops.BitwiseXor(x=creation_ops.zeros_like(added) + found, y=added)
    return found


def remainder(number: Tensor, divisor: int) -> Tensor:
    """What is left of a number of int64, taken as one without a sign."""
    wide = 2**64 % divisor
    rest = number % constant(divisor, dtypes.int64)
    # The number is 2**64 more where it is negative; sums stay below the divisor.
    is_over = gen_ops.greater_equal(rest, constant(divisor - wide, dtypes.int64))
    more = selection_ops.where(is_over, rest - (divisor - wide), rest + wide)
    return selection_ops.where(gen_ops.less(number, constant(0, dtypes.int64)), more, rest)
