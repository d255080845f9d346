"""The threads of a monitored session, which hooks and queue runners register."""

from __future__ import annotations

from typing import Any, List, Optional

from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.queues.queue_runner import start_queue_runners
from troupe._src.train.hooks.hook_adapter import Training, is_in_python
from troupe._src.train.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
)
from troupe._src.types import errors

_LOST_TASK = (errors.AbortedError, errors.UnavailableError)


class _StartThreads(SessionRunHook):
    """The first hook: gives each session threads of its own, and its runners."""

    def __init__(self, training: Training, threads: SessionThreads) -> None:
        self._training = training
        self._threads = threads

    def after_create_session(self, session: Any, coord: Any) -> None:
        training = self._training
        if self._threads.has_session:
            try:
                self._threads.stop()
            except _LOST_TASK:
                pass  # what the new session recovers from
            training.coordinator = training.make_coordinator()
        self._threads.has_session = True
        if training.graph.get_collection(GraphKeys.QUEUE_RUNNERS):
            start_queue_runners(session, training.coordinator)

    def before_run(self, run_context: SessionRunContext) -> Optional[SessionRunArgs]:
        self._threads.raise_lost_task()
        return None


class RunLocalInit(SessionRunHook):
    """Runs an op in each session, once the variables have values."""

    def __init__(self, operation: Any) -> None:
        self._operation = operation

    def after_create_session(self, session: Any, coord: Any) -> None:
        session.run(self._operation)


class _StopThreads(SessionRunHook):
    """The last hook: others may need the threads at their end."""

    def __init__(self, threads: SessionThreads) -> None:
        self._threads = threads

    def end(self, session: Any) -> None:
        self._threads.stop()


class SessionThreads:
    """The threads that the coordinator of a monitored session joins, new ones in each session.

    A task that one of them has lost is lost to the training, which then opens another session.
    """

    def __init__(self, training: Training, stop_grace_period_secs: float) -> None:
        self._training = training
        self._grace_secs = stop_grace_period_secs
        self.has_session = False

    def around(self, hooks: List[SessionRunHook]) -> List[SessionRunHook]:
        """The hooks, and those that start and stop the threads, if there may be any."""
        in_python = any(is_in_python(hook) for hook in hooks)
        if not in_python and not self._training.graph.get_collection(GraphKeys.QUEUE_RUNNERS):
            return hooks
        return [_StartThreads(self._training, self), *hooks, _StopThreads(self)]

    def stop(self) -> None:
        """Stops and joins the threads of the session, and raises the first error of theirs."""
        coordinator = self._training.coordinator
        coordinator.request_stop()
        coordinator.join(stop_grace_period_secs=self._grace_secs, ignore_live_threads=True)

    def raise_lost_task(self, _: Any = None) -> None:
        """Raises the error of a thread that has lost a task, which is why a step fails."""
        if self.have_lost_task:
            self._training.coordinator.raise_requested_exception()

    @property
    def have_lost_task(self) -> bool:
        return isinstance(self._training.coordinator.failure, _LOST_TASK)
