"""What optimizers have in common whose updates are an op."""

from __future__ import annotations

import numbers
from typing import Any, Dict

from troupe._src.graph.elements import Tensor
from troupe._src.ops import gen_ops, math_ops, raw_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.train.optimizer import Optimizer
from troupe._src.variables.variable import Variable


def _shown(number: Any) -> Any:
    """A number, or the name of a tensor or variable; None for a function."""
    return number if isinstance(number, numbers.Number) else getattr(number, "name", None)


class OpOptimizer(Optimizer):
    """An optimizer with an update op for tensors, and another for rows."""

    _op = ""  # ResourceApply... for tensors, ResourceSparseApply... for rows
    _gradient = "grad"  # the op's argument
    _slot_arguments: Dict[str, str] = {}  # slot -> the op's argument

    def __init__(
        self, numbers: Dict[str, Any], use_locking: bool, name: str, **options: Any
    ) -> None:
        """Takes what the op needs besides the variables.

        Args:
            numbers: The op's scalar arguments.
            use_locking: Has no effect: an update is one node.
            name: The name of the operations.
            **options: The op's attributes.
        """
        super().__init__(use_locking, name)
        self._numbers = numbers
        self._op_options = options

    def _settings(self) -> Dict[str, Any]:
        # "lr" and "alpha" are the op's names of what programs call the learning rate.
        names = {"lr": "learning_rate", "alpha": "learning_rate", "lr_power": "learning_rate_power"}
        shown = {names.get(key, key): _shown(value) for key, value in self._numbers.items()}
        return {**shown, **self._op_options}

    def _number(self, value: Any, var: Variable) -> Tensor:
        return math_ops.cast(value() if callable(value) else value, var.dtype)

    def _arguments(self, var: Variable) -> Dict[str, Any]:
        arguments: Dict[str, Any] = {"var": var.handle}
        for slot, argument in self._slot_arguments.items():
            arguments[argument] = self._slots[slot, var].handle
        for argument, value in self._numbers.items():
            arguments[argument] = self._number(value, var)
        return {**arguments, **self._op_options, "use_locking": self._use_locking}

    def _resource_apply_dense(self, grad: Tensor, var: Variable) -> Any:
        op = getattr(raw_ops, "ResourceApply" + self._op)
        return op(**self._arguments(var), **{self._gradient: grad})

    def _resource_apply_sparse(self, grad: Tensor, var: Variable, indices: Tensor) -> Any:
        op = getattr(raw_ops, "ResourceSparseApply" + self._op)
        return op(**self._arguments(var), grad=grad, indices=indices)

    @staticmethod
    def _filled(var: Variable, value: float) -> Tensor:
        return gen_ops.fill(var.shape.as_list(), convert_to_tensor(value, var.dtype))
