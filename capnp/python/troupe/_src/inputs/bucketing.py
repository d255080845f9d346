"""Batches of elements that are alike, such as sequences of about the same length."""

from __future__ import annotations

import functools
from typing import Any, List, Optional, Sequence, Tuple

from troupe._src.control_flow.conditional import cond
from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.inputs.elements import Elements, is_always, to_keep_input
from troupe._src.ops import gen_ops
from troupe._src.ops.array_ops import get_static_value
from troupe._src.ops.grouping_ops import group, no_op
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.ops.math_ops import cast, reduce_sum
from troupe._src.queues.queue_base import QueueBase
from troupe._src.queues.queue_runner import QueueRunner, add_queue_runner
from troupe._src.queues.queues import FIFOQueue, PaddingFIFOQueue
from troupe._src.set_module import set_module
from troupe._src.summary.summary_ops import scalar
from troupe._src.types import dtypes, errors
from troupe._src.types.shapes import TensorShape, as_shape

# What ends the runners: the input, or the close of the queue that they fill.
_CLOSED = (errors.OutOfRangeError, errors.CancelledError)


def _for_each_bucket(given: Any, default: Any, num_buckets: int) -> List[Any]:
    return list(given) if isinstance(given, (list, tuple)) else [default] * num_buckets


def _static_size(batch_size: Any) -> Any:
    """A number where it is known while the graph is built, else a tensor."""
    size = convert_to_tensor(batch_size, dtypes.int32, name="batch_size")
    known = get_static_value(size)
    return size if known is None else int(known)


class _Buckets:
    """A queue for each bucket, and one for the batches of all."""

    def __init__(
        self,
        elements: Elements,
        capacities: Sequence[int],
        capacity: int,
        common_size: Any,
        dynamic_pad: bool,
        shared_name: Optional[str],
    ) -> None:
        make = PaddingFIFOQueue if dynamic_pad else FIFOQueue
        self.queues: List[QueueBase] = [
            make(
                each,
                elements.dtypes,
                elements.shapes,
                shared_name=None if shared_name is None else f"{shared_name}_{number}",
                name=f"bucket_queue_{number}",
            )
            for number, each in enumerate(capacities)
        ]
        size = common_size if isinstance(common_size, int) else None
        # Final batches may be smaller, so sizes need not be known.
        self.top = PaddingFIFOQueue(
            capacity,
            [dtypes.int32, *elements.dtypes],
            [TensorShape([]), *(TensorShape([size]).concatenate(s) for s in elements.shapes)],
            shared_name=shared_name,
            name="top_queue",
        )
        self._capacity = capacity

    def enqueue_into(self, which: Tensor, tensors: List[Tensor]) -> Operation:
        enqueues = [
            cond(gen_ops.equal(which, number), functools.partial(queue.enqueue, tensors), no_op)
            for number, queue in enumerate(self.queues)
        ]
        return group(*enqueues, name="group_enqueues")

    def pass_on(self, number: int, size: Any, may_be_less: bool) -> Operation:
        """The op that makes a batch of one bucket."""
        queue = self.queues[number]
        take = queue.dequeue_up_to if may_be_less else queue.dequeue_many
        taken = take(size, name=f"read_bucket_{number}")
        parts = taken if isinstance(taken, (list, tuple)) else [taken]
        return self.top.enqueue([constant(number), *parts], name=f"enqueue_from_bucket_{number}")

    def close(self, cancel_pending_enqueues: bool) -> Operation:
        return group(*(queue.close(cancel_pending_enqueues) for queue in self.queues))

    def add_summaries(self) -> None:
        for queue in self.queues:
            scalar(f"bucket/{queue.name}/size", cast(self.top.size(), dtypes.float32))
        fraction = cast(self.top.size(), dtypes.float32) * (1.0 / self._capacity)
        scalar(f"bucket/{self.top.name}/fraction_of_{self._capacity}_full", fraction)


@set_module("troupe.contrib.training")
def bucket(
    tensors: Any,
    which_bucket: TensorLike,
    batch_size: TensorLike,
    num_buckets: int,
    num_threads: int = 1,
    capacity: int = 32,
    bucket_capacities: Optional[Sequence[int]] = None,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    keep_input: TensorLike = True,
    shared_name: Optional[str] = None,
    name: Optional[str] = None,
) -> Tuple[Tensor, Any]:
    """Batches of the elements of one bucket, whichever has enough of them first.

    Queue runners put the elements into a queue for each bucket, and their batches into one queue.
    At the end of the input it is an OutOfRangeError.

    Args:
        tensors: The components of an element, which may be sparse: a list or a dict.
        which_bucket: The bucket of the element, an int32 scalar.
        batch_size: The number of elements of a batch, or one number for each bucket.
        num_buckets: The number of buckets.
        num_threads: The number of threads that compute elements.
        capacity: The number of batches that wait at most, and of elements of each bucket.
        bucket_capacities: The latter for each bucket.
        shapes: The shapes of the components, where those of the tensors do not say it.
        dynamic_pad: Whether elements may differ in the sizes that are not known; a batch pads them.
        allow_smaller_final_batch: Whether buckets have a last batch of fewer elements.
        keep_input: Whether the element is used, a bool scalar.
        shared_name: Of the queue of batches; with a number, of those of the buckets.
        name: A scope around all nodes.

    Returns:
        The bucket, and the components of a batch of it.

    Raises:
        ValueError: If there are not as many sizes or capacities as buckets, or shapes are not
            known.
    """
    has_own_sizes = isinstance(batch_size, (list, tuple))
    sizes = _for_each_bucket(batch_size, batch_size, num_buckets)
    if len(sizes) != num_buckets:
        raise ValueError("If batch_size is a list it must have num_buckets elements")
    capacities = _for_each_bucket(bucket_capacities, capacity, num_buckets)
    if len(capacities) != num_buckets:
        raise ValueError(
            f"The list bucket_capacities ({bucket_capacities}) must have exactly num_buckets "
            f"({num_buckets}) elements."
        )
    with get_default_graph().name_scope(name or "bucket"):
        elements = Elements([tensors], enqueue_many=False, shapes=shapes)
        always = is_always(kept := to_keep_input(keep_input, enqueue_many=False))
        sizes = [_static_size(size) for size in sizes]
        which = convert_to_tensor(which_bucket, dtypes.int32, name="which_bucket")
        common = None if allow_smaller_final_batch or has_own_sizes else sizes[0]
        buckets = _Buckets(elements, capacities, capacity, common, dynamic_pad, shared_name)

        def enqueue() -> Operation:
            return buckets.enqueue_into(which, elements.sources[0])

        if always is None:
            entry = cond(kept, enqueue, no_op)
        else:
            entry = enqueue() if always else no_op()
        batches = [
            buckets.pass_on(number, size, allow_smaller_final_batch)
            for number, size in enumerate(sizes)
        ]
        top = buckets.top
        add_queue_runner(
            QueueRunner(buckets.queues[0], batches, top.close(), top.close(True), _CLOSED)
        )
        close, cancel = buckets.close(False), buckets.close(True)
        add_queue_runner(QueueRunner(top, [entry] * num_threads, close, cancel, _CLOSED))
        buckets.add_summaries()
        number, *parts = top.dequeue(name="dequeue_top")
        return number, elements.restore(parts if len(parts) > 1 else parts[0])


@set_module("troupe.contrib.training")
def bucket_by_sequence_length(
    input_length: TensorLike,
    tensors: Any,
    batch_size: TensorLike,
    bucket_boundaries: Sequence[int],
    num_threads: int = 1,
    capacity: int = 32,
    bucket_capacities: Optional[Sequence[int]] = None,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    keep_input: TensorLike = True,
    shared_name: Optional[str] = None,
    name: Optional[str] = None,
) -> Tuple[Tensor, Any]:
    """Batches of elements whose lengths lie between the same two boundaries.

    Args:
        input_length: The length of the element, an int32 scalar.
        tensors: As those of `bucket`.
        batch_size: As that of `bucket`.
        bucket_boundaries: Increasing numbers, each the least length of a bucket; there is one more
            bucket for what is shorter.
        num_threads: As that of `bucket`.
        capacity: As that of `bucket`.
        bucket_capacities: As those of `bucket`.
        shapes: As those of `bucket`.
        dynamic_pad: As that of `bucket`.
        allow_smaller_final_batch: As that of `bucket`.
        keep_input: As that of `bucket`.
        shared_name: As that of `bucket`.
        name: A scope around all nodes.

    Returns:
        The lengths of the elements of a batch, and the components of the batch.

    Raises:
        TypeError: If the boundaries are no list of numbers.
        ValueError: If there are none, if they do not increase, or as `bucket`.
    """
    _check_boundaries(bucket_boundaries)
    keys = sorted(tensors, key=str) if isinstance(tensors, dict) else None
    components = list(tensors) if keys is None else [tensors[key] for key in keys]
    with get_default_graph().name_scope(name or "bucket_by_sequence_length"):
        length = convert_to_tensor(input_length, dtypes.int32, name="input_length")
        is_beyond = gen_ops.greater_equal(length, constant(list(bucket_boundaries), dtypes.int32))
        _, (lengths, *parts) = bucket(
            [length, *components],
            reduce_sum(cast(is_beyond, dtypes.int32)),
            batch_size,
            len(bucket_boundaries) + 1,
            num_threads,
            capacity,
            bucket_capacities,
            None if shapes is None else [as_shape([]), *shapes],
            dynamic_pad,
            allow_smaller_final_batch,
            keep_input,
            shared_name,
        )
        return lengths, parts if keys is None else dict(zip(keys, parts))


def _check_boundaries(boundaries: Any) -> None:
    if not isinstance(boundaries, (list, tuple)):
        raise TypeError(f"bucket_boundaries must be a list or tuple, but received: {boundaries}")
    if not boundaries:
        raise ValueError("bucket_boundaries must not be empty")
    for first, second in zip(boundaries, boundaries[1:]):
        if not isinstance(first, int) or not isinstance(second, int):
            raise TypeError(f"bucket boundaries must be integers, but saw: {first} and {second}")
        if first >= second:
            raise ValueError(
                "Buckets must contain sequential increasing lengths, but saw: "
                f"{first} before {second}"
            )
