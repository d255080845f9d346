"""Sums and means of the values of replicas."""

from __future__ import annotations

from typing import Any, List, Sequence

from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.indexed_slices import IndexedSlices
from troupe._src.ops.arithmetic_ops import add_n
from troupe._src.ops.array_ops import concat, identity
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.replicas.reduce_op import ReduceOp
from troupe._src.replicas.values import Mirrored, PerReplica


def reduced(extended: Any, operation: ReduceOp, values: Sequence[Any]) -> List[Any]:
    """The sums or means of values over all replicas, on the first device of this program.

    Where several programs have replicas, their sums go around them together: all tensors of a
    dtype as one vector.

    Args:
        extended: That of the strategy.
        operation: The reduction.
        values: Each a PerReplica, or what is the same in all replicas of this program.

    Returns:
        Tensors, or IndexedSlices whose rows are those of all replicas.

    Raises:
        ValueError: A value that replicas have in common is summed.
    """
    with get_default_graph().colocate_with(None, ignore_existing=True), extended._on_device(0):
        sums = [_local_sum(extended, operation, value) for value in values]
        if extended._workers is not None:
            sums = extended._workers.sums(sums)
        if operation is ReduceOp.SUM:
            return sums
        return [_divided(each, extended._replica_count) for each in sums]


def local_mean(extended: Any, value: Any) -> Any:
    """The mean over the replicas of this program."""
    with get_default_graph().colocate_with(None, ignore_existing=True), extended._on_device(0):
        return _divided(_local_sum(extended, ReduceOp.MEAN, value), extended._local_count)


def on_all(extended: Any, value: Any) -> Any:
    """The value on the device of each replica of this program."""
    if extended._local_count == 1:
        return value
    copies = []
    for number in range(extended._local_count):
        graph = get_default_graph()
        with graph.colocate_with(None, ignore_existing=True), extended._on_device(number):
            copies.append(_copied(value))
    return Mirrored(copies)


def _local_sum(extended: Any, operation: ReduceOp, value: Any) -> Any:
    if isinstance(value, Mirrored):
        value = value.values[0] if operation is ReduceOp.MEAN else PerReplica(value.values)
    if not isinstance(value, PerReplica):
        count = extended._local_count
        if count > 1 and operation is ReduceOp.SUM and not _is_zero(value):
            raise ValueError(
                f"{value!r} is the same in all replicas, which cannot be summed: reduce what each "
                "replica has returned"
            )
        value = _as_value(value)
        return value if count == 1 or operation is ReduceOp.SUM else _multiplied(value, count)
    return summed([_as_value(each) for each in value.values])


def summed(values: Sequence[Any]) -> Any:
    """The sum of tensors and of IndexedSlices, whose rows are put one after the other."""
    if any(isinstance(each, IndexedSlices) for each in values):
        if not all(isinstance(each, IndexedSlices) for each in values):
            return add_n([convert_to_tensor(each) for each in values])
        return IndexedSlices(
            concat([each.values for each in values], 0),
            concat([each.indices for each in values], 0),
            values[0].dense_shape,
        )
    return add_n(values)


def _is_zero(value: Any) -> bool:
    return isinstance(value, (int, float)) and value == 0


def _as_value(value: Any) -> Any:
    return value if isinstance(value, IndexedSlices) else convert_to_tensor(value)


def _multiplied(value: Any, count: int) -> Any:
    if isinstance(value, IndexedSlices):
        return IndexedSlices(_multiplied(value.values, count), value.indices, value.dense_shape)
    return value * convert_to_tensor(count, value.dtype)


def _divided(value: Any, count: int) -> Any:
    if isinstance(value, IndexedSlices):
        return IndexedSlices(_divided(value.values, count), value.indices, value.dense_shape)
    return value / convert_to_tensor(count, value.dtype)


def _copied(value: Any) -> Any:
    if not isinstance(value, IndexedSlices):
        return identity(value)
    return IndexedSlices(identity(value.values), identity(value.indices), value.dense_shape)
