"""The runners that clients leave on a cluster, which fill queues when the clients are gone."""

from __future__ import annotations

from typing import Any, Callable, List, NamedTuple, Optional

from troupe import _native
from troupe._src.graph.elements import Operation
from troupe._src.messages.config import ConfigProto
from troupe._src.platform import logging
from troupe._src.platform.process import run_interruptibly
from troupe._src.session.listing import answer_timeout_ms, connect
from troupe._src.session.base_session import BaseSession
from troupe._src.set_module import set_module
from troupe._src.types import errors


@set_module("troupe.queue")
class ClusterRunner(NamedTuple):
    """A runner that was left on a cluster, as `list_runners` reports it."""

    name: str
    container: str  # whose reset stops it; "" is the default one
    task: str  # which it is on, and dies with
    state: str  # "running", "paused", or "ended"
    seconds: float  # since it is in that state
    steps: int  # that have ended well
    failures: int  # steps that have failed
    last_error: Optional[errors.OpError]  # of the last of these
    error: Optional[errors.OpError]  # why it has ended; None after the end of its input


def list_runners(target: str, config: Optional[ConfigProto] = None) -> List[ClusterRunner]:
    """The runners of all tasks that answer in time; a warning names the others.

    Args:
        target: A node of the cluster, "troupe://host:port"; any.
        config: Its timeouts hold for connecting and for the answer; None: the default ones.

    Returns:
        A ClusterRunner for each.

    Raises:
        UnavailableError: If no node answers at the target.
    """
    config = config or ConfigProto()
    client, timeout = connect(target, config), answer_timeout_ms(config)
    found, missing = run_interruptibly(lambda: client.list_runners(timeout))
    for fault in missing:
        logging.warning("%s", fault)
    return [ClusterRunner(*runner) for runner in found]


def pause_runner(
    target: str, name: str, container: str = "", config: Optional[ConfigProto] = None
) -> None:
    """Has a runner start no more steps.

    Those that it has started go on until they end, so that nothing is lost: one that waits for room
    in its queue puts its element in later.

    Args:
        target: A node of the cluster, "troupe://host:port"; any.
        name: The name that the runner was left by.
        container: The container that it belongs to; "" is the default one.
        config: Its timeouts hold for connecting and for the answer.

    Raises:
        NotFoundError: If there is no such runner.
        FailedPreconditionError: If it has ended.
        UnavailableError: If no node answers at the target, or none of the tasks that answer has it.
    """
    _control(target, config, lambda client, ms: client.pause_runner(name, container, ms))


def resume_runner(
    target: str, name: str, container: str = "", config: Optional[ConfigProto] = None
) -> None:
    """Has a runner that was paused go on where it was, with its readers and random numbers.

    Args:
        target: A node of the cluster, "troupe://host:port"; any.
        name: The name that the runner was left by.
        container: The container that it belongs to; "" is the default one.
        config: Its timeouts hold for connecting and for the answer.

    Raises:
        NotFoundError: If there is no such runner.
        FailedPreconditionError: If it has ended.
        UnavailableError: If no node answers at the target, or none of the tasks that answer has it.
    """
    _control(target, config, lambda client, ms: client.resume_runner(name, container, ms))


def stop_runner(
    target: str, name: str, container: str = "", config: Optional[ConfigProto] = None
) -> None:
    """Ends a runner for good: cancels its steps, runs its `cancel_op`, and frees its name.

    One that has ended can be stopped, too.

    Args:
        target: A node of the cluster, "troupe://host:port"; any.
        name: The name that the runner was left by.
        container: The container that it belongs to; "" is the default one.
        config: Its timeouts hold for connecting and for the answer.

    Raises:
        NotFoundError: If there is no such runner.
        UnavailableError: If no node answers at the target, or none of the tasks that answer has it.
    """
    _control(target, config, lambda client, ms: client.stop_runner(name, container, ms))


def _control(
    target: str, config: Optional[ConfigProto], act: Callable[[_native.Client, int], None]
) -> None:
    config = config or ConfigProto()
    client, timeout = connect(target, config), answer_timeout_ms(config)
    run_interruptibly(lambda: act(client, timeout))


def leave_runner(session: Any, name: str, container: str, runner: Any) -> None:
    """Leaves what a QueueRunner runs on the cluster of a session."""
    if not isinstance(session, BaseSession):
        raise TypeError(f"session must be a `tf.Session` object, not {type(session).__name__}")
    if not session.sess_str:
        raise ValueError("A session in this process has no cluster on which a runner could stay.")
    for op in runner.enqueue_ops:
        _check_queues(op, set())
    codes = {errors.error_code_from_exception_type(e) for e in runner.queue_closed_exception_types}
    native = session._ready()
    try:
        native.start_runner(
            name,
            container,
            [op.name for op in runner.enqueue_ops],
            runner.close_op.name,
            runner.cancel_op.name,
            sorted(codes | {errors.CANCELLED}),
        )
    except errors.OpError as error:
        raise session._located(error)


def _check_queues(op: Operation, seen: set[Operation]) -> None:
    """The runner has a session of its own, so what is of one session is not that of others."""
    if op in seen:
        return
    seen.add(op)
    if op.type.endswith(("Queue", "QueueV2")) and not op.get_attr("shared_name"):
        raise ValueError(
            f"Queue {op.name!r} has no shared_name, so only the runner itself could use it."
        )
    for before in [tensor._op for tensor in op.inputs] + list(op.control_inputs):
        _check_queues(before, seen)
