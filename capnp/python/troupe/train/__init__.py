"""Servers, cluster definitions, optimizers, checkpoints, monitored sessions, input pipelines."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.cluster.cluster_spec import ClusterDef, ClusterSpec, ServerDef
from troupe._src.cluster.device_setter import replica_device_setter
from troupe._src.cluster.server import Server, stop_server
from troupe._src.graph_defs.graph_io import write_graph
from troupe._src.inputs.batching import (
    batch,
    batch_join,
    maybe_batch,
    maybe_batch_join,
)
from troupe._src.inputs.producers import (
    input_producer,
    limit_epochs,
    match_filenames_once,
    range_input_producer,
    slice_input_producer,
    string_input_producer,
)
from troupe._src.inputs.shuffling import (
    maybe_shuffle_batch,
    maybe_shuffle_batch_join,
    shuffle_batch,
    shuffle_batch_join,
)
from troupe._src.graph_defs.meta_graph import export_meta_graph
from troupe._src.messages.example import (
    Example,
    Feature,
    FeatureList,
    FeatureLists,
    Features,
    SequenceExample,
)
from troupe._src.messages.value_lists import BytesList, FloatList, Int64List
from troupe._src.messages.queue_runner import QueueRunnerDef
from troupe._src.queues.queue_runner import (
    QueueRunner,
    add_queue_runner,
    start_queue_runners,
)
from troupe._src.summary.event_file import summary_iterator
from troupe._src.checkpoints.checkpoint_reader import (
    NewCheckpointReader,
    list_variables,
    load_checkpoint,
    load_variable,
)
from troupe._src.checkpoints.checkpoint_state import (
    CheckpointState,
    checkpoint_exists,
    generate_checkpoint_state_proto,
    get_checkpoint_mtimes,
    get_checkpoint_state,
    latest_checkpoint,
    remove_checkpoint,
    update_checkpoint_state,
)
from troupe._src.checkpoints.new_checkpoints import checkpoints_iterator
from troupe._src.object_checkpoints.checkpoint import Checkpoint
from troupe._src.object_checkpoints.checkpoint_manager import CheckpointManager
from troupe._src.linear_optimizer.dual_ascent import (
    sdca_fprint,
    sdca_optimizer,
    sdca_shrink_l1,
)
from troupe._src.train.coordinator import Coordinator, LooperThread
from troupe._src.train.global_step import (
    assert_global_step,
    create_global_step,
    get_global_step,
    get_or_create_global_step,
    global_step,
)
from troupe._src.train.learning_rate import (
    cosine_decay,
    cosine_decay_restarts,
    exponential_decay,
    inverse_time_decay,
    linear_cosine_decay,
    natural_exp_decay,
    noisy_linear_cosine_decay,
    piecewise_constant,
    piecewise_constant_decay,
    polynomial_decay,
)
from troupe._src.messages.meta_graph_messages import SaverDef
from troupe._src.train.meta_graphs import import_meta_graph
from troupe._src.train.monitored_session import (
    MonitoredSession,
    MonitoredTrainingSession,
    SingularMonitoredSession,
)
from troupe._src.train.moving_averages import ExponentialMovingAverage
from troupe._src.train.hooks.checkpoint_hook import CheckpointSaverHook
from troupe._src.train.hooks.native_hooks import (
    NanLossDuringTrainingError,
    NanTensorHook,
    StopAtStepHook,
)
from troupe._src.train.optimizer import Optimizer
from troupe._src.train.adaptive_optimizers import (
    AdadeltaOptimizer,
    AdagradDAOptimizer,
    AdagradOptimizer,
    AdamOptimizer,
    ProximalAdagradOptimizer,
)
from troupe._src.train.optimizers import (
    FtrlOptimizer,
    GradientDescentOptimizer,
    MomentumOptimizer,
    ProximalGradientDescentOptimizer,
    RMSPropOptimizer,
)
from troupe._src.train.hooks.python_hooks import (
    FeedFnHook,
    FinalOpsHook,
    GlobalStepWaiterHook,
    LoggingTensorHook,
    ProfilerHook,
    ProgressBarHook,
)
from troupe._src.train.role_training import basic_train_loop, run
from troupe._src.checkpoints.saver import Saver
from troupe._src.train.scaffold import (
    ChiefSessionCreator,
    Scaffold,
    SessionCreator,
    WorkerSessionCreator,
)
from troupe._src.train.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from troupe._src.train.hooks.saving_listeners import CheckpointSaverListener
from troupe._src.train.hooks.step_timer import SecondOrStepTimer
from troupe._src.train.hooks.summary_hooks import StepCounterHook, SummarySaverHook
from troupe._src.train.session_manager import SessionManager
from troupe._src.train.supervisor import Supervisor
from troupe._src.train.sync_replicas import SyncReplicasOptimizer
from troupe._src.warm_starting.init_from_checkpoint import init_from_checkpoint
from troupe._src.warm_starting.vocabulary_changes import VocabInfo
from troupe._src.warm_starting.warm_start import warm_start
from troupe.train import experimental, queue_runner

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "AdadeltaOptimizer",
    "AdagradDAOptimizer",
    "AdagradOptimizer",
    "AdamOptimizer",
    "BytesList",
    "Checkpoint",
    "CheckpointManager",
    "CheckpointSaverHook",
    "CheckpointSaverListener",
    "CheckpointState",
    "ChiefSessionCreator",
    "ClusterDef",
    "ClusterSpec",
    "Coordinator",
    "Example",
    "ExponentialMovingAverage",
    "Feature",
    "FeatureList",
    "FeatureLists",
    "Features",
    "FeedFnHook",
    "FinalOpsHook",
    "FloatList",
    "FtrlOptimizer",
    "GlobalStepWaiterHook",
    "GradientDescentOptimizer",
    "Int64List",
    "LoggingTensorHook",
    "LooperThread",
    "MomentumOptimizer",
    "MonitoredSession",
    "MonitoredTrainingSession",
    "NanLossDuringTrainingError",
    "NanTensorHook",
    "NewCheckpointReader",
    "Optimizer",
    "ProfilerHook",
    "ProgressBarHook",
    "ProximalAdagradOptimizer",
    "ProximalGradientDescentOptimizer",
    "QueueRunner",
    "QueueRunnerDef",
    "RMSPropOptimizer",
    "Saver",
    "SaverDef",
    "Scaffold",
    "SecondOrStepTimer",
    "SequenceExample",
    "Server",
    "ServerDef",
    "SessionCreator",
    "SessionManager",
    "SessionRunArgs",
    "SessionRunContext",
    "SessionRunHook",
    "SessionRunValues",
    "SingularMonitoredSession",
    "StepCounterHook",
    "StopAtStepHook",
    "SummarySaverHook",
    "Supervisor",
    "SyncReplicasOptimizer",
    "VocabInfo",
    "WorkerSessionCreator",
    "add_queue_runner",
    "assert_global_step",
    "basic_train_loop",
    "batch",
    "batch_join",
    "checkpoint_exists",
    "checkpoints_iterator",
    "cosine_decay",
    "cosine_decay_restarts",
    "create_global_step",
    "experimental",
    "exponential_decay",
    "export_meta_graph",
    "generate_checkpoint_state_proto",
    "get_checkpoint_mtimes",
    "get_checkpoint_state",
    "get_global_step",
    "get_or_create_global_step",
    "global_step",
    "import_meta_graph",
    "init_from_checkpoint",
    "input_producer",
    "inverse_time_decay",
    "latest_checkpoint",
    "limit_epochs",
    "linear_cosine_decay",
    "list_variables",
    "load_checkpoint",
    "load_variable",
    "match_filenames_once",
    "maybe_batch",
    "maybe_batch_join",
    "maybe_shuffle_batch",
    "maybe_shuffle_batch_join",
    "natural_exp_decay",
    "noisy_linear_cosine_decay",
    "piecewise_constant",
    "piecewise_constant_decay",
    "polynomial_decay",
    "queue_runner",
    "range_input_producer",
    "remove_checkpoint",
    "replica_device_setter",
    "run",
    "sdca_fprint",
    "sdca_optimizer",
    "sdca_shrink_l1",
    "shuffle_batch",
    "shuffle_batch_join",
    "slice_input_producer",
    "start_queue_runners",
    "stop_server",
    "string_input_producer",
    "summary_iterator",
    "update_checkpoint_state",
    "warm_start",
    "write_graph",
]
