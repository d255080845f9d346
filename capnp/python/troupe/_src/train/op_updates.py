"""What updates the variables of those optimizers whose updates are an op."""

from __future__ import annotations

import numbers
from typing import Any, Dict, Tuple

from troupe._src.graph.elements import Tensor
from troupe._src.graph.indexed_slices import IndexedSlices
from troupe._src.ops import gen_ops, math_ops, raw_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.variables.variable import Variable


def _shown(number: Any) -> Any:
    """A number, or the name of a tensor or variable; None for a function."""
    return number if isinstance(number, numbers.Number) else getattr(number, "name", None)


class OpUpdates:
    """Updates by an op for tensors, and another for rows; or by `_apply_dense`, without such ops.

    It is the base of `Optimizer`, not derived from it: programs look for the optimizers among the
    classes whose only base is `Optimizer`.
    """

    _update_op = ""  # ResourceApply... for tensors, ResourceSparseApply... for rows
    _gradient_argument = "grad"  # the op's argument
    _slot_arguments: Dict[str, str] = {}  # slot -> the op's argument
    _numbers: Dict[str, Any] = {}  # the op's scalar arguments
    _op_options: Dict[str, Any] = {}  # the op's attributes
    _use_locking: bool
    _slots: Dict[Tuple[str, Variable], Variable]

    def _set_numbers(self, numbers: Dict[str, Any], **options: Any) -> None:
        """Takes what the op needs besides the variables: scalar arguments, and attributes."""
        self._numbers = numbers
        self._op_options = options

    def _settings(self) -> Dict[str, Any]:
        """What it shows besides its name."""
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

    # Overridden by custom optimizers.

    def _resource_apply_dense(self, grad: Tensor, var: Variable) -> Any:
        """An op that updates one variable, on its device."""
        if not self._update_op:
            return self._apply_dense(grad, var)
        op = getattr(raw_ops, "ResourceApply" + self._update_op)
        return op(**self._arguments(var), **{self._gradient_argument: grad})

    def _apply_dense(self, grad: Tensor, var: Variable) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no _resource_apply_dense")

    def _resource_apply_sparse(self, grad: Tensor, var: Variable, indices: Tensor) -> Any:
        """An op that updates the rows of a variable that indices name, each once."""
        if not self._update_op:
            return self._apply_rows_as_tensor(grad, var, indices)
        op = getattr(raw_ops, "ResourceSparseApply" + self._update_op)
        return op(**self._arguments(var), grad=grad, indices=indices)

    def _apply_rows_as_tensor(self, grad: Tensor, var: Variable, indices: Tensor) -> Any:
        """Updates all rows; the gradient of those that indices do not name is 0."""
        rows = IndexedSlices(grad, indices, raw_ops.Shape(input=var))
        return self._resource_apply_dense(convert_to_tensor(rows), var)

    @staticmethod
    def _filled(var: Variable, value: float) -> Tensor:
        return gen_ops.fill(var.shape.as_list(), convert_to_tensor(value, var.dtype))
