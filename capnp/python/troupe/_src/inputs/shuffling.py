"""Batches of elements in a random order, as steps need them."""

from __future__ import annotations

import functools
from typing import Any, Optional, Sequence, Tuple

from troupe._src.graph.tensor_like import TensorLike
from troupe._src.inputs.batching import AddSummary, MakeQueue, make_batches
from troupe._src.ops import gen_ops
from troupe._src.ops.math_ops import cast
from troupe._src.queues.queue_base import QueueBase
from troupe._src.queues.queues import RandomShuffleQueue
from troupe._src.summary.summary_ops import scalar
from troupe._src.types import dtypes


def _shuffled(
    capacity: int, min_after_dequeue: int, seed: Optional[int]
) -> Tuple[MakeQueue, AddSummary]:
    if capacity <= min_after_dequeue:
        raise ValueError(
            f"capacity {capacity} must be bigger than min_after_dequeue {min_after_dequeue}."
        )
    room = capacity - min_after_dequeue

    def add_summary(queue: QueueBase) -> None:
        above = gen_ops.maximum(0, queue.size() - min_after_dequeue)
        fraction = cast(above, dtypes.float32) * (1.0 / room)
        scalar(f"fraction_over_{min_after_dequeue}_of_{room}_full", fraction)

    make_queue = functools.partial(RandomShuffleQueue, capacity, min_after_dequeue, seed=seed)
    return make_queue, add_summary


def shuffle_batch(
    tensors: Any,
    batch_size: TensorLike,
    capacity: int,
    min_after_dequeue: int,
    num_threads: int = 1,
    seed: Optional[int] = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: Optional[str] = None,
    name: Optional[str] = None,
) -> Any:
    """As `batch`, of elements in a random order.

    Args:
        tensors: The components of an element: a list or dict of tensors, or one tensor.
        batch_size: The number of elements in a batch, an int32 scalar.
        capacity: The number of elements that the queue has room for.
        min_after_dequeue: The number of elements that stay in the queue, which mixes them.
        num_threads: The number of threads that fill the queue.
        seed: Of the random order.
        enqueue_many: The tensors have several elements, along their first axis.
        shapes: The shapes of the components, where the tensors do not say them.
        allow_smaller_final_batch: The last batch may have fewer elements, instead of being left
            out.
        shared_name: The name by which other sessions use the same queue.
        name: Of the batch.

    Returns:
        The batch, in the structure of `tensors`.

    Raises:
        ValueError: As `batch`, or if the queue has no room for more elements than stay in it.
    """
    return maybe_shuffle_batch(
        tensors, batch_size, capacity, min_after_dequeue, True, num_threads, seed, enqueue_many,
        shapes, allow_smaller_final_batch, shared_name, name,
    )  # fmt: skip


def maybe_shuffle_batch(
    tensors: Any,
    batch_size: TensorLike,
    capacity: int,
    min_after_dequeue: int,
    keep_input: TensorLike,
    num_threads: int = 1,
    seed: Optional[int] = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: Optional[str] = None,
    name: Optional[str] = None,
) -> Any:
    """As `shuffle_batch`, of the elements for which `keep_input` is true, as in `maybe_batch`.

    Args:
        tensors: The components of an element: a list or dict of tensors, or one tensor.
        batch_size: The number of elements in a batch, an int32 scalar.
        capacity: The number of elements that the queue has room for.
        min_after_dequeue: The number of elements that stay in the queue, which mixes them.
        keep_input: Whether the element is used: a bool scalar, or with `enqueue_many` also a vector
            with one for each element.
        num_threads: The number of threads that fill the queue.
        seed: Of the random order.
        enqueue_many: The tensors have several elements, along their first axis.
        shapes: The shapes of the components, where the tensors do not say them.
        allow_smaller_final_batch: The last batch may have fewer elements, instead of being left
            out.
        shared_name: The name by which other sessions use the same queue.

    Returns:
        The batch, in the structure of `tensors`.

    Raises:
        ValueError: As `shuffle_batch`.
    """
    return make_batches(
        name or "shuffle_batch", *_shuffled(capacity, min_after_dequeue, seed), [tensors],
        batch_size, keep_input, num_threads, enqueue_many, shapes, allow_smaller_final_batch,
        shared_name,
    )  # fmt: skip


def shuffle_batch_join(
    tensors_list: Sequence[Any],
    batch_size: TensorLike,
    capacity: int,
    min_after_dequeue: int,
    seed: Optional[int] = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: Optional[str] = None,
    name: Optional[str] = None,
) -> Any:
    """As `batch_join`, of elements in a random order.

    Args:
        tensors_list: For each source the components of an element, in the same structure, of the
            same dtypes.
        batch_size: The number of elements in a batch, an int32 scalar.
        capacity: The number of elements that the queue has room for.
        min_after_dequeue: The number of elements that stay in the queue, which mixes them.
        seed: Of the random order.
        enqueue_many: The tensors have several elements, along their first axis.
        shapes: The shapes of the components, where the tensors do not say them.
        allow_smaller_final_batch: The last batch may have fewer elements, instead of being left
            out.
        shared_name: The name by which other sessions use the same queue.

    Returns:
        The batch, in the structure of an element.

    Raises:
        ValueError: As `batch_join`, or if the queue has no room for more elements than stay in it.
        TypeError: As `batch_join`.
    """
    return maybe_shuffle_batch_join(
        tensors_list, batch_size, capacity, min_after_dequeue, True, seed, enqueue_many, shapes,
        allow_smaller_final_batch, shared_name, name,
    )  # fmt: skip


def maybe_shuffle_batch_join(
    tensors_list: Sequence[Any],
    batch_size: TensorLike,
    capacity: int,
    min_after_dequeue: int,
    keep_input: TensorLike,
    seed: Optional[int] = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: Optional[str] = None,
    name: Optional[str] = None,
) -> Any:
    """As `shuffle_batch_join`, of the elements for which `keep_input` is true.

    Args:
        tensors_list: For each source the components of an element, in the same structure, of the
            same dtypes.
        batch_size: The number of elements in a batch, an int32 scalar.
        capacity: The number of elements that the queue has room for.
        min_after_dequeue: The number of elements that stay in the queue, which mixes them.
        keep_input: Whether the element is used: a bool scalar, or with `enqueue_many` also a vector
            with one for each element.
        seed: Of the random order.
        enqueue_many: The tensors have several elements, along their first axis.
        shapes: The shapes of the components, where the tensors do not say them.
        allow_smaller_final_batch: The last batch may have fewer elements, instead of being left
            out.
        shared_name: The name by which other sessions use the same queue.

    Returns:
        The batch, in the structure of an element.

    Raises:
        ValueError: As `shuffle_batch_join`.
        TypeError: As `batch_join`.
    """
    return make_batches(
        name or "shuffle_batch_join", *_shuffled(capacity, min_after_dequeue, seed), tensors_list,
        batch_size, keep_input, 1, enqueue_many, shapes, allow_smaller_final_batch, shared_name,
    )  # fmt: skip
