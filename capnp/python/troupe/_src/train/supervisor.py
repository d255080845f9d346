"""Supervisor, the predecessor of MonitoredTrainingSession."""

from __future__ import annotations

import contextlib
import os
import threading
from typing import Any, Callable, Iterator, List, Optional, Sequence

from troupe._src.graph.graph import Graph, get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.messages.config import ConfigProto
from troupe._src.queues.queue_runner import QueueRunner
from troupe._src.set_module import set_module
from troupe._src.train.coordinator import Coordinator, LooperThread
from troupe._src.train.global_step import get_global_step
from troupe._src.train.monitored_session import MonitoredSession
from troupe._src.train.saver import Saver
from troupe._src.train.scaffold import Scaffold, SessionCreator
from troupe._src.variables.variable import Variable

_USE_DEFAULT: Any = 0  # as in TensorFlow


class _InitializedSession(MonitoredSession):
    """Leaves the threads to the Supervisor, and its coordinator."""

    _starts_threads = False


@set_module("troupe.train")
class Supervisor:
    """Opens a session whose variables have values, and saves checkpoints periodically.

    The chief initializes or restores the variables, as for a MonitoredSession; other workers wait
    for it. A lost task is an error: restart the program, or use a MonitoredTrainingSession.
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
        init_fn: Optional[Callable[[Any], Any]] = None,
        **_: Any,
    ) -> None:
        def init_scaffold(_: Scaffold, session: Any) -> None:
            if init_fn is not None:
                init_fn(session)

        self._graph = graph or get_default_graph()
        self._scaffold = Scaffold(
            init_op or None,
            init_feed_dict,
            init_scaffold if init_fn is not None else None,
            local_init_op=local_init_op or None,
            saver=saver or None,
        )
        self._is_saver_disabled = saver is None
        self._given_step = global_step
        self._logdir = logdir if is_chief else None
        self._save_model_secs = save_model_secs
        self._stop_grace_secs = stop_grace_secs
        self._basename = checkpoint_basename
        self.is_chief = is_chief
        self.coord = Coordinator()
        if self._logdir and not self._is_saver_disabled:
            os.makedirs(self._logdir, exist_ok=True)
            with self._graph.as_default():
                self._scaffold.finalize()

    @property
    def saver(self) -> Optional[Saver]:
        return self._scaffold.saver

    @property
    def global_step(self) -> Optional[Variable]:
        if self._given_step is _USE_DEFAULT:
            return get_global_step(self._graph)
        step: Optional[Variable] = self._given_step
        return step

    @property
    def save_path(self) -> Optional[str]:
        """The prefix of the names of checkpoints, which end with the global step."""
        return os.path.join(self._logdir, self._basename) if self._logdir else None

    @contextlib.contextmanager
    def managed_session(
        self,
        master: str = "",
        config: Optional[ConfigProto] = None,
        start_standard_services: bool = True,
        close_summary_writer: bool = True,
    ) -> Iterator[Any]:
        """A context with an initialized session; it stops all threads and raises their errors."""
        checkpoint_dir = self._logdir if self.saver is not None else None
        creator = SessionCreator(
            master, config, self.is_chief, checkpoint_dir, scaffold=self._scaffold
        )
        with self._graph.as_default():
            monitored = _InitializedSession(creator)
        session = monitored.plain_session
        try:
            with session.as_default(), self.coord.stop_on_exception():
                if start_standard_services:
                    self._start_saving(session)
                    self.start_queue_runners(session)
                yield session
            self.stop()
        finally:
            monitored.close()

    def _start_saving(self, session: Any) -> None:
        if self.saver is None or self.save_path is None or not self._save_model_secs:
            return
        arguments = (session, self.save_path, self.global_step)
        self.loop(self._save_model_secs, self.saver.save, arguments)

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

    def stop(self, threads: Any = None, close_summary_writer: bool = True) -> None:
        """Stops and joins the threads, and raises the first exception of any of them."""
        self.coord.request_stop()
        self.coord.join(
            threads, stop_grace_period_secs=self._stop_grace_secs, ignore_live_threads=True
        )
