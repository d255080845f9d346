"""Sequences that are cut into segments, between which the state of each sequence is kept."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple

from troupe._src.data_flow.barrier import Barrier
from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.inputs.sequence_examples import checked, prepare_example
from troupe._src.ops import array_ops, assert_ops, gen_ops, math_ops, selection_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.creation_ops import ones
from troupe._src.ops.grouping_ops import group
from troupe._src.queues.queues import FIFOQueue
from troupe._src.set_module import set_module
from troupe._src.strings.string_ops import string_join
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DType

Part = Tuple[str, str]  # what a component of the barrier is, and its name

# What each segment has besides sequences, context and states.
_NUMBERS: Dict[Part, DType] = {
    ("of", "length"): dtypes.int32,
    ("of", "total_length"): dtypes.int32,
    ("of", "next_key"): dtypes.string,
    ("of", "sequence"): dtypes.int32,
    ("of", "sequence_count"): dtypes.int32,
}


def _check_static_shape(tensor: Tensor, like: Tensor) -> None:
    for kind, check in (("Rank", "assert_same_rank"), ("Shape", "assert_is_compatible_with")):
        try:
            getattr(tensor.shape, check)(like.shape)
        except ValueError as error:
            raise ValueError(f"{kind} check failed for {tensor.name}: {error}") from None


@set_module("troupe.contrib.training")
class NextQueuedSequenceBatch:
    """A batch of segments, each of another sequence."""

    def __init__(self, state_saver: SequenceQueueingStateSaver) -> None:
        """Adds the nodes that take segments.

        Args:
            state_saver: What they come from.
        """
        self._saver = state_saver
        taken = state_saver.barrier.take_many(
            state_saver.batch_size, state_saver._allow_small_batch, name="BarrierTakeMany"
        )
        self._indices, self._keys = taken.indices, taken.keys
        self._values = dict(zip(state_saver._parts, taken.values))
        count = array_ops.shape(self.length)
        self._batch_size = array_ops.squeeze(count)
        after = math_ops.add(self.sequence, 1)
        self._is_last = gen_ops.greater_equal(after, self.sequence_count)
        ended = math_ops.reduce_sum(math_ops.cast(self._is_last, dtypes.int32))
        # Others may come in the place of those that have ended.
        freed = state_saver._capacity_queue.dequeue_many(ended)
        with get_default_graph().control_dependencies([freed]):
            self._states = {
                name: array_ops.identity(self._values["state", name])
                for kind, name in state_saver._parts
                if kind == "state"
            }

    def _of(self, name: str) -> Tensor:
        return self._values["of", name]

    def _named(self, wanted: str) -> Dict[str, Tensor]:
        return {name: value for (kind, name), value in self._values.items() if kind == wanted}

    @property
    def total_length(self) -> Tensor:
        """The lengths of the whole sequences, without their padding."""
        return self._of("total_length")

    @property
    def length(self) -> Tensor:
        """The lengths of the segments, without their padding."""
        return self._of("length")

    @property
    def batch_size(self) -> Tensor:
        """The number of segments, which may be smaller in the end."""
        return self._batch_size

    @property
    def insertion_index(self) -> Tensor:
        """The numbers of the sequences, in the order in which they came."""
        return self._indices

    @property
    def key(self) -> Tensor:
        """The keys of the segments, such as "00000_of_00002:name"."""
        return self._keys

    @property
    def next_key(self) -> Tensor:
        """The keys of the segments after these, or such as "STOP:name"."""
        return self._of("next_key")

    @property
    def sequence(self) -> Tensor:
        """The number of each segment in its sequence."""
        return self._of("sequence")

    @property
    def sequence_count(self) -> Tensor:
        """The number of segments of each sequence."""
        return self._of("sequence_count")

    @property
    def context(self) -> Dict[str, Any]:
        """What is the same for all segments of a sequence, by its name."""
        if not hasattr(self, "_context"):
            self._context: Dict[str, Any] = self._named("context")
        return self._context

    @property
    def sequences(self) -> Dict[str, Any]:
        """The segments by the names of the sequences, of shape [batch_size, num_unroll, ...]."""
        if not hasattr(self, "_sequences"):
            self._sequences: Dict[str, Any] = self._named("sequence")
        return self._sequences

    def state(self, state_name: str) -> Tensor:
        """The states before these segments.

        Args:
            state_name: The name of an initial state.

        Returns:
            A row for each segment.

        Raises:
            KeyError: There is no such state.
        """
        return self._states[state_name]

    def save_state(
        self, state_name: str, value: TensorLike, name: Optional[str] = None
    ) -> Operation:
        """An operation that keeps the states after these segments for the next ones.

        It must run in each step that takes a batch.

        Args:
            state_name: The name of an initial state.
            value: A row for each segment.
            name: A scope of the nodes.

        Returns:
            The operation.

        Raises:
            KeyError: There is no such state.
            ValueError: The shape of the value is another one than that of the state.
        """
        if state_name not in self._states:
            raise KeyError(f"state was not declared: {state_name}")
        before = self._states[state_name]
        with get_default_graph().name_scope(name or "InputQueueingStateSaver_SaveState"):
            saved = convert_to_tensor(value, before.dtype)
            saved = array_ops.identity(saved, name=f"convert_{state_name}")
            _check_static_shape(saved, before)
            wanted, found = array_ops.shape(before), array_ops.shape(saved)
            ranks = [array_ops.size(each) for each in (wanted, found)]
            data: List[Any] = [f"Rank of tensor {saved.name} should be: ", ranks[0]]
            data = [*data, ", shape received:", found]
            saved = checked(saved, gen_ops.equal(ranks[0], ranks[1]), data, "rank_checked")
            found = array_ops.shape(saved)
            says = f"Shape of tensor {saved.name} should be: "
            data = [says, wanted, ", shape received: ", found]
            is_same = math_ops.reduce_all(gen_ops.equal(wanted, found))
            saved = checked(saved, is_same, data, "shape_checked")
            where = array_ops.reshape(selection_ops.where(gen_ops.logical_not(self._is_last)), [-1])
            return self._saver._insert(
                ("state", state_name),
                selection_ops.gather(self.next_key, where),
                selection_ops.gather(saved, where),
            )


@set_module("troupe.contrib.training")
class SequenceQueueingStateSaver:
    """A queue of sequences that gives segments of them, and keeps a state for each sequence.

    Each segment has `num_unroll` steps. A sequence's next segment is there as soon as the states
    after the one before have been saved.
    """

    def __init__(
        self,
        batch_size: Any,
        num_unroll: int,
        input_length: TensorLike,
        input_key: TensorLike,
        input_sequences: Dict[str, Any],
        input_context: Dict[str, Any],
        initial_states: Dict[str, Any],
        capacity: Optional[int] = None,
        allow_small_batch: bool = False,
        name: Optional[str] = None,
    ) -> None:
        """Adds the barrier that has the segments, and the queue that bounds their number.

        Args:
            batch_size: The number of segments of a batch.
            num_unroll: The steps of a segment.
            input_length: The length of the sequences of an example, without their padding.
            input_key: Its name, of which there is no other one.
            input_sequences: The sequences by their names, all of one length, which is a multiple of
                `num_unroll`.
            input_context: What is the same for all segments, by its name.
            initial_states: The states before the first segment, by their names.
            capacity: The number of sequences at a time, at least `batch_size`; None for any.
            allow_small_batch: Whether the last batches may be smaller.
            name: A scope of the nodes.

        Raises:
            TypeError: If dtypes or names are wrong.
            ValueError: If shapes are not known, the capacity is too small, or there is no sequence
                or no state.
        """
        if capacity is not None and not isinstance(batch_size, Tensor) and capacity < batch_size:
            raise ValueError(f"capacity {capacity} needs to be >= batch_size {batch_size}")
        graph = get_default_graph()
        bound = -1 if capacity is None else capacity
        self._capacity_queue = FIFOQueue(bound, [dtypes.int32], [[]])
        self._batch_size, self._num_unroll = batch_size, num_unroll
        self._allow_small_batch = allow_small_batch
        with graph.name_scope(name or "InputQueueingStateSaver") as scope:
            self._scope = scope
            if capacity is not None and isinstance(batch_size, Tensor):
                enough = assert_ops.assert_greater_equal(
                    capacity, batch_size, message="capacity needs to be >= batch_size."
                )
                with graph.control_dependencies([enough]):
                    input_key = array_ops.identity(input_key)
            self._example = prepare_example(
                num_unroll, input_length, input_key, input_sequences, input_context, initial_states
            )
            self._parts, shapes = self._components()
            self._barrier = Barrier(list(self._parts.values()), shapes)
        self._prefetch_op: Optional[Operation] = None
        self._next_batch: Optional[NextQueuedSequenceBatch] = None

    def _components(self) -> Tuple[Dict[Part, DType], List[Any]]:
        """The dtypes and the shapes of what a segment has."""
        kinds = {**_NUMBERS}
        shapes: List[Any] = [()] * len(kinds)
        for kind, tensors in (
            ("sequence", self._example.sequences),
            ("context", self._example.context),
            ("state", self._example.states),
        ):
            for name, tensor in tensors.items():
                kinds[kind, name] = tensor.dtype
                sizes = tensor.shape.as_list()
                shapes.append([self._num_unroll, *sizes[1:]] if kind == "sequence" else sizes)
        return kinds, shapes

    @property
    def name(self) -> str:
        """The name scope of its nodes."""
        return self._scope

    @property
    def barrier(self) -> Barrier:
        """What has the segments."""
        return self._barrier

    @property
    def batch_size(self) -> Any:
        """The number of segments of a batch."""
        return self._batch_size

    @property
    def num_unroll(self) -> int:
        """The steps of a segment."""
        return self._num_unroll

    @property
    def prefetch_op(self) -> Operation:
        """The operation that puts one example in, for a thread of its own."""
        if self._prefetch_op is None:
            graph = get_default_graph()
            with graph.name_scope(None), graph.name_scope(self._scope):
                self._prefetch_op = self._put()
        return self._prefetch_op

    @property
    def next_batch(self) -> NextQueuedSequenceBatch:
        """The batch of the step."""
        assert self.prefetch_op is not None  # whose nodes come first
        if self._next_batch is None:
            graph = get_default_graph()
            with graph.name_scope(None), graph.name_scope(self._scope):
                self._next_batch = NextQueuedSequenceBatch(self)
        return self._next_batch

    def close(self, cancel_pending_enqueues: bool = False, name: Optional[str] = None) -> Operation:
        """Lets no new sequences in; those that are in go on.

        Args:
            cancel_pending_enqueues: Whether sequences that are in do not go on, either.
            name: Of the operation.

        Returns:
            The operation.
        """
        with get_default_graph().name_scope(name or "SQSSClose"):
            barrier = self._barrier.close(cancel_pending_enqueues, "BarrierClose")
            return group(barrier, self._capacity_queue.close(cancel_pending_enqueues, "FIFOClose"))

    def _insert(self, part: Part, keys: Any, values: Any) -> Operation:
        index = list(self._parts).index(part)
        name = f"BarrierInsert_{part[0]}_{part[1]}"
        return self._barrier.insert_many(index, keys, values, name=name)

    def _put(self) -> Operation:
        """Puts all segments of the example in, but the states only for the first one."""
        example, unroll = self._example, self._num_unroll
        count = gen_ops.floor_div(example.padded_length, unroll)
        numbers, of_each = math_ops.range(count), ones(array_ops.expand_dims(count, 0), "int32")
        shown = [gen_ops.as_string(each, width=5, fill="0") for each in (numbers, count)]
        keys = string_join([shown[0], "_of_", shown[1], ":", example.key])
        stop = array_ops.expand_dims(string_join(["STOP:", example.key]), 0)
        rest = example.length - unroll * numbers
        values: Dict[Part, Any] = {
            ("of", "length"): gen_ops.minimum(gen_ops.maximum(rest, 0), unroll),
            ("of", "total_length"): example.length * of_each,
            ("of", "next_key"): array_ops.concat([keys[1:], stop], 0),
            ("of", "sequence_count"): count * of_each,
        }
        for name, tensor in example.sequences.items():
            sizes: List[Any] = [count, unroll, *tensor.shape.as_list()[1:]]
            values["sequence", name] = array_ops.reshape(tensor, array_ops.stack(sizes))
        for name, tensor in example.context.items():
            times = array_ops.stack([count, *[1] * len(tensor.shape.as_list())])
            values["context", name] = gen_ops.tile(array_ops.expand_dims(tensor, 0), times)
        # The first of all, so that the segments have one index and come before those of others.
        first = self._insert(("of", "sequence"), keys, numbers)
        token = self._capacity_queue.enqueue((0,))
        with get_default_graph().control_dependencies([first, token]):
            states = [
                self._insert(
                    ("state", name), keys[:1], array_ops.expand_dims(array_ops.identity(state), 0)
                )
                for name, state in example.states.items()
            ]
        others = [self._insert(part, keys, value) for part, value in values.items()]
        return group(first, token, *states, *others, name="StateSaverPrefetchGroup")
