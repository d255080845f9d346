"""Summaries of a training, and the event files that TensorBoard reads."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.messages.summary_messages import (
    Event,
    SessionLog,
    Summary,
    SummaryDescription,
    TaggedRunMetadata,
)
from troupe._src.summary.event_file import summary_iterator
from troupe._src.summary.file_writer import FileWriter, FileWriterCache
from troupe._src.summary.summary_ops import (
    audio,
    histogram,
    image,
    merge,
    merge_all,
    scalar,
    tensor_summary,
    text,
)
from troupe._src.summary_writers.recording import all_summary_ops as all_v2_summary_ops
from troupe._src.summary_writers.recording import initialize

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "Event",
    "FileWriter",
    "FileWriterCache",
    "SessionLog",
    "Summary",
    "SummaryDescription",
    "TaggedRunMetadata",
    "all_v2_summary_ops",
    "audio",
    "histogram",
    "image",
    "initialize",
    "merge",
    "merge_all",
    "scalar",
    "summary_iterator",
    "tensor_summary",
    "text",
]
