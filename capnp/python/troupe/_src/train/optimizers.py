"""The optimizers: those of the runtime, and those composed of other ops."""

from __future__ import annotations

from typing import Any, Dict, Sequence, Tuple

from troupe import _native
from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.ops import gen_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.set_module import set_module
from troupe._src.train.optimizer import Optimizer
from troupe._src.variables.variable import Variable, adopt_variables


class _RuntimeOptimizer(Optimizer):
    """An optimizer of the runtime: the update of a variable is one node."""

    _rule = ""
    _slot_suffixes: Dict[str, str] = {}  # slot -> last part of its variable's name

    def __init__(self, learning_rate: Any, use_locking: bool, name: str, **options: Any) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._options: Dict[str, Any] = options

    def _apply(self, pairs: Sequence[Tuple[Tensor, Variable]]) -> Operation:
        graph = get_default_graph()
        options = {**self._options, **self._rate()}
        values = [gradient._value() for gradient, _ in pairs]
        with graph._lock:
            graph._check_not_finalized()
            builder = graph._builder_for("NoOp", self._name)
            value = _native.apply_gradients(
                builder, self._rule, options, [v._native for _, v in pairs], values
            )
            step = graph._of_value(value)
            created = {variable._shared_name: variable for variable in adopt_variables(graph)}
        self._add_state(created, [variable for _, variable in pairs])
        assert isinstance(step, Operation)
        return step

    def _add_state(self, created: Dict[str, Variable], trained: Sequence[Variable]) -> None:
        for variable in trained:
            for slot_name, suffix in self._slot_suffixes.items():
                slot = created.pop(f"{variable._shared_name}/{suffix}", None)
                if slot is not None:
                    self._add_slot(slot_name, variable, slot)
        self._state += created.values()  # shared by all variables

    def _rate(self) -> Dict[str, Any]:
        rate = self._learning_rate() if callable(self._learning_rate) else self._learning_rate
        if isinstance(rate, (Tensor, Variable)):
            return {"rate": convert_to_tensor(rate)._value()}
        return {"learning_rate": float(rate)}


@set_module("troupe.train")
class GradientDescentOptimizer(_RuntimeOptimizer):
    """w <- w - learning_rate * g."""

    _rule = "GradientDescent"

    def __init__(
        self, learning_rate: Any, use_locking: bool = False, name: str = "GradientDescent"
    ) -> None:
        super().__init__(learning_rate, use_locking, name)


@set_module("troupe.train")
class MomentumOptimizer(_RuntimeOptimizer):
    """a <- momentum * a + g; w <- w - learning_rate * a."""

    _rule = "Momentum"
    _slot_suffixes = {"momentum": "Momentum"}

    def __init__(
        self,
        learning_rate: Any,
        momentum: float,
        use_locking: bool = False,
        name: str = "Momentum",
        use_nesterov: bool = False,
    ) -> None:
        options = {"momentum": float(momentum), "use_nesterov": bool(use_nesterov)}
        super().__init__(learning_rate, use_locking, name, **options)


@set_module("troupe.train")
class AdamOptimizer(_RuntimeOptimizer):
    """Adam, with bias correction."""

    _rule = "Adam"
    _slot_suffixes = {"m": "Adam", "v": "Adam_1"}

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        use_locking: bool = False,
        name: str = "Adam",
    ) -> None:
        options = {"beta1": float(beta1), "beta2": float(beta2), "epsilon": float(epsilon)}
        super().__init__(learning_rate, use_locking, name, **options)


class _ComposedOptimizer(Optimizer):
    """An optimizer whose update consists of several ops; concurrent steps may interleave."""

    def __init__(self, learning_rate: Any, use_locking: bool, name: str) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate

    def _rate_for(self, var: Variable) -> Tensor:
        rate = self._learning_rate() if callable(self._learning_rate) else self._learning_rate
        return math_ops.cast(rate, var.dtype)

    @staticmethod
    def _filled(var: Variable, value: float) -> Tensor:
        return gen_ops.fill(var.shape.as_list(), convert_to_tensor(value, var.dtype))


@set_module("troupe.train")
class AdagradOptimizer(_ComposedOptimizer):
    """a <- a + g^2; w <- w - learning_rate * g / sqrt(a)."""

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        use_locking: bool = False,
        name: str = "Adagrad",
    ) -> None:
        if initial_accumulator_value <= 0:
            raise ValueError(f"initial_accumulator_value must be > 0: {initial_accumulator_value}")
        super().__init__(learning_rate, use_locking, name)
        self._initial_accumulator_value = initial_accumulator_value

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        for var in var_list:
            initial = self._filled(var, self._initial_accumulator_value)
            self._get_or_make_slot(var, initial, "accumulator", self._name)

    def _resource_apply_dense(self, grad: Tensor, var: Variable) -> Any:
        sum_of_squares = self._slots["accumulator", var].assign_add(gen_ops.square(grad))
        return var.assign_sub(self._rate_for(var) * grad * gen_ops.rsqrt(sum_of_squares))


@set_module("troupe.train")
class RMSPropOptimizer(_ComposedOptimizer):
    """s <- decay * s + (1 - decay) * g^2;
    a <- momentum * a + learning_rate * g / sqrt(s + epsilon);
    w <- w - a. With `centered`, the squared moving average of g is subtracted from s."""

    def __init__(
        self,
        learning_rate: Any,
        decay: float = 0.9,
        momentum: float = 0.0,
        epsilon: float = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        name: str = "RMSProp",
    ) -> None:
        super().__init__(learning_rate, use_locking, name)
        self._decay, self._momentum, self._epsilon = decay, momentum, epsilon
        self._centered = centered

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        for var in var_list:
            self._get_or_make_slot(var, self._filled(var, 1.0), "rms", self._name)
            self._zeros_slot(var, "momentum", self._name)
            if self._centered:
                self._zeros_slot(var, "mg", self._name)

    def _resource_apply_dense(self, grad: Tensor, var: Variable) -> Any:
        squares, momentum = self._slots["rms", var], self._slots["momentum", var]
        weight = 1.0 - self._decay
        mean = squares.assign_add((gen_ops.square(grad) - squares) * weight)
        if self._centered:
            gradients = self._slots["mg", var]
            mean = mean - gen_ops.square(gradients.assign_add((grad - gradients) * weight))
        update = self._rate_for(var) * grad * gen_ops.rsqrt(mean + self._epsilon)
        return var.assign_sub(momentum.assign(momentum * self._momentum + update))


@set_module("troupe.train")
class AdadeltaOptimizer(_ComposedOptimizer):
    """Scales g by the ratio of the moving averages of past updates and past gradients."""

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: float = 0.95,
        epsilon: float = 1e-8,
        use_locking: bool = False,
        name: str = "Adadelta",
    ) -> None:
        super().__init__(learning_rate, use_locking, name)
        self._rho, self._epsilon = rho, epsilon

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        for var in var_list:
            self._zeros_slot(var, "accum", self._name)
            self._zeros_slot(var, "accum_update", self._name)

    def _resource_apply_dense(self, grad: Tensor, var: Variable) -> Any:
        squares, updates = self._slots["accum", var], self._slots["accum_update", var]
        weight = 1.0 - self._rho
        mean = squares.assign_add((gen_ops.square(grad) - squares) * weight)
        scale = gen_ops.sqrt(updates + self._epsilon)
        update = scale * gen_ops.rsqrt(mean + self._epsilon) * grad
        accumulated = updates.assign_add((gen_ops.square(update) - updates) * weight)
        with get_default_graph().control_dependencies([accumulated]):
            return var.assign_sub(self._rate_for(var) * update)
