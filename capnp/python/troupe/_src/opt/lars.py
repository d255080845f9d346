"""An optimizer whose learning rate fits the norm of each variable."""

from __future__ import annotations

from typing import Any, Optional, Sequence, Tuple

from troupe._src.graph.elements import Tensor
from troupe._src.ops import creation_ops, gen_ops, math_ops, raw_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.selection_ops import where
from troupe._src.set_module import set_module
from troupe._src.train.optimizers import MomentumOptimizer
from troupe._src.variables.variable import Variable


@set_module("troupe.contrib.opt")
class LARSOptimizer(MomentumOptimizer):
    """Momentum whose learning rate is scaled by the norms of a variable and of its gradient.

    It is `tf.contrib.opt.LARSOptimizer`, of training by large batches: g <- g + weight_decay * w,
    and the learning rate is times eeta * |w| / (|g| + weight_decay * |w| + epsilon). Rows of a
    variable are updated by the momentum alone.

    Args:
        learning_rate: A number, a scalar, or a function that gives one.
        momentum: The decay of the sum of gradients.
        weight_decay: How much of the variable is added to its gradient.
        eeta: The factor of the ratio of norms.
        epsilon: Keeps the divisor from 0.
        name: The name of the operations.
        skip_list: Variables whose names have one of these texts in them are updated by the
            momentum alone.
        use_nesterov: Whether the gradient counts as at the place where the momentum leads.

    Raises:
        ValueError: The momentum or the weight decay is negative.
    """

    def __init__(
        self,
        learning_rate: Any,
        momentum: float = 0.9,
        weight_decay: float = 0.0001,
        eeta: float = 0.001,
        epsilon: float = 0.0,
        name: str = "LARSOptimizer",
        skip_list: Optional[Sequence[str]] = None,
        use_nesterov: bool = False,
    ) -> None:
        if momentum < 0.0:
            raise ValueError(f"momentum must not be negative, but is {momentum}")
        if weight_decay < 0.0:
            raise ValueError(f"weight_decay must not be negative, but is {weight_decay}")
        super().__init__(learning_rate, momentum, False, name, use_nesterov)
        self._weight_decay = weight_decay
        self._eeta = eeta
        self._epsilon = epsilon
        self._skip_list = skip_list

    def compute_lr(self, grad: Tensor, var: Variable) -> Tuple[Tensor, Tensor]:
        """The learning rate of a variable, and its gradient with the decay of weights.

        Args:
            grad: The gradient of the loss.
            var: The variable.

        Returns:
            The learning rate, a scalar, and a tensor of the shape of the gradient.
        """
        rate = self._number(self._numbers["lr"], var)
        if any(text in var.name for text in self._skip_list or ()):
            return rate, grad
        value = convert_to_tensor(var)
        size, slope = _norm(value), _norm(grad)
        ratio = self._eeta * size / (slope + self._weight_decay * size + self._epsilon)
        has_ratio = gen_ops.logical_and(gen_ops.greater(size, 0), gen_ops.greater(slope, 0))
        scale = where(has_ratio, ratio, creation_ops.ones_like(ratio))
        return rate * scale, grad + self._weight_decay * value

    def _resource_apply_dense(self, grad: Tensor, var: Variable) -> Any:
        rate, decayed = self.compute_lr(grad, var)
        # The momentum is of steps, not of gradients, as their learning rates differ.
        one = math_ops.cast(1.0, var.dtype)
        arguments = {**self._arguments(var), "lr": one, "grad": decayed * rate}
        return raw_ops.ResourceApplyMomentum(**arguments)


def _norm(x: Tensor) -> Tensor:
    return gen_ops.sqrt(math_ops.reduce_sum(gen_ops.square(x)))
