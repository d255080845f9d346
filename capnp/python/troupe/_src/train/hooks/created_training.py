"""A training in sessions that a creator of the program's own makes."""

from __future__ import annotations

from typing import Any, List, Tuple

from troupe._src.messages.config import RunOptions
from troupe._src.platform import logging
from troupe._src.session.base_session import BaseSession
from troupe._src.train.hooks.hook_adapter import HookAdapter, Training
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
        self._adapters = [HookAdapter(hook, training) for hook in hooks]
        self.should_stop = False
        self._session = self._created()

    def _created(self) -> BaseSession:
        session = self._creator.create_session()
        if not isinstance(session, BaseSession):
            raise TypeError(f"{self._creator!r} must create a tf.Session, not {session!r}")
        native = session._ready()
        self._training.session_of(native)
        for adapter in self._adapters:
            adapter.after_create_session(native)
        return session

    def run(self, feeds: Any, names: List[str], targets: List[str], _: Any) -> Tuple[Any, Any]:
        """The values of a step, and what is known of it; its options are in the training."""
        try:
            return self._run(feeds, names, targets)
        except _LOST_TASK as error:
            logging.info("A task was lost, so another session is created: %s", error)
            self._session = self._created()
        return self._run(feeds, names, targets)

    def _run(self, feeds: Any, names: List[str], targets: List[str]) -> Tuple[Any, Any]:
        native = self._session._ready()
        all_feeds, all_names, all_targets = list(feeds), list(names), list(targets)
        ends = [len(all_names)]
        for adapter in self._adapters:
            request = adapter.before_run(native, names)
            if request is not None:
                self._add_feeds(all_feeds, request[0])
                all_names += request[1]
                all_targets += request[2]
            ends.append(len(all_names))
        options = RunOptions._merged(self._training.run_options)._for_step()
        values, metadata = native.run(all_feeds, all_names, all_targets, options)
        for adapter, begin, end in zip(self._adapters, ends, ends[1:]):
            stops = adapter.after_run(native, values[begin:end], metadata)
            self.should_stop = self.should_stop or stops
        return values[: ends[0]], metadata

    @staticmethod
    def _add_feeds(feeds: List[Any], added: Any) -> None:
        known = {(feed[0], feed[2]) for feed in feeds}
        for feed in added:
            if (feed[0], feed[2]) in known:
                raise RuntimeError(f"{feed[0]!r} is fed twice, by a hook and by others")
            feeds.append(feed)

    def request_stop(self) -> None:
        """Makes the next step the last one."""
        self.should_stop = True

    def close(self) -> None:
        """Ends the hooks, and closes the session."""
        for adapter in self._adapters:
            adapter.end(self._session._ready())
        self._session.close()
