"""Servers and clusters, optimizers, checkpoints, and training that outlives its tasks."""

from __future__ import annotations

from typing import Any

from troupe._missing import missing as _missing
from troupe.train.cluster import ClusterDef, ClusterSpec, ServerDef
from troupe.train.coordinator import Coordinator, LooperThread
from troupe.train.device_setter import replica_device_setter
from troupe.train.hooks import (
    CheckpointSaverHook,
    FinalOpsHook,
    LoggingTensorHook,
    NanLossDuringTrainingError,
    NanTensorHook,
    ProgressBarHook,
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
    StepCounterHook,
    StopAtStepHook,
)
from troupe.train.learning_rate import exponential_decay
from troupe.train.monitored import (
    MonitoredSession,
    MonitoredTrainingSession,
    Scaffold,
    SessionCreator,
)
from troupe.train.optimizers import (
    AdamOptimizer,
    GradientDescentOptimizer,
    MomentumOptimizer,
    Optimizer,
)
from troupe.train.saver import (
    CheckpointState,
    Saver,
    checkpoint_exists,
    get_checkpoint_state,
    latest_checkpoint,
)
from troupe.train.server import Server, stop_server
from troupe.train.step import (
    create_global_step,
    get_global_step,
    get_or_create_global_step,
    global_step,
)


def __getattr__(name: str) -> Any:
    return _missing(__name__, name)


__all__ = [
    "AdamOptimizer",
    "CheckpointSaverHook",
    "CheckpointState",
    "ClusterDef",
    "ClusterSpec",
    "Coordinator",
    "FinalOpsHook",
    "GradientDescentOptimizer",
    "LoggingTensorHook",
    "LooperThread",
    "MomentumOptimizer",
    "MonitoredSession",
    "MonitoredTrainingSession",
    "NanLossDuringTrainingError",
    "NanTensorHook",
    "Optimizer",
    "ProgressBarHook",
    "Saver",
    "Scaffold",
    "Server",
    "ServerDef",
    "SessionCreator",
    "SessionRunArgs",
    "SessionRunContext",
    "SessionRunHook",
    "SessionRunValues",
    "StepCounterHook",
    "StopAtStepHook",
    "checkpoint_exists",
    "create_global_step",
    "exponential_decay",
    "get_checkpoint_state",
    "get_global_step",
    "get_or_create_global_step",
    "global_step",
    "latest_checkpoint",
    "replica_device_setter",
    "stop_server",
]
