"""Batches of the elements that the threads of a QueueRunner compute."""

from __future__ import annotations

import functools
from typing import Any, Callable, List, Optional, Sequence, Tuple

from troupe._src.control_flow.conditional import cond
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.inputs.elements import Elements, is_always, to_keep_input
from troupe._src.ops import gen_ops
from troupe._src.ops.grouping_ops import no_op
from troupe._src.ops.math_ops import cast
from troupe._src.queues.queue_base import QueueBase
from troupe._src.queues.queue_runner import QueueRunner, add_queue_runner
from troupe._src.queues.queues import FIFOQueue, PaddingFIFOQueue
from troupe._src.summary.summary_ops import scalar
from troupe._src.types import dtypes

MakeQueue = Callable[..., QueueBase]
AddSummary = Callable[[QueueBase], Any]


def make_batches(
    scope: str,
    make_queue: MakeQueue,
    add_summary: AddSummary,
    sources: Sequence[Any],
    batch_size: TensorLike,
    keep_input: TensorLike,
    threads: int,
    enqueue_many: bool,
    shapes: Any,
    allow_smaller_final_batch: bool,
    shared_name: Optional[str],
) -> Any:
    """Adds a queue, the runner that fills it, a summary, and the dequeue of a batch."""
    with get_default_graph().name_scope(scope) as name:
        elements = Elements(sources, enqueue_many, shapes)
        kept = to_keep_input(keep_input, enqueue_many)
        queue = make_queue(dtypes=elements.dtypes, shapes=elements.shapes, shared_name=shared_name)
        enqueues = [_enqueue(queue, source, enqueue_many, kept) for source in elements.sources]
        add_queue_runner(QueueRunner(queue, enqueues * threads))
        add_summary(queue)
        take = queue.dequeue_up_to if allow_smaller_final_batch else queue.dequeue_many
        return elements.restore(take(batch_size, name=name))


def _enqueue(queue: QueueBase, tensors: List[Tensor], enqueue_many: bool, kept: Tensor) -> Any:
    enqueue = queue.enqueue_many if enqueue_many else queue.enqueue
    if kept.shape.rank == 1:
        choice = cast(kept, dtypes.int32)
        return enqueue([gen_ops.dynamic_partition(each, choice, 2)[1] for each in tensors])
    always = is_always(kept)
    if always is not None:
        return enqueue(tensors) if always else no_op()
    return cond(kept, lambda: enqueue(tensors), no_op)


def _in_order(capacity: int, dynamic_pad: bool) -> Tuple[MakeQueue, AddSummary]:
    def add_summary(queue: QueueBase) -> None:
        fraction = cast(queue.size(), dtypes.float32) * (1.0 / capacity)
        scalar(f"fraction_of_{capacity}_full", fraction)

    make_queue = functools.partial(PaddingFIFOQueue if dynamic_pad else FIFOQueue, capacity)
    return make_queue, add_summary


def batch(
    tensors: Any,
    batch_size: TensorLike,
    num_threads: int = 1,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: Optional[str] = None,
    name: Optional[str] = None,
) -> Any:
    """Batches of elements, which a QueueRunner computes and puts into a queue.

    At the end of the input it is an OutOfRangeError.

    Args:
        tensors: The components of an element, which may be sparse: a list or a dict.
        batch_size: The number of elements of a batch.
        num_threads: The number of threads that compute elements; more than one mix their order.
        capacity: The number of elements that the queue has room for.
        enqueue_many: Whether the tensors have one more axis before the others, of many elements.
        shapes: The shapes of the components, where those of the tensors do not say it.
        dynamic_pad: Whether elements may differ in the sizes that are not known; a batch pads them.
        allow_smaller_final_batch: Whether there is a last batch of fewer elements.
        shared_name: Of the queue.
        name: Of the batch.

    Returns:
        The batch, in the structure of `tensors`, with one more axis at the front of each.

    Raises:
        ValueError: If the shapes of components are not known, and neither given nor padded.
    """
    return maybe_batch(
        tensors, True, batch_size, num_threads, capacity, enqueue_many, shapes, dynamic_pad,
        allow_smaller_final_batch, shared_name, name,
    )  # fmt: skip


def maybe_batch(
    tensors: Any,
    keep_input: TensorLike,
    batch_size: TensorLike,
    num_threads: int = 1,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: Optional[str] = None,
    name: Optional[str] = None,
) -> Any:
    """As `batch`, of the elements for which `keep_input` is true.

    Args:
        tensors: The components of an element: a list or dict of tensors, or one tensor.
        keep_input: Whether the element is used: a bool scalar, or with `enqueue_many` also a vector
            with one for each element.
        batch_size: The number of elements in a batch, an int32 scalar.
        num_threads: The number of threads that fill the queue.
        capacity: The number of elements that the queue has room for.
        enqueue_many: The tensors have several elements, along their first axis.
        shapes: The shapes of the components, where the tensors do not say them.
        dynamic_pad: Components of different sizes are padded with zeros to the largest of a batch.
        allow_smaller_final_batch: The last batch may have fewer elements, instead of being left
            out.
        shared_name: The name by which other sessions use the same queue.

    Returns:
        The batch, in the structure of `tensors`.

    Raises:
        ValueError: As `batch`.
    """
    return make_batches(
        name or "batch", *_in_order(capacity, dynamic_pad), [tensors], batch_size, keep_input,
        num_threads, enqueue_many, shapes, allow_smaller_final_batch, shared_name,
    )  # fmt: skip


def batch_join(
    tensors_list: Sequence[Any],
    batch_size: TensorLike,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: Optional[str] = None,
    name: Optional[str] = None,
) -> Any:
    """As `batch`, of elements from several sources, with a thread for each.

    Args:
        tensors_list: For each source the components of an element, as `batch` takes them.
        batch_size: The number of elements in a batch, an int32 scalar.
        capacity: The number of elements that the queue has room for.
        enqueue_many: The tensors have several elements, along their first axis.
        shapes: The shapes of the components, where the tensors do not say them.
        dynamic_pad: Components of different sizes are padded with zeros to the largest of a batch.
        allow_smaller_final_batch: The last batch may have fewer elements, instead of being left
            out.
        shared_name: The name by which other sessions use the same queue.
        name: Of the batch.

    Returns:
        The batch, in the structure of an element.

    Raises:
        ValueError: As `batch`, or if the sources have different components.
        TypeError: If they have components of different dtypes.
    """
    return maybe_batch_join(
        tensors_list, True, batch_size, capacity, enqueue_many, shapes, dynamic_pad,
        allow_smaller_final_batch, shared_name, name,
    )  # fmt: skip


def maybe_batch_join(
    tensors_list: Sequence[Any],
    keep_input: TensorLike,
    batch_size: TensorLike,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: Optional[str] = None,
    name: Optional[str] = None,
) -> Any:
    """As `batch_join`, of the elements for which `keep_input` is true, as in `maybe_batch`.

    Args:
        tensors_list: For each source the components of an element, in the same structure, of the
            same dtypes.
        keep_input: Whether the element is used: a bool scalar, or with `enqueue_many` also a vector
            with one for each element.
        batch_size: The number of elements in a batch, an int32 scalar.
        capacity: The number of elements that the queue has room for.
        enqueue_many: The tensors have several elements, along their first axis.
        shapes: The shapes of the components, where the tensors do not say them.
        dynamic_pad: Components of different sizes are padded with zeros to the largest of a batch.
        allow_smaller_final_batch: The last batch may have fewer elements, instead of being left
            out.
        shared_name: The name by which other sessions use the same queue.

    Returns:
        The batch, in the structure of an element.

    Raises:
        ValueError: As `batch_join`.
        TypeError: As `batch_join`.
    """
    return make_batches(
        name or "batch_join", *_in_order(capacity, dynamic_pad), tensors_list, batch_size,
        keep_input, 1, enqueue_many, shapes, allow_smaller_final_batch, shared_name,
    )  # fmt: skip
