"""Listeners that are called when a training saves a checkpoint."""

from __future__ import annotations

from typing import Any, Optional, Sequence

from troupe._src.set_module import set_module
from troupe._src.train.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from troupe._src.train.hooks.step_timer import SecondOrStepTimer


@set_module("troupe.train")
class CheckpointSaverListener:
    """The base class of what a CheckpointSaverHook calls around the checkpoints that it saves."""

    def begin(self) -> None:
        """Called once, before the first session; it may still add nodes."""

    def before_save(self, session: Any, global_step_value: int) -> None:
        """Called before a checkpoint is saved.

        Args:
            session: The session.
            global_step_value: The global step.
        """

    def after_save(self, session: Any, global_step_value: int) -> Optional[bool]:
        """Called after a checkpoint has been saved.

        Args:
            session: The session.
            global_step_value: The global step.

        Returns:
            True to end the training.
        """
        return None

    def end(self, session: Any, global_step_value: int) -> None:
        """Called at the end of the training.

        Args:
            session: The session.
            global_step_value: The global step.
        """


class ListenedSavings(SessionRunHook):
    """Saves checkpoints as a CheckpointSaverHook does, and calls its listeners."""

    def __init__(
        self,
        saver: Any,
        prefix: str,
        step: str,
        timer: SecondOrStepTimer,
        listeners: Sequence[CheckpointSaverListener],
    ) -> None:
        self._saver, self._prefix, self._step = saver, prefix, step
        self._timer, self._listeners = timer, listeners

    def after_create_session(self, session: Any, coord: Any) -> None:
        step = int(session.run(self._step))
        self._save(session, step)
        self._timer.update_last_triggered_step(step)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(self._step)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        # The step may have read its number before it was counted.
        if not self._timer.should_trigger_for_step(int(run_values.results) + 1):
            return
        step = int(run_context.session.run(self._step))
        if not self._timer.should_trigger_for_step(step):
            return
        self._timer.update_last_triggered_step(step)
        if self._save(run_context.session, step):
            run_context.request_stop()

    def end(self, session: Any) -> None:
        step = int(session.run(self._step))
        if step != self._timer.last_triggered_step():
            self._save(session, step)
        for listener in self._listeners:
            listener.end(session, step)

    def _save(self, session: Any, step: int) -> bool:
        """True if a listener ends the training."""
        for listener in self._listeners:
            listener.before_save(session, step)
        self._saver.save(session, self._prefix, step, write_meta_graph=False)
        wishes = [listener.after_save(session, step) for listener in self._listeners]
        return any(wishes)
