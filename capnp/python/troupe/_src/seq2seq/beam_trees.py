"""Batches that are repeated for beams, and the paths that lead to the last ids of beams."""

from __future__ import annotations

from typing import Any, Optional

from troupe._src.control_flow import nest
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import array_ops, gen_ops, math_ops, raw_ops, rearrange_ops, selection_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types import dtypes
from troupe._src.types.shapes import TensorShape


def tile_batch(t: Any, multiplier: int, name: Optional[str] = None) -> Any:
    """Repeats each example of a batch, next to itself.

    What a `BeamSearchDecoder` gets from an encoder, its outputs, states and lengths, has to be
    repeated so for each beam.

    Args:
        t: A tensor [batch, ...] of a known rank, or nested ones.
        multiplier: How often each example is there, an int.
        name: The scope of its nodes.

    Returns:
        Tensors [batch * multiplier, ...] with the structure of `t`.

    Raises:
        ValueError: The rank of a tensor is not known, or it is 0.
    """
    with get_default_graph().name_scope(name or "tile_batch"):
        return nest.map_structure(lambda each: _tiled(each, multiplier), t)


def _tiled(value: TensorLike, multiplier: int) -> Tensor:
    tensor = convert_to_tensor(value, name="t")
    rank = tensor.shape.rank
    if not rank:
        raise ValueError("t must have statically known rank")
    sizes = array_ops.shape(tensor)
    tiled = gen_ops.tile(array_ops.expand_dims(tensor, 1), [1, multiplier] + [1] * (rank - 1))
    tiled = array_ops.reshape(tiled, array_ops.concat([[sizes[0] * multiplier], sizes[1:]], 0))
    batch = tensor.shape[0].value
    known = TensorShape([None if batch is None else batch * multiplier])
    tiled.set_shape(known.concatenate(tensor.shape[1:]))
    return tiled


def gather_tree(
    step_ids: TensorLike,
    parent_ids: TensorLike,
    max_sequence_lengths: TensorLike,
    end_token: TensorLike,
    name: Optional[str] = None,
) -> Tensor:
    """The whole sequence of ids of each beam, by the parents from the last step to the first one.

    Args:
        step_ids: The id that each beam got in each step, int32 [time, batch, beams].
        parent_ids: The beam of the step before that it goes on with, of the same shape.
        max_sequence_lengths: For each example the step at which the paths begin, int32 [batch];
            at most all steps.
        end_token: The id that ends a sequence, an int32 scalar. It is behind the first one of a
            sequence, too, and in steps from `max_sequence_lengths` on.
        name: The name of the node.

    Returns:
        int32 [time, batch, beams]: the ids on the path to the beam of that number in the last step.

    Raises:
        InvalidArgumentError: In the step: a parent on a path is no beam.
    """
    beams: Tensor = raw_ops.GatherTree(
        step_ids=step_ids,
        parent_ids=parent_ids,
        max_sequence_lengths=max_sequence_lengths,
        end_token=end_token,
        name=name,
    )
    return beams


def gather_tree_from_array(
    t: TensorLike, parent_ids: TensorLike, sequence_length: TensorLike
) -> Tensor:
    """What a TensorArray has for the path to each beam, in the order of the steps.

    Args:
        t: The stacked array: [time, batch, beams, ...] or [time, batch * beams, ...].
        parent_ids: The beam of the step before that each one goes on with, int32 [time, batch,
            beams].
        sequence_length: The steps of each beam, [batch, beams]. Those behind are as they were.

    Returns:
        A tensor of the shape and dtype of `t`.
    """
    values, parents = convert_to_tensor(t), convert_to_tensor(parent_ids, dtypes.int32)
    lengths = convert_to_tensor(sequence_length)
    sizes = array_ops.shape(parents)
    steps, examples, beams = (parents.shape[axis].value or sizes[axis] for axis in range(3))
    own = array_ops.reshape(math_ops.range(beams), [1, 1, -1])
    own = gen_ops.tile(own, array_ops.stack([steps, examples, 1]))
    ordered = gather_tree(
        own, parents, math_ops.cast(math_ops.reduce_max(lengths, 1), dtypes.int32), beams + 1
    )
    mask = array_ops.transpose(rearrange_ops.sequence_mask(lengths, steps), [2, 0, 1])
    ordered = selection_ops.where(mask, ordered, own)
    by_beam = array_ops.reshape(values, array_ops.stack([steps, examples, beams, -1]))
    found = selection_ops.gather(by_beam, ordered, axis=2, batch_dims=2)
    found = array_ops.reshape(found, array_ops.shape(values))
    found.set_shape(values.shape)
    return found
