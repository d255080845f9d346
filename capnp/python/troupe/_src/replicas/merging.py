"""Functions that replicas call once for all of them."""

from __future__ import annotations

from typing import Any, Callable, Mapping, Optional, Sequence

from troupe._src.graph.thread_scopes import InheritedLocal
from troupe._src.replicas.contexts import entered
from troupe._src.replicas.values import select


class _Meeting(InheritedLocal):
    """Where the replica of a thread meets the others; None where it is alone."""

    def __init__(self) -> None:
        super().__init__()
        self.call: Optional[Callable[..., Any]] = None


meeting = _Meeting()


def merge_call(
    strategy: Any,
    function: Callable[..., Any],
    args: Sequence[Any] = (),
    kwargs: Optional[Mapping[str, Any]] = None,
) -> Any:
    """Calls function(strategy, ...) once for all replicas of this program.

    Args:
        strategy: That of the replica in which this is called.
        function: Its arguments have a PerReplica where those of replicas differ.
        args: The replica's arguments after the strategy.
        kwargs: The replica's arguments by name.

    Returns:
        What it returns; of a PerReplica the value of this replica.
    """
    if meeting.call is not None:
        return meeting.call(function, tuple(args), dict(kwargs or {}))
    with entered(strategy):
        result = function(strategy, *args, **(kwargs or {}))
    return select(0, result)

