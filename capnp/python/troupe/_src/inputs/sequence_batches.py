"""Batches of segments of sequences, from a queue that a runner fills."""

from __future__ import annotations

import numbers
from typing import Any, Dict, Optional, Tuple

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.inputs.state_saver import NextQueuedSequenceBatch, SequenceQueueingStateSaver
from troupe._src.ops import array_ops, assert_ops, gen_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.creation_ops import zeros
from troupe._src.ops.sparse_tensor import SparseTensor, SparseTensorValue
from troupe._src.parsing.example_ops import (
    deserialize_many_sparse,
    serialize_many_sparse,
    serialize_sparse,
)
from troupe._src.queues.queue_runner import QueueRunner, add_queue_runner
from troupe._src.random.random_ops import random_uniform
from troupe._src.set_module import set_module
from troupe._src.strings.string_ops import string_join
from troupe._src.summary.summary_ops import scalar
from troupe._src.types import dtypes, errors


@set_module("troupe.contrib.training")
def batch_sequences_with_states(
    input_key: TensorLike,
    input_sequences: Dict[str, Any],
    input_context: Dict[str, Any],
    input_length: Optional[TensorLike],
    initial_states: Dict[str, Any],
    num_unroll: int,
    batch_size: Any,
    num_threads: int = 3,
    capacity: Optional[int] = 1000,
    allow_small_batch: bool = True,
    pad: bool = True,
    make_keys_unique: bool = False,
    make_keys_unique_seed: Optional[int] = None,
    name: Optional[str] = None,
) -> NextQueuedSequenceBatch:
    """Batches of segments of sequences, between which the state of each sequence is kept.

    Adds a `SequenceQueueingStateSaver` and the runner that fills it.

    Args:
        input_key: The name of the example, of which there is no other one.
        input_sequences: Its sequences by their names, dense or sparse, all of one length.
        input_context: What is the same for all segments, by its name, dense or sparse.
        input_length: The length of the sequences without their padding; None for their length.
        initial_states: The states before the first segment, by their names.
        num_unroll: The steps of a segment.
        batch_size: The number of segments of a batch.
        num_threads: The number of threads that put examples in.
        capacity: The number of sequences at a time, at least `batch_size`; None for any.
        allow_small_batch: Whether the last batches may be smaller.
        pad: Whether sequences are padded to a multiple of `num_unroll`, by zeros and empty texts.
        make_keys_unique: Whether a random number is added to each name.
        make_keys_unique_seed: The seed of those numbers.
        name: A scope of the nodes.

    Returns:
        The batch of the step.

    Raises:
        TypeError: If dtypes or names are wrong.
        ValueError: If shapes are not known, the capacity is too small, or there is no sequence or
            no state, or `num_unroll` is no integer.
    """
    if not isinstance(num_unroll, numbers.Integral):
        raise ValueError(f"Unsupported num_unroll expected int, got: {num_unroll}")
    with get_default_graph().name_scope(name or "batch_sequences_with_states"):
        sequences = {key: _as_component(value) for key, value in input_sequences.items()}
        context = {key: _as_component(value) for key, value in input_context.items()}
        if pad and sequences:
            length, sequences = _padded(sequences, num_unroll)
            input_length = length if input_length is None else input_length
        if input_length is None:
            raise ValueError("input_length must be given where the sequences are not padded")
        if make_keys_unique:
            number = random_uniform([], 0, 100000000, dtypes.int32, make_keys_unique_seed)
            input_key = string_join([input_key, gen_ops.as_string(number)])
        saver = SequenceQueueingStateSaver(
            batch_size,
            num_unroll,
            input_length,
            input_key,
            {key: _dense(value, serialize_many_sparse) for key, value in sequences.items()},
            {key: _dense(value, serialize_sparse) for key, value in context.items()},
            initial_states,
            capacity,
            allow_small_batch,
        )
        barrier = saver.barrier
        ready = math_ops.cast(barrier.ready_size(), dtypes.float32)
        scalar(f"queue/{barrier.name}/ready_segment_batches_", ready)
        ends = (errors.OutOfRangeError, errors.CancelledError)
        threads = [saver.prefetch_op] * num_threads
        add_queue_runner(QueueRunner(saver, threads, queue_closed_exception_types=ends))
        batch = saver.next_batch
        for key, value in sequences.items():
            if isinstance(value, SparseTensor):
                found = _segments(batch.sequences[key], value, num_unroll)
                batch.sequences[key] = found
        for key, value in context.items():
            if isinstance(value, SparseTensor):
                rank = value.get_shape().rank
                batch.context[key] = deserialize_many_sparse(batch.context[key], value.dtype, rank)
        return batch


def _as_component(value: Any) -> Any:
    if isinstance(value, (SparseTensor, SparseTensorValue)):
        return SparseTensor.from_value(value)
    return convert_to_tensor(value)


def _dense(value: Any, serialize: Any) -> Tensor:
    """The tensor, or a sparse one in three texts, of which a barrier can have many."""
    if not isinstance(value, SparseTensor):
        tensor: Tensor = value
        return tensor
    made: Tensor = serialize(value)
    made.set_shape([*made.shape.as_list()[:-1], 3])
    return made


def _segments(texts: Tensor, value: SparseTensor, num_unroll: int) -> SparseTensor:
    """Of [batch, num_unroll, 3] texts the sparse tensor, whose first axes are those two."""
    rows = deserialize_many_sparse(
        array_ops.reshape(texts, [-1, 3]), value.dtype, _rank_of_rows(value)
    )
    unroll = convert_to_tensor(num_unroll, dtypes.int64)
    step = rows.indices[:, :1]
    places = [gen_ops.floor_div(step, unroll), gen_ops.floormod(step, unroll), rows.indices[:, 1:]]
    batch = math_ops.cast(array_ops.shape(texts)[:1], dtypes.int64)
    sizes = [batch, array_ops.expand_dims(unroll, 0), rows.dense_shape[1:]]
    return SparseTensor(array_ops.concat(places, 1), rows.values, array_ops.concat(sizes, 0))


def _rank_of_rows(value: SparseTensor) -> Optional[int]:
    rank = value.get_shape().rank
    return None if rank is None else rank - 1


def _length(value: Any) -> Tensor:
    if isinstance(value, SparseTensor):
        return math_ops.cast(value.dense_shape[0], dtypes.int32)
    return array_ops.shape(value)[0]


def _padded(sequences: Dict[str, Any], num_unroll: int) -> Tuple[Tensor, Dict[str, Any]]:
    """The common length of the sequences, and these with as many steps as segments have."""
    dense = [sequences[key] for key in sorted(sequences) if isinstance(sequences[key], Tensor)]
    if dense:
        length = _length(dense[0])
        says = "All sequence lengths must match, but received lengths: "
        checks = [
            assert_ops.Assert(gen_ops.equal(_length(each), length), [says, length, _length(each)])
            for each in dense[1:]
        ]
        with get_default_graph().control_dependencies(checks):
            length = array_ops.identity(length)
    else:
        lengths = [_length(sequences[key]) for key in sorted(sequences)]
        length = math_ops.reduce_max(array_ops.stack(lengths))
    more = gen_ops.floormod(-length, num_unroll)
    whole = math_ops.add(length, more)
    made: Dict[str, Any] = {}
    for key, value in sequences.items():
        if isinstance(value, SparseTensor):
            first = array_ops.expand_dims(math_ops.cast(whole, dtypes.int64), 0)
            sizes = array_ops.concat([first, value.dense_shape[1:]], 0)
            made[key] = SparseTensor(value.indices, value.values, sizes)
        else:
            sizes = array_ops.shape(value)[1:]
            filling = zeros(array_ops.concat([[more], sizes], 0), value.dtype)
            made[key] = array_ops.concat([value, filling], 0)
    return length, made
