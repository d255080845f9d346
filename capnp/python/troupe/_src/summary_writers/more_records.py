"""Further functions that record with the writer of the thread: sounds, tensors, graphs, events."""

from __future__ import annotations

import os
from typing import Any, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.messages.summary_messages import Event
from troupe._src.ops import gen_ops
from troupe._src.ops.grouping_ops import no_op
from troupe._src.ops.math_ops import cast
from troupe._src.set_module import set_module
from troupe._src.summary import summary_ops
from troupe._src.summary_writers.recording import record_made
from troupe._src.summary_writers.writers import current
from troupe._src.train.global_step import get_or_create_global_step
from troupe._src.types import dtypes

_MODULE = "troupe.contrib.summary"


@set_module(_MODULE)
def audio(
    name: str,
    tensor: TensorLike,
    sample_rate: TensorLike,
    max_outputs: int,
    family: Optional[str] = None,
    step: Optional[TensorLike] = None,
) -> Any:
    """Records the first sounds of a batch.

    Args:
        name: The tag.
        tensor: Floats in [-1, 1], [batch, frames] or [batch, frames, channels].
        sample_rate: The number of frames of a second.
        max_outputs: How many sounds there are at most.
        family: A prefix of the tag, by which viewers group.
        step: The number of the step, by default the global step.

    Returns:
        An op that writes the summary.
    """
    return record_made(
        lambda: summary_ops.audio(
            name, tensor, sample_rate, max_outputs, collections=[], family=family
        ),
        step,
    )


@set_module(_MODULE)
def generic(
    name: str,
    tensor: TensorLike,
    metadata: Any = None,
    family: Optional[str] = None,
    step: Optional[TensorLike] = None,
) -> Any:
    """Records a tensor.

    Args:
        name: The tag.
        tensor: Of any dtype and shape.
        metadata: A SummaryMetadata, which says what shows it; None for none.
        family: A prefix of the tag, by which viewers group.
        step: The number of the step, by default the global step.

    Returns:
        An op that writes the summary.
    """
    return record_made(
        lambda: summary_ops.tensor_summary(
            name, tensor, collections=[], summary_metadata=metadata, family=family
        ),
        step,
    )


@set_module(_MODULE)
def graph(param: Any, step: Optional[TensorLike] = None, name: Optional[str] = None) -> Any:
    """Records a graph, whether or not summaries are recorded.

    Args:
        param: A serialized GraphDef, a string scalar.
        step: The number of the step, by default the global step.

    Returns:
        An op that writes the graph.

    Raises:
        TypeError: It is no tensor.
    """
    if not isinstance(param, Tensor):
        raise TypeError(
            "graph() needs a tf.Tensor (e.g. tf.placeholder) in graph mode, but was: "
            f"{type(param)}"
        )
    writer = current.writer
    if writer is None:
        return no_op()

    def make(number: Any, message: Any) -> Event:
        return Event(step=int(number), graph_def=bytes(message))

    number = get_or_create_global_step() if step is None else step
    with get_default_graph().device("/cpu:0"):
        return writer.write_event([cast(number, dtypes.int64), gen_ops.identity(param)], make)


@set_module(_MODULE)
def import_event(tensor: TensorLike, name: Optional[str] = None) -> Any:
    """Writes an event, such as one that another program has made.

    Args:
        tensor: A serialized Event, a string scalar.

    Returns:
        An op that writes it.
    """
    writer = current.writer
    if writer is None:
        raise AttributeError("There is no default writer: use SummaryWriter.as_default()")
    return writer.write_event([tensor], lambda message: Event.FromString(bytes(message)))


@set_module(_MODULE)
def eval_dir(model_dir: str, name: Optional[str] = None) -> str:
    """The folder of the summaries of an evaluation.

    Args:
        model_dir: The folder of the model.
        name: The name of the evaluation, None where there is but one.

    Returns:
        The path.
    """
    return os.path.join(model_dir, "eval" if not name else f"eval_{name}")
