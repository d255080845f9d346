"""A training in sessions that a creator of the program's own makes."""

from __future__ import annotations

from typing import Any, List, Tuple

from troupe._src.platform import logging
from troupe._src.session.base_session import BaseSession
from troupe._src.train.hooks.hook_adapter import Training
from troupe._src.train.hooks.hooked_session import HookedSteps
from troupe._src.train.hooks.native_hooks import CheckpointSaverHook
from troupe._src.train.hooks.session_run_hook import SessionRunHook
from troupe._src.types import errors

_LOST_TASK = (errors.AbortedError, errors.UnavailableError)


class CreatedTraining:
    """Stands for the runtime's training, which opens its sessions itself.

    Where a task is lost, another session is created, in which the step runs again.

    Args:
        creator: Its `create_session` returns a session of this graph.
        hooks: What is called around the steps.
        training: What the monitored session and its hooks share.

    Raises:
        TypeError: The creator returns something else.
        ValueError: A hook saves checkpoints, which takes a session that the runtime opens.
    """

    def __init__(self, creator: Any, hooks: List[SessionRunHook], training: Training) -> None:
        if any(isinstance(hook, CheckpointSaverHook) for hook in hooks):
            raise ValueError(
                "a CheckpointSaverHook works in sessions of a tf.train.ChiefSessionCreator, not in "
                f"those of {creator!r}"
            )
        self._creator, self._training = creator, training
        self._steps = HookedSteps(hooks, training)
        self._session = self._created()

    @property
    def should_stop(self) -> bool:
        """Whether the last step has run."""
        return self._steps.should_stop

    def _created(self) -> BaseSession:
        session = self._creator.create_session()
        if not isinstance(session, BaseSession):
            raise TypeError(f"{self._creator!r} must create a tf.Session, not {session!r}")
        native = session._ready()
        self._training.session_of(native)
        for adapter in self._steps.adapters:
            adapter.after_create_session(native)
        return session

    def run(self, feeds: Any, names: List[str], targets: List[str], _: Any) -> Tuple[Any, Any]:
        """The values of a step, and what is known of it; its options are in the training."""
        try:
            return self._steps.run(self._session._ready(), feeds, names, targets)
        except _LOST_TASK as error:
            logging.info("A task was lost, so another session is created: %s", error)
            self.abandon()
            self._session = self._created()
        return self._steps.run(self._session._ready(), feeds, names, targets)

    def request_stop(self) -> None:
        """Makes the next step the last one."""
        self._steps.should_stop = True

    def abandon(self) -> None:
        """Closes the session after an error; the hooks do not end."""
        try:
            self._session.close()
        except errors.OpError as error:
            logging.info("A session that has failed cannot be closed: %s", error)

    def close(self) -> None:
        """Ends the hooks, and closes the session."""
        for adapter in self._steps.adapters:
            adapter.end(self._session._ready())
        self._session.close()
