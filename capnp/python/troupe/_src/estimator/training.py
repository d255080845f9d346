"""Runs the training of a model."""

from __future__ import annotations

import functools
from typing import Any, List, Optional

from troupe._src.cluster.device_setter import PS_OPS, replica_device_setter
from troupe._src.estimator.distributed_training import EndTogetherHook, workers_of
from troupe._src.estimator.run_config import RunConfig, session_config_of
from troupe._src.estimator.spec import EstimatorSpec
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.platform import logging
from troupe._src.summary.summary_ops import scalar
from troupe._src.train.global_step import get_global_step
from troupe._src.train.hooks.checkpoint_hook import CheckpointSaverHook
from troupe._src.train.hooks.native_hooks import NanTensorHook
from troupe._src.train.hooks.python_hooks import LoggingTensorHook
from troupe._src.train.monitored_session import MonitoredTrainingSession
from troupe._src.checkpoints.saver import Saver


def default_device_fn(config: RunConfig) -> Any:
    """The device function with variables on the parameter servers; None where there are none."""
    if not config.num_ps_replicas:
        return None
    return replica_device_setter(
        ps_tasks=config.num_ps_replicas,
        worker_device=f"/job:{config.task_type}/task:{config.task_id}",
        merge_devices=True,
        ps_ops=PS_OPS,
        cluster=config.cluster_spec,
    )


def train_with_spec(
    spec: EstimatorSpec, config: RunConfig, hooks: List[Any], listeners: List[Any]
) -> Optional[Any]:
    """Trains until a hook or the input ends it.

    Returns:
        The last loss, or None where there was no step.

    Raises:
        ValueError: There are listeners, and nothing saves checkpoints.
    """
    graph = get_default_graph()
    assert spec.loss is not None
    if all(item.op.name != "loss" for item in graph.get_collection(GraphKeys.SUMMARIES)):
        scalar("loss", spec.loss)
    graph.add_to_collection(GraphKeys.LOSSES, spec.loss)
    _add_saver(spec, config)
    worker_hooks = [*hooks, NanTensorHook(spec.loss)]
    if config.log_step_count_steps:
        logged = {"loss": spec.loss, "step": get_global_step()}
        worker_hooks.append(LoggingTensorHook(logged, every_n_iter=config.log_step_count_steps))
    worker_hooks += spec.training_hooks
    chief_hooks = [*spec.training_chief_hooks]
    savers = [
        hook for hook in [*worker_hooks, *chief_hooks] if isinstance(hook, CheckpointSaverHook)
    ]
    if not savers and (config.save_checkpoints_secs or config.save_checkpoints_steps):
        saver = CheckpointSaverHook(
            str(config.model_dir),
            save_secs=config.save_checkpoints_secs,
            save_steps=config.save_checkpoints_steps,
            scaffold=spec.scaffold,
        )
        savers, chief_hooks = [saver], [saver, *chief_hooks]
    if listeners:
        if not savers:
            raise ValueError(
                "There should be a CheckpointSaverHook to use saving_listeners. Please set one of "
                "the RunConfig.save_checkpoints_steps or RunConfig.save_checkpoints_secs."
            )
        savers[0].add_listeners(listeners)
    return _run(spec, config, worker_hooks, chief_hooks)


def _run(
    spec: EstimatorSpec, config: RunConfig, hooks: List[Any], chief_hooks: List[Any]
) -> Optional[Any]:
    loss = None
    strategy = config.train_distribute
    workers = workers_of(strategy)
    writes = workers is None or workers.index == 0
    session_config = session_config_of(config)
    if workers is not None:
        hooks = [*hooks, EndTogetherHook(workers)]
        session_config.device_filters = []  # it sends to other workers
    with MonitoredTrainingSession(
        master=config.master,
        is_chief=config.is_chief or workers is not None,  # each worker makes its own variables
        checkpoint_dir=config.model_dir,
        scaffold=spec.scaffold,
        hooks=hooks,
        chief_only_hooks=chief_hooks if writes else [],
        save_checkpoint_secs=0,
        save_summaries_steps=config.save_summary_steps if writes else 0,
        config=session_config,
        max_wait_secs=config.session_creation_timeout_secs,
        log_step_count_steps=config.log_step_count_steps if writes else 0,
    ) as session:
        run = session.run
        if workers is not None:  # those that go on from other steps would not fit together
            session._recovers = False
            run = functools.partial(session._run, False)
        while not session.should_stop():
            _, loss = run([spec.train_op, spec.loss])
    if loss is None:
        logging.warning(
            "Training with estimator made no steps. Perhaps input is empty or misspecified."
        )
    return loss


def _add_saver(spec: EstimatorSpec, config: RunConfig) -> None:
    """The saver of the configuration, unless the model has one."""
    graph = get_default_graph()
    if spec.scaffold.saver is None and not graph.get_collection(GraphKeys.SAVERS):
        saver = Saver(
            sharded=True,
            max_to_keep=config.keep_checkpoint_max,
            keep_checkpoint_every_n_hours=config.keep_checkpoint_every_n_hours,
            save_relative_paths=True,
            defer_build=True,  # hooks may add variables
        )
        graph.add_to_collection(GraphKeys.SAVERS, saver)
