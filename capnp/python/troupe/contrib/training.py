"""Hyperparameters; batches of elements that are alike."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.contrib.hparams import HParams, parse_values
from troupe._src.inputs.bucketing import bucket, bucket_by_sequence_length

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "HParams",
    "bucket",
    "bucket_by_sequence_length",
    "parse_values",
]
