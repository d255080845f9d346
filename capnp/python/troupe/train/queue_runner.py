"""Threads that fill queues."""

from troupe._src.queues.queue_runner import QueueRunner, add_queue_runner, start_queue_runners

__all__ = ["QueueRunner", "add_queue_runner", "start_queue_runners"]
