"""A queue runner whose enqueues are fed by functions."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence

from troupe._src.queues.queue_runner import ErrorTypes, QueueRunner
from troupe._src.set_module import set_module


class _Fed:
    """An enqueue with the function that feeds it."""

    def __init__(self, operation: Any, feed: Callable[[], Dict[Any, Any]]) -> None:
        self.operation, self.feed, self.name = operation, feed, operation.name


@set_module("troupe.contrib.training")
class FeedingQueueRunner(QueueRunner):
    """The enqueues of a queue, each of which a thread feeds and runs until its input ends.

    Args:
        queue: The queue.
        enqueue_ops: What the threads run.
        close_op: What closes the queue.
        cancel_op: What closes the queue and cancels its enqueues.
        feed_fns: What feeds each of `enqueue_ops`, a function that gives a feed dict.
        queue_closed_exception_types: The errors of an enqueue that mean that the input has ended.

    Raises:
        ValueError: There is not one function for each of `enqueue_ops`.
    """

    def __init__(
        self,
        queue: Any = None,
        enqueue_ops: Optional[Sequence[Any]] = None,
        close_op: Any = None,
        cancel_op: Any = None,
        feed_fns: Optional[Sequence[Callable[[], Dict[Any, Any]]]] = None,
        queue_closed_exception_types: Optional[ErrorTypes] = None,
    ) -> None:
        operations = enqueue_ops or []
        feeds: Sequence[Any] = feed_fns or [dict for _ in operations]
        if len(feeds) != len(operations):
            raise ValueError(
                "If feed_fns is not None, it must have the same length as enqueue_ops."
            )
        fed = [_Fed(operation, feed) for operation, feed in zip(operations, feeds)]
        super().__init__(queue, fed, close_op, cancel_op, queue_closed_exception_types)
        self._feed_fns = list(feeds)

    @property
    def enqueue_ops(self) -> List[Any]:
        """What the threads run."""
        return [fed.operation for fed in self._enqueue_ops]

    def _callable(self, session: Any, enqueue_op: Any) -> Callable[[], Any]:
        return lambda: session.run(enqueue_op.operation, feed_dict=enqueue_op.feed())

    def to_proto(self, export_scope: Optional[str] = None) -> Any:
        """An error: functions cannot be saved.

        Args:
            export_scope: Ignored.

        Raises:
            NotImplementedError: Always.
        """
        raise NotImplementedError("Queue runners that feed cannot be serialized.")
