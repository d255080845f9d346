"""A whole training in one call, the same in the programs of all tasks."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from typing import Any, Callable, Dict, Iterator, Optional, Sequence

from troupe._src.cluster.cluster_spec import Role, role_from_tf_config
from troupe._src.cluster.device_setter import replica_device_setter
from troupe._src.cluster.server import Server, stop_server
from troupe._src.graph.graph import Graph
from troupe._src.messages.config import ConfigProto
from troupe._src.ops import raw_ops
from troupe._src.ops.creation_ops import zeros
from troupe._src.platform import logging
from troupe._src.session.session import Session
from troupe._src.set_module import set_module
from troupe._src.train.global_step import get_or_create_global_step
from troupe._src.train.hooks.native_hooks import StopAtStepHook
from troupe._src.train.hooks.session_run_hook import SessionRunHook
from troupe._src.train.monitored_session import MonitoredSession, MonitoredTrainingSession
from troupe._src.train.scaffold import Scaffold
from troupe._src.train.supervisor import Supervisor
from troupe._src.types import dtypes, errors
from troupe._src.variables.variable import Variable

# How often a task that has finished says so again: a parameter server that has lost it must hear.
FINISHED_PERIOD_SECS = 0.2
STOP_DEADLINE_SECS = 5.0


@set_module("troupe.train")
def run(
    model: Callable[[Role], Any],
    step: Callable[[MonitoredSession, Any], Any],
    *,
    checkpoint_dir: Optional[str] = None,
    save_checkpoint_secs: Optional[float] = 600,
    save_checkpoint_steps: Optional[int] = None,
    last_step: Optional[int] = None,
    starts_anew: bool = False,
    hooks: Sequence[SessionRunHook] = (),
    config: Optional[ConfigProto] = None,
    role: Optional[Role] = None,
) -> None:
    """Trains, by the same program on all machines: each does its task of TF_CONFIG.

    A parameter server serves. The others build the model and run steps until the training ends.
    What waits or recovers says so in the log. A worker that has finished stays, and its server with
    it, until the chief has seen that all have finished: the chief then saves a last checkpoint and
    stops them all. A task that was killed is started again in the same way, and goes on. Without a
    cluster in TF_CONFIG, the program trains alone. An addition to TensorFlow.

    Args:
        model: builds the model in the default graph and returns what `step` needs. Variables are
            placed on the parameter servers in turn, other nodes on this worker. Its optimizer
            should count the global step.
        step: runs one step, with the session and what `model` returned; an OutOfRangeError ends the
            part of this worker.
        checkpoint_dir: where the chief saves checkpoints, and finds the latest one when it starts
            or when variables are lost; without it, lost variables are initialized again.
        save_checkpoint_secs: the time from one checkpoint to the next.
        save_checkpoint_steps: the same in global steps, in place of the time.
        last_step: the global step at which the training ends; None: `step` says when.
        starts_anew: has the chief initialize all variables when it starts. Else those that have
            values keep them, of an earlier program, too, which the log tells.
        hooks: further hooks of this task's steps.
        config: for the server and the sessions.
        role: the task, by default that of TF_CONFIG.

    Raises:
        ValueError: the task is an evaluator.
        OpError: a step failed, for another reason than a task that was lost.
    """
    role = role or role_from_tf_config()
    if role.is_evaluator:
        raise ValueError("TF_CONFIG: the task is an evaluator, which takes no part in training")
    server = _start_server(role, config)
    with _stopped_at_the_end(server), _interrupted_by_sigterm():
        if role.is_ps:
            logging.info("%s serves at %s", _name(role), server.target)
            server.join()
            return
        training = _Training(role, server, model, config)
        saving_secs = None if save_checkpoint_steps else save_checkpoint_secs
        with training.session(
            "anew" if starts_anew else "adopt",
            [*hooks, *([StopAtStepHook(last_step=last_step)] if last_step else [])],
            checkpoint_dir=checkpoint_dir,
            save_checkpoint_secs=saving_secs,
            save_checkpoint_steps=save_checkpoint_steps,
        ) as session:
            while not session.should_stop():
                step(session, training.model)
        logging.info("%s has finished; waits for the other workers", _name(role))
        if not role.is_chief:
            training.say_finished(server)
            return
        with training.session("resume", [], checkpoint_dir=checkpoint_dir) as session:
            training.await_all(session)
        _stop_others(role)


class _Training:
    """The graph of a worker."""

    def __init__(
        self,
        role: Role,
        server: Server,
        model: Callable[[Role], Any],
        config: Optional[ConfigProto],
    ) -> None:
        self.role = role
        self._target = server.target
        self._config = config
        self._scaffold = Scaffold()
        self.graph = Graph()
        worker = _name(role) if _has_cluster(role) else ""
        setter = replica_device_setter(role.num_ps_replicas, worker_device=worker)
        with self.graph.as_default(), self.graph.device(setter if _has_cluster(role) else None):
            self.model = model(role)
            with self.graph.device(get_or_create_global_step().device):
                none = zeros([role.num_worker_replicas], dtypes.int64)
                self._finished = Variable(none, trainable=False, name="finished_workers")
                self._mark = raw_ops.ResourceScatterUpdate(
                    resource=self._finished.handle, indices=_index(role),
                    updates=zeros([], dtypes.int64) + 1,
                )  # fmt: skip

    @contextlib.contextmanager
    def session(
        self, start: str, hooks: Sequence[SessionRunHook], **options: Any
    ) -> Iterator[MonitoredSession]:
        self._scaffold._start = start
        with self.graph.as_default():
            with MonitoredTrainingSession(
                self._target, self.role.is_chief, scaffold=self._scaffold, hooks=hooks,
                config=self._config, **options,
            ) as session:  # fmt: skip
                yield session

    def say_finished(self, server: Server) -> None:
        """Says again and again that this worker has finished, until its server is stopped."""
        ended = threading.Event()

        def wait_for_end() -> None:
            server.join()
            ended.set()

        threading.Thread(target=wait_for_end, daemon=True).start()
        while not ended.wait(FINISHED_PERIOD_SECS):
            try:
                with Session(self._target, self.graph, self._config) as session:
                    while not ended.wait(FINISHED_PERIOD_SECS):
                        session.run(self._mark)
            except errors.OpError as error:  # a task is lost, or this one is being stopped
                logging.debug("%s", error)

    def await_all(self, session: MonitoredSession) -> None:
        """Waits, on the chief, until all workers have said that they have finished."""
        known, count = 0, self.role.num_worker_replicas
        while known < count:
            finished = int(session.run([self._finished, self._mark])[0].sum())
            if finished != known:
                logging.info("%d of %d workers have finished", finished, count)
            else:
                time.sleep(FINISHED_PERIOD_SECS)
            known = finished


def _has_cluster(role: Role) -> bool:
    return bool(role.cluster.jobs)


def _name(role: Role) -> str:
    return f"/job:{role.task_type}/task:{role.task_id}" if _has_cluster(role) else "the training"


def _index(role: Role) -> int:
    """The chief is the first of the workers, also where it is a job of its own."""
    if role.is_chief:
        return 0
    has_chief_job = "chief" in role.cluster.jobs or "master" in role.cluster.jobs
    return role.task_id + (1 if has_chief_job else 0)


def _start_server(role: Role, config: Optional[ConfigProto]) -> Server:
    if _has_cluster(role):
        return Server(role.server_def, config=config)
    return Server.create_local_server(config=config)


@contextlib.contextmanager
def _stopped_at_the_end(server: Server) -> Iterator[None]:
    try:
        yield
    finally:
        server.stop(STOP_DEADLINE_SECS)


@contextlib.contextmanager
def _interrupted_by_sigterm() -> Iterator[None]:
    """Makes SIGTERM raise KeyboardInterrupt, as SIGINT does, so that the task ends in order."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _stop_others(role: Role) -> None:
    """Stops the other tasks, the workers first: they still need the parameter servers."""
    logging.info("all workers have finished: stops the other tasks")
    for job in sorted(role.cluster.jobs, key=lambda job: job == "ps"):
        for task in role.cluster.task_indices(job):
            if (job, task) == (role.task_type, role.task_id):
                continue
            address = role.cluster.task_address(job, task)
            try:
                stop_server(f"troupe://{address}", STOP_DEADLINE_SECS)
            except errors.OpError as error:
                logging.warning("cannot stop /job:%s/task:%d: %s", job, task, error.message)


def basic_train_loop(
    supervisor: Supervisor,
    train_step_fn: Callable[..., Any],
    args: Optional[Sequence[Any]] = None,
    kwargs: Optional[Dict[str, Any]] = None,
    master: str = "",
) -> None:
    """Calls a function until the supervisor stops; begins anew where a server has restarted.

    Args:
        supervisor: What makes the session.
        train_step_fn: Called with the session and the arguments.
        args: The arguments.
        kwargs: Those by name.
        master: The target of the session.
    """
    is_done = False
    while not is_done:
        with contextlib.suppress(errors.AbortedError):
            with supervisor.managed_session(master) as session:
                while not supervisor.should_stop():
                    train_step_fn(session, *(args or ()), **(kwargs or {}))
            is_done = True
