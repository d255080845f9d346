"""Coordination of threads that stop together."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from typing import Any, Callable, Iterator, Optional, Sequence, Set, Tuple, Type

from troupe._src.platform import logging
from troupe._src.representation import name_of_class
from troupe._src.set_module import set_module
from troupe._src.types import errors


@set_module("troupe.train")
class Coordinator:
    """Stops a set of threads together; `join` raises the first exception of any of them."""

    def __init__(
        self, clean_stop_exception_types: Optional[Sequence[Type[BaseException]]] = None
    ) -> None:
        """Has no threads yet.

        Args:
            clean_stop_exception_types: The errors that a thread ends with where all is well; by
                default OutOfRangeError, the end of the data.
        """
        if clean_stop_exception_types is None:
            clean_stop_exception_types = (errors.OutOfRangeError,)
        self._clean: Tuple[Type[BaseException], ...] = tuple(clean_stop_exception_types)
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._failure: Optional[BaseException] = None
        self._registered_threads: Set[threading.Thread] = set()
        self._is_joined = False

    def __repr__(self) -> str:
        state = "joined" if self._is_joined else "stopping" if self.should_stop() else "running"
        failure = "" if self._failure is None else f", failed with {self._failure!r}"
        threads = len(self._registered_threads)
        return f"<{name_of_class(self)} {state}, {threads} registered threads{failure}>"

    @property
    def joined(self) -> bool:
        """Whether `join` has ended, after which errors are raised where they are reported."""
        return self._is_joined

    def request_stop(self, ex: Any = None) -> None:
        """Makes `should_stop` true.

        Args:
            ex: An exception, or what `sys.exc_info` gives; `join` raises the first that is no clean
                stop.

        Raises:
            BaseException: `ex` itself, if `join` has ended already.
        """
        failure = ex[1] if isinstance(ex, tuple) else ex
        with self._lock:
            if failure is not None and not isinstance(failure, self._clean):
                if self._is_joined:
                    raise failure
                if self._failure is None and not self._stop.is_set():
                    logging.info("Error reported to Coordinator: %s, %s", type(failure), failure)
                    self._failure = failure
            self._stop.set()

    def should_stop(self) -> bool:
        """Whether a stop has been requested."""
        return self._stop.is_set()

    def clear_stop(self) -> None:
        """Forgets the request and the error, so that other threads can run."""
        with self._lock:
            self._is_joined = False
            self._failure = None
            self._stop.clear()

    def wait_for_stop(self, timeout: Optional[float] = None) -> bool:
        """Waits until a stop is requested.

        Args:
            timeout: How long at most, in seconds; None for no limit.

        Returns:
            Whether it is requested.
        """
        return self._stop.wait(timeout)

    def register_thread(self, thread: threading.Thread) -> None:
        """Makes `join` wait for the thread as well.

        Args:
            thread: The thread.
        """
        with self._lock:
            self._registered_threads.add(thread)

    @contextlib.contextmanager
    def stop_on_exception(self) -> Iterator[None]:
        """A context that requests a stop on an exception, which `join` then raises."""
        try:
            yield
        except BaseException:
            self.request_stop(sys.exc_info())

    def join(
        self,
        threads: Optional[Sequence[threading.Thread]] = None,
        stop_grace_period_secs: float = 120,
        ignore_live_threads: bool = False,
    ) -> None:
        """Waits for the threads to end; after a stop request, for the grace period at most.

        Args:
            threads: More threads than the registered ones.
            stop_grace_period_secs: The period, in seconds.
            ignore_live_threads: Whether threads that still run afterwards are only logged.

        Raises:
            RuntimeError: Threads still run.
            BaseException: The first error that was reported.
        """
        with self._lock:
            waited = list(self._registered_threads.union(threads or []))
        while any(thread.is_alive() for thread in waited) and not self._stop.wait(0.05):
            pass
        deadline = time.monotonic() + stop_grace_period_secs
        for thread in waited:
            if thread.is_alive():
                thread.join(max(0.0, deadline - time.monotonic()))
        alive = [thread.name for thread in waited if thread.is_alive()]
        with self._lock:
            self._is_joined = True
            self._registered_threads = set()
        self.raise_requested_exception()
        if not alive:
            return
        problem = f"Coordinator stopped with threads still running: {' '.join(alive)}"
        if not ignore_live_threads:
            raise RuntimeError(problem)
        logging.info("%s", problem)

    @property
    def failure(self) -> Optional[BaseException]:
        """The error that a thread has reported, which `join` will raise."""
        return self._failure

    def raise_requested_exception(self) -> None:
        """Raises the error that a thread has reported, if one has."""
        if self._failure is not None:
            raise self._failure


@set_module("troupe.train")
class LooperThread(threading.Thread):
    """Calls run_loop() at an interval until the coordinator stops it."""

    isAlive = threading.Thread.is_alive  # noqa: N815: its name in Python before 3.9

    def __init__(
        self,
        coord: Coordinator,
        timer_interval_secs: Optional[float],
        target: Optional[Callable[..., Any]] = None,
        args: Optional[Sequence[Any]] = None,
        kwargs: Any = None,
    ) -> None:
        """Registers with the coordinator.

        Args:
            coord: The coordinator.
            timer_interval_secs: The time between the beginnings of calls; None: back to back.
            target: What run_loop() calls, if it is not overridden.
            args: The arguments of `target`.
            kwargs: Further arguments of `target`, by their names.

        Raises:
            ValueError: If there is no coordinator, or arguments without a target.
        """
        if not isinstance(coord, Coordinator):
            raise ValueError(f"'coord' argument must be a Coordinator: {coord}")
        if target is None and (args or kwargs):
            raise ValueError("'args' and 'kwargs' argument require that you also pass 'target'")
        super().__init__(daemon=True)
        self._coord = coord
        self._interval = timer_interval_secs
        self._work = (target, tuple(args or ()), dict(kwargs or {}))
        coord.register_thread(self)

    @staticmethod
    def loop(
        coord: Coordinator,
        timer_interval_secs: Optional[float],
        target: Callable[..., Any],
        args: Optional[Sequence[Any]] = None,
        kwargs: Any = None,
    ) -> LooperThread:
        """Starts a thread that calls a function at an interval.

        Args:
            coord: The coordinator.
            timer_interval_secs: The time between the beginnings of calls; None: back to back.
            target: The function.
            args: Its arguments.
            kwargs: Further arguments, by their names.

        Returns:
            The thread.
        """
        looper = LooperThread(coord, timer_interval_secs, target, args, kwargs)
        looper.start()
        return looper

    def run(self) -> None:
        """Calls run_loop() until the coordinator stops it; what the thread runs."""
        with self._coord.stop_on_exception():
            self.start_loop()
            next_time = time.monotonic()
            while not self._coord.wait_for_stop(max(0.0, next_time - time.monotonic())):
                next_time += self._interval or 0.0
                self.run_loop()
            self.stop_loop()

    def start_loop(self) -> None:
        """Called before the first run_loop()."""

    def stop_loop(self) -> None:
        """Called after the last run_loop()."""

    def run_loop(self) -> None:
        """One call of the target."""
        target, args, kwargs = self._work
        if target is not None:
            target(*args, **kwargs)
