"""Threads that a Supervisor starts, and stops together."""

from __future__ import annotations

import threading
from typing import Any, List, Optional, Sequence

from troupe._src.graph.graph import Graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.queues.queue_runner import QueueRunner
from troupe._src.train.coordinator import Coordinator, LooperThread


class CoordinatedThreads:
    """The threads of a coordinator: those of queue runners, and those that repeat a call.

    Args:
        graph: The graph of the queue runners.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self.coord = Coordinator()

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
        """Starts a thread that calls a function at an interval until a stop is requested.

        Args:
            timer_interval_secs: The time between the beginnings of calls; None: back to back.
            target: The function.
            args: Its arguments.
            kwargs: Further arguments, by their names.

        Returns:
            The thread.
        """
        return LooperThread.loop(self.coord, timer_interval_secs, target, args or (), kwargs)

    def should_stop(self) -> bool:
        """Whether a stop has been requested."""
        return self.coord.should_stop()

    def request_stop(self, ex: Any = None) -> None:
        """Asks all threads to stop.

        Args:
            ex: The error that is the cause, or None.
        """
        self.coord.request_stop(ex)

    def wait_for_stop(self) -> None:
        """Waits until a stop is requested."""
        self.coord.wait_for_stop()

    def stop_on_exception(self) -> Any:
        """A context that requests a stop on an exception, which `stop` then raises."""
        return self.coord.stop_on_exception()

    # The names of older programs.
    StartQueueRunners = start_queue_runners
    Loop = loop
    RequestStop = request_stop
    ShouldStop = should_stop
    StopOnException = stop_on_exception
    WaitForStop = wait_for_stop
