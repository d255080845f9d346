"""Optimizers that are like Adam, but for rows, the momentum, or the norm of gradients."""

from __future__ import annotations

from typing import Any, Dict, Sequence

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.indexed_slices import IndexedSlices
from troupe._src.ops import gen_ops, math_ops
from troupe._src.ops.grouping_ops import group
from troupe._src.ops.selection_ops import gather
from troupe._src.set_module import set_module
from troupe._src.train.adaptive_optimizers import AdamOptimizer
from troupe._src.variables.variable import Variable


class _RowsOptimizer(AdamOptimizer):
    """Adam whose moments of rows change only where there are gradients."""

    def _set_rows(self, slot: str, var: Variable, indices: Tensor, rows: Tensor) -> Any:
        return self._slot_of(var, slot).scatter_update(IndexedSlices(rows, indices))

    def _rows(self, slot: str, var: Variable, indices: Tensor) -> Tensor:
        return gather(self._slot_of(var, slot), indices)

    def _subtract(
        self, var: Variable, indices: Tensor, step: Tensor, mean: Tensor, variance: Tensor
    ) -> Any:
        """Sets the moments of the rows, and subtracts the step from those of the variable."""
        return group(
            self._set_rows("m", var, indices, mean),
            self._set_rows("v", var, indices, variance),
            var.scatter_sub(IndexedSlices(step, indices)),
        )


@set_module("troupe.contrib.opt")
class LazyAdamOptimizer(_RowsOptimizer):
    """Adam that decays the moments of only those rows that have gradients.

    It is `tf.contrib.opt.LazyAdamOptimizer`. For tensors it is Adam.

    Args:
        learning_rate: A number, a scalar, or a function that gives one.
        beta1: The decay of the mean of gradients.
        beta2: The decay of the mean of their squares.
        epsilon: Keeps the divisor from 0.
        use_locking: Has no effect: an update of a tensor is one node.
        name: The name of the operations.
    """

    def _resource_apply_sparse(self, grad: Tensor, var: Variable, indices: Tensor) -> Any:
        given = self._arguments(var)
        beta1, beta2 = given["beta1"], given["beta2"]
        mean = beta1 * self._rows("m", var, indices) + (1 - beta1) * grad
        squares = (1 - beta2) * gen_ops.square(grad)
        variance = beta2 * self._rows("v", var, indices) + squares
        correction = gen_ops.sqrt(1 - given["beta2_power"]) / (1 - given["beta1_power"])
        step = given["lr"] * correction * mean / (gen_ops.sqrt(variance) + given["epsilon"])
        return self._subtract(var, indices, step, mean, variance)


@set_module("troupe.contrib.opt")
class NadamOptimizer(AdamOptimizer):
    """Adam with Nesterov's momentum: the gradient counts once more in the mean that is subtracted.

    It is `tf.contrib.opt.NadamOptimizer`. Rows decay the moments of all rows, but only those that
    have gradients change.

    Args:
        learning_rate: A number, a scalar, or a function that gives one.
        beta1: The decay of the mean of gradients.
        beta2: The decay of the mean of their squares.
        epsilon: Keeps the divisor from 0.
        use_locking: Has no effect: an update of a tensor is one node.
        name: The name of the operations.
    """

    def _arguments(self, var: Variable) -> Dict[str, Any]:
        return {**super()._arguments(var), "use_nesterov": True}

    def _resource_apply_sparse(self, grad: Tensor, var: Variable, indices: Tensor) -> Any:
        given = self._arguments(var)
        beta1 = given["beta1"]
        means = self._decayed(self._slot_of(var, "m"), beta1, grad, indices)
        squares = self._decayed(
            self._slot_of(var, "v"), given["beta2"], gen_ops.square(grad), indices
        )
        mean = (1 - beta1) * grad + beta1 * gather(means, indices)
        root = gen_ops.sqrt(gather(squares, indices))
        correction = gen_ops.sqrt(1 - given["beta2_power"]) / (1 - given["beta1_power"])
        step = given["lr"] * correction * mean / (root + given["epsilon"])
        return var.scatter_sub(IndexedSlices(step, indices))


@set_module("troupe.contrib.opt")
class AdaMaxOptimizer(_RowsOptimizer):
    """Adam that divides by the greatest gradient so far, which decays, instead of a mean.

    It is `tf.contrib.opt.AdaMaxOptimizer`. The moments of only those rows change that have
    gradients.

    Args:
        learning_rate: A number, a scalar, or a function that gives one.
        beta1: The decay of the mean of gradients.
        beta2: The decay of the greatest gradient.
        epsilon: Keeps the divisor from 0.
        use_locking: Has no effect: an update of a tensor is one node.
        name: The name of the operations.
    """

    _update_op = "AdaMax"

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "AdaMax",
    ) -> None:
        super().__init__(learning_rate, beta1, beta2, epsilon, use_locking, name)

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        if not self._powers or self._powers[0].graph is not get_default_graph():
            first = self._initial_power("beta1")
            self._powers = (self._shared_variable(first, "beta1_power", var_list),)
        for var in var_list:
            self._zeros_slot(var, "m", self._name)
            self._zeros_slot(var, "v", self._name)

    def _arguments(self, var: Variable) -> Dict[str, Any]:
        power = math_ops.cast(self._powers[0], var.dtype)
        # Those of Adam have the power of beta2, too.
        return {**super(AdamOptimizer, self)._arguments(var), "beta1_power": power}

    def _resource_apply_sparse(self, grad: Tensor, var: Variable, indices: Tensor) -> Any:
        given = self._arguments(var)
        beta1, beta2 = given["beta1"], given["beta2"]
        mean = beta1 * self._rows("m", var, indices) + (1 - beta1) * grad
        greatest = gen_ops.maximum(beta2 * self._rows("v", var, indices), gen_ops.abs(grad))
        rate = given["lr"] / (1 - given["beta1_power"])
        step = rate * mean / (greatest + given["epsilon"])
        return self._subtract(var, indices, step, mean, greatest)
