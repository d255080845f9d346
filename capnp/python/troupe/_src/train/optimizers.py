"""The optimizers: an update of a variable is one node, on the variable's device."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence

from troupe._src.graph.elements import Tensor
from troupe._src.ops import raw_ops
from troupe._src.set_module import set_module
from troupe._src.train.op_updates import Setting
from troupe._src.train.optimizer import Optimizer
from troupe._src.variables.variable import Variable


@set_module("troupe.train")
class GradientDescentOptimizer(Optimizer):
    """w <- w - learning_rate * g.

    Args:
        learning_rate: A number, a scalar, or a function that gives one.
        use_locking: Has no effect: an update is one node.
        name: The name of the operations.
    """

    _update_op = "GradientDescent"
    _gradient_argument = "delta"
    _learning_rate = Setting("alpha")

    def __init__(
        self, learning_rate: Any, use_locking: bool = False, name: str = "GradientDescent"
    ) -> None:
        super().__init__(use_locking, name)
        self._set_numbers({"alpha": learning_rate})

    def _resource_apply_sparse_duplicate_indices(
        self, grad: Tensor, var: Variable, indices: Tensor
    ) -> Any:
        update = -grad * self._number(self._numbers["alpha"], var)
        return raw_ops.ResourceScatterAdd(resource=var.handle, indices=indices, updates=update)


@set_module("troupe.train")
class ProximalGradientDescentOptimizer(Optimizer):
    """Gradient descent, then the proximal step of l1 and l2 regularization.

    Args:
        learning_rate: A number, a scalar, or a function that gives one.
        l1_regularization_strength: The factor of the sum of absolute values.
        l2_regularization_strength: The factor of the sum of squares.
        use_locking: Has no effect: an update is one node.
        name: The name of the operations.
    """

    _update_op = "ProximalGradientDescent"
    _gradient_argument = "delta"
    _learning_rate, _l1_regularization_strength = Setting("alpha"), Setting("l1")
    _l2_regularization_strength = Setting("l2")

    def __init__(
        self,
        learning_rate: Any,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "ProximalGradientDescent",
    ) -> None:
        numbers = {
            "alpha": learning_rate,
            "l1": l1_regularization_strength,
            "l2": l2_regularization_strength,
        }
        super().__init__(use_locking, name)
        self._set_numbers(numbers)


@set_module("troupe.train")
class MomentumOptimizer(Optimizer):
    """a <- momentum * a + g; w <- w - learning_rate * a.

    Args:
        learning_rate: A number, a scalar, or a function that gives one.
        momentum: The decay of the sum of gradients.
        use_locking: Has no effect: an update is one node.
        name: The name of the operations.
        use_nesterov: Whether the gradient counts as at the place where the momentum leads.
    """

    _update_op = "Momentum"
    _slot_arguments = {"momentum": "accum"}
    _learning_rate, _momentum = Setting("lr"), Setting("momentum")

    def __init__(
        self,
        learning_rate: Any,
        momentum: Any,
        use_locking: bool = False,
        name: str = "Momentum",
        use_nesterov: bool = False,
    ) -> None:
        numbers = {"lr": learning_rate, "momentum": momentum}
        super().__init__(use_locking, name)
        self._set_numbers(numbers, use_nesterov=use_nesterov)
        self._use_nesterov = use_nesterov

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        for var in var_list:
            self._zeros_slot(var, "momentum", self._name)


@set_module("troupe.train")
class RMSPropOptimizer(Optimizer):
    """Scales gradients by a moving average of their squares.

    s <- decay * s + (1 - decay) * g^2; a <- momentum * a + learning_rate * g / sqrt(s + epsilon); w
    <- w - a.

    Args:
        learning_rate: A number, a scalar, or a function that gives one.
        decay: The decay of the average of squares.
        momentum: The decay of the sum of updates.
        epsilon: Keeps the divisor from 0.
        use_locking: Has no effect: an update is one node.
        name: The name of the operations.
        centered: Whether the squared moving average of g is subtracted from s.
    """
    _learning_rate, _decay = Setting("lr"), Setting("rho")
    _momentum, _epsilon = Setting("momentum"), Setting("epsilon")

    def __init__(
        self,
        learning_rate: Any,
        decay: Any = 0.9,
        momentum: Any = 0.0,
        epsilon: Any = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        name: str = "RMSProp",
    ) -> None:
        numbers = {"lr": learning_rate, "rho": decay, "momentum": momentum, "epsilon": epsilon}
        super().__init__(use_locking, name)
        self._set_numbers(numbers)
        self._update_op = "CenteredRMSProp" if centered else "RMSProp"
        self._slot_arguments = {"rms": "ms", "momentum": "mom"}
        if centered:
            self._slot_arguments["mg"] = "mg"

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        for var in var_list:
            self._get_or_make_slot(var, self._filled(var, 1.0), "rms", self._name)
            if "mg" in self._slot_arguments:
                self._zeros_slot(var, "mg", self._name)
            self._zeros_slot(var, "momentum", self._name)


@set_module("troupe.train")
class FtrlOptimizer(Optimizer):
    """Follow the regularized leader, with l1 and l2 regularization and shrinkage.

    Args:
        learning_rate: A number, a scalar, or a function that gives one.
        learning_rate_power: The exponent of the sum of squares, at most 0.
        initial_accumulator_value: What the sum of squares begins with, at least 0.
        l1_regularization_strength: The factor of the sum of absolute values.
        l2_regularization_strength: The factor of the sum of squares.
        use_locking: Has no effect: an update is one node.
        name: The name of the operations.
        accum_name: The name of the sums of squares.
        linear_name: The name of the linear parts.
        l2_shrinkage_regularization_strength: The factor of a penalty of the magnitude alone.

    Raises:
        ValueError: A number is out of range.
    """

    _slot_arguments = {"accum": "accum", "linear": "linear"}
    _learning_rate, _learning_rate_power = Setting("lr"), Setting("lr_power")
    _l1_regularization_strength, _l2_regularization_strength = Setting("l1"), Setting("l2")

    def __init__(
        self,
        learning_rate: Any,
        learning_rate_power: float = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "Ftrl",
        accum_name: Optional[str] = None,
        linear_name: Optional[str] = None,
        l2_shrinkage_regularization_strength: float = 0.0,
    ) -> None:
        if initial_accumulator_value < 0:
            raise ValueError(
                f"initial_accumulator_value {initial_accumulator_value} needs to be >= 0"
            )
        if learning_rate_power > 0:
            raise ValueError(f"learning_rate_power {learning_rate_power} needs to be <= 0")
        numbers = {
            "lr": learning_rate,
            "l1": l1_regularization_strength,
            "l2": l2_regularization_strength,
            "lr_power": learning_rate_power,
        }
        if l2_shrinkage_regularization_strength:
            numbers["l2_shrinkage"] = l2_shrinkage_regularization_strength
        for strength in numbers.keys() - {"lr", "lr_power"}:
            if numbers[strength] < 0:
                raise ValueError(f"the regularization strength {strength} needs to be >= 0")
        super().__init__(use_locking, name)
        self._set_numbers(numbers)
        self._update_op = "FtrlV2" if "l2_shrinkage" in numbers else "Ftrl"
        self._initial_accumulator_value = initial_accumulator_value
        self._slot_names: List[str] = [accum_name or name, linear_name or name + "_1"]

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        accum_name, linear_name = self._slot_names
        for var in var_list:
            initial = self._filled(var, self._initial_accumulator_value)
            self._get_or_make_slot(var, initial, "accum", accum_name)
            self._zeros_slot(var, "linear", linear_name)
