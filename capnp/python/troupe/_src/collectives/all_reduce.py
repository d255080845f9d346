"""Reductions of one tensor per device by algorithms that share the work among the devices.

Each takes tensors of one static shape, which are flattened, cut into pieces, reduced piece by piece
on several devices, and joined again on the device of each tensor. (TensorFlow:
`tf.contrib.all_reduce`.)
"""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Sequence, Tuple

from troupe._src.collectives import nccl_ops
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import device
from troupe._src.ops import array_ops, math_ops
from troupe._src.set_module import set_module
from troupe._src.types.shapes import TensorShape

__all__ = [
    "build_nccl_all_reduce",
    "build_recursive_hd_all_reduce",
    "build_ring_all_reduce",
    "build_shuffle_all_reduce",
]

Tensors = List[Tensor]
Binary = Callable[[Tensor, Tensor], Tensor]
OfList = Callable[[Sequence[Tensor]], Tensor]
Unary = Optional[Callable[[Tensor], Tensor]]


def flattened(tensors: Sequence[Tensor]) -> Tuple[Tensors, TensorShape]:
    """The tensors with one axis, and the shape that they had."""
    if not tensors:
        raise ValueError("tensors cannot be empty")
    shape = tensors[0].shape
    for tensor in tensors:
        shape = shape.merge_with(tensor.shape)
    if not shape.is_fully_defined():
        raise ValueError("Tensors must have statically known shape.")
    return reshaped(tensors, [-1]), shape


def reshaped(tensors: Sequence[Tensor], shape: Any) -> Tensors:
    results = []
    for tensor in tensors:
        with device(tensor.device):
            results.append(array_ops.reshape(tensor, shape))
    return results


def _pieces(tensor: Tensor, count: int) -> Tensors:
    """A tensor of one axis in pieces, the sizes of which differ by one at most."""
    size, longer = divmod(int(tensor.shape[0]), count)
    with device(tensor.device):
        return array_ops.split(tensor, [size + (i < longer) for i in range(count)])


def _joined(pieces: Sequence[Tensor], where: str) -> Tensor:
    with device(where):
        return array_ops.concat(pieces, 0)


def mapped(un_op: Unary, tensors: Tensors) -> Tensors:
    """Applies `un_op` to each, on its device."""
    if un_op is None:
        return tensors
    results = []
    for tensor in tensors:
        with device(tensor.device):
            results.append(un_op(tensor))
    return results


def _rings(num_workers: int, num_subchunks: int, gpu_perm: Sequence[int]) -> List[List[int]]:
    """For each subchunk the devices in the order of its ring: the GPUs of each worker in the order
    `gpu_perm`, which is rotated from one subchunk to the next."""
    gpus = len(gpu_perm)
    if num_subchunks > gpus:
        raise ValueError(f"num_subchunks {num_subchunks} must be <= num_gpus {gpus}")
    rings = []
    for subchunk in range(num_subchunks):
        offset = subchunk * max(1, gpus // num_subchunks)
        order = [*gpu_perm[offset:], *gpu_perm[:offset]]
        rings.append([worker * gpus + gpu for worker in range(num_workers) for gpu in order])
    return rings


def _around_ring(pieces: Tensors, red_op: Binary, un_op: Unary) -> Tensors:
    """Reduces pieces in the order of their devices, the last of which sends the result around."""
    reduced = pieces[0]
    for piece in pieces[1:]:
        with device(piece.device):
            reduced = red_op(reduced, piece)
    with device(pieces[-1].device):
        reduced = reduced if un_op is None else un_op(reduced)
    results = []
    passed = reduced
    for piece in pieces[:-1]:
        with device(piece.device):
            passed = array_ops.identity(passed)
        results.append(passed)
    return [*results, reduced]


@set_module("troupe.contrib.all_reduce")
def build_ring_all_reduce(
    input_tensors: Sequence[Tensor],
    num_workers: int,
    num_subchunks: int,
    gpu_perm: Sequence[int],
    red_op: Binary,
    un_op: Unary = None,
) -> List[Tensor]:
    """Reduces tensors around rings of their devices: each device sends one piece at a time to the
    next one.

    Args:
        input_tensors: two or more of one static shape and dtype, the GPUs of the first worker
            first.
        num_workers: how many tasks they are on, each with as many.
        num_subchunks: how many rings there are, at most as many as GPUs of a worker.
        gpu_perm: the order of a worker's GPUs in the first ring.
        red_op: takes two tensors.
        un_op: is applied to what is reduced.

    Returns:
        A list of tensors of that shape, each on the device of its input.

    Raises:
        ValueError: for fewer than two tensors, unknown or different shapes, too many subchunks, or
            orders that do not name each tensor.
    """
    if len(input_tensors) < 2:
        raise ValueError("input_tensors must be length 2 or longer")
    rings = _rings(num_workers, num_subchunks, gpu_perm)
    for ring in rings:
        if sorted(ring) != list(range(len(input_tensors))):
            raise ValueError(
                f"{num_workers} workers with GPUs in the order {list(gpu_perm)} do not have "
                f"{len(input_tensors)} tensors"
            )
    tensors, shape = flattened(input_tensors)
    count = len(tensors)
    pieces = [_pieces(tensor, count * num_subchunks) for tensor in tensors]
    for subchunk, ring in enumerate(rings):
        for segment in range(count):
            # The piece ends where it can begin its second way around.
            order = [ring[(segment + 1 + i) % count] for i in range(count)]
            at = segment * num_subchunks + subchunk
            reduced = _around_ring([pieces[each][at] for each in order], red_op, un_op)
            for each, piece in zip(order, reduced):
                pieces[each][at] = piece
    joined = [_joined(of, tensor.device) for of, tensor in zip(pieces, tensors)]
    return reshaped(joined, shape)


@set_module("troupe.contrib.all_reduce")
def build_recursive_hd_all_reduce(
    input_tensors: Sequence[Tensor], red_op: Binary, un_op: Unary = None
) -> List[Tensor]:
    """Reduces tensors by recursive halving and doubling (Thakur, Rabenseifner and Gropp,
    "Optimization of Collective Communication Operations in MPICH", 2005).

    Args:
        input_tensors: as many as a power of two, of one static shape and dtype.
        red_op: takes two tensors.
        un_op: is applied to what is reduced.

    Returns:
        A list of tensors of that shape, each on the device of its input.

    Raises:
        ValueError: for unknown or different shapes, or another number of tensors.
    """
    tensors, shape = flattened(input_tensors)
    devices = [tensor.device for tensor in tensors]
    count = len(tensors)
    if count & (count - 1):
        raise ValueError("num_devices must be a power of 2")
    spans = [1 << hop for hop in range(count.bit_length() - 1)]
    pairs = [[(i, i + span) for i in range(count) if not i & span] for span in spans]
    parts = tensors
    for of_hop in pairs:
        halves = [_pieces(part, 2) for part in parts]
        for pair in of_hop:
            for half, at in enumerate(pair):
                with device(devices[at]):
                    parts[at] = red_op(halves[pair[0]][half], halves[pair[1]][half])
    parts = mapped(un_op, parts)
    for of_hop in reversed(pairs):
        before = list(parts)
        for pair in of_hop:
            for at in pair:
                parts[at] = _joined([before[i] for i in pair], devices[at])
    return reshaped(parts, shape)


def reduced_shards(
    tensors: Sequence[Tensor], gather_devices: Sequence[str], red_op: OfList, un_op: Unary = None
) -> Tensors:
    """The pieces of what the tensors give, one on each of those devices."""
    pieces = [_pieces(tensor, len(gather_devices)) for tensor in tensors]
    shards = []
    for where, of_all in zip(gather_devices, zip(*pieces)):
        with device(where):
            shard = red_op(list(of_all))
            shards.append(shard if un_op is None else un_op(shard))
    return shards


@set_module("troupe.contrib.all_reduce")
def build_shuffle_all_reduce(
    input_tensors: Sequence[Tensor],
    gather_devices: Sequence[str],
    red_op: OfList,
    un_op: Unary = None,
) -> List[Tensor]:
    """Reduces tensors as parameter servers do: each of some devices reduces a piece of all.

    Args:
        input_tensors: of one static shape and dtype.
        gather_devices: the names of the devices that reduce a piece each.
        red_op: takes a list of tensors, as `tf.add_n` does.
        un_op: is applied to what is reduced.

    Returns:
        A list of tensors of that shape, each on the device of its input.

    Raises:
        ValueError: for no tensors, or unknown or different shapes.
    """
    tensors, shape = flattened(input_tensors)
    shards = reduced_shards(tensors, gather_devices, red_op, un_op)
    return reshaped([_joined(shards, tensor.device) for tensor in tensors], shape)


@set_module("troupe.contrib.all_reduce")
def build_nccl_all_reduce(
    input_tensors: Sequence[Tensor], red_op: Binary, un_op: Unary = None
) -> List[Tensor]:
    """Reduces tensors on the device of the first.

    Args:
        input_tensors: of one shape and dtype, each on a device that the program chose.
        red_op: `tf.add`.
        un_op: is applied to what is reduced.

    Returns:
        A list of tensors of that shape, each on the device of its input.

    Raises:
        ValueError: `red_op` is another function; there are no tensors, or one has no device.
    """
    if red_op is not math_ops.add:
        raise ValueError("red_op not supported by NCCL all-reduce: ", red_op)
    return mapped(un_op, nccl_ops.all_sum(input_tensors))
