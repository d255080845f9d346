"""What libraries ask of a strategy."""

from __future__ import annotations

import contextlib
from typing import Any, Callable, Iterator, List, Optional, Sequence, Tuple

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.ops.array_ops import identity
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.grouping_ops import group as grouped
from troupe._src.replicas.contexts import current_copy, entered
from troupe._src.replicas.mirrored_variable import MirroredVariable, each_copy
from troupe._src.replicas.reduce_op import as_reduce_op
from troupe._src.replicas.reductions import on_all, reduced
from troupe._src.replicas.replica_threads import Replicas
from troupe._src.replicas.values import PerReplica, select
from troupe._src.replicas.workers import Workers
from troupe._src.set_module import set_module
from troupe._src.variables.variable import Variable


@set_module("troupe.distribute")
class StrategyExtended:
    """What libraries ask of a strategy.

    Args:
        devices: That of each replica of this program; None for those that are otherwise chosen.
        between_graphs: Whether other programs of the cluster have replicas.
        workers: The programs whose replicas are synchronized with those of this one.
    """

    def __init__(
        self,
        devices: Sequence[Any] = (None,),
        between_graphs: bool = False,
        workers: Optional[Workers] = None,
    ) -> None:
        self._devices = tuple(devices)
        self._workers = workers
        self._strategy: Any = None
        self.experimental_between_graph = between_graphs
        self.experimental_require_static_shapes = False
        self.experimental_should_init = True

    @property
    def _local_count(self) -> int:
        """How many replicas this program has."""
        return len(self._devices)

    @property
    def _replica_count(self) -> int:
        """How many replicas are synchronized."""
        return self._local_count * (self._workers.count if self._workers is not None else 1)

    def _on_device(self, replica: int) -> Any:
        """A context in which nodes without a device are on that of the replica."""
        if self._devices[replica] is None:
            return contextlib.nullcontext()
        return get_default_graph().device(self._devices[replica])

    @contextlib.contextmanager
    def _at_copy(self, number: int) -> Iterator[None]:
        """Variables stand for their copies of that number, on the device of the replica."""
        graph = get_default_graph()
        with entered(self._strategy, copy=number), graph.colocate_with(None, ignore_existing=True):
            with self._on_device(number):
                yield

    def _from_first(self, value: Any) -> Any:
        """The value of the first replica of this program, for all of them."""
        return on_all(self, select(0, value))

    @property
    def worker_devices(self) -> Tuple[str, ...]:
        """The devices of the replicas of this program."""
        return tuple(str(each or "") for each in self._devices)

    @property
    def parameter_devices(self) -> Tuple[str, ...]:
        """Where variables are; device functions of a cluster say other."""
        return self.worker_devices

    def call_for_each_replica(
        self, fn: Callable[..., Any], args: Sequence[Any] = (), kwargs: Any = None
    ) -> Any:
        """Calls the function in each replica of this program.

        Args:
            fn: The function.
            args: Its arguments.
            kwargs: Its arguments by name.

        Returns:
            What it returns; a PerReplica where that differs.
        """
        if self._local_count > 1:
            return Replicas(self._strategy, fn, args, kwargs or {}).run()
        with entered(self._strategy, 0), self._on_device(0):
            return fn(*args, **(kwargs or {}))

    def reduce_to(self, reduce_op: Any, value: Any, destinations: Any) -> Any:
        """The sum or mean of the replicas' values.

        Args:
            reduce_op: A `ReduceOp` or its name.
            value: What replicas have returned.
            destinations: A variable, for a value for each of its copies; or a device, or what is
                on one.

        Returns:
            The value.
        """
        return self.batch_reduce_to(reduce_op, [(value, destinations)])[0]

    def batch_reduce_to(self, reduce_op: Any, value_destination_pairs: Any) -> Any:
        """The sums or means of many.

        Args:
            reduce_op: A `ReduceOp` or its name.
            value_destination_pairs: Values, each with its destinations.

        Returns:
            The values.
        """
        operation, pairs = as_reduce_op(reduce_op), list(value_destination_pairs)
        if self._replica_count == 1:
            return [value for value, _ in pairs]
        values = reduced(self, operation, [value for value, _ in pairs])
        return [self.broadcast_to(value, place) for value, (_, place) in zip(values, pairs)]

    def broadcast_to(self, tensor: Any, destinations: Any) -> Any:
        """The tensor where it is wanted.

        Args:
            tensor: The tensor.
            destinations: As of `reduce_to`.

        Returns:
            It, or a value for each copy.
        """
        if self._replica_count == 1:
            return tensor
        if isinstance(destinations, (MirroredVariable, PerReplica)):
            return on_all(self, tensor)
        is_name = isinstance(destinations, str)
        device = destinations if is_name else getattr(destinations, "device", "")
        with get_default_graph().device(device or None):
            return identity(tensor)

    def update(
        self, var: Any, fn: Callable[..., Any], args: Sequence[Any] = (), kwargs: Any = None,
        group: bool = True,
    ) -> Any:  # fmt: skip
        """Calls fn(var, ...) where the variable is.

        Args:
            var: The variable.
            fn: The function.
            args: Its further arguments.
            kwargs: Its arguments by name.
            group: Whether the result is that of the function, or a tuple of it.

        Returns:
            What the function returns.
        """
        found = each_copy(
            var, lambda: fn(var, *_own(tuple(args)), **_own(dict(kwargs or {})))
        )
        return _grouped(found) if group else tuple(found)

    def update_non_slot(
        self, colocate_with: Any, fn: Callable[..., Any], args: Sequence[Any] = (),
        kwargs: Any = None, group: bool = True,
    ) -> Any:  # fmt: skip
        """Calls fn(...), for variables that are no slots.

        Args:
            colocate_with: Has no effect.
            fn: The function.
            args: Its arguments.
            kwargs: Its arguments by name.
            group: As of `update`.

        Returns:
            What the function returns.
        """
        updated = fn(*args, **(kwargs or {}))
        return updated if group else (updated,)

    def colocate_vars_with(self, colocate_with_variable: Any) -> Any:
        """A context in which nodes are where the variable is.

        Args:
            colocate_with_variable: The variable.

        Returns:
            The context.
        """
        return get_default_graph().colocate_with(colocate_with_variable.op)

    def non_slot_devices(self, var_list: Any) -> Any:
        """The variable by which those that are no slots are placed.

        Args:
            var_list: The variables that are trained.

        Returns:
            The first of them by name.
        """
        return min(var_list, key=lambda variable: str(variable.name))

    def value_container(self, value: Any) -> Any:
        """The value.

        Args:
            value: A variable.

        Returns:
            It.
        """
        return value

    def variable_created_in_scope(self, v: Any) -> bool:
        """Whether it is a variable of this strategy.

        Args:
            v: A variable.

        Returns:
            Whether it is one.
        """
        if self._replica_count == 1:
            return isinstance(v, Variable)
        return isinstance(v, MirroredVariable) and v._strategy is self._strategy

    def read_var(self, v: Any) -> Tensor:
        """The variable's value.

        Args:
            v: A variable.

        Returns:
            A tensor.
        """
        return convert_to_tensor(v)

    @property
    def should_checkpoint(self) -> bool:
        """Whether this program writes checkpoints, if its hooks say so: the first one does."""
        return self._workers is None or self._workers.index == 0

    @property
    def should_save_summary(self) -> bool:
        """Whether this program writes summaries, if its hooks say so: the first one does."""
        return self.should_checkpoint


def _own(structure: Any) -> Any:
    """What the copy that is updated gets of arguments."""
    return select(current_copy(), structure)


def _grouped(results: List[Any]) -> Any:
    """One operation of those of all copies; of one copy what it is."""
    if len(results) == 1:
        return results[0]
    return grouped(*(each for each in results if each is not None))
