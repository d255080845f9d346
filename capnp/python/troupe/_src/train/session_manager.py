"""Opens sessions in which a model has values: restored ones, initial ones, or another task's."""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from typing import Any, Callable, Dict, Iterator, Optional, Tuple

import numpy as np

from troupe._src.checkpoints.checkpoint_state import get_checkpoint_state
from troupe._src.checkpoints.saver import Saver
from troupe._src.graph.graph import Graph, get_default_graph
from troupe._src.messages.config import ConfigProto
from troupe._src.platform import logging
from troupe._src.session.session import Session
from troupe._src.set_module import set_module
from troupe._src.types import errors
from troupe._src.types.paths import PathLike


@set_module("troupe.train")
class SessionManager:
    """Opens sessions that restore a checkpoint, initialize the model, or wait until it is ready.

    An op says that the model is ready by an empty list of names; otherwise they are those of the
    variables without a value.

    Args:
        local_init_op: Runs in each session that is opened; None for nothing.
        ready_op: Says whether the model is ready; None for always.
        ready_for_local_init_op: Says whether `local_init_op` may run; None for always.
        graph: The graph of the sessions, by default the default graph.
        recovery_wait_secs: After how many seconds a wait looks again.
        local_init_run_options: The options of the step of `local_init_op`.

    Raises:
        ValueError: There is a `ready_for_local_init_op` without a `local_init_op`.
    """

    def __init__(
        self,
        local_init_op: Any = None,
        ready_op: Any = None,
        ready_for_local_init_op: Any = None,
        graph: Optional[Graph] = None,
        recovery_wait_secs: float = 30,
        local_init_run_options: Any = None,
    ) -> None:
        if ready_for_local_init_op is not None and local_init_op is None:
            raise ValueError(
                "A ready_for_local_init_op needs a local_init_op, "
                f"ready_for_local_init_op [{ready_for_local_init_op}]"
            )
        self._local_init_op = local_init_op
        self._ready_op = ready_op
        self._ready_for_local_init_op = ready_for_local_init_op
        self._graph = graph or get_default_graph()
        self._recovery_wait_secs = recovery_wait_secs
        self._local_init_run_options = local_init_run_options

    def prepare_session(
        self,
        master: str,
        init_op: Any = None,
        saver: Optional[Saver] = None,
        checkpoint_dir: Optional[PathLike] = None,
        checkpoint_filename_with_path: Optional[PathLike] = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        config: Optional[ConfigProto] = None,
        init_feed_dict: Optional[Dict[Any, Any]] = None,
        init_fn: Optional[Callable[[Any], Any]] = None,
    ) -> Session:
        """A session with a model that is restored or, without a checkpoint, initialized.

        Args:
            master: A node of a cluster, "troupe://host:port"; "" for this process.
            init_op: What initializes the model.
            saver: What restores it; None for not to.
            checkpoint_dir: The folder whose latest checkpoint is restored.
            checkpoint_filename_with_path: The checkpoint to restore, in place of a folder.
            wait_for_checkpoint: Whether to wait for the first checkpoint of the folder.
            max_wait_secs: For how many seconds at most.
            config: The options of the session.
            init_feed_dict: What `init_op` is fed.
            init_fn: Called with the session after `init_op`.

        Returns:
            The session.

        Raises:
            RuntimeError: Nothing can initialize the model, or it is not ready afterwards.
            ValueError: Both a folder and a checkpoint are given.
        """
        with self._opened(master, config) as session:
            if not self._restore(
                session, saver, checkpoint_dir, checkpoint_filename_with_path,
                wait_for_checkpoint, max_wait_secs,
            ):  # fmt: skip
                if init_op is None and not init_fn and self._local_init_op is None:
                    raise RuntimeError(
                        "Model is not initialized and no init_op or init_fn or local_init_op was "
                        "given"
                    )
                if init_op is not None:
                    session.run(init_op, feed_dict=init_feed_dict)
                if init_fn:
                    init_fn(session)
            given = f"Init op: {_name(init_op)}, init fn: {init_fn}"
            reason = self._run_local_init_op(session)
            if reason is not None:
                raise RuntimeError(
                    f"Init operations did not make model ready for local_init.  {given}, error: "
                    f"{reason}"
                )
            reason = _why_not_ready(self._ready_op, session)
            if reason is not None:
                raise RuntimeError(
                    f"Init operations did not make model ready.  {given}, local_init_op: "
                    f"{_name(self._local_init_op)}, error: {reason}"
                )
            return session

    def recover_session(
        self,
        master: str,
        saver: Optional[Saver] = None,
        checkpoint_dir: Optional[PathLike] = None,
        checkpoint_filename_with_path: Optional[PathLike] = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        config: Optional[ConfigProto] = None,
    ) -> Tuple[Session, bool]:
        """A session, with a model that is restored if there is a checkpoint.

        Args:
            master: A node of a cluster, "troupe://host:port"; "" for this process.
            saver: What restores it; None for not to.
            checkpoint_dir: The folder whose latest checkpoint is restored.
            checkpoint_filename_with_path: The checkpoint to restore, in place of a folder.
            wait_for_checkpoint: Whether to wait for the first checkpoint of the folder.
            max_wait_secs: For how many seconds at most.
            config: The options of the session.

        Returns:
            The session, and whether its model is restored and ready.

        Raises:
            ValueError: Both a folder and a checkpoint are given.
        """
        with self._opened(master, config) as session:
            is_restored = self._restore(
                session, saver, checkpoint_dir, checkpoint_filename_with_path,
                wait_for_checkpoint, max_wait_secs,
            )  # fmt: skip
            reason = self._run_local_init_op(session)
            if not is_restored:
                return session, False
            if reason is None:
                reason = _why_not_ready(self._ready_op, session)
            source = checkpoint_dir or checkpoint_filename_with_path
            if reason is not None:
                logging.info("Restoring model from %s did not make model ready: %s", source, reason)
                return session, False
            logging.info("Restored model from %s", source)
            return session, True

    def wait_for_session(
        self,
        master: str,
        config: Optional[ConfigProto] = None,
        max_wait_secs: Optional[float] = float("inf"),
    ) -> Session:
        """A session with a model that another task makes ready.

        Args:
            master: A node of a cluster, "troupe://host:port"; "" for this process.
            config: The options of the session.
            max_wait_secs: For how many seconds to wait at most; None for any time.

        Returns:
            The session.

        Raises:
            DeadlineExceededError: The model was not ready in that time.
        """
        most = float("inf") if max_wait_secs is None else max_wait_secs
        end = time.monotonic() + most
        while True:
            with self._opened(master, config) as session:
                reason = self._run_local_init_op(session)
                if reason is None:
                    reason = _why_not_ready(self._ready_op, session)
            if reason is None:
                return session
            _close(session)
            if time.monotonic() + self._recovery_wait_secs > end:
                raise errors.DeadlineExceededError(
                    None, None, f"Session was not ready after waiting {most} secs: {reason}"
                )
            logging.info("Waiting for model to be ready: %s", reason)
            time.sleep(self._recovery_wait_secs)

    @contextmanager
    def _opened(self, master: str, config: Optional[ConfigProto]) -> Iterator[Session]:
        """A session, which is closed if it cannot be made ready."""
        session = Session(master, graph=self._graph, config=config)
        try:
            yield session
        except BaseException:
            _close(session)
            raise

    def _restore(
        self,
        session: Session,
        saver: Optional[Saver],
        folder: Optional[PathLike],
        path: Optional[PathLike],
        waits: bool,
        max_wait_secs: float,
    ) -> bool:
        """Restores a checkpoint, if there is one; returns whether there is."""
        if folder and path:
            raise ValueError(
                "Can not provide both checkpoint_dir and checkpoint_filename_with_path."
            )
        if saver is None or not (folder or path):
            return False
        if path:
            saver.restore(session, os.fspath(path))
            return True
        assert folder is not None
        end = time.monotonic() + max_wait_secs
        state = get_checkpoint_state(folder)
        while state is None or not state.model_checkpoint_path:
            if not waits or time.monotonic() >= end:
                return False
            logging.info("Waiting for checkpoint to be available.")
            left = max(end - time.monotonic(), 0)
            time.sleep(min(self._recovery_wait_secs, left))
            state = get_checkpoint_state(folder)
        saver.restore(session, state.model_checkpoint_path)
        saver.recover_last_checkpoints(state.all_model_checkpoint_paths)
        return True

    def _run_local_init_op(self, session: Session) -> Optional[str]:
        """Runs it where the model is ready for it; returns why it is not, or None."""
        if self._local_init_op is None:
            return None
        reason = _why_not_ready(self._ready_for_local_init_op, session)
        if reason is None:
            session.run(self._local_init_op, options=self._local_init_run_options)
        return reason


def _why_not_ready(op: Any, session: Session) -> Optional[str]:
    if op is None:
        return None
    try:
        names = session.run(op)
    except errors.FailedPreconditionError as error:
        if "uninitialized" not in str(error) and "has no value yet" not in str(error):
            raise
        return str(error)
    if names is None or names.dtype == np.int32 or names.size == 0:
        return None
    return "Variables not initialized: " + ", ".join(name.decode() for name in names)


def _name(op: Any) -> Any:
    """What errors call an op, or several."""
    if isinstance(op, (list, tuple)):
        return [_name(each) for each in op]
    return getattr(op, "name", op)


def _close(session: Session) -> None:
    try:
        session.close()
    except errors.OpError:
        pass  # it is of no use any more
