"""Queues, which steps fill and empty, and the runners on a cluster that fill them."""

from troupe._src.queues.cluster_runners import (
    ClusterRunner,
    list_runners,
    pause_runner,
    resume_runner,
    stop_runner,
)
from troupe._src.queues.queue_base import QueueBase
from troupe._src.queues.queues import (
    FIFOQueue,
    PaddingFIFOQueue,
    PriorityQueue,
    RandomShuffleQueue,
)

__all__ = [
    "ClusterRunner",
    "FIFOQueue",
    "PaddingFIFOQueue",
    "PriorityQueue",
    "QueueBase",
    "RandomShuffleQueue",
    "list_runners",
    "pause_runner",
    "resume_runner",
    "stop_runner",
]
