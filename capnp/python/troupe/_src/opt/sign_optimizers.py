"""Optimizers that go further where the gradient has the sign of its mean so far."""

from __future__ import annotations

import math
from typing import Any, Callable, Optional, Sequence

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.set_module import set_module
from troupe._src.train.optimizer import GradientsAndVariables, Optimizer
from troupe._src.variables.variable import Variable

SignDecay = Callable[[Any], Any]


class _SignOptimizer(Optimizer):
    _slot_arguments = {"m": "m"}
    _sign_decay_fn: Optional[SignDecay] = None

    def apply_gradients(
        self,
        grads_and_vars: GradientsAndVariables,
        global_step: Optional[Variable] = None,
        name: Optional[str] = None,
    ) -> Operation:
        if self._sign_decay_fn is not None:
            decay: Tensor = convert_to_tensor(self._sign_decay_fn(global_step))
            self._numbers["sign_decay"] = decay
        return super().apply_gradients(grads_and_vars, global_step, name)

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        for var in var_list:
            self._zeros_slot(var, "m", self._name)

    def _resource_apply_sparse(self, grad: Tensor, var: Variable, indices: Tensor) -> Any:
        # A row without a gradient decays in "m" alone, as it does where its gradient is 0.
        return self._apply_rows_as_tensor(grad, var, indices)


@set_module("troupe.contrib.opt")
class AddSignOptimizer(_SignOptimizer):
    """m <- beta * m + (1 - beta) * g; w <- w - learning_rate * (alpha + decay * sign(g * m)) * g.

    It is `tf.contrib.opt.AddSignOptimizer`.

    Args:
        learning_rate: A number, a scalar, or a function that gives one.
        alpha: What is added to the sign.
        beta: The decay of the mean of gradients.
        sign_decay_fn: Gives the decay of the sign for the global step; 1 without it.
        use_locking: Has no effect: an update is one node.
        name: The name of the operations.
    """

    _update_op = "AddSign"

    def __init__(
        self,
        learning_rate: Any = 0.1,
        alpha: Any = 1.0,
        beta: Any = 0.9,
        sign_decay_fn: Optional[SignDecay] = None,
        use_locking: bool = False,
        name: str = "AddSignOptimizer",
    ) -> None:
        numbers = {"lr": learning_rate, "alpha": alpha, "beta": beta, "sign_decay": 1.0}
        super().__init__(use_locking, name)
        self._set_numbers(numbers)
        self._sign_decay_fn = sign_decay_fn


@set_module("troupe.contrib.opt")
class PowerSignOptimizer(_SignOptimizer):
    """m <- beta * m + (1 - beta) * g; w <- w - learning_rate * base ** (decay * sign(g * m)) * g.

    It is `tf.contrib.opt.PowerSignOptimizer`.

    Args:
        learning_rate: A number, a scalar, or a function that gives one.
        base: The base of the power, a positive number.
        beta: The decay of the mean of gradients.
        sign_decay_fn: Gives the decay of the sign for the global step; 1 without it.
        use_locking: Has no effect: an update is one node.
        name: The name of the operations.
    """

    _update_op = "PowerSign"

    def __init__(
        self,
        learning_rate: Any = 0.1,
        base: float = math.e,
        beta: Any = 0.9,
        sign_decay_fn: Optional[SignDecay] = None,
        use_locking: bool = False,
        name: str = "PowerSignOptimizer",
    ) -> None:
        numbers = {"lr": learning_rate, "logbase": math.log(base), "beta": beta, "sign_decay": 1.0}
        super().__init__(use_locking, name)
        self._set_numbers(numbers)
        self._sign_decay_fn = sign_decay_fn
