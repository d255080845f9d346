"""Optimizers with one rate, or with a rate for each element: SGD, RMSprop, Adagrad and others."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Optional, Sequence

import numpy as np

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.keras.settings import epsilon as default_epsilon
from troupe._src.keras_optimizers.optimizer_v2 import Optimizer
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops, raw_ops
from troupe._src.ops.convert import convert_to_tensor, is_tensor
from troupe._src.ops.grouping_ops import group
from troupe._src.ops.selection_ops import gather
from troupe._src.set_module import set_module
from troupe._src.types.dtypes import DType
from troupe._src.variables.variable import Variable

_MODULE = "troupe.keras.optimizers"


def _has_momentum(momentum: Any) -> bool:
    if is_tensor(momentum) or callable(momentum):
        return True
    if not 0 <= momentum <= 1:
        raise ValueError("`momentum` must be between [0, 1].")
    return bool(momentum > 0)


class _OfOps(Optimizer):
    """Optimizers whose updates are ops; classes say which slots and numbers those take."""

    _op = ""
    _slot_arguments: Dict[str, str] = {}  # slot -> the op's argument
    _number_arguments: Dict[str, str] = {}  # number -> the op's argument

    def _set_rates(self, **numbers: Any) -> None:
        for name, value in numbers.items():
            self._set_hyper(name, value)
        self._set_hyper("decay", self._initial_decay)

    def _prepare_local(self, var_device: str, var_dtype: DType, apply_state: Any) -> None:
        super()._prepare_local(var_device, var_dtype, apply_state)
        shared = apply_state[(var_device, var_dtype)]
        for name in self._number_arguments:
            if name in self._hyper:
                shared[name] = array_ops.identity(self._get_hyper(name, var_dtype))
            else:
                shared[name] = convert_to_tensor(getattr(self, name), var_dtype)

    def _arguments(self, var: Variable, apply_state: Any) -> Dict[str, Any]:
        shared = self._shared(var, apply_state)
        found: Dict[str, Any] = {"var": var.handle, "lr": shared["lr_t"]}
        for name, argument in self._number_arguments.items():
            found[argument] = shared[name]
        for slot, argument in self._slot_arguments.items():
            found[argument] = self.get_slot(var, slot).handle
        return found

    def _resource_apply_dense(self, grad: Tensor, var: Variable, apply_state: Any = None) -> Any:
        op = getattr(raw_ops, f"ResourceApply{self._op}")
        return op(**self._arguments(var, apply_state), grad=grad)

    def _resource_apply_sparse(
        self, grad: Tensor, var: Variable, indices: Tensor, apply_state: Any = None
    ) -> Any:
        op = getattr(raw_ops, f"ResourceSparseApply{self._op}")
        return op(**self._arguments(var, apply_state), grad=grad, indices=indices)

    def set_weights(self, weights: Sequence[Any]) -> None:
        """Gives its variables their values; those of an optimizer of Keras 2 count no steps."""
        given = list(weights)
        is_older = len(self.weights) == len(given) + 1
        super().set_weights([np.array(0), *given] if is_older else given)

    def _config(self, *numbers: str) -> Dict[str, Any]:
        names = ("learning_rate", "decay", *numbers)
        found = {name: self._serialize_hyperparameter(name) for name in names}
        return {**Optimizer.get_config(self), **found}


@set_module(_MODULE)
class SGD(_OfOps):
    """Gradient descent, also with momentum.

    Args:
        learning_rate: A number, a tensor, a function without arguments, or a schedule.
        momentum: How much of the last step is in the next one, from 0 to 1.
        nesterov: Whether gradients count as those after the momentum, as Nesterov's.
        name: The name scope of its nodes and variables.
        **kwargs: `clipnorm`, `clipvalue`, `decay` and `lr`, those of `Optimizer`.

    Raises:
        TypeError: Another argument is given.
        ValueError: One of these is negative, or the momentum is another one.
    """

    _op = "KerasMomentum"
    _slot_arguments = {"momentum": "accum"}
    _number_arguments = {"momentum": "momentum"}

    def __init__(
        self, learning_rate: Any = 0.01, momentum: Any = 0.0, nesterov: bool = False,
        name: str = "SGD", **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(name, **kwargs)
        self._momentum = _has_momentum(momentum)
        self._set_rates(learning_rate=kwargs.get("lr", learning_rate), momentum=momentum)
        self.nesterov = nesterov

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        if self._momentum:
            for variable in var_list:
                self.add_slot(variable, "momentum")

    def _arguments(self, var: Variable, apply_state: Any) -> Dict[str, Any]:
        return {**super()._arguments(var, apply_state), "use_nesterov": self.nesterov}

    def _resource_apply_dense(self, grad: Tensor, var: Variable, apply_state: Any = None) -> Any:
        if self._momentum:
            return super()._resource_apply_dense(grad, var, apply_state)
        rate = self._shared(var, apply_state)["lr_t"]
        return raw_ops.ResourceApplyGradientDescent(var=var.handle, alpha=rate, delta=grad)

    def _resource_apply_sparse_duplicate_indices(
        self, grad: Tensor, var: Variable, indices: Tensor, **kwargs: Any
    ) -> Any:
        if self._momentum:
            return super()._resource_apply_sparse_duplicate_indices(grad, var, indices, **kwargs)
        rate = self._shared(var, kwargs.get("apply_state"))["lr_t"]
        return raw_ops.ResourceScatterAdd(
            resource=var.handle, indices=indices, updates=-grad * rate
        )

    def get_config(self) -> Dict[str, Any]:
        return {**self._config("momentum"), "nesterov": self.nesterov}


@set_module(_MODULE)
class RMSprop(_OfOps):
    """Gradients divided by the root of the mean of their squares.

    Args:
        learning_rate: A number, a tensor, a function without arguments, or a schedule.
        rho: The decay of the means.
        momentum: How much of the last step is in the next one, from 0 to 1.
        epsilon: Keeps the divisor from 0.
        centered: Whether the square of the mean gradient is subtracted from the mean of squares.
        name: The name scope of its nodes and variables.
        **kwargs: `clipnorm`, `clipvalue`, `decay` and `lr`, those of `Optimizer`.

    Raises:
        TypeError: Another argument is given.
        ValueError: One of these is negative, or the momentum is another one.
    """

    _number_arguments = {"rho": "rho", "momentum": "momentum", "epsilon": "epsilon"}

    def __init__(
        self, learning_rate: Any = 0.001, rho: Any = 0.9, momentum: Any = 0.0,
        epsilon: Optional[float] = 1e-7, centered: bool = False, name: str = "RMSprop",
        **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(name, **kwargs)
        self._momentum = _has_momentum(momentum)
        rate = kwargs.get("lr", learning_rate)
        self._set_rates(learning_rate=rate, rho=rho, momentum=momentum)
        self.epsilon = epsilon or default_epsilon()
        self.centered = centered
        self._op = "CenteredRMSProp" if centered else "RMSProp"
        self._slot_arguments = {"rms": "ms", "momentum": "mom"}
        if centered:
            self._slot_arguments["mg"] = "mg"

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        for name, is_used in (("rms", True), ("momentum", self._momentum), ("mg", self.centered)):
            for variable in var_list if is_used else ():
                self.add_slot(variable, name)

    def _resource_apply_dense(self, grad: Tensor, var: Variable, apply_state: Any = None) -> Any:
        if self._momentum:
            return super()._resource_apply_dense(grad, var, apply_state)
        shared, rms = self._shared(var, apply_state), self.get_slot(var, "rms")
        rest = 1 - shared["rho"]
        variance = rms.assign(shared["rho"] * rms + rest * gen_ops.square(grad))
        if self.centered:
            mg = self.get_slot(var, "mg")
            variance -= gen_ops.square(mg.assign(shared["rho"] * mg + rest * grad))
        return var.assign_sub(shared["lr_t"] * grad / (gen_ops.sqrt(variance) + shared["epsilon"]))

    def _resource_apply_sparse(
        self, grad: Tensor, var: Variable, indices: Tensor, apply_state: Any = None
    ) -> Any:
        if self._momentum:
            return super()._resource_apply_sparse(grad, var, indices, apply_state)
        shared, rms = self._shared(var, apply_state), self.get_slot(var, "rms")
        updates = [self._decayed(rms, shared["rho"], grad * grad, indices)]
        variance = gather(updates[0], indices)
        if self.centered:
            updates.append(self._decayed(self.get_slot(var, "mg"), shared["rho"], grad, indices))
            variance -= gen_ops.square(gather(updates[1], indices))
        step = shared["lr_t"] * grad / (gen_ops.sqrt(variance) + shared["epsilon"])
        return group(self._resource_scatter_add(var, indices, -step), *updates)

    def _decayed(self, slot: Variable, rho: Tensor, added: Tensor, indices: Tensor) -> Tensor:
        with get_default_graph().control_dependencies([slot.assign(slot * rho)]):
            return self._resource_scatter_add(slot, indices, added * (1 - rho))

    def get_config(self) -> Dict[str, Any]:
        rest = {"epsilon": self.epsilon, "centered": self.centered}
        return {**self._config("rho", "momentum"), **rest}


@set_module(_MODULE)
class Adagrad(_OfOps):
    """Gradients divided by the root of the sum of their squares.

    Args:
        learning_rate: A number, a tensor, a function without arguments, or a schedule.
        initial_accumulator_value: The sums at first, not negative.
        epsilon: Keeps the divisor from 0.
        name: The name scope of its nodes and variables.
        **kwargs: `clipnorm`, `clipvalue`, `decay` and `lr`, those of `Optimizer`.

    Raises:
        TypeError: Another argument is given.
        ValueError: A number is negative.
    """

    _op = "AdagradV2"
    _slot_arguments = {"accumulator": "accum"}
    _number_arguments = {"epsilon": "epsilon"}

    def __init__(
        self, learning_rate: Any = 0.001, initial_accumulator_value: float = 0.1,
        epsilon: Optional[float] = 1e-7, name: str = "Adagrad", **kwargs: Any,
    ) -> None:  # fmt: skip
        if initial_accumulator_value < 0:
            raise ValueError(
                f"initial_accumulator_value must be non-negative: {initial_accumulator_value}"
            )
        super().__init__(name, **kwargs)
        self._set_rates(learning_rate=kwargs.get("lr", learning_rate))
        self._initial_accumulator_value = initial_accumulator_value
        self.epsilon = epsilon or default_epsilon()

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        for variable in var_list:
            self.add_slot(variable, "accumulator", _filled(self._initial_accumulator_value))

    def get_config(self) -> Dict[str, Any]:
        return {
            **self._config(), "initial_accumulator_value": self._initial_accumulator_value,
            "epsilon": self.epsilon,
        }  # fmt: skip

    @classmethod
    def from_config(
        cls, config: Mapping[str, Any], custom_objects: Optional[Mapping[str, Any]] = None
    ) -> Any:
        """An optimizer that is made of the arguments that `get_config` gives.

        Args:
            config: The arguments by their names; without initial sums, as of Keras 2, these are 0.
            custom_objects: Schedules of the program by their names.

        Returns:
            The optimizer, without state.
        """
        return super().from_config({"initial_accumulator_value": 0.0, **config}, custom_objects)


@set_module(_MODULE)
class Adadelta(_OfOps):
    """Gradients times the root of the mean of squared steps, divided by that of gradients.

    Args:
        learning_rate: A number, a tensor, a function without arguments, or a schedule.
        rho: The decay of the means.
        epsilon: Keeps the divisor from 0.
        name: The name scope of its nodes and variables.
        **kwargs: `clipnorm`, `clipvalue`, `decay` and `lr`, those of `Optimizer`.

    Raises:
        TypeError: Another argument is given.
        ValueError: One of these is negative.
    """

    _op = "Adadelta"
    _slot_arguments = {"accum_grad": "accum", "accum_var": "accum_update"}
    _number_arguments = {"rho": "rho", "epsilon": "epsilon"}

    def __init__(
        self, learning_rate: Any = 0.001, rho: Any = 0.95, epsilon: Optional[float] = 1e-7,
        name: str = "Adadelta", **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(name, **kwargs)
        self._set_rates(learning_rate=kwargs.get("lr", learning_rate), rho=rho)
        self.epsilon = epsilon or default_epsilon()

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        for name in self._slot_arguments:
            for variable in var_list:
                self.add_slot(variable, name)

    def get_config(self) -> Dict[str, Any]:
        return {**self._config("rho"), "epsilon": self.epsilon}


@set_module(_MODULE)
class Ftrl(_OfOps):
    """Follows the regularized leader, so that many weights become 0.

    Args:
        learning_rate: A number, a tensor, a function without arguments, or a schedule.
        learning_rate_power: The power of the sum of squares by which rates decay, not positive.
        initial_accumulator_value: The sums at first, not negative.
        l1_regularization_strength: How strong the penalty of magnitudes is.
        l2_regularization_strength: How strong that of squares is, for stability.
        name: The name scope of its nodes and variables.
        l2_shrinkage_regularization_strength: How strong that of squares is, as a part of the loss.
        **kwargs: `clipnorm`, `clipvalue`, `decay` and `lr`, those of `Optimizer`.

    Raises:
        TypeError: Another argument is given.
        ValueError: A number is out of its range.
    """

    _slot_arguments = {"accumulator": "accum", "linear": "linear"}

    def __init__(
        self, learning_rate: Any = 0.001, learning_rate_power: float = -0.5,
        initial_accumulator_value: float = 0.1, l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0, name: str = "Ftrl",
        l2_shrinkage_regularization_strength: float = 0.0, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(name, **kwargs)
        if learning_rate_power > 0:
            raise ValueError(
                f"learning_rate_power {learning_rate_power} needs to be negative or zero"
            )
        strengths = {
            "initial_accumulator_value": initial_accumulator_value,
            "l1_regularization_strength": l1_regularization_strength,
            "l2_regularization_strength": l2_regularization_strength,
            "l2_shrinkage_regularization_strength": l2_shrinkage_regularization_strength,
        }
        for key, value in strengths.items():
            if value < 0:
                raise ValueError(f"{key} {value} needs to be positive or zero")
        self._set_rates(
            learning_rate=kwargs.get("lr", learning_rate), learning_rate_power=learning_rate_power,
            l1_regularization_strength=l1_regularization_strength,
            l2_regularization_strength=l2_regularization_strength,
        )  # fmt: skip
        self._initial_accumulator_value = initial_accumulator_value
        self._l2_shrinkage_regularization_strength = l2_shrinkage_regularization_strength
        self._op = "FtrlV2" if l2_shrinkage_regularization_strength > 0 else "Ftrl"
        self._number_arguments = {
            "learning_rate_power": "lr_power", "l1_regularization_strength": "l1",
            "l2_regularization_strength": "l2",
        }  # fmt: skip
        if self._op == "FtrlV2":
            self._number_arguments["_l2_shrinkage_regularization_strength"] = "l2_shrinkage"

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        for variable in var_list:
            self.add_slot(variable, "accumulator", _filled(self._initial_accumulator_value))
            self.add_slot(variable, "linear")

    def get_config(self) -> Dict[str, Any]:
        numbers = (
            "learning_rate_power", "l1_regularization_strength", "l2_regularization_strength",
        )  # fmt: skip
        shrinkage = self._l2_shrinkage_regularization_strength
        return {
            **self._config(*numbers),
            "initial_accumulator_value": self._initial_accumulator_value,
            "l2_shrinkage_regularization_strength": shrinkage,
        }


def _filled(value: float) -> Any:
    """An initializer of slots."""
    return lambda shape, dtype: creation_ops.fill(shape, math_ops.cast(value, dtype))
