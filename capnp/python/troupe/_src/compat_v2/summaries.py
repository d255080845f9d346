"""The summaries of `tf.compat.v2.summary`: tensors with what tells a viewer how to show them."""

from __future__ import annotations

import contextlib
import re
import threading
from typing import Any, ContextManager, Iterator, Optional, Tuple

from troupe._src.control_flow.conditional import cond
from troupe._src.control_flow.functional import map_fn
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.image.shapes import convert_image_dtype
from troupe._src.image.files import encode_png
from troupe._src.messages.summary_messages import SummaryMetadata
from troupe._src.ops import arithmetic_ops, array_ops, creation_ops, gen_ops, math_ops, raw_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.summary_writers import recording
from troupe._src.summary_writers.writers import NoWriter, SummaryWriter, current
from troupe._src.types import dtypes

_NOT_IN_SCOPES = re.compile(r"[^-_/.A-Za-z0-9]")
_WAV = b"\x10\x0b"  # the encoding, in the data of the viewer's plugin for sounds


class _Step(threading.local):
    number: Any = None


_step = _Step()


def get_step() -> Any:
    """The step that `set_step` was given in this thread, or None."""
    return _step.number


def set_step(step: Any) -> None:
    """Sets the step of the summaries of this thread that are given none.

    Args:
        step: A number, a tensor, a variable, or None.
    """
    _step.number = step


def record_if(condition: Any) -> ContextManager[None]:
    """A context in which summaries are recorded where a condition holds.

    Args:
        condition: A bool, a tensor, or a function that gives one.

    Returns:
        The context.
    """
    return recording.recording_if(condition)


def create_file_writer(
    logdir: Any,
    max_queue: Optional[int] = None,
    flush_millis: Optional[int] = None,
    filename_suffix: Optional[str] = None,
    name: Optional[str] = None,
) -> SummaryWriter:
    """A writer of summaries, with a file of its own.

    Args:
        logdir: The folder.
        max_queue: How many events wait at most, by default 10.
        flush_millis: After how many milliseconds an event is in the file at the latest, by default
            two minutes.
        filename_suffix: The end of the file's name, by default ".v2".
        name: Has no effect.

    Returns:
        The writer.
    """
    seconds = 120.0 if flush_millis is None else flush_millis / 1000
    suffix = ".v2" if filename_suffix is None else filename_suffix
    return SummaryWriter(str(logdir), 10 if max_queue is None else max_queue, seconds, suffix)


def create_noop_writer() -> NoWriter:
    """A writer that writes nothing."""
    return NoWriter()


@contextlib.contextmanager
def summary_scope(
    name: Optional[str], default_name: str = "summary", values: Any = None
) -> Iterator[Tuple[str, str]]:
    """A name scope for the nodes of a summary.

    Args:
        name: The name of the summary.
        default_name: The name where there is none.
        values: Has no effect.

    Yields:
        (the tag, which has the name scopes around it in front; the scope).
    """
    graph = get_default_graph()
    outer, inner = graph.get_name_scope(), name or default_name
    with graph.name_scope(_NOT_IN_SCOPES.sub("", inner) or default_name) as scope:
        yield (f"{outer}/{inner}" if outer else inner), scope


def write(
    tag: str, tensor: TensorLike, step: Any = None, metadata: Any = None, name: Optional[str] = None
) -> Tensor:
    """Writes a tensor as a summary.

    Args:
        tag: The tag.
        tensor: The tensor.
        step: The number of the step, by default that of `set_step`.
        metadata: A SummaryMetadata, or its bytes.

    Returns:
        A bool: whether it is written.

    Raises:
        ValueError: The thread has a writer, but there is no step.
    """
    with get_default_graph().name_scope(name or "write_summary"):
        writer = current.writer
        if writer is None:
            return convert_to_tensor(False)
        number = get_step() if step is None else step
        if number is None:
            raise ValueError(
                "No step set via 'step' argument or tf.summary.experimental.set_step()"
            )
        serialized = getattr(metadata, "SerializeToString", lambda: metadata or b"")()
        value = convert_to_tensor(tensor)

        def record() -> Any:
            summary = raw_ops.TensorSummaryV2(
                tag=tag, tensor=value, serialized_summary_metadata=serialized
            )
            return writer.write(math_ops.cast(number, dtypes.int64), summary)

        written: Tensor = recording.recorded(record, default=True)
        return written


def _of_plugin(plugin: str, description: Optional[str], content: bytes = b"") -> SummaryMetadata:
    data = SummaryMetadata.PluginData(plugin_name=plugin, content=content)
    return SummaryMetadata(plugin_data=data, summary_description=description or "")


def scalar(
    name: str, data: TensorLike, step: Any = None, description: Optional[str] = None
) -> Tensor:
    """Writes a number.

    Args:
        name: The tag.
        data: A real number, as a scalar.
        step: The number of the step, by default that of `set_step`.
        description: A text for the viewer.

    Returns:
        A bool: whether it is written.

    Raises:
        ValueError: There is no step, or the data is no scalar.
    """
    with summary_scope(name, "scalar_summary") as (tag, _):
        value = math_ops.cast(data, dtypes.float32)
        value.shape.assert_has_rank(0)
        return write(tag, value, step, _of_plugin("scalars", description))


def text(
    name: str, data: TensorLike, step: Any = None, description: Optional[str] = None
) -> Tensor:
    """Writes texts.

    Args:
        name: The tag.
        data: Strings of any shape.
        step: The number of the step, by default that of `set_step`.
        description: A text for the viewer.

    Returns:
        A bool: whether they are written.

    Raises:
        ValueError: There is no step, or the data are no strings.
    """
    with summary_scope(name, "text_summary") as (tag, _):
        value = convert_to_tensor(data)
        if value.dtype.base_dtype != dtypes.string:
            raise ValueError(f"Expected strings, got {value.dtype.name}")
        return write(tag, value, step, _of_plugin("text", description))


def image(
    name: str,
    data: TensorLike,
    step: Any = None,
    max_outputs: int = 3,
    description: Optional[str] = None,
) -> Tensor:
    """Writes the first images of a batch.

    Args:
        name: The tag.
        data: uint8, or floats from 0 to 1: [batch, height, width, channels], 1 to 4 channels.
        step: The number of the step, by default that of `set_step`.
        max_outputs: How many images are written at most.
        description: A text for the viewer.

    Returns:
        A bool: whether they are written.

    Raises:
        ValueError: There is no step, or the rank is another one.
    """
    with summary_scope(name, "image_summary") as (tag, _):
        batch = convert_to_tensor(data)
        batch.shape.assert_has_rank(4)
        pixels = convert_image_dtype(batch, dtypes.uint8, saturate=True)[:max_outputs]
        encoded = map_fn(encode_png, pixels, dtype=dtypes.string)
        sizes = gen_ops.as_string(array_ops.shape(pixels)[1:3])
        value = array_ops.concat([sizes[1:], sizes[:1], encoded], 0)
        return write(tag, value, step, _of_plugin("images", description))


def audio(
    name: str,
    data: TensorLike,
    sample_rate: TensorLike,
    step: Any = None,
    max_outputs: int = 3,
    encoding: Optional[str] = None,
    description: Optional[str] = None,
) -> Tensor:
    """Writes the first sounds of a batch.

    Args:
        name: The tag.
        data: Floats from -1 to 1, [batch, frames, channels].
        sample_rate: Frames in a second, an int32 scalar.
        step: The number of the step, by default that of `set_step`.
        max_outputs: How many sounds are written at most.
        encoding: "wav", by default that.
        description: A text for the viewer.

    Returns:
        A bool: whether they are written.

    Raises:
        ValueError: There is no step, or the rank or the encoding is another one.
    """
    if encoding not in (None, "wav"):
        raise ValueError(f"Unknown encoding: {encoding!r}")
    with summary_scope(name, "audio_summary") as (tag, _):
        batch = convert_to_tensor(data)
        batch.shape.assert_has_rank(3)
        encoded = map_fn(
            lambda sound: gen_ops.encode_wav(sound, sample_rate),
            batch[:max_outputs],
            dtype=dtypes.string,
        )
        labels = creation_ops.fill(array_ops.shape(encoded), "")
        value = array_ops.stack([encoded, labels], 1)
        return write(tag, value, step, _of_plugin("audio", description, _WAV))


def histogram(
    name: str,
    data: TensorLike,
    step: Any = None,
    buckets: Optional[int] = None,
    description: Optional[str] = None,
) -> Tensor:
    """Writes how many of the values are in each bucket.

    Args:
        name: The tag.
        data: Real numbers of any shape.
        step: The number of the step, by default that of `set_step`.
        buckets: How many buckets of one width there are, by default 30.
        description: A text for the viewer.

    Returns:
        A bool: whether it is written.

    Raises:
        ValueError: There is no step.
    """
    with summary_scope(name, "histogram_summary") as (tag, _):
        values = math_ops.cast(array_ops.reshape(data, [-1]), dtypes.float64)
        count = 30 if buckets is None else buckets
        filled = cond(
            arithmetic_ops.equal(array_ops.size(values), 0),
            lambda: creation_ops.zeros([0, 3], dtypes.float64),
            lambda: _buckets(values, count),
        )
        return write(tag, filled, step, _of_plugin("histograms", description))


def _buckets(values: Tensor, count: int) -> Tensor:
    """[buckets, (left, right, how many values)]."""
    least, most = math_ops.reduce_min(values), math_ops.reduce_max(values)
    whole = math_ops.cast(array_ops.size(values), dtypes.float64)

    def several() -> Tensor:
        width = (most - least) / count
        at = math_ops.cast(gen_ops.floor((values - least) / width), dtypes.int32)
        at = gen_ops.minimum(at, count - 1)  # the greatest value is in the last one
        ones = creation_ops.ones_like(values)
        counts = raw_ops.UnsortedSegmentSum(data=ones, segment_ids=at, num_segments=count)
        edges = least + math_ops.cast(math_ops.range(count + 1), dtypes.float64) * width
        right = array_ops.concat([edges[1:-1], array_ops.expand_dims(most, 0)], 0)
        return array_ops.stack([edges[:-1], right, counts], 1)

    def one() -> Tensor:
        return array_ops.expand_dims(array_ops.stack([least - 0.5, most + 0.5, whole]), 0)

    return cond(arithmetic_ops.equal(least, most), one, several)  # type: ignore[no-any-return]
