"""Reductions of one tensor per device in levels: within each task first, then among the tasks."""

from __future__ import annotations

from typing import Callable, Dict, List, Sequence, Tuple

from troupe._src.collectives.all_reduce import (
    Binary,
    OfList,
    Tensors,
    Unary,
    build_nccl_all_reduce,
    build_recursive_hd_all_reduce,
    build_ring_all_reduce,
    build_shuffle_all_reduce,
    flattened,
    mapped,
    reduced_shards,
    reshaped,
)
from troupe._src.graph.device_spec import DeviceSpec
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import control_dependencies, device
from troupe._src.ops import array_ops
from troupe._src.set_module import set_module

__all__ = [
    "build_nccl_then_recursive_hd",
    "build_nccl_then_ring",
    "build_nccl_then_shuffle",
    "build_shuffle_then_ring",
    "build_shuffle_then_shuffle",
]


def _by_task(tensors: Sequence[Tensor]) -> List[Tensors]:
    tasks: Dict[Tuple[str, int, int], Tensors] = {}
    for tensor in tensors:
        spec = DeviceSpec.from_string(tensor.device)
        if spec.task is None:
            raise ValueError(f"the device {tensor.device!r} names no task")
        key = (spec.job or "localhost", spec.replica or 0, spec.task)
        tasks.setdefault(key, []).append(tensor)
    return list(tasks.values())


def _among_tasks(tensors: Tensors, reduce: Callable[[Tensors], Tensors], un_op: Unary) -> Tensors:
    return reduce(tensors) if len(tensors) > 1 else mapped(un_op, tensors)


def _by_levels(
    input_tensors: Sequence[Tensor],
    reduce_task: Callable[[int, Tensors], Tensor],
    reduce_among: Callable[[Tensors], Tensors],
) -> List[Tensor]:
    """Reduces the tensors of each task to one, those, and gives each device of the task its
    result."""
    tensors, shape = flattened(input_tensors)
    of_tasks = _by_task(tensors)
    reduced = reduce_among([reduce_task(i, of_task) for i, of_task in enumerate(of_tasks)])
    results: Tensors = []
    for of_task, value in zip(of_tasks, reduced):
        for tensor in of_task:
            with device(tensor.device):
                results.append(array_ops.identity(value))
    return reshaped(results, shape)


def _nccl_by_levels(
    input_tensors: Sequence[Tensor], red_op: Binary, reduce_among: Callable[[Tensors], Tensors]
) -> List[Tensor]:
    def reduce_task(_: int, tensors: Tensors) -> Tensor:
        results = build_nccl_all_reduce(tensors, red_op)
        with control_dependencies(results), device(results[0].device):
            return array_ops.identity(results[0])

    return _by_levels(input_tensors, reduce_task, reduce_among)


@set_module("troupe.contrib.all_reduce")
def build_nccl_then_ring(
    input_tensors: Sequence[Tensor], subdiv: int, red_op: Binary, un_op: Unary = None
) -> List[Tensor]:
    """`build_nccl_all_reduce` in each task, `build_ring_all_reduce` with `subdiv` subchunks among
    the tasks.

    Args:
        input_tensors: of one static shape and dtype, each on a device of a named task.
        subdiv: the number of rings among the tasks.
        red_op: `tf.add`.
        un_op: is applied to what is reduced.

    Returns:
        A list of tensors of that shape, each on the device of its input.

    Raises:
        ValueError: for no tensors, unknown or different shapes, devices without a task,
            or another function than `tf.add`.
    """

    def ring(tensors: Tensors) -> Tensors:
        return build_ring_all_reduce(tensors, len(tensors), subdiv, [0], red_op, un_op)

    return _nccl_by_levels(
        input_tensors, red_op, lambda tensors: _among_tasks(tensors, ring, un_op)
    )


@set_module("troupe.contrib.all_reduce")
def build_nccl_then_recursive_hd(
    input_tensors: Sequence[Tensor], red_op: Binary, un_op: Unary = None
) -> List[Tensor]:
    """`build_nccl_all_reduce` in each task, `build_recursive_hd_all_reduce` among the tasks.

    Args:
        input_tensors: of one static shape and dtype, each on a device of a named task.
        red_op: `tf.add`.
        un_op: is applied to what is reduced.

    Returns:
        A list of tensors of that shape, each on the device of its input.

    Raises:
        ValueError: for no tensors, unknown or different shapes, devices without a task,
            another function than `tf.add`, or tasks of which there is no power of two.
    """
    return _nccl_by_levels(
        input_tensors, red_op, lambda tensors: build_recursive_hd_all_reduce(tensors, red_op, un_op)
    )


@set_module("troupe.contrib.all_reduce")
def build_nccl_then_shuffle(
    input_tensors: Sequence[Tensor],
    gather_devices: Sequence[str],
    nccl_red_op: Binary,
    shuffle_red_op: OfList,
    un_op: Unary = None,
) -> List[Tensor]:
    """`build_nccl_all_reduce` in each task, `build_shuffle_all_reduce` among the tasks.

    Args:
        input_tensors: of one static shape and dtype, each on a device of a named task.
        gather_devices: the names of the devices that reduce a piece each.
        nccl_red_op: `tf.add`.
        shuffle_red_op: takes a list of tensors, as `tf.add_n` does.
        un_op: is applied to what is reduced.

    Returns:
        A list of tensors of that shape, each on the device of its input.

    Raises:
        ValueError: for no tensors, unknown or different shapes, devices without a task,
            or another function than `tf.add`.
    """
    return _nccl_by_levels(
        input_tensors,
        nccl_red_op,
        lambda tensors: build_shuffle_all_reduce(tensors, gather_devices, shuffle_red_op, un_op),
    )


def _shuffle_by_levels(
    input_tensors: Sequence[Tensor],
    gather_devices: Sequence[str],
    red_op: OfList,
    reduce_among: Callable[[Tensors], Tensors],
) -> List[Tensor]:
    """With one device for each task that reduces its tensors."""
    if len(gather_devices) != len(_by_task(input_tensors)):
        raise ValueError("For shuffle hybrid, gather_devices must contain one device per worker.")

    def reduce_task(task: int, tensors: Tensors) -> Tensor:
        return reduced_shards(tensors, [gather_devices[task]], red_op)[0]

    return _by_levels(input_tensors, reduce_task, reduce_among)


@set_module("troupe.contrib.all_reduce")
def build_shuffle_then_ring(
    input_tensors: Sequence[Tensor],
    gather_devices: Sequence[str],
    subdiv: int,
    red_n_op: OfList,
    red_op: Binary,
    un_op: Unary = None,
) -> List[Tensor]:
    """A reduction on one device of each task, `build_ring_all_reduce` with `subdiv` subchunks
    among the tasks.

    Args:
        input_tensors: of one static shape and dtype, each on a device of a named task.
        gather_devices: the name of one device for each task, which reduces its tensors.
        subdiv: the number of rings among the tasks.
        red_n_op: takes a list of tensors, as `tf.add_n` does.
        red_op: takes two tensors.
        un_op: is applied to what is reduced.

    Returns:
        A list of tensors of that shape, each on the device of its input.

    Raises:
        ValueError: for no tensors, unknown or different shapes, devices without a task,
            or another number of devices than of tasks.
    """

    def ring(tensors: Tensors) -> Tensors:
        return build_ring_all_reduce(tensors, len(tensors), subdiv, [0], red_op, un_op)

    return _shuffle_by_levels(
        input_tensors, gather_devices, red_n_op, lambda tensors: _among_tasks(tensors, ring, un_op)
    )


@set_module("troupe.contrib.all_reduce")
def build_shuffle_then_shuffle(
    input_tensors: Sequence[Tensor],
    first_gather_devices: Sequence[str],
    second_gather_devices: Sequence[str],
    red_op: OfList,
    un_op: Unary = None,
) -> List[Tensor]:
    """A reduction on one device of each task, `build_shuffle_all_reduce` among the tasks.

    Args:
        input_tensors: of one static shape and dtype, each on a device of a named task.
        first_gather_devices: the name of one device for each task, which reduces its tensors.
        second_gather_devices: the names of the devices that reduce a piece each.
        red_op: takes a list of tensors, as `tf.add_n` does.
        un_op: is applied to what is reduced.

    Returns:
        A list of tensors of that shape, each on the device of its input.

    Raises:
        ValueError: for no tensors, unknown or different shapes, devices without a task,
            or another number of devices than of tasks.
    """

    def shuffle(tensors: Tensors) -> Tensors:
        return build_shuffle_all_reduce(tensors, second_gather_devices, red_op, un_op)

    return _shuffle_by_levels(
        input_tensors,
        first_gather_devices,
        red_op,
        lambda tensors: _among_tasks(tensors, shuffle, un_op),
    )
