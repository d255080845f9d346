"""What libraries ask of a strategy."""

from __future__ import annotations

import contextlib
from typing import Any, Callable, Sequence, Tuple

from troupe._src.distribute.contexts import entered
from troupe._src.distribute.reduce_op import as_reduce_op
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.set_module import set_module
from troupe._src.variables.variable import Variable


@set_module("troupe.distribute")
class StrategyExtended:
    """What libraries ask of a strategy.

    Args:
        device: That of the replica; None for the devices that are otherwise chosen.
        between_graphs: Whether other programs of the cluster have replicas.
    """

    def __init__(self, device: Any = None, between_graphs: bool = False) -> None:
        self._device = device
        self._strategy: Any = None
        self.experimental_between_graph = between_graphs
        self.experimental_require_static_shapes = False
        self.experimental_should_init = True

    def _on_device(self) -> Any:
        """A context in which nodes without a device are on its device."""
        if self._device is None:
            return contextlib.nullcontext()
        return get_default_graph().device(self._device)

    @property
    def worker_devices(self) -> Tuple[str, ...]:
        """The device of the replica."""
        return (str(self._device or ""),)

    @property
    def parameter_devices(self) -> Tuple[str, ...]:
        """Where variables are; device functions of a cluster say other."""
        return self.worker_devices

    def call_for_each_replica(
        self, fn: Callable[..., Any], args: Sequence[Any] = (), kwargs: Any = None
    ) -> Any:
        """Calls the function in each replica, and gives what the one replica returns.

        Args:
            fn: The function.
            args: Its arguments.
            kwargs: Its arguments by name.

        Returns:
            What the one replica returns.
        """
        with entered(self._strategy, True), self._on_device():
            return fn(*args, **(kwargs or {}))

    def reduce_to(self, reduce_op: Any, value: Any, destinations: Any) -> Any:
        """The sum or mean of the replicas' values.

        Args:
            reduce_op: A `ReduceOp` or its name.
            value: What a replica has returned.
            destinations: Has no effect.

        Returns:
            The value.
        """
        as_reduce_op(reduce_op)
        return value

    def batch_reduce_to(self, reduce_op: Any, value_destination_pairs: Any) -> Any:
        """The sums or means of many.

        Args:
            reduce_op: A `ReduceOp` or its name.
            value_destination_pairs: Values, each with its destinations.

        Returns:
            The values.
        """
        return [self.reduce_to(reduce_op, *pair) for pair in value_destination_pairs]

    def broadcast_to(self, tensor: Any, destinations: Any) -> Any:
        """The tensor.

        Args:
            tensor: The tensor.
            destinations: Has no effect.

        Returns:
            It.
        """
        return tensor

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
        with self.colocate_vars_with(var):
            updated = fn(var, *args, **(kwargs or {}))
        return updated if group else (updated,)

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
        """True: a variable has no copies, wherever it was made.

        Args:
            v: A variable.

        Returns:
            Whether it is one.
        """
        return isinstance(v, Variable)

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
        """Whether the program's hooks say if it writes checkpoints."""
        return True

    @property
    def should_save_summary(self) -> bool:
        """Whether the program's hooks say if it writes summaries."""
        return True
