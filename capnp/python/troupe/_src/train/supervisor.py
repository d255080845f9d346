"""Supervisor, the predecessor of MonitoredTrainingSession."""

from __future__ import annotations

import contextlib
import os
import threading
from typing import Any, Callable, Iterator, List, Optional, Sequence

from troupe._src.graph.graph import Graph, get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.messages.config import ConfigProto
from troupe._src.messages.summary_messages import SessionLog
from troupe._src.platform.logging import not_obeyed
from troupe._src.queues.queue_runner import QueueRunner
from troupe._src.set_module import set_module
from troupe._src.summary.file_writer import FileWriter
from troupe._src.train.coordinator import Coordinator, LooperThread
from troupe._src.train.global_step import get_global_step
from troupe._src.train.monitored_session import MonitoredSession
from troupe._src.checkpoints.saver import Saver
from troupe._src.train.scaffold import Scaffold, SessionCreator
from troupe._src.train.hooks.summary_hooks import StepRate

_USE_DEFAULT: Any = 0  # as in TensorFlow


class _InitializedSession(MonitoredSession):
    """Leaves the threads to the Supervisor, and its coordinator."""

    _starts_threads = False


@set_module("troupe.train")
class Supervisor:
    """Opens a session whose variables have values, saves checkpoints and writes summaries.

    The chief initializes or restores the variables, as for a MonitoredSession; other workers wait
    for it. A lost task is an error: restart the program, or use a MonitoredTrainingSession. The
    runtime checks each variable for a value, so `ready_op`, `ready_for_local_init_op`,
    `recovery_wait_secs` and `session_manager` have no effect.
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
        self._graph = graph or get_default_graph()
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
        self.is_chief = is_chief
        self.coord = Coordinator()
        self._training: Optional[MonitoredSession] = None
        self._summary_writer = None if _is_default(summary_writer) else summary_writer
        with self._graph.as_default():
            if summary_op is not None:
                self._scaffold.with_summary_op()
            if self._logdir and not self._is_saver_disabled:
                os.makedirs(self._logdir, exist_ok=True)
                self._scaffold.finalize()
        if self._logdir and _is_default(summary_writer):
            self._summary_writer = FileWriter(self._logdir)

    @property
    def init_op(self) -> Any:
        return self._scaffold.init_op

    @property
    def init_feed_dict(self) -> Any:
        return self._scaffold.init_feed_dict

    @property
    def local_init_op(self) -> Any:
        return self._scaffold.local_init_op

    @property
    def ready_op(self) -> Any:
        return self._ready_op

    @property
    def ready_for_local_init_op(self) -> Any:
        return self._ready_for_local_init_op

    @property
    def summary_op(self) -> Any:
        return self._scaffold.summary_op

    @property
    def summary_writer(self) -> Any:
        """What writes summaries, or None: for workers that are not the chief."""
        return self._summary_writer

    @property
    def save_model_secs(self) -> float:
        return self._save_model_secs

    @property
    def save_summaries_secs(self) -> float:
        return self._save_summaries_secs

    @property
    def saver(self) -> Optional[Saver]:
        return self._scaffold.saver

    @property
    def global_step(self) -> Any:
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
        """A session whose variables have values: the chief makes them so, others wait for it."""
        if wait_for_checkpoint:
            not_obeyed("Supervisor.prepare_or_wait_for_session", "wait_for_checkpoint")
        self.coord.clear_stop()
        checkpoint_dir = self._logdir if self.saver is not None else None
        creator = SessionCreator(
            master, config, self.is_chief, checkpoint_dir, max_wait_secs, self._scaffold
        )
        with self._graph.as_default():
            self._training = _InitializedSession(creator)
        if self._summary_writer is not None:
            self._summary_writer.reopen()
            self._summary_writer.add_graph(self._graph)
        session = self._training.plain_session
        if start_standard_services:
            self.start_standard_services(session)
            self.start_queue_runners(session)
        return session

    @contextlib.contextmanager
    def managed_session(
        self,
        master: str = "",
        config: Optional[ConfigProto] = None,
        start_standard_services: bool = True,
        close_summary_writer: bool = True,
    ) -> Iterator[Any]:
        """A context with an initialized session; it stops all threads and raises their errors."""
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
        """The threads that save checkpoints, write summaries and count steps, started."""
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

        Raises:
            TypeError: It is no summary.
            RuntimeError: There is no writer.
        """
        if self._summary_writer is None:
            raise RuntimeError("Writing a summary requires a summary writer.")
        if global_step is None and self.global_step is not None:
            global_step = int(sess.run(self.global_step))
        self._summary_writer.add_summary(summary, global_step)

    def start_queue_runners(
        self, sess: Any, queue_runners: Optional[Sequence[QueueRunner]] = None
    ) -> List[threading.Thread]:
        """Starts threads that run the enqueues of the runners, by default all of the graph.

        Args:
            sess: The session.
            queue_runners: The runners; None: those in the collection QUEUE_RUNNERS.

        Returns:
            The threads, which the coordinator stops.
        """
        if queue_runners is None:
            queue_runners = self._graph.get_collection(GraphKeys.QUEUE_RUNNERS)
        return [
            thread
            for runner in queue_runners
            for thread in runner.create_threads(sess, self.coord, daemon=True, start=True)
        ]

    def loop(
        self,
        timer_interval_secs: Optional[float],
        target: Any,
        args: Any = None,
        kwargs: Any = None,
    ) -> LooperThread:
        """Starts a thread that calls the function at an interval until a stop is requested."""
        return LooperThread.loop(self.coord, timer_interval_secs, target, args or (), kwargs)

    def should_stop(self) -> bool:
        return self.coord.should_stop()

    def request_stop(self, ex: Any = None) -> None:
        self.coord.request_stop(ex)

    def wait_for_stop(self) -> None:
        self.coord.wait_for_stop()

    def stop_on_exception(self) -> Any:
        return self.coord.stop_on_exception()

    def stop(
        self,
        threads: Any = None,
        close_summary_writer: bool = True,
        ignore_live_threads: bool = True,
    ) -> None:
        """Stops and joins the threads, and raises the first exception of any of them."""
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
    PrepareSession = prepare_or_wait_for_session
    StartQueueRunners = start_queue_runners
    Loop = loop
    Stop = stop
    RequestStop = request_stop
    ShouldStop = should_stop
    StopOnException = stop_on_exception
    WaitForStop = wait_for_stop
    SummaryComputed = summary_computed


def _is_default(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value == _USE_DEFAULT


def _given(value: Any) -> Any:
    """What a program gave, or None for the default."""
    return None if _is_default(value) else value
