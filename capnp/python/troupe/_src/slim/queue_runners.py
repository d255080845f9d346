"""A context in which the queues of a graph are filled."""

from __future__ import annotations

import contextlib
import threading
from typing import Any, Iterator

from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.set_module import set_module
from troupe._src.train.coordinator import Coordinator

_lock = threading.Lock()


@set_module("troupe.contrib.slim.queues")
class NestedQueueRunnerError(Exception):
    """A context of queue runners was opened in another one."""


@contextlib.contextmanager
def QueueRunners(session: Any) -> Iterator[None]:
    """Starts the queue runners of the graph, and stops them at the end.

    Args:
        session: The session whose steps they run.

    Raises:
        NestedQueueRunnerError: There is such a context already.
    """
    if not _lock.acquire(blocking=False):
        raise NestedQueueRunnerError("QueueRunners cannot be nested")
    try:
        coordinator = Coordinator()
        threads = [
            thread
            for runner in get_default_graph().get_collection(GraphKeys.QUEUE_RUNNERS)
            for thread in runner.create_threads(session, coord=coordinator, daemon=True, start=True)
        ]
        try:
            yield
        finally:
            coordinator.request_stop()
            try:
                coordinator.join(threads, stop_grace_period_secs=120)
            except RuntimeError:
                session.close()
    finally:
        _lock.release()
