"""Reductions of one tensor per device, as the library NCCL offers them between GPUs.

One device reduces what the others send it, and sends the result back: the devices of a step
exchange tensors by themselves, so that no collective call is needed, which would wait for all of
its participants.
"""

from __future__ import annotations

import functools
from typing import Any, Callable, List, Sequence

from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import device
from troupe._src.ops import array_ops, gen_ops
from troupe._src.ops.arithmetic_ops import add_n
from troupe._src.set_module import set_module

__all__ = ["all_max", "all_min", "all_prod", "all_sum", "broadcast", "reduce_sum"]


def _check_devices(tensors: Sequence[Tensor], what: str) -> None:
    """ValueError: there are no tensors, or one has no device."""
    if not tensors:
        raise ValueError(f"Must pass >0 tensors to {what} operations")
    for tensor in tensors:
        if not tensor.device:
            raise ValueError("Device assignment required for nccl collective ops")


def _all_reduce(
    tensors: Sequence[Tensor], reduce: Callable[[Sequence[Tensor]], Any]
) -> List[Tensor]:
    _check_devices(tensors, "all reduce")
    with device(tensors[0].device):
        reduced = reduce(tensors)
    results: List[Tensor] = []
    for tensor in tensors:
        with device(tensor.device):
            results.append(array_ops.identity(reduced))
    return results


@set_module("troupe.contrib.nccl")
def all_sum(tensors: Sequence[Tensor]) -> List[Tensor]:
    """The sum of all tensors, on the device of each.

    Args:
        tensors: of one shape and dtype, each on a device that the program chose.

    Returns:
        A list of tensors, each on the device of its input.

    Raises:
        ValueError: there are no tensors, or one has no device.

    (TensorFlow: `nccl_ops.all_sum`.)
    """
    return _all_reduce(tensors, add_n)


@set_module("troupe.contrib.nccl")
def all_prod(tensors: Sequence[Tensor]) -> List[Tensor]:
    """As `all_sum`, with the product.

    Args:
        tensors: of one shape and dtype, each on a device that the program chose.

    Returns:
        A list of tensors, each on the device of its input.

    Raises:
        ValueError: there are no tensors, or one has no device.

    (TensorFlow: `nccl_ops.all_prod`.)
    """
    return _all_reduce(tensors, lambda each: functools.reduce(gen_ops.multiply, each))


@set_module("troupe.contrib.nccl")
def all_min(tensors: Sequence[Tensor]) -> List[Tensor]:
    """As `all_sum`, with the smallest elements.

    Args:
        tensors: of one shape and dtype, each on a device that the program chose.

    Returns:
        A list of tensors, each on the device of its input.

    Raises:
        ValueError: there are no tensors, or one has no device.

    (TensorFlow: `nccl_ops.all_min`.)
    """
    return _all_reduce(tensors, lambda each: functools.reduce(gen_ops.minimum, each))


@set_module("troupe.contrib.nccl")
def all_max(tensors: Sequence[Tensor]) -> List[Tensor]:
    """As `all_sum`, with the greatest elements.

    Args:
        tensors: of one shape and dtype, each on a device that the program chose.

    Returns:
        A list of tensors, each on the device of its input.

    Raises:
        ValueError: there are no tensors, or one has no device.

    (TensorFlow: `nccl_ops.all_max`.)
    """
    return _all_reduce(tensors, lambda each: functools.reduce(gen_ops.maximum, each))


@set_module("troupe.contrib.nccl")
def reduce_sum(tensors: Sequence[Tensor]) -> Tensor:
    """The sum of all tensors, on the current device.

    Args:
        tensors: of one shape and dtype, each on a device, one of them on the current one.

    Returns:
        A tensor of that shape and dtype.

    Raises:
        ValueError: there are no tensors, one has no device, or none is on the current device.

    (TensorFlow: `nccl_ops.reduce_sum`.)
    """
    _check_devices(tensors, "reduce")
    reduced = add_n(tensors)
    if all(tensor.device != reduced.device for tensor in tensors):
        raise ValueError("One input tensor must be assigned to current device")
    return reduced


@set_module("troupe.contrib.nccl")
def broadcast(tensor: Tensor) -> Tensor:
    """A tensor on the device of that one, which other devices may read.

    Args:
        tensor: on a device that the program chose.

    Returns:
        A tensor of the same value.

    Raises:
        ValueError: the tensor has no device.

    (TensorFlow: `nccl_ops.broadcast`.)
    """
    _check_devices([tensor], "broadcast")
    with device(tensor.device):
        return array_ops.identity(tensor)
