"""Trainings as programs wrote them before there was MonitoredTrainingSession."""

from __future__ import annotations

import contextlib
import os
from typing import Any, Callable, Iterator, Optional

from troupe._config import ConfigProto
from troupe._graph import Graph, get_default_graph
from troupe._variables import Variable
from troupe.train.coordinator import Coordinator, LooperThread
from troupe.train.monitored import MonitoredSession
from troupe.train.saver import Saver
from troupe.train.scaffold import Scaffold, SessionCreator
from troupe.train.step import get_global_step

_USE_DEFAULT: Any = 0  # as TensorFlow has it


class Supervisor:
    """Prepares a plain session, in which variables have values, and saves it every so often.

    The chief gives variables values, as for a MonitoredSession; all others wait for that. Errors of
    lost tasks end the session: start the program again, or use a MonitoredTrainingSession.
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
        self._keeps_no_saver = saver is None
        self._given_step = global_step
        self._logdir = logdir if is_chief else None
        self._save_model_secs = save_model_secs
        self._stop_grace_secs = stop_grace_secs
        self._basename = checkpoint_basename
        self.is_chief = is_chief
        self.coord = Coordinator()
        if self._logdir and not self._keeps_no_saver:
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
        """What checkpoints are called, without the number of their steps."""
        return os.path.join(self._logdir, self._basename) if self._logdir else None

    @contextlib.contextmanager
    def managed_session(
        self,
        master: str = "",
        config: Optional[ConfigProto] = None,
        start_standard_services: bool = True,
        close_summary_writer: bool = True,
    ) -> Iterator[Any]:
        """A prepared session; at the end all threads stop, and what failed in one is raised."""
        restores = self._logdir if self.saver is not None else None
        creator = SessionCreator(master, config, self.is_chief, restores, scaffold=self._scaffold)
        with self._graph.as_default():
            monitored = MonitoredSession(creator)
        session = monitored.plain_session
        try:
            with session.as_default(), self.coord.stop_on_exception():
                if start_standard_services:
                    self._start_saving(session)
                yield session
            self.stop()
        finally:
            monitored.close()

    def _start_saving(self, session: Any) -> None:
        if self.saver is None or self.save_path is None or not self._save_model_secs:
            return
        save = (session, self.save_path, self.global_step)
        self.loop(self._save_model_secs, self.saver.save, save)

    def loop(
        self,
        timer_interval_secs: Optional[float],
        target: Any,
        args: Any = None,
        kwargs: Any = None,
    ) -> LooperThread:
        """A thread that calls the function every so often until all is stopped."""
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
        """Stops the threads, waits for them, and raises what failed in one."""
        self.coord.request_stop()
        self.coord.join(
            threads, stop_grace_period_secs=self._stop_grace_secs, ignore_live_threads=True
        )
