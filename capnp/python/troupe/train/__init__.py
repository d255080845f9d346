"""Servers and clusters, optimizers, checkpoints, and training that outlives its tasks."""

from __future__ import annotations

from typing import Any

from troupe._missing import missing as _missing
from troupe.train.checkpoint_reader import (
    NewCheckpointReader,
    list_variables,
    load_checkpoint,
    load_variable,
)
from troupe.train.cluster import ClusterDef, ClusterSpec, ServerDef
from troupe.train.coordinator import Coordinator, LooperThread
from troupe.train.device_setter import replica_device_setter
from troupe.train.hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from troupe.train.hooks import (
    CheckpointSaverHook,
    NanLossDuringTrainingError,
    NanTensorHook,
    StepCounterHook,
    StopAtStepHook,
)
from troupe.train.learning_rate import (
    exponential_decay,
    inverse_time_decay,
    natural_exp_decay,
    piecewise_constant,
    piecewise_constant_decay,
    polynomial_decay,
)
from troupe.train.monitored import (
    MonitoredSession,
    MonitoredTrainingSession,
    SingularMonitoredSession,
)
from troupe.train.moving_averages import ExponentialMovingAverage
from troupe.train.optimizer import Optimizer
from troupe.train.optimizers import (
    AdadeltaOptimizer,
    AdagradOptimizer,
    AdamOptimizer,
    GradientDescentOptimizer,
    MomentumOptimizer,
    RMSPropOptimizer,
)
from troupe.train.saver import (
    CheckpointState,
    Saver,
    checkpoint_exists,
    get_checkpoint_state,
    latest_checkpoint,
    remove_checkpoint,
)
from troupe.train.scaffold import (
    ChiefSessionCreator,
    Scaffold,
    SessionCreator,
    WorkerSessionCreator,
)
from troupe.train.server import Server, stop_server
from troupe.train.step import (
    create_global_step,
    get_global_step,
    get_or_create_global_step,
    global_step,
)
from troupe.train.supervisor import Supervisor
from troupe.train.value_hooks import (
    FeedFnHook,
    FinalOpsHook,
    GlobalStepWaiterHook,
    LoggingTensorHook,
    ProfilerHook,
    ProgressBarHook,
    SecondOrStepTimer,
)


def __getattr__(name: str) -> Any:
    return _missing(__name__, name)


__all__ = [
    "AdadeltaOptimizer",
    "AdagradOptimizer",
    "AdamOptimizer",
    "CheckpointSaverHook",
    "CheckpointState",
    "ChiefSessionCreator",
    "ClusterDef",
    "ClusterSpec",
    "Coordinator",
    "ExponentialMovingAverage",
    "FeedFnHook",
    "FinalOpsHook",
    "GlobalStepWaiterHook",
    "GradientDescentOptimizer",
    "LoggingTensorHook",
    "LooperThread",
    "MomentumOptimizer",
    "MonitoredSession",
    "MonitoredTrainingSession",
    "NewCheckpointReader",
    "NanLossDuringTrainingError",
    "NanTensorHook",
    "Optimizer",
    "ProfilerHook",
    "ProgressBarHook",
    "RMSPropOptimizer",
    "Saver",
    "Scaffold",
    "SecondOrStepTimer",
    "Server",
    "ServerDef",
    "SessionCreator",
    "SessionRunArgs",
    "SessionRunContext",
    "SessionRunHook",
    "SessionRunValues",
    "SingularMonitoredSession",
    "StepCounterHook",
    "StopAtStepHook",
    "WorkerSessionCreator",
    "Supervisor",
    "checkpoint_exists",
    "create_global_step",
    "exponential_decay",
    "get_checkpoint_state",
    "get_global_step",
    "get_or_create_global_step",
    "global_step",
    "inverse_time_decay",
    "latest_checkpoint",
    "list_variables",
    "load_checkpoint",
    "load_variable",
    "natural_exp_decay",
    "piecewise_constant",
    "piecewise_constant_decay",
    "polynomial_decay",
    "remove_checkpoint",
    "replica_device_setter",
    "stop_server",
]
