"""Optimizers that also make the variables smaller, apart from their gradients."""

from __future__ import annotations

from typing import Any, Optional, Sequence, Set, Type

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.indexed_slices import IndexedSlices
from troupe._src.ops import math_ops, raw_ops
from troupe._src.ops.grouping_ops import no_op
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.selection_ops import gather
from troupe._src.set_module import set_module
from troupe._src.train.adaptive_optimizers import AdamOptimizer
from troupe._src.train.optimizer import GradientsAndVariables, Optimizer
from troupe._src.train.optimizers import MomentumOptimizer
from troupe._src.variables.variable import Variable


@set_module("troupe.contrib.opt")
class DecoupledWeightDecayExtension(Optimizer):
    """w <- w - weight_decay * w, before the update by the gradient.

    It is `tf.contrib.opt.DecoupledWeightDecayExtension`: the first base of a class whose second
    base is an optimizer. Of a variable whose gradient is rows, those are decayed.

    Args:
        weight_decay: A number, a scalar, or a function that gives one.
        *args: Those of the optimizer.
        **kwargs: Those of the optimizer.
    """

    def __init__(self, weight_decay: Any, *args: Any, **kwargs: Any) -> None:
        self._weight_decay = weight_decay
        self._decay_of_minimize: Optional[Sequence[Variable]] = None
        self._decay_vars: Optional[Set[Variable]] = None
        super().__init__(*args, **kwargs)

    def minimize(
        self,
        loss: Any,
        global_step: Optional[Variable] = None,
        var_list: Optional[Sequence[Variable]] = None,
        gate_gradients: int = Optimizer.GATE_OP,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        name: Optional[str] = None,
        grad_loss: Any = None,
        decay_var_list: Optional[Sequence[Variable]] = None,
    ) -> Operation:
        """An op that computes the gradients of the loss, and decays and updates the variables.

        Args:
            decay_var_list: The variables that are decayed; None for all that are updated.
        """
        self._decay_of_minimize = decay_var_list
        try:
            return super().minimize(
                loss, global_step, var_list, gate_gradients, aggregation_method,
                colocate_gradients_with_ops, name, grad_loss,
            )  # fmt: skip
        finally:
            self._decay_of_minimize = None

    def apply_gradients(
        self,
        grads_and_vars: GradientsAndVariables,
        global_step: Optional[Variable] = None,
        name: Optional[str] = None,
        decay_var_list: Optional[Sequence[Variable]] = None,
    ) -> Operation:
        """An op that decays variables, applies gradients, and increments the global step.

        Args:
            decay_var_list: The variables that are decayed; None for all that are updated.
        """
        chosen = self._decay_of_minimize if decay_var_list is None else decay_var_list
        self._decay_vars = set(chosen) if chosen else None
        return super().apply_gradients(grads_and_vars, global_step, name)

    def _update(self, gradient: Any, variable: Variable) -> Any:
        with get_default_graph().control_dependencies([self._decay(gradient, variable)]):
            return super()._update(gradient, variable)

    def _decay(self, gradient: Any, variable: Variable) -> Any:
        if self._decay_vars is not None and variable not in self._decay_vars:
            return no_op()
        given = self._weight_decay
        factor: Tensor = math_ops.cast(given() if callable(given) else given, variable.dtype)
        is_sparse = isinstance(gradient, IndexedSlices)
        computed = gradient.values if is_sparse else convert_to_tensor(gradient)
        # The gradient is that of the variable as it was.
        with get_default_graph().control_dependencies([computed]):
            if not is_sparse:
                return variable.assign_sub(factor * variable.read_value())
            rows, _ = raw_ops.Unique(x=gradient.indices)
            return variable.scatter_sub(IndexedSlices(factor * gather(variable, rows), rows))


def extend_with_decoupled_weight_decay(base_optimizer: Type[Optimizer]) -> Type[Optimizer]:
    """A class of an optimizer that also decays weights.

    It is `tf.contrib.opt.extend_with_decoupled_weight_decay`. The class takes the weight decay
    before the arguments of the optimizer, and its `minimize` and `apply_gradients` take a
    `decay_var_list`.

    Args:
        base_optimizer: The class of an optimizer.

    Returns:
        A class derived from it and from `DecoupledWeightDecayExtension`.
    """
    bases = (DecoupledWeightDecayExtension, base_optimizer)
    doc = f"{base_optimizer.__name__} that also decays weights."
    return type("OptimizerWithDecoupledWeightDecay", bases, {"__doc__": doc})


@set_module("troupe.contrib.opt")
class MomentumWOptimizer(DecoupledWeightDecayExtension, MomentumOptimizer):
    """Momentum with the decay of weights: `tf.contrib.opt.MomentumWOptimizer`.

    Args:
        weight_decay: A number, a scalar, or a function that gives one.
        learning_rate: A number, a scalar, or a function that gives one.
        momentum: The decay of the sum of gradients.
        use_locking: Has no effect: each update is one node.
        name: The name of the operations.
        use_nesterov: Whether the gradient counts as at the place where the momentum leads.
    """

    def __init__(
        self,
        weight_decay: Any,
        learning_rate: Any,
        momentum: Any,
        use_locking: bool = False,
        name: str = "MomentumW",
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(weight_decay, learning_rate, momentum, use_locking, name, use_nesterov)


@set_module("troupe.contrib.opt")
class AdamWOptimizer(DecoupledWeightDecayExtension, AdamOptimizer):
    """Adam with the decay of weights: `tf.contrib.opt.AdamWOptimizer`.

    Args:
        weight_decay: A number, a scalar, or a function that gives one.
        learning_rate: A number, a scalar, or a function that gives one.
        beta1: The decay of the mean of gradients.
        beta2: The decay of the mean of their squares.
        epsilon: Keeps the divisor from 0.
        use_locking: Has no effect: each update is one node.
        name: The name of the operations.
    """

    def __init__(
        self,
        weight_decay: Any,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "AdamW",
    ) -> None:
        super().__init__(weight_decay, learning_rate, beta1, beta2, epsilon, use_locking, name)
