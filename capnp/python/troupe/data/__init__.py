"""Input pipelines."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.data.dataset import Dataset
from troupe._src.data.files import FixedLengthRecordDataset, TextLineDataset, TFRecordDataset
from troupe._src.data.iterator import (
    Iterator,
    make_initializable_iterator,
    make_one_shot_iterator,
)
from troupe._src.data.mapping import AUTOTUNE
from troupe._src.data.options import Options
from troupe._src.data.specs import (
    DatasetSpec,
    get_output_classes,
    get_output_shapes,
    get_output_types,
)

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__, lazy=("experimental",))

__all__ = [
    "AUTOTUNE",
    "Dataset",
    "DatasetSpec",
    "FixedLengthRecordDataset",
    "Iterator",
    "Options",
    "TFRecordDataset",
    "TextLineDataset",
    "get_output_classes",
    "get_output_shapes",
    "get_output_types",
    "make_initializable_iterator",
    "make_one_shot_iterator",
]
