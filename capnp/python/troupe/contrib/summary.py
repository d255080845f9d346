"""Summaries that steps write into event files by themselves."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.summary_writers.more_records import (
    audio,
    eval_dir,
    generic,
    graph,
    import_event,
)
from troupe._src.summary_writers.recording import (
    all_summary_ops,
    always_record_summaries,
    histogram,
    image,
    initialize,
    never_record_summaries,
    record_summaries_every_n_global_steps,
    scalar,
    should_record_summaries,
)
from troupe._src.summary_writers.writers import (
    SummaryWriter,
    create_file_writer,
    flush,
    summary_writer_initializer_op,
)
from troupe._src.summary_writers.writers import create_file_writer as create_summary_file_writer

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "SummaryWriter",
    "all_summary_ops",
    "always_record_summaries",
    "audio",
    "create_file_writer",
    "create_summary_file_writer",
    "eval_dir",
    "flush",
    "generic",
    "graph",
    "histogram",
    "image",
    "import_event",
    "initialize",
    "never_record_summaries",
    "record_summaries_every_n_global_steps",
    "scalar",
    "should_record_summaries",
    "summary_writer_initializer_op",
]
