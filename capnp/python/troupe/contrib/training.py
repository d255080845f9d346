"""Hyperparameters, trainings, evaluations, and batches of elements that are alike."""

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
from troupe._src.inputs.sampling import (
    rejection_sample,
    resample_at_rate,
    stratified_sample,
    weighted_resample,
)
from troupe._src.inputs.sequence_batches import batch_sequences_with_states
from troupe._src.inputs.state_saver import NextQueuedSequenceBatch, SequenceQueueingStateSaver
from troupe._src.messages.hparam_messages import HParamDef
from troupe._src.slim.evaluations import (
    StopAfterNEvalsHook,
    SummaryAtEndHook,
    evaluate_once,
    evaluate_repeatedly,
    get_or_create_eval_step,
)
from troupe._src.slim.monitored_training import train
from troupe._src.slim.train_ops import (
    add_gradients_summaries,
    clip_gradient_norms,
    clip_gradient_norms_fn,
    create_train_op,
    multiply_gradients,
)
from troupe._src.queues.feeding_runner import FeedingQueueRunner

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "FeedingQueueRunner",
    "GreedyLoadBalancingStrategy",
    "HParamDef",
    "HParams",
    "NextQueuedSequenceBatch",
    "RandomStrategy",
    "SequenceQueueingStateSaver",
    "StopAfterNEvalsHook",
    "SummaryAtEndHook",
    "add_gradients_summaries",
    "batch_sequences_with_states",
    "bucket",
    "bucket_by_sequence_length",
    "byte_size_load_fn",
    "checkpoints_iterator",
    "clip_gradient_norms",
    "clip_gradient_norms_fn",
    "create_train_op",
    "evaluate_once",
    "evaluate_repeatedly",
    "get_or_create_eval_step",
    "multiply_gradients",
    "parse_values",
    "rejection_sample",
    "resample_at_rate",
    "stratified_sample",
    "train",
    "wait_for_new_checkpoint",
    "weighted_resample",
]
