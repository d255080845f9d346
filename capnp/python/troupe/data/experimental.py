"""Input pipelines: what is not settled in TensorFlow."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.data.batching import dense_to_sparse_batch
from troupe._src.data.csv import CsvDataset
from troupe._src.data_files.databases import SqlDataset
from troupe._src.data.files import TFRecordWriter
from troupe._src.data.grouping import (
    Reducer,
    bucket_by_sequence_length,
    choose_from_datasets,
    group_by_reducer,
    group_by_window,
    sample_from_datasets,
)
from troupe._src.data.mapping import AUTOTUNE
from troupe._src.data.options import (
    DistributeOptions,
    MapVectorizationOptions,
    OptimizationOptions,
    StatsOptions,
    ThreadingOptions,
)
from troupe._src.data_files.input_checkpoints import CheckpointInputPipelineHook
from troupe._src.data_files.resampling import rejection_resample
from troupe._src.data.saved_iterators import make_saveable_from_iterator
from troupe._src.data.sources import (
    Counter,
    RandomDataset,
    from_variant,
    get_single_element,
    to_variant,
)
from troupe._src.data.specs import DatasetSpec as DatasetStructure
from troupe._src.data.specs import (
    RaggedTensorStructure,
    SparseTensorStructure,
    TensorStructure,
    get_structure,
)
from troupe._src.data_files.cardinality import INFINITE as INFINITE_CARDINALITY
from troupe._src.data_files.cardinality import UNKNOWN as UNKNOWN_CARDINALITY
from troupe._src.data_files.cardinality import cardinality
from troupe._src.data_files.csv_batches import make_csv_dataset
from troupe._src.data_files.feature_batches import (
    make_batched_features_dataset,
    parse_example_dataset,
)
from troupe._src.data.transformations import (
    copy_to_device,
    enumerate_dataset,
    ignore_errors,
    map_and_batch,
    map_and_batch_with_legacy_function,
    parallel_interleave,
    prefetch_to_device,
    scan,
    shuffle_and_repeat,
    take_while,
    unbatch,
    unique,
)
from troupe._src.optionals.optional import Optional, get_next_as_optional
from troupe._src.optionals.optional import OptionalSpec as OptionalStructure
from troupe._src.types.type_spec import TypeSpec as Structure

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "AUTOTUNE",
    "CheckpointInputPipelineHook",
    "Counter",
    "CsvDataset",
    "DatasetStructure",
    "DistributeOptions",
    "INFINITE_CARDINALITY",
    "MapVectorizationOptions",
    "OptimizationOptions",
    "Optional",
    "OptionalStructure",
    "RandomDataset",
    "Reducer",
    "RaggedTensorStructure",
    "SparseTensorStructure",
    "SqlDataset",
    "Structure",
    "TFRecordWriter",
    "TensorStructure",
    "StatsOptions",
    "ThreadingOptions",
    "UNKNOWN_CARDINALITY",
    "bucket_by_sequence_length",
    "cardinality",
    "choose_from_datasets",
    "copy_to_device",
    "dense_to_sparse_batch",
    "enumerate_dataset",
    "from_variant",
    "get_next_as_optional",
    "get_single_element",
    "get_structure",
    "group_by_reducer",
    "group_by_window",
    "ignore_errors",
    "make_batched_features_dataset",
    "make_csv_dataset",
    "make_saveable_from_iterator",
    "map_and_batch",
    "map_and_batch_with_legacy_function",
    "parallel_interleave",
    "parse_example_dataset",
    "prefetch_to_device",
    "rejection_resample",
    "sample_from_datasets",
    "scan",
    "shuffle_and_repeat",
    "take_while",
    "to_variant",
    "unbatch",
    "unique",
]
