"""Optimizers with a learning rate of its own for each element."""

from __future__ import annotations

from typing import Any, Dict, Sequence, Tuple

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.ops import cast_ops, gen_ops, math_ops, raw_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.grouping_ops import group
from troupe._src.set_module import set_module
from troupe._src.train.op_updates import Setting
from troupe._src.train.optimizer import Optimizer
from troupe._src.variables.variable import Variable


@set_module("troupe.train")
class AdamOptimizer(Optimizer):
    """Adam, with bias correction. Rows decay the moments of all rows, as in TensorFlow.

    Args:
        learning_rate: A number, a scalar, or a function that gives one.
        beta1: The decay of the mean of gradients.
        beta2: The decay of the mean of their squares.
        epsilon: Keeps the divisor from 0.
        use_locking: Has no effect: an update is one node.
        name: The name of the operations.
    """

    _update_op = "Adam"
    _slot_arguments = {"m": "m", "v": "v"}
    _lr, _beta1 = Setting("lr"), Setting("beta1")
    _beta2, _epsilon = Setting("beta2"), Setting("epsilon")

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
        super().__init__(use_locking, name)
        self._set_numbers(numbers)
        self._powers: Tuple[Variable, ...] = ()

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        if not self._powers or self._powers[0].graph is not get_default_graph():
            first = [self._initial_power(beta) for beta in ("beta1", "beta2")]
            self._powers = tuple(
                self._shared_variable(initial, name, var_list)
                for initial, name in zip(first, ("beta1_power", "beta2_power"))
            )
        for var in var_list:
            self._zeros_slot(var, "m", self._name)
            self._zeros_slot(var, "v", self._name)

    def _initial_power(self, beta: str) -> Any:
        value = self._numbers[beta]
        return convert_to_tensor(value() if callable(value) else value)

    def _get_beta_accumulators(self) -> Tuple[Any, Any]:
        """The powers of the betas, which optimizers that are derived from it use, or None."""
        first, second = map(self._get_non_slot_variable, ("beta1_power", "beta2_power"))
        return first, second

    def _arguments(self, var: Variable) -> Dict[str, Any]:
        first, second = (math_ops.cast(power, var.dtype) for power in self._powers)
        return {**super()._arguments(var), "beta1_power": first, "beta2_power": second}

    def _resource_apply_sparse(self, grad: Tensor, var: Variable, indices: Tensor) -> Any:
        given = self._arguments(var)
        m, v = self._slot_of(var, "m"), self._slot_of(var, "v")
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
class AdagradOptimizer(Optimizer):
    """a <- a + g^2; w <- w - learning_rate * g / sqrt(a).

    Args:
        learning_rate: A number, a scalar, or a function that gives one.
        initial_accumulator_value: What the sum of squares begins with, positive.
        use_locking: Has no effect: an update is one node.
        name: The name of the operations.

    Raises:
        ValueError: That number is not positive.
    """

    _update_op = "Adagrad"
    _slot_arguments = {"accumulator": "accum"}
    _learning_rate = Setting("lr")

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        use_locking: bool = False,
        name: str = "Adagrad",
    ) -> None:
        _check_positive("initial_accumulator_value", initial_accumulator_value)
        super().__init__(use_locking, name)
        self._set_numbers({"lr": learning_rate})
        self._initial_accumulator_value = initial_accumulator_value

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        for var in var_list:
            initial = self._filled(var, self._initial_accumulator_value)
            self._get_or_make_slot(var, initial, "accumulator", self._name)


@set_module("troupe.train")
class ProximalAdagradOptimizer(Optimizer):
    """Adagrad, then the proximal step of l1 and l2 regularization.

    Args:
        learning_rate: A number, a scalar, or a function that gives one.
        initial_accumulator_value: What the sum of squares begins with, positive.
        l1_regularization_strength: The factor of the sum of absolute values.
        l2_regularization_strength: The factor of the sum of squares.
        use_locking: Has no effect: an update is one node.
        name: The name of the operations.

    Raises:
        ValueError: That number is not positive.
    """

    _update_op = "ProximalAdagrad"
    _slot_arguments = {"accumulator": "accum"}
    _learning_rate, _l1_regularization_strength = Setting("lr"), Setting("l1")
    _l2_regularization_strength = Setting("l2")

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "ProximalAdagrad",
    ) -> None:
        _check_positive("initial_accumulator_value", initial_accumulator_value)
        super().__init__(use_locking, name)
        numbers = {
            "lr": learning_rate,
            "l1": l1_regularization_strength,
            "l2": l2_regularization_strength,
        }
        self._set_numbers(numbers)
        self._initial_accumulator_value = initial_accumulator_value

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        for var in var_list:
            initial = self._filled(var, self._initial_accumulator_value)
            self._get_or_make_slot(var, initial, "accumulator", self._name)


@set_module("troupe.train")
class AdagradDAOptimizer(Optimizer):
    """Adagrad's dual averaging, for sparse linear models.

    Args:
        learning_rate: A number, a scalar, or a function that gives one.
        global_step: The number of steps so far, a scalar.
        initial_gradient_squared_accumulator_value: What the sum of squares begins with, positive.
        l1_regularization_strength: The factor of the sum of absolute values.
        l2_regularization_strength: The factor of the sum of squares.
        use_locking: Has no effect: an update is one node.
        name: The name of the operations.

    Raises:
        ValueError: That number is not positive.
    """

    _update_op = "AdagradDA"
    _slot_arguments = {
        "gradient_accumulator": "gradient_accumulator",
        "gradient_squared_accumulator": "gradient_squared_accumulator",
    }
    _learning_rate, _l1_regularization_strength = Setting("lr"), Setting("l1")
    _l2_regularization_strength = Setting("l2")

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
        super().__init__(use_locking, name)
        self._set_numbers(numbers)
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
class AdadeltaOptimizer(Optimizer):
    """Scales g by the ratio of the moving averages of past updates and past gradients.

    Args:
        learning_rate: A number, a scalar, or a function that gives one.
        rho: The decay of both averages.
        epsilon: Keeps the divisor from 0.
        use_locking: Has no effect: an update is one node.
        name: The name of the operations.
    """

    _update_op = "Adadelta"
    _slot_arguments = {"accum": "accum", "accum_update": "accum_update"}
    _lr, _rho = Setting("lr"), Setting("rho")
    _epsilon = Setting("epsilon")

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: Any = 0.95,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adadelta",
    ) -> None:
        numbers = {"lr": learning_rate, "rho": rho, "epsilon": epsilon}
        super().__init__(use_locking, name)
        self._set_numbers(numbers)

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        for var in var_list:
            self._zeros_slot(var, "accum", self._name)
            self._zeros_slot(var, "accum_update", self._name)


def _check_positive(name: str, value: float) -> None:
    if value <= 0:
        raise ValueError(f"{name} must be > 0: {value}")
