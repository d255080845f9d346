"""Which strategy a program is in the scope of, and whether it is in a replica."""

from __future__ import annotations

import contextlib
import threading
from typing import Any, Iterator, List, Optional, Tuple


class _Stack(threading.local):
    """The strategies entered by a thread, each with whether it is in a replica of it."""

    def __init__(self) -> None:
        self.entered: List[Tuple[Any, bool]] = []


_stack = _Stack()


@contextlib.contextmanager
def entered(strategy: Any, in_replica: bool) -> Iterator[None]:
    """Is in the scope of that strategy, or in a replica of it."""
    _stack.entered.append((strategy, in_replica))
    try:
        yield
    finally:
        _stack.entered.pop()


def replica_of(strategy: Any) -> Any:
    """A context: in a replica of the strategy and on its device; nothing for None."""
    if strategy is None:
        return contextlib.nullcontext()
    contexts = contextlib.ExitStack()
    contexts.enter_context(entered(strategy, True))
    contexts.enter_context(strategy.extended._on_device())
    return contexts


def current() -> Optional[Tuple[Any, bool]]:
    """The innermost strategy, and whether this is in a replica of it."""
    return _stack.entered[-1] if _stack.entered else None
