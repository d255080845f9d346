"""What a cluster has: its devices, and the resources in its containers."""

from __future__ import annotations

from typing import Any, List, NamedTuple, Optional, Sequence, Tuple

from troupe import _native
from troupe._src.messages.config import ConfigProto
from troupe._src.platform import logging
from troupe._src.platform.process import run_interruptibly
from troupe._src.platform.simulated_targets import is_simulated
from troupe._src.types import errors
from troupe._src.types.dtypes import DType, by_number
from troupe._src.types.shapes import TensorShape

ANSWER_TIMEOUT_MS = 5000


class Device(NamedTuple):
    """A device as `Session.list_devices` reports it."""

    name: str
    device_type: str
    memory_limit_bytes: int
    incarnation: int


class QueueWaiter(NamedTuple):
    """An op of a step that waits to put elements into a queue, or to take some out."""

    node: str  # "'take' of step 3 of a session at /job:worker/task:0"; empty if not known
    age_in_ms: int  # how long it has waited


class QueueTraffic(NamedTuple):
    """What has gone into a queue, or come out of it, and which ops wait to do so."""

    elements: int  # since the queue was made
    per_second: float  # over the last 10 to 20 seconds
    idle_in_ms: Optional[int]  # since the latest; None: there was none
    waiting: int  # how many ops wait
    waiters: Tuple[QueueWaiter, ...]  # some of them, those that have waited longest first


class QueueUse(NamedTuple):
    """How a queue is used."""

    capacity: int  # the most elements; -1: any number
    enqueues: QueueTraffic
    dequeues: QueueTraffic


class Resource(NamedTuple):
    """What a container of a cluster holds, as `Session.list_resources` reports it."""

    name: str
    container: str  # "" is the default one
    kind: str  # "variable", "hash table", "queue"
    device: str  # where it is
    dtype: DType  # of its value; of a table or a queue, of what is in it
    shape: TensorShape  # of a table or a queue, the number of its entries
    size_in_bytes: int
    queue: Optional[QueueUse] = None  # of a queue, how it is used


class OpenSession(NamedTuple):
    """A session of a cluster, as `Session.list_sessions` reports it."""

    session_id: int  # as `troupe explain` and `troupe trace --session` number it
    master: str  # the task that it was opened on, "/job:worker/task:0"
    client: str  # who opened it: "train.py (process 7) of ann@host"; "" if unknown
    runner: str  # whose session it is, "container/name"; "": a client's
    age_in_ms: int
    nodes: int  # of its graph, without those of functions
    running_steps: int
    steps: int  # started since it was opened


def connect(target: str, config: ConfigProto) -> _native.Client:
    """A connection to a node, within the time that the configuration gives it."""
    if is_simulated(target):
        raise errors.UnimplementedError(
            None, None, f"{target} is a simulated cluster, which only sessions can use"
        )
    timeout = config.connect_timeout_in_ms
    return run_interruptibly(lambda: _native.connect(target, timeout))


def answer_timeout_ms(config: ConfigProto) -> int:
    return int(config.operation_timeout_in_ms or ANSWER_TIMEOUT_MS)


def warn_of_empty_containers(client: _native.Client, names: Sequence[str]) -> None:
    """Warns of a reset of containers that hold nothing: a name may be mistyped.

    Says nothing where a task does not tell in a second what it holds.
    """
    found, missing = run_interruptibly(lambda: client.list_resources(1000))
    held = {container for _, container, *_ in found}
    for name in names:
        if name not in held and not missing:
            logging.warning(
                "The container %r held nothing; those of the cluster that do: %s",
                name,
                ", ".join(map(repr, sorted(held))) or "none",
            )


def traffic_of(found: Any) -> QueueTraffic:
    elements, per_second, idle, waiting, waiters = found
    return QueueTraffic(
        elements, per_second, idle, waiting, tuple(QueueWaiter(*waiter) for waiter in waiters)
    )


def queue_use(found: Any) -> Optional[QueueUse]:
    if found is None:
        return None
    capacity, enqueues, dequeues = found
    return QueueUse(capacity, traffic_of(enqueues), traffic_of(dequeues))


def list_devices(target: str, config: ConfigProto) -> List[Device]:
    """The devices of all tasks that answer."""
    client, timeout = connect(target, config), answer_timeout_ms(config)
    devices, _ = run_interruptibly(lambda: client.list_devices(timeout))
    return [Device(*device) for device in devices]


def list_resources(target: str, config: ConfigProto) -> List[Resource]:
    """The resources of all tasks that answer; a warning names the others."""
    client, timeout = connect(target, config), answer_timeout_ms(config)
    found, missing = run_interruptibly(lambda: client.list_resources(timeout))
    for fault in missing:
        logging.warning("%s", fault)
    return [
        Resource(
            name,
            container,
            kind,
            device,
            by_number(dtype),
            TensorShape(shape),
            size,
            queue_use(queue),
        )
        for name, container, kind, device, dtype, shape, size, queue in found
    ]


def list_sessions(target: str, config: ConfigProto) -> List[OpenSession]:
    """The open sessions of all tasks that answer; a warning names the others."""
    client, timeout = connect(target, config), answer_timeout_ms(config)
    found, missing = run_interruptibly(lambda: client.list_sessions(timeout))
    for fault in missing:
        logging.warning("%s", fault)
    return [OpenSession(*session) for session in found]
