"""Input pipelines, as older programs call what is in `tf.data.experimental`."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.data.csv import CsvDataset
from troupe._src.data.grouping import (
    bucket_by_sequence_length,
    choose_from_datasets,
    group_by_window,
    sample_from_datasets,
)
from troupe._src.data.mapping import AUTOTUNE
from troupe._src.data.saved_iterators import make_saveable_from_iterator
from troupe._src.data.sources import Counter, get_single_element
from troupe._src.data.transformations import (
    batch_and_drop_remainder,
    copy_to_device,
    enumerate_dataset,
    ignore_errors,
    map_and_batch,
    padded_batch_and_drop_remainder,
    parallel_interleave,
    prefetch_to_device,
    scan,
    shuffle_and_repeat,
    sliding_window_batch,
    sloppy_interleave,
    unbatch,
    unique,
)
from troupe._src.optionals.optional import Optional, get_next_as_optional

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "AUTOTUNE",
    "Counter",
    "CsvDataset",
    "Optional",
    "batch_and_drop_remainder",
    "bucket_by_sequence_length",
    "choose_from_datasets",
    "copy_to_device",
    "enumerate_dataset",
    "get_next_as_optional",
    "get_single_element",
    "group_by_window",
    "ignore_errors",
    "make_saveable_from_iterator",
    "map_and_batch",
    "padded_batch_and_drop_remainder",
    "parallel_interleave",
    "prefetch_to_device",
    "sample_from_datasets",
    "scan",
    "shuffle_and_repeat",
    "sliding_window_batch",
    "sloppy_interleave",
    "unbatch",
    "unique",
]
