"""What a program asks of the strategy that it is in the scope of."""

from __future__ import annotations

from typing import Any, Callable, Optional, Sequence, Tuple

from troupe._src.control_flow import nest
from troupe._src.distribute.strategy import Strategy
from troupe._src.distribute.strategy_extended import StrategyExtended
from troupe._src.replicas.contexts import current, entered
from troupe._src.replicas.loss_reductions import get_loss_reduction
from troupe._src.replicas.merging import merge_call
from troupe._src.replicas.reduce_op import as_reduce_op
from troupe._src.replicas.values import EVERYWHERE
from troupe._src.set_module import set_module


@set_module("troupe.distribute")
class ReplicaContext:
    """What a function that a strategy calls in a replica asks of it.

    Args:
        strategy: The strategy.
        replica_id_in_sync_group: Which of its replicas.
    """

    def __init__(self, strategy: Any, replica_id_in_sync_group: Any = 0) -> None:
        self.strategy = strategy
        self.replica_id_in_sync_group = replica_id_in_sync_group

    @property
    def num_replicas_in_sync(self) -> int:
        """How many there are."""
        return int(self.strategy.num_replicas_in_sync)

    @property
    def devices(self) -> Tuple[str, ...]:
        """The device of the replica."""
        replica = current()
        number = replica.replica or 0 if replica is not None else 0
        return (self.strategy.extended.worker_devices[number],)

    def merge_call(
        self, merge_fn: Callable[..., Any], args: Sequence[Any] = (), kwargs: Any = None
    ) -> Any:
        """Calls merge_fn(strategy, ...) once for all replicas.

        Args:
            merge_fn: The function.
            args: Its arguments after the strategy.
            kwargs: Its arguments by name.

        Returns:
            What it returns.
        """
        return merge_call(self.strategy, merge_fn, args, kwargs)

    def all_reduce(self, reduce_op: Any, value: Any) -> Any:
        """The sum or mean of the replicas' values.

        Args:
            reduce_op: A `ReduceOp` or its name.
            value: The replica's value.

        Returns:
            The value.
        """
        operation = as_reduce_op(reduce_op)
        if self.num_replicas_in_sync == 1:
            return value

        def merged(strategy: Any, *values: Any) -> Any:
            reduced = [(each, EVERYWHERE) for each in values]
            return strategy.extended.batch_reduce_to(operation, reduced)

        flat = nest.flatten(value)
        return nest.pack_sequence_as(value, self.merge_call(merged, flat))

    def __enter__(self) -> ReplicaContext:
        self._entered = entered(self.strategy, 0)
        self._entered.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._entered.__exit__(*error)


_default = Strategy(StrategyExtended())


def get_strategy() -> Any:
    """The current strategy; outside of all scopes the default one, of one replica."""
    found = current()
    return _default if found is None or found.strategy is None else found.strategy


def has_strategy() -> bool:
    """True in the scope or a replica of a strategy that is not the default one."""
    return get_strategy() is not _default


def get_replica_context() -> Optional[ReplicaContext]:
    """The context of the replica; None in the scope of a strategy, outside of its replicas."""
    found = current()
    if found is None or found.strategy is None:
        return ReplicaContext(_default)
    if found.replica is None:
        return None
    workers = found.strategy.extended._workers
    first = workers.index * found.strategy.extended._local_count if workers is not None else 0
    return ReplicaContext(found.strategy, first + found.replica)


def in_cross_replica_context() -> bool:
    """True in the scope of a strategy, outside of its replicas."""
    return get_replica_context() is None

