"""Functions that record summaries with the writer of the thread."""

from __future__ import annotations

import contextlib
from typing import Any, Callable, Iterator, List, Optional

from troupe._src.control_flow.smart_cond import smart_cond
from troupe._src.graph.graph import get_default_graph, get_default_session
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops.arithmetic_ops import equal
from troupe._src.ops.grouping_ops import no_op
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.math_ops import cast
from troupe._src.set_module import set_module
from troupe._src.summary import summary_ops
from troupe._src.summary_writers.writers import current, summary_writer_initializer_op
from troupe._src.train.global_step import get_or_create_global_step
from troupe._src.types import dtypes

# The collection of TensorFlow's name for what `all_summary_ops` returns.
RECORDED = "_SUMMARY_V2"


@contextlib.contextmanager
def recording_if(condition: Any) -> Iterator[None]:
    """A context in which summaries are recorded where a condition holds."""
    before, current.recording = current.recording, condition
    try:
        yield
    finally:
        current.recording = before


@set_module("troupe.contrib.summary")
def always_record_summaries() -> contextlib.AbstractContextManager[None]:
    """A context in which each step records summaries."""
    return recording_if(True)


@set_module("troupe.contrib.summary")
def never_record_summaries() -> contextlib.AbstractContextManager[None]:
    """A context in which no step records summaries."""
    return recording_if(False)


@set_module("troupe.contrib.summary")
def record_summaries_every_n_global_steps(
    n: TensorLike, global_step: Any = None
) -> contextlib.AbstractContextManager[None]:
    """A context in which the steps record summaries whose number is a multiple of `n`.

    Args:
        n: The distance of those steps.
        global_step: The number of the step, by default that of the graph.

    Returns:
        The context.
    """
    step = get_or_create_global_step() if global_step is None else global_step
    with get_default_graph().device("/cpu:0"):
        return recording_if(equal(step % n, 0))


@set_module("troupe.contrib.summary")
def should_record_summaries() -> Any:
    """Whether summaries are recorded in this context: a bool, or a bool tensor."""
    return _condition(default=False)


def _condition(default: bool) -> Any:
    """Whether summaries are recorded; `default` where no context says so."""
    found = current.recording() if callable(current.recording) else current.recording
    return default if found is None else found


@set_module("troupe.contrib.summary")
def all_summary_ops() -> List[Any]:
    """The ops of the default graph that record summaries."""
    return get_default_graph().get_collection(RECORDED)


@set_module("troupe.contrib.summary")
def scalar(
    name: str, tensor: TensorLike, family: Optional[str] = None, step: Optional[TensorLike] = None
) -> Any:
    """Records a number.

    Args:
        name: The tag.
        tensor: A real number, as a scalar.
        family: A prefix of the tag, by which viewers group.
        step: The number of the step, by default the global step.

    Returns:
        An op that writes the summary.
    """
    return record_made(
        lambda: summary_ops.scalar(name, tensor, collections=[], family=family), step
    )


@set_module("troupe.contrib.summary")
def histogram(
    name: str, tensor: TensorLike, family: Optional[str] = None, step: Optional[TensorLike] = None
) -> Any:
    """Records how many of the values are in each bucket.

    Args:
        name: The tag.
        tensor: Real numbers of any shape.
        family: A prefix of the tag, by which viewers group.
        step: The number of the step, by default the global step.

    Returns:
        An op that writes the summary.
    """
    return record_made(
        lambda: summary_ops.histogram(name, tensor, collections=[], family=family), step
    )


@set_module("troupe.contrib.summary")
def image(
    name: str,
    tensor: TensorLike,
    bad_color: Any = None,
    max_images: int = 3,
    family: Optional[str] = None,
    step: Optional[TensorLike] = None,
) -> Any:
    """Records the first images of a batch.

    Args:
        name: The tag.
        tensor: uint8 or floats, [batch, height, width, channels], of 1, 3 or 4 channels.
        bad_color: Has no effect.
        max_images: How many images there are at most.
        family: A prefix of the tag, by which viewers group.
        step: The number of the step, by default the global step.

    Returns:
        An op that writes the summary.
    """
    return record_made(
        lambda: summary_ops.image(name, tensor, max_images, collections=[], family=family), step
    )


@set_module("troupe.contrib.summary")
def initialize(graph: Any = None, session: Any = None) -> None:
    """Opens the files of all writers of the default graph.

    Args:
        graph: A graph, or a GraphDef, that is written for step 0; None for none.
        session: What runs the ops, by default the session of this thread.

    Raises:
        RuntimeError: The thread has no writer.
        ValueError: There is no session.
    """
    writer = current.writer
    if writer is None:
        raise RuntimeError("No default tf.contrib.summary.SummaryWriter found")
    session = get_default_session() if session is None else session
    if session is None:
        raise ValueError("session must be passed if no default session exists")
    session.run(summary_writer_initializer_op())
    if graph is not None:
        writer._opened().add_graph(graph, global_step=0)


def record_made(make: Callable[[], Any], step: Any) -> Any:
    """An op that makes a summary, and writes it, where summaries are recorded."""
    writer = current.writer
    if writer is None:
        return no_op()
    graph = get_default_graph()
    scope = graph.get_name_scope()
    number = get_or_create_global_step() if step is None else step

    def record() -> Any:
        # A branch has a name scope of its own, which is no part of the tag.
        with graph.name_scope(f"{scope}/" if scope else None):
            return writer.write(cast(number, dtypes.int64), make())

    return recorded(record, default=False)


def recorded(record: Callable[[], Any], default: bool) -> Any:
    """An op that records where the context lets it; `default` where no context says so."""
    graph = get_default_graph()
    with graph.device("/cpu:0"):
        op = smart_cond(_condition(default), record, lambda: convert_to_tensor(False), name="")
        graph.add_to_collection(RECORDED, op)
    return op
