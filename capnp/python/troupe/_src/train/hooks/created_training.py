"""A training in sessions that a creator of the program's own makes."""

from __future__ import annotations

import time
from typing import Any, Callable, List, Optional, Tuple

from troupe._src.platform import logging
from troupe._src.session.base_session import BaseSession
from troupe._src.train.hooks.hook_adapter import Training
from troupe._src.train.hooks.hooked_session import HookedSteps
from troupe._src.train.hooks.session_run_hook import SessionRunHook
from troupe._src.types import errors

LOST_TASK = (errors.AbortedError, errors.UnavailableError)

# After a first attempt at once, how long it waits before others, in seconds.
_FIRST_DELAY, _LONGEST_DELAY = 0.05, 2.0


class CreatedTraining:
    """Stands for the runtime's training, which opens its sessions itself.

    Where a task is lost, another session is created, in which the step runs again, as often as it
    takes: whoever creates the sessions says when to give up.

    Args:
        creator: Its `create_session` returns a session of this graph.
        hooks: What is called around the steps.
        training: What the monitored session and its hooks share.
        explain: Called after each step that failed; may raise the reason.

    Raises:
        TypeError: The creator returns something else.
    """

    def __init__(
        self,
        creator: Any,
        hooks: List[SessionRunHook],
        training: Training,
        explain: Callable[[], None],
    ) -> None:
        self._creator, self._training, self._explain = creator, training, explain
        self._steps = HookedSteps(hooks, training)
        self._session: Optional[BaseSession] = self._created()

    @property
    def should_stop(self) -> bool:
        """Whether the last step has run."""
        return self._steps.should_stop

    def _created(self) -> BaseSession:
        delay = 0.0
        while True:
            try:
                return self._created_once()
            except LOST_TASK as error:
                logging.info("No session can be created, trying again: %s", error)
            time.sleep(delay)
            delay = min(max(2 * delay, _FIRST_DELAY), _LONGEST_DELAY)

    def _created_once(self) -> BaseSession:
        session = self._creator.create_session()
        if not isinstance(session, BaseSession):
            raise TypeError(f"{self._creator!r} must create a tf.Session, not {session!r}")
        self._training.adopt(session)
        for adapter in self._steps.adapters:
            adapter.after_create_session(session._ready())
        return session

    def run(
        self, feeds: Any, names: List[str], targets: List[str], _: Any, recovers: bool
    ) -> Tuple[Any, Any]:
        """The values of a step, and what is known of it; its options are in the training."""
        if not recovers:
            return self._run_once(feeds, names, targets)
        while True:
            try:
                return self._run_once(feeds, names, targets)
            except LOST_TASK as error:
                self.recover(str(error))

    def _run_once(self, feeds: Any, names: List[str], targets: List[str]) -> Tuple[Any, Any]:
        try:
            return self._steps.run(self._opened()._ready(), feeds, names, targets)
        except LOST_TASK:
            raise
        except Exception:
            self._explain()
            raise

    def request_stop(self) -> None:
        """Makes the next step the last one."""
        self._steps.should_stop = True

    def recover(self, why: str) -> None:
        """Creates another session in place of one that a lost task has made useless.

        Args:
            why: What is said about it in the log.
        """
        logging.info("A task was lost, so another session is created: %s", why)
        self.abandon()
        try:
            self._session = self._created()
        except BaseException:
            self.request_stop()
            raise

    def _opened(self) -> BaseSession:
        if self._session is None:
            raise RuntimeError("no session could be created in place of a lost one")
        return self._session

    def abandon(self) -> None:
        """Closes the session after an error; the hooks do not end."""
        session, self._session = self._session, None
        try:
            if session is not None:
                session.close()
        except errors.OpError as error:
            logging.info("A session that has failed cannot be closed: %s", error)

    def close(self) -> None:
        """Ends the hooks, and closes the session."""
        if self._session is None:
            return
        try:
            for adapter in self._steps.adapters:
                adapter.end(self._session._ready())
        finally:
            self._session.close()
