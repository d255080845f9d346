"""Queues, which steps fill and empty."""

from troupe._src.queues.queue_base import QueueBase
from troupe._src.queues.queues import (
    FIFOQueue,
    PaddingFIFOQueue,
    PriorityQueue,
    RandomShuffleQueue,
)

__all__ = ["FIFOQueue", "PaddingFIFOQueue", "PriorityQueue", "QueueBase", "RandomShuffleQueue"]
