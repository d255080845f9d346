"""Which strategy a program is in the scope of, and which of its replicas or copies it is in."""

from __future__ import annotations

import contextlib
from typing import Any, Iterator, List, NamedTuple, Optional

from troupe._src.graph.thread_scopes import InheritedLocal


class Entered(NamedTuple):
    """What a thread is in.

    Attributes:
        strategy: The strategy.
        replica: Which of the replicas of this program; None in the scope, outside of replicas.
        copy: Which copy of variables an update is of; None for that of the replica.
    """

    strategy: Any
    replica: Optional[int]
    copy: Optional[int] = None


class _Stack(InheritedLocal):
    """What a thread has entered, the innermost last."""

    def __init__(self) -> None:
        super().__init__()
        self.entered: List[Entered] = []


_stack = _Stack()


@contextlib.contextmanager
def entered(
    strategy: Any, replica: Optional[int] = None, copy: Optional[int] = None
) -> Iterator[None]:
    """Is in the scope of that strategy, or in a replica of it, or updates a copy."""
    _stack.entered.append(Entered(strategy, replica, copy))
    try:
        yield
    finally:
        _stack.entered.pop()


def replica_of(strategy: Any) -> Any:
    """A context: in the first replica of the strategy and on its device; nothing for None."""
    if strategy is None:
        return contextlib.nullcontext()
    contexts = contextlib.ExitStack()
    contexts.enter_context(entered(strategy, 0))
    contexts.enter_context(strategy.extended._on_device(0))
    return contexts


def current() -> Optional[Entered]:
    """What this thread is in, the innermost."""
    return _stack.entered[-1] if _stack.entered else None


def has_several(strategy: Any) -> bool:
    """Whether it is a strategy with several replicas."""
    return strategy is not None and strategy.num_replicas_in_sync > 1


def strategy_of_many() -> Any:
    """The strategy in a replica of which this is, if it has several; else None."""
    found = current()
    if found is None or found.replica is None or not has_several(found.strategy):
        return None
    return found.strategy


def current_copy() -> int:
    """Which copy of variables is meant here: that of the update or replica, else the first."""
    found = current()
    if found is None:
        return 0
    return found.copy if found.copy is not None else found.replica or 0
