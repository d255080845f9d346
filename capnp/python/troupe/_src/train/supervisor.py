"""Supervisor, the predecessor of MonitoredTrainingSession."""

from __future__ import annotations

import contextlib
import os
from typing import Any, Callable, Iterator, List, Optional

from troupe._src.checkpoints.saver import Saver
from troupe._src.graph.graph import Graph, get_default_graph
from troupe._src.graph_defs.graph_io import write_graph
from troupe._src.graph_defs.meta_graph import export_meta_graph
from troupe._src.messages.config import ConfigProto
from troupe._src.messages.summary_messages import SessionLog
from troupe._src.platform.logging import not_obeyed
from troupe._src.set_module import set_module
from troupe._src.summary.file_writer import FileWriter
from troupe._src.train.coordinated_threads import CoordinatedThreads
from troupe._src.train.coordinator import LooperThread
from troupe._src.train.global_step import get_global_step
from troupe._src.train.hooks.summary_hooks import StepRate
from troupe._src.train.monitored_session import MonitoredSession
from troupe._src.train.scaffold import Scaffold, SessionCreator
from troupe._src.train.session_manager import SessionManager

_USE_DEFAULT: Any = 0  # as in TensorFlow


class _InitializedSession(MonitoredSession):
    """Leaves the threads to the Supervisor, and its coordinator."""

    _starts_threads = False
    _unfinalizes = False


@set_module("troupe.train")
class Supervisor(CoordinatedThreads):
    """Opens a session whose variables have values, saves checkpoints and writes summaries.

    The chief initializes or restores the variables, as for a MonitoredSession; other workers wait
    for it. A lost task is an error: restart the program, or use a MonitoredTrainingSession. The
    runtime checks each variable for a value.

    Args:
        graph: The graph, by default the default graph.
        ready_op: Has no effect.
        ready_for_local_init_op: Has no effect.
        is_chief: Whether it initializes or restores variables.
        init_op: What the chief runs; by default the initializers of all variables.
        init_feed_dict: What `init_op` is fed.
        local_init_op: Runs in each session; by default initializes local variables and tables.
        logdir: The folder of checkpoints and summaries; None for none.
        summary_op: What gives the summaries, by default all merged; None for none.
        saver: Saves and restores the checkpoints, by default a new one; None for none.
        global_step: The global step, by default that of the graph; None for none.
        save_summaries_secs: After how many seconds summaries are written; 0 for never.
        save_model_secs: After how many seconds a checkpoint is saved; 0 for never.
        recovery_wait_secs: Has no effect.
        stop_grace_secs: How long threads have at the end, in seconds.
        checkpoint_basename: The begin of the names of checkpoints.
        session_manager: What `session_manager` gives, by default a new one; it opens no session.
        summary_writer: What writes summaries, by default to the folder; None for nothing.
        init_fn: What the chief calls with a session, after `init_op`.
        local_init_run_options: Has no effect.
    """

    USE_DEFAULT = _USE_DEFAULT

    def __init__(
        self,
        graph: Optional[Graph] = None,
        ready_op: Any = _USE_DEFAULT,
        ready_for_local_init_op: Any = _USE_DEFAULT,
        is_chief: bool = True,
        init_op: Any = _USE_DEFAULT,
        init_feed_dict: Any = None,
        local_init_op: Any = _USE_DEFAULT,
        logdir: Optional[str] = None,
        summary_op: Any = _USE_DEFAULT,
        saver: Any = _USE_DEFAULT,
        global_step: Any = _USE_DEFAULT,
        save_summaries_secs: float = 120,
        save_model_secs: float = 600,
        recovery_wait_secs: float = 30,
        stop_grace_secs: float = 120,
        checkpoint_basename: str = "model.ckpt",
        session_manager: Any = None,
        summary_writer: Any = _USE_DEFAULT,
        init_fn: Optional[Callable[[Any], Any]] = None,
        local_init_run_options: Any = None,
    ) -> None:
        def init_scaffold(_: Scaffold, session: Any) -> None:
            if init_fn is not None:
                init_fn(session)

        for name, value in (
            ("session_manager", session_manager),
            ("local_init_run_options", local_init_run_options),
        ):
            if value is not None:
                not_obeyed("Supervisor", name)
        super().__init__(graph or get_default_graph())
        self._ready_op = _given(ready_op)
        self._ready_for_local_init_op = _given(ready_for_local_init_op)
        self._scaffold = Scaffold(
            _given(init_op),
            init_feed_dict,
            init_scaffold if init_fn is not None else None,
            local_init_op=_given(local_init_op),
            summary_op=_given(summary_op),
            saver=_given(saver),
        )
        self._is_saver_disabled = saver is None
        self._given_step = global_step
        self._logdir = logdir if is_chief else None
        self._save_model_secs = save_model_secs
        self._save_summaries_secs = save_summaries_secs
        self._stop_grace_secs = stop_grace_secs
        self._basename = checkpoint_basename
        self.is_chief, self._session_manager = is_chief, session_manager
        self._recovery_wait_secs = recovery_wait_secs
        self._training: Optional[MonitoredSession] = None
        self._has_added_graph = False
        self._summary_writer = None if _is_default(summary_writer) else summary_writer
        with self._graph.as_default():
            if summary_op is not None:
                self._scaffold.with_summary_op()
            if self._logdir and not self._is_saver_disabled:
                os.makedirs(self._logdir, exist_ok=True)
                self._scaffold.with_saver()
        if self._logdir and _is_default(summary_writer):
            self._summary_writer = FileWriter(self._logdir)

    @property
    def session_manager(self) -> Any:
        """A `tf.train.SessionManager` of its graph and ops."""
        if self._session_manager is None:
            self._session_manager = SessionManager(
                self._scaffold.local_init_op, self._ready_op, self._ready_for_local_init_op,
                self._graph, self._recovery_wait_secs,
            )  # fmt: skip
        return self._session_manager

    @property
    def init_op(self) -> Any:
        """What the chief runs, or None."""
        return self._scaffold.init_op

    @property
    def init_feed_dict(self) -> Any:
        """What `init_op` is fed, or None."""
        return self._scaffold.init_feed_dict

    @property
    def local_init_op(self) -> Any:
        """What runs in each session, or None."""
        return self._scaffold.local_init_op

    @property
    def ready_op(self) -> Any:
        """What the program gave."""
        return self._ready_op

    @property
    def ready_for_local_init_op(self) -> Any:
        """What the program gave."""
        return self._ready_for_local_init_op

    @property
    def summary_op(self) -> Any:
        """What gives the summaries, or None."""
        return self._scaffold.summary_op

    @property
    def summary_writer(self) -> Any:
        """What writes summaries, or None: for workers that are not the chief."""
        return self._summary_writer

    @property
    def save_model_secs(self) -> float:
        """After how many seconds a checkpoint is saved."""
        return self._save_model_secs

    @property
    def save_summaries_secs(self) -> float:
        """After how many seconds summaries are written."""
        return self._save_summaries_secs

    @property
    def saver(self) -> Optional[Saver]:
        """What saves and restores the checkpoints, or None."""
        return self._scaffold.saver

    @property
    def global_step(self) -> Any:
        """The global step, or None."""
        if _is_default(self._given_step):
            return get_global_step(self._graph)
        return self._given_step

    @property
    def save_path(self) -> Optional[str]:
        """The prefix of the names of checkpoints, which end with the global step."""
        return os.path.join(self._logdir, self._basename) if self._logdir else None

    def prepare_or_wait_for_session(
        self,
        master: str = "",
        config: Optional[ConfigProto] = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        start_standard_services: bool = True,
    ) -> Any:
        """A session whose variables have values: the chief makes them so, others wait for it.

        Args:
            master: A node of a cluster, "troupe://host:port"; "" for this process.
            config: The options of the session.
            wait_for_checkpoint: Has no effect.
            max_wait_secs: How long a worker waits for the chief, in seconds.
            start_standard_services: Whether the threads of services and queue runners are started.

        Returns:
            The session.

        Raises:
            OpError: No session can be created.
        """
        if wait_for_checkpoint:
            not_obeyed("Supervisor.prepare_or_wait_for_session", "wait_for_checkpoint")
        self.coord.clear_stop()
        checkpoint_dir = self._logdir if self.saver is not None else None
        creator = SessionCreator(
            master, config, self.is_chief, checkpoint_dir, max_wait_secs, self._scaffold
        )
        with self._graph.as_default():
            self._training = _InitializedSession(creator)
        if self.is_chief:
            self._write_graph()
        session = self._training.plain_session
        if start_standard_services:
            self.start_standard_services(session)
            self.start_queue_runners(session)
        return session

    def _write_graph(self) -> None:
        if self._logdir:
            write_graph(self._graph.as_graph_def(add_shapes=True), self._logdir, "graph.pbtxt")
        writer = self._summary_writer
        if writer is None:
            return
        writer.reopen()
        if not self._has_added_graph:
            self._has_added_graph = True
            saver_def = None if self.saver is None else self.saver.saver_def
            writer.add_graph(self._graph)
            writer.add_meta_graph(export_meta_graph(graph=self._graph, saver_def=saver_def))

    @contextlib.contextmanager
    def managed_session(
        self,
        master: str = "",
        config: Optional[ConfigProto] = None,
        start_standard_services: bool = True,
        close_summary_writer: bool = True,
    ) -> Iterator[Any]:
        """A context with an initialized session; it stops all threads and raises their errors.

        Args:
            master: A node of a cluster, "troupe://host:port"; "" for this process.
            config: The options of the session.
            start_standard_services: Whether the threads of services and queue runners are started.
            close_summary_writer: Whether the writer is closed at the end.

        Yields:
            The session.
        """
        session = self.prepare_or_wait_for_session(
            master, config, start_standard_services=start_standard_services
        )
        try:
            with session.as_default(), self.coord.stop_on_exception():
                yield session
            self.stop(close_summary_writer=close_summary_writer)
        finally:
            if self._training is not None:
                self._training.close()
            if close_summary_writer and self._summary_writer is not None:
                self._summary_writer.close()

    def start_standard_services(self, sess: Any) -> List[LooperThread]:
        """Starts the threads that save checkpoints, write summaries and count steps.

        Args:
            sess: The session.

        Returns:
            The threads; none without a folder.
        """
        threads: List[LooperThread] = []
        if not self._logdir:
            return threads
        writer, step = self._summary_writer, self.global_step
        if writer is not None:
            writer.add_session_log(SessionLog(status=SessionLog.START))
            if self._save_summaries_secs:
                if self.summary_op is not None:
                    threads.append(self._loop_every_summary(self._write_summaries, sess))
                if step is not None:
                    rate = StepRate(None, 0, writer)
                    threads.append(
                        self._loop_every_summary(lambda: rate.update(int(sess.run(step))))
                    )
        if self.saver is not None and self._save_model_secs:
            save = (sess, self.save_path, step)
            threads.append(self.loop(self._save_model_secs, self.saver.save, save))
        return threads

    def _loop_every_summary(self, target: Any, *args: Any) -> LooperThread:
        return self.loop(self._save_summaries_secs, target, args)

    def _write_summaries(self, sess: Any) -> None:
        if self.global_step is None:
            self.summary_computed(sess, sess.run(self.summary_op))
        else:
            summary, step = sess.run([self.summary_op, self.global_step])
            self.summary_computed(sess, summary, int(step))

    def summary_computed(self, sess: Any, summary: Any, global_step: Optional[int] = None) -> None:
        """Writes a summary that the program has computed.

        Args:
            sess: The session, which says the global step if that is not given.
            summary: A Summary, or its bytes.
            global_step: The global step, or None.

        Raises:
            TypeError: It is no summary.
            RuntimeError: There is no writer.
        """
        if self._summary_writer is None:
            raise RuntimeError("Writing a summary requires a summary writer.")
        if global_step is None and self.global_step is not None:
            global_step = int(sess.run(self.global_step))
        self._summary_writer.add_summary(summary, global_step)

    def stop(
        self,
        threads: Any = None,
        close_summary_writer: bool = True,
        ignore_live_threads: bool = True,
    ) -> None:
        """Stops and joins the threads.

        Args:
            threads: More threads than the supervisor's.
            close_summary_writer: Whether the writer is closed.
            ignore_live_threads: Whether threads that still run afterwards are only logged.

        Raises:
            RuntimeError: Threads still run.
            BaseException: The first error of a thread.
        """
        self.coord.request_stop()
        try:
            self.coord.join(
                threads,
                stop_grace_period_secs=self._stop_grace_secs,
                ignore_live_threads=ignore_live_threads,
            )
        finally:
            if close_summary_writer and self._summary_writer is not None:
                self._summary_writer.add_session_log(SessionLog(status=SessionLog.STOP))
                self._summary_writer.close()

    # The names of older programs.
    StartStandardServices = start_standard_services
    PrepareSession = prepare_or_wait_for_session
    Stop = stop
    SummaryComputed = summary_computed


def _is_default(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value == _USE_DEFAULT


def _given(value: Any) -> Any:
    """What a program gave, or None for the default."""
    return None if _is_default(value) else value
