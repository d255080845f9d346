"""The optimizers: an update of a variable is one node, on the variable's device."""

from __future__ import annotations

from typing import Any, Dict, Sequence, Tuple

from troupe._src.graph.elements import Tensor
from troupe._src.ops import creation_ops, gen_ops, math_ops, raw_ops
from troupe._src.ops.grouping_ops import group
from troupe._src.optimizer_v2.optimizer import OptimizerV2
from troupe._src.optimizer_v2.state import StepState
from troupe._src.set_module import set_module
from troupe._src.variables.initializers import Constant
from troupe._src.graph.indexed_slices import IndexedSlices
from troupe._src.graph.scopes import control_dependencies
from troupe._src.variables.assign_ops import assign, assign_sub
from troupe._src.variables.variable import Variable


class _OpOptimizer(OptimizerV2):
    """Updates by an op for tensors, and another for rows."""

    _op = ""  # ResourceApply... for tensors, ResourceSparseApply... for rows
    _slot_inputs: Dict[str, str] = {}  # the op's argument -> slot
    _hyper_inputs: Dict[str, str] = {}  # the op's argument -> hyperparameter
    _options: Dict[str, Any] = {}  # the op's other arguments

    def _given(self, var: Variable, state: StepState) -> Dict[str, Any]:
        given = {"var": var.handle, "use_locking": self._use_locking, **self._options}
        for argument, slot in self._slot_inputs.items():
            given[argument] = state._slot_of(var, slot).handle
        for argument, hyper in self._hyper_inputs.items():
            given[argument] = state.get_hyper(hyper, var.dtype)
        return given

    def _resource_apply_dense(  # type: ignore[override]
        self, grad: Tensor, var: Variable, state: StepState
    ) -> Any:
        return getattr(raw_ops, "ResourceApply" + self._op)(grad=grad, **self._given(var, state))

    def _resource_apply_sparse(  # type: ignore[override]
        self, grad: Tensor, var: Variable, indices: Tensor, state: StepState
    ) -> Any:
        op = getattr(raw_ops, "ResourceSparseApply" + self._op)
        return op(grad=grad, indices=indices, **self._given(var, state))


@set_module("troupe.contrib.optimizer_v2")
class GradientDescentOptimizer(OptimizerV2):
    """w <- w - learning_rate * g.

    Args:
        learning_rate: A number, a scalar, or a function that gives one.
        use_locking: Has no effect: an update is one node.
        name: The name of the operations.
    """

    def __init__(
        self, learning_rate: Any, use_locking: bool = False, name: str = "GradientDescent"
    ) -> None:
        super().__init__(use_locking, name)
        self._set_hyper("learning_rate", learning_rate)

    def _resource_apply_dense(  # type: ignore[override]
        self, grad: Tensor, var: Variable, state: StepState
    ) -> Any:
        rate = state.get_hyper("learning_rate", var.dtype)
        return raw_ops.ResourceApplyGradientDescent(
            var=var.handle, alpha=rate, delta=grad, use_locking=self._use_locking
        )

    def _resource_apply_sparse_duplicate_indices(  # type: ignore[override]
        self, grad: Tensor, var: Variable, indices: Tensor, state: StepState
    ) -> Any:
        update = -grad * state.get_hyper("learning_rate", var.dtype)
        return raw_ops.ResourceScatterAdd(resource=var.handle, indices=indices, updates=update)


@set_module("troupe.contrib.optimizer_v2")
class MomentumOptimizer(_OpOptimizer):
    """a <- momentum * a + g; w <- w - learning_rate * a.

    Args:
        learning_rate: A number, a scalar, or a function that gives one.
        momentum: The decay of the sum of gradients, as such.
        use_locking: Has no effect: an update is one node.
        name: The name of the operations.
        use_nesterov: Whether the gradient counts as at the place where the momentum leads.
    """

    _op = "Momentum"
    _slot_inputs = {"accum": "momentum"}
    _hyper_inputs = {"lr": "learning_rate", "momentum": "momentum"}

    def __init__(
        self,
        learning_rate: Any,
        momentum: Any,
        use_locking: bool = False,
        name: str = "Momentum",
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(use_locking, name)
        self._set_hyper("learning_rate", learning_rate)
        self._set_hyper("momentum", momentum)
        self._options = {"use_nesterov": use_nesterov}

    def _create_vars(self, var_list: Sequence[Variable], state: StepState) -> None:
        for var in var_list:
            state.zeros_slot(var, "momentum")


@set_module("troupe.contrib.optimizer_v2")
class AdagradOptimizer(_OpOptimizer):
    """s <- s + g^2; w <- w - learning_rate * g / sqrt(s).

    Args:
        learning_rate: A number, a scalar, or a function that gives one.
        initial_accumulator_value: What the sums of squares begin with, positive.
        use_locking: Has no effect: an update is one node.
        name: The name of the operations.

    Raises:
        ValueError: The initial value is not positive.
    """

    _op = "Adagrad"
    _slot_inputs = {"accum": "accumulator"}
    _hyper_inputs = {"lr": "learning_rate"}

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        use_locking: bool = False,
        name: str = "Adagrad",
    ) -> None:
        if initial_accumulator_value <= 0.0:
            raise ValueError(
                f"initial_accumulator_value must be positive: {initial_accumulator_value}"
            )
        super().__init__(use_locking, name)
        self._set_hyper("learning_rate", learning_rate)
        self._initial_accumulator_value = initial_accumulator_value

    def _create_vars(self, var_list: Sequence[Variable], state: StepState) -> None:
        for var in var_list:
            initial = Constant(self._initial_accumulator_value, dtype=var.dtype)
            state.create_slot_with_initializer(var, initial, var.shape, var.dtype, "accumulator")


@set_module("troupe.contrib.optimizer_v2")
class AdadeltaOptimizer(_OpOptimizer):
    """Scales gradients by the quotient of moving averages of the squares of updates and gradients.

    Args:
        learning_rate: A number, a scalar, or a function that gives one.
        rho: The decay of the averages, as such.
        epsilon: Keeps the divisor from 0, as such.
        use_locking: Has no effect: an update is one node.
        name: The name of the operations.
    """

    _op = "Adadelta"
    _slot_inputs = {"accum": "accum", "accum_update": "accum_update"}
    _hyper_inputs = {"lr": "learning_rate", "rho": "rho", "epsilon": "epsilon"}

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: Any = 0.95,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adadelta",
    ) -> None:
        super().__init__(use_locking, name)
        self._set_hyper("learning_rate", learning_rate)
        self._set_hyper("rho", rho)
        self._set_hyper("epsilon", epsilon)

    def _create_vars(self, var_list: Sequence[Variable], state: StepState) -> None:
        for var in var_list:
            state.zeros_slot(var, "accum")
            state.zeros_slot(var, "accum_update")


@set_module("troupe.contrib.optimizer_v2")
class RMSPropOptimizer(_OpOptimizer):
    """Scales gradients by a moving average of their squares, which begins with `epsilon`.

    s <- decay * s + (1 - decay) * g^2; a <- momentum * a + learning_rate * g / sqrt(s); w <- w - a.

    Args:
        learning_rate: A number, a scalar, or a function that gives one.
        decay: The decay of the average of squares, as such.
        momentum: The decay of the sum of updates, as such.
        epsilon: What the averages begin with, as such.
        use_locking: Has no effect: an update is one node.
        centered: Whether the squared moving average of g is subtracted from s.
        name: The name of the operations.
    """

    _hyper_inputs = {"lr": "learning_rate", "rho": "decay", "momentum": "momentum"}
    _options = {"epsilon": 0}

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
        super().__init__(use_locking, name)
        self._set_hyper("learning_rate", learning_rate)
        self._set_hyper("decay", decay)
        self._set_hyper("momentum", momentum)
        self._set_hyper("epsilon", epsilon)
        self._op = "CenteredRMSProp" if centered else "RMSProp"
        self._slot_inputs = {"ms": "rms", "mom": "momentum"}
        if centered:
            self._slot_inputs["mg"] = "mg"

    def _create_vars(self, var_list: Sequence[Variable], state: StepState) -> None:
        for var in var_list:
            first = state.get_hyper("epsilon", var.dtype) * creation_ops.ones_like(var)
            state.create_slot_with_initializer(var, first, var.shape, var.dtype, "rms")
            if "mg" in self._slot_inputs:
                state.zeros_slot(var, "mg")
            state.zeros_slot(var, "momentum")


@set_module("troupe.contrib.optimizer_v2")
class AdamOptimizer(_OpOptimizer):
    """Scales moving averages of gradients by moving averages of their squares.

    Args:
        learning_rate: A number, a scalar, or a function that gives one.
        beta1: The decay of the averages of gradients, as such.
        beta2: The decay of the averages of their squares, as such.
        epsilon: Keeps the divisor from 0, as such.
        use_locking: Has no effect: an update of a tensor is one node.
        name: The name of the operations.
    """

    _op = "Adam"
    _slot_inputs = {"m": "m", "v": "v"}
    _hyper_inputs = {"lr": "learning_rate", "beta1": "beta1", "beta2": "beta2"}

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adam",
    ) -> None:
        super().__init__(use_locking, name)
        self._set_hyper("learning_rate", learning_rate)
        self._set_hyper("beta1", beta1)
        self._set_hyper("beta2", beta2)
        self._set_hyper("epsilon", epsilon)

    def _powers(self, state: StepState) -> Tuple[Any, Any]:
        return state.get_non_slot("beta1_power"), state.get_non_slot("beta2_power")

    def _create_vars(self, var_list: Sequence[Variable], state: StepState) -> None:
        state.create_non_slot(lambda: state.get_hyper("beta1"), "beta1_power")
        state.create_non_slot(lambda: state.get_hyper("beta2"), "beta2_power")
        for var in var_list:
            state.zeros_slot(var, "m")
            state.zeros_slot(var, "v")

    def _given(self, var: Variable, state: StepState) -> Dict[str, Any]:
        first, second = (math_ops.cast(each, var.dtype) for each in self._powers(state))
        epsilon = state.get_hyper("epsilon", var.dtype)
        given = super()._given(var, state)
        return {**given, "beta1_power": first, "beta2_power": second, "epsilon": epsilon}

    def _resource_apply_sparse(  # type: ignore[override]
        self, grad: Tensor, var: Variable, indices: Tensor, state: StepState
    ) -> Any:
        given = self._given(var, state)
        beta1, beta2 = given["beta1"], given["beta2"]
        correction = gen_ops.sqrt(1 - given["beta2_power"]) / (1 - given["beta1_power"])
        mean = _decayed(state._slot_of(var, "m"), beta1, grad, indices)
        squares = _decayed(state._slot_of(var, "v"), beta2, grad * grad, indices)
        step = given["lr"] * correction * mean / (gen_ops.sqrt(squares) + given["epsilon"])
        return group(assign_sub(var, step), mean, squares)

    def _finish(self, state: StepState) -> Any:  # type: ignore[override]
        first, second = self._powers(state)
        return group(
            first.assign(first * state.get_hyper("beta1")),
            second.assign(second * state.get_hyper("beta2")),
        )


def _decayed(slot: Variable, decay: Tensor, rows: Tensor, indices: Tensor) -> Tensor:
    """Decays a moving average, and adds to rows of it; the result is its new value."""
    decayed = assign(slot, slot * decay)
    with control_dependencies([decayed]):
        added = slot.scatter_add(IndexedSlices(rows * (1 - decay), indices))
    with control_dependencies([added]):
        return slot.read_value()
