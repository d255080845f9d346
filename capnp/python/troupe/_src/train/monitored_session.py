"""Monitored sessions, which recover from lost tasks."""

from __future__ import annotations

import functools
import os
from types import TracebackType
from typing import Any, Callable, Dict, List, Optional, Sequence, Type

from troupe._src.graph.graph import Graph, get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.messages.config import ConfigProto, RunOptions
from troupe._src.messages.message import Record
from troupe._src.messages.metadata import RunMetadata
from troupe._src.platform.process import check_not_forked, claim_process, close_at_exit
from troupe._src.session.base_session import BaseSession
from troupe._src.session.fetch import plan_fetches, to_feeds
from troupe._src.set_module import set_module
from troupe._src.train.global_step import get_global_step
from troupe._src.train.hooks.checkpoint_hook import CheckpointSaverHook
from troupe._src.train.hooks.created_training import LOST_TASK, CreatedTraining
from troupe._src.train.hooks.hook_adapter import Training
from troupe._src.train.hooks.opened_training import open_training
from troupe._src.train.hooks.session_run_hook import (
    SessionRunArgs, SessionRunHook, StepContext, check_step_fn,
)  # fmt: skip
from troupe._src.train.hooks.summary_hooks import (
    USE_DEFAULT, StepCounterHook, standard_summary_hooks,
)  # fmt: skip
from troupe._src.train.scaffold import (
    ChiefSessionCreator, Scaffold, SessionCreator, creates_sessions,
)  # fmt: skip
from troupe._src.train.session_threads import RunLocalInit, SessionThreads
from troupe._src.types import errors


@set_module("troupe.train")
class MonitoredSession:
    """A session that is recreated when a task is lost, and then runs the failed step again.

    The chief restores lost variables from the latest checkpoint, or runs their initializers where
    there is none; other workers wait for it. Use it as a context manager, with the loop `while not
    sess.should_stop(): sess.run(...)`. An error that leaves the `with` block closes the session,
    and hooks do not end then; a program that catches it inside may run further steps. It starts the
    queue runners of the graph, which is finalized until the session is closed.

    Args:
        session_creator: Says the target and whether it is the chief, by default one in this
            process. Or it creates sessions by a `create_session` of its own, which then restores
            or initializes the variables, and finalizes the graph or not.
        hooks: What is called around the steps, in that order.
        stop_grace_period_secs: How long threads have at the end, in seconds.

    Raises:
        OpError: No session can be created.
    """

    StepContext = StepContext  # what functions of `run_step_fn` get
    _starts_threads = True
    # Whether a lost task leads to another session.
    _recovers = True
    # Whether a graph that was not finalized before can be changed after the session.
    _unfinalizes = True

    def __init__(
        self,
        session_creator: Optional[SessionCreator] = None,
        hooks: Optional[Sequence[SessionRunHook]] = None,
        stop_grace_period_secs: float = 120,
    ) -> None:
        claim_process()
        self._pid = os.getpid()
        self._graph = get_default_graph()
        self._was_finalized = self._graph.finalized
        self._creator = session_creator or ChiefSessionCreator()
        self._training = Training(self._graph)
        self._threads = SessionThreads(self._training, stop_grace_period_secs)
        self._native: Any = self._begin(list(hooks or []))
        close_at_exit(self)

    def _begin(self, hooks: List[SessionRunHook]) -> Any:
        creator, training = self._creator, self._training
        for hook in hooks:
            hook.begin()
        all_hooks = self._threads.around(hooks) if self._starts_threads else hooks
        # Inputs may be made of what tables give, which the creator's operations fill.
        if inputs := self._graph.get_collection(GraphKeys._INPUT_INITIALIZERS):
            all_hooks = [RunLocalInit(inputs), *all_hooks]
        if creates_sessions(creator):
            return CreatedTraining(creator, all_hooks, training, self._threads.raise_lost_task)
        return open_training(creator, all_hooks, training, self._threads.raise_lost_task)

    def __repr__(self) -> str:
        state = "closed" if self._native is None else "stopping" if self._stops() else "open"
        where = getattr(self._creator, "_master", "") or "this process"
        role = "chief" if getattr(self._creator, "_is_chief", True) else "worker"
        name = f"tf.train.{type(self).__name__}"
        return f"<{name} on {where}, {role}, {state}, {self._graph.version} nodes>"

    @property
    def graph(self) -> Graph:
        """The graph whose steps it runs, which is finalized."""
        return self._graph

    def run(
        self,
        fetches: Any,
        feed_dict: Optional[Dict[Any, Any]] = None,
        options: Optional[RunOptions] = None,
        run_metadata: Optional[RunMetadata] = None,
    ) -> Any:
        """Runs a step with the additions of hooks, again if a task was lost meanwhile.

        Args:
            fetches: As for `tf.Session.run`.
            feed_dict: As for `tf.Session.run`.
            options: As for `tf.Session.run`.
            run_metadata: As for `tf.Session.run`.

        Returns:
            The values, as those of `tf.Session.run`.

        Raises:
            RuntimeError: The session is closed, or a hook or the program has stopped it.
            OpError: The step failed for another reason than a lost task; another may follow.
        """
        return self._run(True, fetches, feed_dict, options, run_metadata)

    def _run(
        self,
        recovers: bool,
        fetches: Any,
        feed_dict: Optional[Dict[Any, Any]] = None,
        options: Optional[RunOptions] = None,
        run_metadata: Optional[RunMetadata] = None,
    ) -> Any:
        check_not_forked(self._pid)
        if self._native is None:
            raise RuntimeError("Run called even after the session was closed.")
        if not recovers:
            self._threads.raise_lost_task()
        self._replace_lost()
        if self._native.should_stop:
            raise RuntimeError("Run called even after should_stop requested.")
        plan = plan_fetches(self._graph, fetches)
        feeds = to_feeds(self._graph, feed_dict)
        training = self._training
        training.args = SessionRunArgs(fetches, feed_dict, options)
        step_options = training.step_options(options)
        try:
            values, metadata = self._native.run(
                feeds, plan.names, plan.targets, step_options, recovers
            )
        except errors.OpError as error:
            raise BaseSession._located(self, error)  # type: ignore[arg-type]
        if run_metadata is not None:
            run_metadata._fill(metadata)
        return plan.results(values)

    @property
    def plain_session(self) -> Any:
        """The current session, whose steps do not call hooks; None after the end."""
        return None if self._native is None else self._training.session

    # Programs know these names from TensorFlow's source: they have no other way to the session.

    def _is_closed(self) -> bool:
        return self._native is None

    def _tf_sess(self) -> Any:
        return self.plain_session

    @property
    def _sess(self) -> Any:
        return self.plain_session

    @property
    def _coordinated_creator(self) -> Record:
        return Record(tf_sess=self.plain_session, coord=self._training.coordinator)

    def run_step_fn(self, step_fn: Callable[[Any], Any]) -> Any:
        """Calls a function that runs steps with and without hooks, again if a task was lost.

        Args:
            step_fn: Has one argument, `step_context`, which has `session`, `run_with_hooks` and
                `request_stop`; the latter ends the `with` block of the session.

        Returns:
            What the function returns.

        Raises:
            ValueError: The function has other arguments.
            StopIteration: It has called `request_stop`.
            RuntimeError: The session is closed.
        """
        check_step_fn(step_fn)
        while True:
            if self._native is None:
                raise RuntimeError("Run called even after the session was closed.")
            try:
                run = functools.partial(self._run, False)
                return step_fn(StepContext(self.plain_session, run))
            except LOST_TASK as error:
                if not self._recovers:
                    raise
                self._recover(error)

    def _recover(self, error: Any) -> None:
        """Opens another session in place of one that a lost task has made useless."""
        coordinator = self._training.coordinator
        self._native.recover(error.message)
        if self._training.coordinator is coordinator:  # no hook has renewed it
            self._training.coordinator = self._training.make_coordinator()

    def should_stop(self) -> bool:
        """True after a hook, a thread or the program has ended the training."""
        if self._native is not None:
            self._replace_lost()
        return self._stops()

    def _replace_lost(self) -> None:
        if self._recovers and self._threads.have_lost_task:
            self._recover(self._training.coordinator.failure)

    def _stops(self) -> bool:
        if self._native is None:
            return True
        if self._training.coordinator.should_stop() and not self._threads.have_lost_task:
            return True
        return bool(self._native.should_stop)

    def request_stop(self) -> None:
        """Makes the next `should_stop` true."""
        if self._native is not None:
            self._native.request_stop()

    def close(self) -> None:
        """Ends the hooks, joins the threads that they have registered, and closes the session.

        Raises:
            RuntimeError: It is closed already.
        """
        native = self._taken()
        if native is None:
            raise RuntimeError("Session is already closed.")
        check_not_forked(self._pid)
        try:
            native.close()
        except BaseException:
            self._training.coordinator.request_stop()
            raise
        self._threads.stop()

    def _taken(self) -> Any:
        """The runtime's part, which the session has no longer; None where it is closed already."""
        native, self._native = self._native, None
        if native is not None and self._unfinalizes and not self._was_finalized:
            self._graph._is_finalized = False
        return native

    def _close_at_exit(self) -> None:
        self._native = None

    def __enter__(self) -> MonitoredSession:
        return self

    def __exit__(
        self,
        exc_type: Optional[Type[BaseException]],
        exc: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> bool:
        # The end of the data is not an error.
        if exc_type is None or issubclass(exc_type, (errors.OutOfRangeError, StopIteration)):
            self.close()
            return True
        native = self._taken()
        if native is not None:
            try:
                self._threads.stop()
            finally:
                if isinstance(native, CreatedTraining):
                    native.abandon()
                del native  # closes the session; hooks do not end
        return False


@set_module("troupe.train")
class SingularMonitoredSession(MonitoredSession):
    """A MonitoredSession that does not recover from lost tasks.

    Args:
        hooks: What is called around the steps, in that order.
        scaffold: Initializes the variables; by default a new one.
        master: A node of a cluster, "troupe://host:port"; "" for this process.
        config: The options of the session.
        checkpoint_dir: The folder of the checkpoint that variables begin with.
        stop_grace_period_secs: How long threads have at the end, in seconds.
        checkpoint_filename_with_path: The name of that checkpoint, where there is no folder.
    """

    _recovers = False

    def __init__(
        self,
        hooks: Optional[Sequence[SessionRunHook]] = None,
        scaffold: Optional[Scaffold] = None,
        master: str = "",
        config: Optional[ConfigProto] = None,
        checkpoint_dir: Optional[str] = None,
        stop_grace_period_secs: float = 120,
        checkpoint_filename_with_path: Optional[str] = None,
    ) -> None:
        creator = ChiefSessionCreator(
            scaffold, master, config, checkpoint_dir, checkpoint_filename_with_path
        )
        creator._max_wait_secs = 0
        super().__init__(creator, hooks, stop_grace_period_secs)

    def raw_session(self) -> Any:
        """The session; its steps do not call hooks."""
        return self.plain_session


def MonitoredTrainingSession(
    master: str = "",
    is_chief: bool = True,
    checkpoint_dir: Optional[str] = None,
    scaffold: Optional[Scaffold] = None,
    hooks: Optional[Sequence[SessionRunHook]] = None,
    chief_only_hooks: Optional[Sequence[SessionRunHook]] = None,
    save_checkpoint_secs: Optional[float] = USE_DEFAULT,
    save_summaries_steps: Any = USE_DEFAULT,
    save_summaries_secs: Any = USE_DEFAULT,
    config: Optional[ConfigProto] = None,
    stop_grace_period_secs: float = 120,
    log_step_count_steps: Optional[int] = 100,
    max_wait_secs: float = 7200,
    save_checkpoint_steps: Optional[int] = USE_DEFAULT,
    summary_dir: Any = None,
) -> MonitoredSession:
    """A MonitoredSession with the standard hooks: the chief saves checkpoints and counts steps.

    Args:
        master: A node of a cluster, "troupe://host:port"; "" for this process.
        is_chief: Whether it initializes or restores variables; others wait for the chief.
        checkpoint_dir: The folder of checkpoints; None for none.
        scaffold: Initializes the variables; by default a new one.
        hooks: What is called around the steps, in that order.
        chief_only_hooks: Further hooks of the chief.
        save_checkpoint_secs: After how many seconds a checkpoint is saved: 600 where neither these
            nor steps are given; None for never.
        save_summaries_steps: After how many steps summaries are written: 100 where neither these
            nor seconds are given; None for never.
        save_summaries_secs: After how many seconds summaries are written.
        config: The options of the session.
        stop_grace_period_secs: How long threads have at the end, in seconds.
        log_step_count_steps: After how many steps the steps per second are logged; None for never.
        max_wait_secs: How long a worker waits for the chief, in seconds.
        save_checkpoint_steps: After how many steps a checkpoint is saved.
        summary_dir: The folder of summaries, by default that of checkpoints.

    Returns:
        The session.

    Raises:
        OpError: No session can be created.
        ValueError: Both or none of seconds and steps are given for what is saved.
    """
    scaffold = scaffold or Scaffold()
    checkpoint_dir = checkpoint_dir or None  # "" is none, too
    summary_dir = summary_dir or checkpoint_dir
    all_hooks = list(hooks or [])
    if is_chief:
        all_hooks += list(chief_only_hooks or [])
        if log_step_count_steps and get_global_step() is not None:
            all_hooks.append(StepCounterHook(log_step_count_steps, output_dir=summary_dir))
        all_hooks += standard_summary_hooks(
            scaffold, summary_dir, save_summaries_steps, save_summaries_secs
        )
        secs, steps = save_checkpoint_secs, save_checkpoint_steps
        if secs is USE_DEFAULT:
            secs = 600 if steps is USE_DEFAULT else None
        steps = None if steps is USE_DEFAULT else steps
        if checkpoint_dir is not None and (secs or steps):
            all_hooks.append(CheckpointSaverHook(checkpoint_dir, secs, steps, scaffold=scaffold))
    creator = SessionCreator(master, config, is_chief, checkpoint_dir, max_wait_secs, scaffold)
    return MonitoredSession(creator, all_hooks, stop_grace_period_secs)
