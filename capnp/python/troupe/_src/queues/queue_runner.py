"""Threads that run the enqueues of a queue, again and again, until their input ends."""

from __future__ import annotations

import re
import threading
import weakref
from typing import TYPE_CHECKING, Any, List, Optional, Sequence, Tuple, Type

from troupe._src.graph.graph import get_default_graph, get_default_session
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.graph_defs.meta_graph import proto_functions
from troupe._src.messages.queue_runner import QueueRunnerDef
from troupe._src.platform import logging
from troupe._src.queues.cluster_runners import leave_runner
from troupe._src.session.base_session import BaseSession
from troupe._src.set_module import set_module
from troupe._src.types import errors

if TYPE_CHECKING:
    from troupe._src.train.coordinator import Coordinator

ErrorTypes = Tuple[Type[errors.OpError], ...]


@set_module("troupe.train")
class QueueRunner:
    """The enqueue operations of a queue, each of which a thread runs until the input ends.

    When the last of them has ended, the queue is closed, so that what is in it can still be
    dequeued. When a coordinator asks the threads to stop, it is closed and its enqueues cancelled.
    """

    def __init__(
        self,
        queue: Any = None,
        enqueue_ops: Optional[Sequence[Any]] = None,
        close_op: Any = None,
        cancel_op: Any = None,
        queue_closed_exception_types: Optional[ErrorTypes] = None,
        queue_runner_def: Optional[QueueRunnerDef] = None,
        import_scope: Optional[str] = None,
    ) -> None:
        """Adds the operations that close the queue, unless they are given.

        Args:
            queue: The queue.
            enqueue_ops: What the threads run; one that occurs twice has two threads.
            close_op: What closes the queue.
            cancel_op: What closes the queue and cancels its enqueues.
            queue_closed_exception_types: The errors of an enqueue that mean that the input has
                ended; by default OutOfRangeError.
            queue_runner_def: Names all of these, in place of them.
            import_scope: The name scope that those names are in.

        Raises:
            ValueError: If the queue or the enqueues are missing, or are given besides a definition.
            TypeError: If the exception types are no tuple of classes of errors of a step.
        """
        if queue_runner_def is not None:
            if queue or enqueue_ops:
                raise ValueError("queue_runner_def and queue are mutually exclusive.")
            self._look_up(queue_runner_def, import_scope)
        else:
            self._take(queue, enqueue_ops, close_op, cancel_op, queue_closed_exception_types)
        self._lock = threading.Lock()
        # The number of threads that run in a session.
        self._runs: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._exceptions: List[BaseException] = []

    def _take(
        self, queue: Any, enqueue_ops: Any, close_op: Any, cancel_op: Any, closed: Any
    ) -> None:
        if not queue or not enqueue_ops:
            raise ValueError("Must provide queue and enqueue_ops.")
        if closed is not None and not _are_errors(closed):
            raise TypeError(
                "queue_closed_exception_types, when provided, must be a tuple of tf.error types, "
                f"but saw: {closed}"
            )
        self._queue = queue
        self._enqueue_ops: Sequence[Any] = enqueue_ops
        self._close_op = queue.close() if close_op is None else close_op
        self._cancel_op = (
            queue.close(cancel_pending_enqueues=True) if cancel_op is None else cancel_op
        )
        self._closed: ErrorTypes = closed or (errors.OutOfRangeError,)

    def _look_up(self, definition: QueueRunnerDef, scope: Optional[str]) -> None:
        def element(name: str) -> Any:
            return get_default_graph().as_graph_element(_in_scope(name, scope))

        self._queue = element(definition.queue_name)
        self._enqueue_ops = [element(name) for name in definition.enqueue_op_name]
        self._close_op = element(definition.close_op_name)
        self._cancel_op = element(definition.cancel_op_name)
        codes = definition.queue_closed_exception_types or [errors.OUT_OF_RANGE]
        self._closed = tuple(errors.exception_type_from_error_code(code) for code in codes)

    @property
    def queue(self) -> Any:
        """The queue."""
        return self._queue

    @property
    def enqueue_ops(self) -> Sequence[Any]:
        """What the threads run."""
        return self._enqueue_ops

    @property
    def close_op(self) -> Any:
        """What closes the queue."""
        return self._close_op

    @property
    def cancel_op(self) -> Any:
        """What closes the queue and cancels its enqueues."""
        return self._cancel_op

    @property
    def queue_closed_exception_types(self) -> ErrorTypes:
        """The errors of an enqueue that mean that the input has ended."""
        return self._closed

    @property
    def exceptions_raised(self) -> List[BaseException]:
        """The errors of threads without a coordinator, since threads were last created."""
        return self._exceptions

    @property
    def name(self) -> str:
        """The name of the queue."""
        return str(self._queue.name)

    def _run(self, session: Any, enqueue_op: Any, coord: Optional[Coordinator]) -> None:
        has_ended = False
        try:
            enqueue = self._callable(session, enqueue_op)
            while coord is None or not coord.should_stop():
                try:
                    enqueue()
                except self._closed:
                    has_ended = True
                    self._end(session)
                    return
        except Exception as error:
            if coord is not None:
                coord.request_stop(error)
                return
            logging.error("Exception in QueueRunner: %s", error)
            with self._lock:
                self._exceptions.append(error)
            raise
        finally:
            if not has_ended:
                with self._lock:
                    self._runs[session] -= 1

    def _callable(self, session: Any, enqueue_op: Any) -> Any:
        """What runs an enqueue."""
        return session.make_callable(enqueue_op)

    def _end(self, session: Any) -> None:
        """The input of a thread has ended: the last of them closes the queue."""
        with self._lock:
            self._runs[session] -= 1
            if self._runs[session] > 0:
                return
            _try_to_run(session, self._close_op)

    def _close_on_stop(self, session: Any, coord: Coordinator) -> None:
        coord.wait_for_stop()
        _try_to_run(session, self._cancel_op)

    def create_threads(
        self,
        sess: Any,
        coord: Optional[Coordinator] = None,
        daemon: bool = False,
        start: bool = False,
    ) -> List[threading.Thread]:
        """Creates a thread for each enqueue, and with a coordinator one that closes the queue.

        Args:
            sess: The session in which they run.
            coord: Gets their errors, and stops and joins them.
            daemon: Whether the program may end while they run.
            start: Whether they start at once.

        Returns:
            The threads; none if there are some in that session already.
        """
        with self._lock:
            if self._runs.get(sess, 0) > 0:
                return []
            self._runs[sess] = len(self._enqueue_ops)
            self._exceptions = []
        prefix = f"QueueRunnerThread-{self.name}"
        threads = [
            threading.Thread(target=self._run, args=(sess, op, coord), name=f"{prefix}-{op.name}")
            for op in self._enqueue_ops
        ]
        if coord is not None:
            closing = threading.Thread(
                target=self._close_on_stop, args=(sess, coord), name=f"{prefix}-close_on_stop"
            )
            threads.append(closing)
        for thread in threads:
            if coord is not None:
                coord.register_thread(thread)
            thread.daemon = daemon or thread.daemon
            if start:
                thread.start()
        return threads

    def leave_on_cluster(self, session: Any, name: str, container: str = "") -> None:
        """Leaves a runner of the same operations on the session's node, where it goes on alone.

        It needs no thread here, and goes on when this program has ended: until its input ends, it
        is stopped (`tf.queue.stop_runner`), its container is reset, or its node ends. Steps that
        fail for want of a task are tried again; any other error ends it, runs `cancel_op`, and is
        listed (`tf.queue.list_runners`). It has a session of its own, so the queues that it uses
        need a `shared_name`.

        Args:
            session: The session whose graph it takes, as the graph is now.
            name: What it is known by in the cluster.
            container: The container that it belongs to; "" is the default one.

        Raises:
            AlreadyExistsError: If the container has a runner, or other resource, of that name.
            ValueError: If the session is in this process, or a queue has no `shared_name`.
            TypeError: If it is no session.
        """
        leave_runner(session, name, container, self)

    def to_proto(self, export_scope: Optional[str] = None) -> Optional[QueueRunnerDef]:
        """The message that names its nodes.

        Args:
            export_scope: A name scope that is left out of the names.

        Returns:
            The message; None if the queue is not in that scope.
        """
        if export_scope is not None and not self.name.startswith(export_scope):
            return None
        return QueueRunnerDef(
            queue_name=_out_of_scope(self.name, export_scope),
            enqueue_op_name=[_out_of_scope(op.name, export_scope) for op in self._enqueue_ops],
            close_op_name=_out_of_scope(self._close_op.name, export_scope),
            cancel_op_name=_out_of_scope(self._cancel_op.name, export_scope),
            queue_closed_exception_types=[
                errors.error_code_from_exception_type(error) for error in self._closed
            ],
        )

    @staticmethod
    def from_proto(
        queue_runner_def: QueueRunnerDef, import_scope: Optional[str] = None
    ) -> QueueRunner:
        """The runner of the nodes that the message names.

        Args:
            queue_runner_def: The message.
            import_scope: The name scope that those names are in.

        Returns:
            The runner.
        """
        return QueueRunner(queue_runner_def=queue_runner_def, import_scope=import_scope)


def _are_errors(types: Any) -> bool:
    return (
        isinstance(types, tuple)
        and bool(types)
        and all(issubclass(each, errors.OpError) for each in types)
    )


def _try_to_run(session: Any, operation: Any) -> None:
    """Closing is all that is left to do: an error leaves the queue as it is."""
    try:
        session.run(operation)
    except Exception as error:
        logging.vlog(1, "Ignored exception: %s", error)


def _in_scope(name: str, scope: Optional[str]) -> str:
    return f"{scope.rstrip('/')}/{name}" if scope else name


def _out_of_scope(name: str, scope: Optional[str]) -> str:
    return re.sub(f"^{re.escape(scope.rstrip('/'))}/+", "", name, count=1) if scope else name


def add_queue_runner(qr: QueueRunner, collection: str = GraphKeys.QUEUE_RUNNERS) -> None:
    """Adds the runner to a collection of the default graph, which `start_queue_runners` starts.

    Args:
        qr: The runner.
        collection: The name of the collection.
    """
    get_default_graph().add_to_collection(collection, qr)


def start_queue_runners(
    sess: Any = None,
    coord: Optional[Coordinator] = None,
    daemon: bool = True,
    start: bool = True,
    collection: str = GraphKeys.QUEUE_RUNNERS,
) -> List[threading.Thread]:
    """Creates the threads of all runners of a collection.

    Args:
        sess: The session in which they run; by default the default session. A MonitoredSession
            starts the runners itself.
        coord: As that of `QueueRunner.create_threads`.
        daemon: As that of `QueueRunner.create_threads`.
        start: Whether the threads start at once.
        collection: The name of the collection.

    Returns:
        The threads.

    Raises:
        ValueError: If there is no session.
        TypeError: If it is no session.
    """
    session = get_default_session() if sess is None else sess
    if session is None:
        raise ValueError(
            "Cannot start queue runners: No default session is registered. Use `with "
            "sess.as_default()` or pass an explicit session to tf.start_queue_runners(sess=sess)"
        )
    if not isinstance(session, BaseSession):
        if type(session).__name__ in ("MonitoredSession", "SingularMonitoredSession"):
            return []
        raise TypeError(f"sess must be a `tf.Session` object. Given class: {type(session)}")
    runners = session.graph.get_collection(collection)
    if not runners:
        logging.warning(
            "`tf.train.start_queue_runners()` was called when no queue runners were defined. You "
            "can safely remove the call to this deprecated function."
        )
    return [
        thread
        for runner in runners
        for thread in runner.create_threads(session, coord, daemon, start)
    ]


proto_functions[GraphKeys.QUEUE_RUNNERS] = (
    QueueRunnerDef, QueueRunner.to_proto, QueueRunner.from_proto,
)  # fmt: skip
