"""Hyperparameters; batches of elements that are alike; waits for checkpoints."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.checkpoints.new_checkpoints import checkpoints_iterator, wait_for_new_checkpoint
from troupe._src.cluster.ps_strategies import (
    GreedyLoadBalancingStrategy,
    RandomStrategy,
    byte_size_load_fn,
)
from troupe._src.contrib.hparams import HParams, parse_values
from troupe._src.inputs.bucketing import bucket, bucket_by_sequence_length

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "GreedyLoadBalancingStrategy",
    "HParams",
    "RandomStrategy",
    "bucket",
    "bucket_by_sequence_length",
    "byte_size_load_fn",
    "checkpoints_iterator",
    "parse_values",
    "wait_for_new_checkpoint",
]
