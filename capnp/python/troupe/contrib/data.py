"""Input pipelines, as older programs call what is in `tf.data.experimental`."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.data.batching import assert_element_shape, dense_to_sparse_batch
from troupe._src.data.csv import CsvDataset
from troupe._src.data_files.databases import LMDBDataset, SqlDataset
from troupe._src.data.files import TFRecordWriter
from troupe._src.data.grouping import (
    Reducer,
    bucket_by_sequence_length,
    choose_from_datasets,
    group_by_reducer,
    group_by_window,
    reduce_dataset,
    sample_from_datasets,
)
from troupe._src.data.mapping import AUTOTUNE
from troupe._src.data_files.resampling import rejection_resample
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
from troupe._src.data_files.feature_batches import (
    make_batched_features_dataset,
    parse_example_dataset,
)
from troupe._src.data_files.csv_batches import make_csv_dataset
from troupe._src.optionals.optional import Optional, get_next_as_optional

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "AUTOTUNE",
    "Counter",
    "CsvDataset",
    "LMDBDataset",
    "Optional",
    "Reducer",
    "SqlDataset",
    "TFRecordWriter",
    "assert_element_shape",
    "batch_and_drop_remainder",
    "bucket_by_sequence_length",
    "choose_from_datasets",
    "copy_to_device",
    "dense_to_sparse_batch",
    "enumerate_dataset",
    "get_next_as_optional",
    "get_single_element",
    "group_by_reducer",
    "group_by_window",
    "ignore_errors",
    "make_batched_features_dataset",
    "make_csv_dataset",
    "make_saveable_from_iterator",
    "map_and_batch",
    "padded_batch_and_drop_remainder",
    "parallel_interleave",
    "parse_example_dataset",
    "prefetch_to_device",
    "reduce_dataset",
    "rejection_resample",
    "sample_from_datasets",
    "scan",
    "shuffle_and_repeat",
    "sliding_window_batch",
    "sloppy_interleave",
    "unbatch",
    "unique",
]
