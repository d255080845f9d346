"""The optimizers: an update of a variable is one node, on the variable's device."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Tuple

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.ops import gen_ops, math_ops, raw_ops, cast_ops
from troupe._src.ops.array_ops import group
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.set_module import set_module
from troupe._src.train.optimizer import Optimizer
from troupe._src.variables.variable import Variable


class _OpOptimizer(Optimizer):
    """An optimizer with an update op for tensors, and another for rows."""

    _op = ""  # ResourceApply... for tensors, ResourceSparseApply... for rows
    _gradient = "grad"  # the op's argument
    _slot_arguments: Dict[str, str] = {}  # slot -> the op's argument

    def __init__(
        self, numbers: Dict[str, Any], use_locking: bool, name: str, **options: Any
    ) -> None:
        """`numbers`: the op's scalar arguments; `options`: its attributes."""
        super().__init__(use_locking, name)
        self._numbers = numbers
        self._op_options = options

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


@set_module("troupe.train")
class GradientDescentOptimizer(_OpOptimizer):
    """w <- w - learning_rate * g."""

    _op = "GradientDescent"
    _gradient = "delta"

    def __init__(
        self, learning_rate: Any, use_locking: bool = False, name: str = "GradientDescent"
    ) -> None:
        super().__init__({"alpha": learning_rate}, use_locking, name)

    def _resource_apply_sparse_duplicate_indices(
        self, grad: Tensor, var: Variable, indices: Tensor
    ) -> Any:
        update = -grad * self._number(self._numbers["alpha"], var)
        return raw_ops.ResourceScatterAdd(resource=var.handle, indices=indices, updates=update)


@set_module("troupe.train")
class ProximalGradientDescentOptimizer(_OpOptimizer):
    """Gradient descent, then the proximal step of l1 and l2 regularization."""

    _op = "ProximalGradientDescent"
    _gradient = "delta"

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
        super().__init__(numbers, use_locking, name)


@set_module("troupe.train")
class MomentumOptimizer(_OpOptimizer):
    """a <- momentum * a + g; w <- w - learning_rate * a."""

    _op = "Momentum"
    _slot_arguments = {"momentum": "accum"}

    def __init__(
        self,
        learning_rate: Any,
        momentum: Any,
        use_locking: bool = False,
        name: str = "Momentum",
        use_nesterov: bool = False,
    ) -> None:
        numbers = {"lr": learning_rate, "momentum": momentum}
        super().__init__(numbers, use_locking, name, use_nesterov=use_nesterov)

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        for var in var_list:
            self._zeros_slot(var, "momentum", self._name)


@set_module("troupe.train")
class AdamOptimizer(_OpOptimizer):
    """Adam, with bias correction. Rows decay the moments of all rows, as in TensorFlow."""

    _op = "Adam"
    _slot_arguments = {"m": "m", "v": "v"}

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adam",
    ) -> None:
        numbers = {"lr": learning_rate, "beta1": beta1, "beta2": beta2, "epsilon": epsilon}
        super().__init__(numbers, use_locking, name)
        self._powers: Tuple[Variable, ...] = ()

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        if not self._powers or self._powers[0].graph is not get_default_graph():
            first = [self._number(self._numbers[beta], var_list[0]) for beta in ("beta1", "beta2")]
            self._powers = tuple(
                self._shared_variable(initial, name, var_list)
                for initial, name in zip(first, ("beta1_power", "beta2_power"))
            )
        for var in var_list:
            self._zeros_slot(var, "m", self._name)
            self._zeros_slot(var, "v", self._name)

    def _get_beta_accumulators(self) -> Tuple[Variable, Variable]:
        """The powers of the betas, which optimizers that are derived from it use."""
        first, second = self._powers
        return first, second

    def _arguments(self, var: Variable) -> Dict[str, Any]:
        first, second = (math_ops.cast(power, var.dtype) for power in self._powers)
        return {**super()._arguments(var), "beta1_power": first, "beta2_power": second}

    def _resource_apply_sparse(self, grad: Tensor, var: Variable, indices: Tensor) -> Any:
        given = self._arguments(var)
        m, v = self._slots["m", var], self._slots["v", var]
        mean = self._decayed(m, given["beta1"], grad, indices)
        variance = self._decayed(v, given["beta2"], gen_ops.square(grad), indices)
        correction = gen_ops.sqrt(1 - given["beta2_power"]) / (1 - given["beta1_power"])
        step = given["lr"] * correction * mean / (gen_ops.sqrt(variance) + given["epsilon"])
        return var.assign_sub(step)

    @staticmethod
    def _decayed(slot: Variable, beta: Tensor, grad: Tensor, indices: Tensor) -> Tensor:
        graph = get_default_graph()
        with graph.control_dependencies([slot.assign(slot * beta)]):
            added = raw_ops.ResourceScatterAdd(
                resource=slot.handle, indices=indices, updates=grad * (1 - beta)
            )
        with graph.control_dependencies([added]):
            return slot.read_value()

    def _finish(self, update_ops: Sequence[Any], name_scope: str) -> Operation:
        graph = get_default_graph()
        with graph.control_dependencies(list(update_ops)):
            powers = []
            for power, beta in zip(self._powers, ("beta1", "beta2")):
                with graph.colocate_with(power.op):
                    factor = self._number(self._numbers[beta], power)
                    powers.append(power.assign(power * factor))
        return group(*update_ops, *powers, name=name_scope.rsplit("/", 1)[-1])


@set_module("troupe.train")
class AdagradOptimizer(_OpOptimizer):
    """a <- a + g^2; w <- w - learning_rate * g / sqrt(a)."""

    _op = "Adagrad"
    _slot_arguments = {"accumulator": "accum"}

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        use_locking: bool = False,
        name: str = "Adagrad",
    ) -> None:
        _check_positive("initial_accumulator_value", initial_accumulator_value)
        super().__init__({"lr": learning_rate}, use_locking, name)
        self._initial_accumulator_value = initial_accumulator_value

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        for var in var_list:
            initial = self._filled(var, self._initial_accumulator_value)
            self._get_or_make_slot(var, initial, "accumulator", self._name)


@set_module("troupe.train")
class ProximalAdagradOptimizer(AdagradOptimizer):
    """Adagrad, then the proximal step of l1 and l2 regularization."""

    _op = "ProximalAdagrad"

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "ProximalAdagrad",
    ) -> None:
        super().__init__(learning_rate, initial_accumulator_value, use_locking, name)
        self._numbers["l1"] = l1_regularization_strength
        self._numbers["l2"] = l2_regularization_strength


@set_module("troupe.train")
class AdagradDAOptimizer(_OpOptimizer):
    """Adagrad's dual averaging, for sparse linear models."""

    _op = "AdagradDA"
    _slot_arguments = {
        "gradient_accumulator": "gradient_accumulator",
        "gradient_squared_accumulator": "gradient_squared_accumulator",
    }

    def __init__(
        self,
        learning_rate: Any,
        global_step: Any,
        initial_gradient_squared_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "AdagradDA",
    ) -> None:
        initial = initial_gradient_squared_accumulator_value
        _check_positive("initial_gradient_squared_accumulator_value", initial)
        numbers = {
            "lr": learning_rate,
            "l1": l1_regularization_strength,
            "l2": l2_regularization_strength,
        }
        super().__init__(numbers, use_locking, name)
        self._global_step = global_step
        self._initial = initial

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        for var in var_list:
            self._zeros_slot(var, "gradient_accumulator", self._name)
            squares = self._filled(var, self._initial)
            self._get_or_make_slot(var, squares, "gradient_squared_accumulator", self._name)

    def _arguments(self, var: Variable) -> Dict[str, Any]:
        step = cast_ops.to_int64(self._global_step) + 1  # counted from 1
        return {**super()._arguments(var), "global_step": step}


@set_module("troupe.train")
class AdadeltaOptimizer(_OpOptimizer):
    """Scales g by the ratio of the moving averages of past updates and past gradients."""

    _op = "Adadelta"
    _slot_arguments = {"accum": "accum", "accum_update": "accum_update"}

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: Any = 0.95,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adadelta",
    ) -> None:
        numbers = {"lr": learning_rate, "rho": rho, "epsilon": epsilon}
        super().__init__(numbers, use_locking, name)

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        for var in var_list:
            self._zeros_slot(var, "accum", self._name)
            self._zeros_slot(var, "accum_update", self._name)


@set_module("troupe.train")
class RMSPropOptimizer(_OpOptimizer):
    """s <- decay * s + (1 - decay) * g^2;
    a <- momentum * a + learning_rate * g / sqrt(s + epsilon);
    w <- w - a. With `centered`, the squared moving average of g is subtracted from s."""

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
        super().__init__(numbers, use_locking, name)
        self._op = "CenteredRMSProp" if centered else "RMSProp"
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
class FtrlOptimizer(_OpOptimizer):
    """Follow the regularized leader, with l1 and l2 regularization and shrinkage."""

    _slot_arguments = {"accum": "accum", "linear": "linear"}

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
        super().__init__(numbers, use_locking, name)
        self._op = "FtrlV2" if "l2_shrinkage" in numbers else "Ftrl"
        self._initial_accumulator_value = initial_accumulator_value
        self._slot_names: List[str] = [accum_name or name, linear_name or name + "_1"]

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        accum_name, linear_name = self._slot_names
        for var in var_list:
            initial = self._filled(var, self._initial_accumulator_value)
            self._get_or_make_slot(var, initial, "accum", accum_name)
            self._zeros_slot(var, "linear", linear_name)


def _check_positive(name: str, value: float) -> None:
    if value <= 0:
        raise ValueError(f"{name} must be > 0: {value}")
