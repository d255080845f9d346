"""Listeners that are called when a training saves a checkpoint."""

from __future__ import annotations

from typing import Any, Optional

from troupe._src.set_module import set_module


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
