"""The rules by which variables follow the gradients of a loss."""

from __future__ import annotations

from typing import Any, Dict, Sequence, Tuple

from troupe import _gen_ops, _native, math
from troupe._convert import convert_to_tensor
from troupe._elements import Operation, Tensor
from troupe._graph import get_default_graph
from troupe._variables import Variable, adopt_variables
from troupe.train.optimizer import Optimizer


class _RuntimeOptimizer(Optimizer):
    """One that the runtime has: its updates are single nodes."""

    _rule = ""
    _slot_suffixes: Dict[str, str] = {}  # of the slots' names, behind those of variables

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
            made = _native.apply_gradients(
                builder, self._rule, options, [v._made for _, v in pairs], values
            )
            step = graph._of_value(made)
            fresh = {variable._shared_name: variable for variable in adopt_variables(graph)}
        self._keep_all(fresh, [variable for _, variable in pairs])
        assert isinstance(step, Operation)
        return step

    def _keep_all(self, fresh: Dict[str, Variable], trained: Sequence[Variable]) -> None:
        for variable in trained:
            for slot_name, suffix in self._slot_suffixes.items():
                slot = fresh.pop(f"{variable._shared_name}/{suffix}", None)
                if slot is not None:
                    self._keep(slot_name, variable, slot)
        self._made += fresh.values()  # what all variables share

    def _rate(self) -> Dict[str, Any]:
        rate = self._learning_rate() if callable(self._learning_rate) else self._learning_rate
        if isinstance(rate, (Tensor, Variable)):
            return {"rate": convert_to_tensor(rate)._value()}
        return {"learning_rate": float(rate)}


class GradientDescentOptimizer(_RuntimeOptimizer):
    """w <- w - learning_rate g."""

    _rule = "GradientDescent"

    def __init__(
        self, learning_rate: Any, use_locking: bool = False, name: str = "GradientDescent"
    ) -> None:
        super().__init__(learning_rate, use_locking, name)


class MomentumOptimizer(_RuntimeOptimizer):
    """a <- momentum a + g; w <- w - learning_rate a."""

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


class AdamOptimizer(_RuntimeOptimizer):
    """Adam, with the bias of the first steps taken out."""

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
    """One whose updates are made of other ops. They are not atomic among concurrent steps."""

    def __init__(self, learning_rate: Any, use_locking: bool, name: str) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate

    def _rate_for(self, var: Variable) -> Tensor:
        rate = self._learning_rate() if callable(self._learning_rate) else self._learning_rate
        return math.cast(rate, var.dtype)

    @staticmethod
    def _filled(var: Variable, value: float) -> Tensor:
        return _gen_ops.fill(var.shape.as_list(), convert_to_tensor(value, var.dtype))


class AdagradOptimizer(_ComposedOptimizer):
    """a <- a + g^2; w <- w - learning_rate g / sqrt(a)."""

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
        self._first = initial_accumulator_value

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        for var in var_list:
            first = self._filled(var, self._first)
            self._get_or_make_slot(var, first, "accumulator", self._name)

    def _resource_apply_dense(self, grad: Tensor, var: Variable) -> Any:
        sum_of_squares = self._slots["accumulator", var].assign_add(math.square(grad))
        return var.assign_sub(self._rate_for(var) * grad * math.rsqrt(sum_of_squares))


class RMSPropOptimizer(_ComposedOptimizer):
    """s <- decay s + (1 - decay) g^2; a <- momentum a + learning_rate g / sqrt(s + epsilon);
    w <- w - a. Where `centered`, s is lessened by the square of the gradients' mean."""

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
        squares, pace = self._slots["rms", var], self._slots["momentum", var]
        share = 1.0 - self._decay
        mean = squares.assign_add((math.square(grad) - squares) * share)
        if self._centered:
            gradients = self._slots["mg", var]
            mean = mean - math.square(gradients.assign_add((grad - gradients) * share))
        stride = self._rate_for(var) * grad * math.rsqrt(mean + self._epsilon)
        return var.assign_sub(pace.assign(pace * self._momentum + stride))


class AdadeltaOptimizer(_ComposedOptimizer):
    """Steps as long as the last ones, over as large as the last gradients were."""

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
        squares, strides = self._slots["accum", var], self._slots["accum_update", var]
        share = 1.0 - self._rho
        mean = squares.assign_add((math.square(grad) - squares) * share)
        length = math.sqrt(strides + self._epsilon)
        stride = length * math.rsqrt(mean + self._epsilon) * grad
        kept = strides.assign_add((math.square(stride) - strides) * share)
        with get_default_graph().control_dependencies([kept]):
            return var.assign_sub(self._rate_for(var) * stride)
