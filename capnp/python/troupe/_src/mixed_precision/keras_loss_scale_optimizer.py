"""The optimizer of `tf.keras` that scales losses."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Sequence

from troupe._src.control_flow.smart_cond import smart_cond
from troupe._src.distribute.replica_context import in_cross_replica_context
from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.indexed_slices import IndexedSlices
from troupe._src.keras_optimizers.optimizer_v2 import Optimizer
from troupe._src.mixed_precision import loss_scale as loss_scales
from troupe._src.mixed_precision.loss_scale import LossScale
from troupe._src.mixed_precision.policy import Policy
from troupe._src.module_scopes.checkpointable import Dependencies
from troupe._src.ops import math_ops
from troupe._src.ops.grouping_ops import group, no_op
from troupe._src.platform import logging
from troupe._src.set_module import set_module
from troupe._src.variables.variable import Variable


@set_module("troupe.keras.mixed_precision.experimental")
class LossScaleOptimizer(Optimizer):
    """Lets another optimizer minimize a loss that is multiplied by a scale.

    The gradients are divided by the scale, which each step changes that applies them. Where they
    are computed by a tape, `get_scaled_loss` and `get_unscaled_gradients` do that.

    Args:
        opt: The other optimizer.
        loss_scale: A `tf.train.experimental.LossScale`, a number, or "dynamic".

    Raises:
        ValueError: `opt` is no optimizer of `tf.keras`, or clips gradients, or `loss_scale` is
            something else.
    """

    def __init__(self, opt: Optimizer, loss_scale: Any) -> None:
        if not isinstance(opt, Optimizer):
            raise ValueError(f'"opt" must be an instance of OptimizerV2, but got: {opt}')
        for name in ("clipnorm", "clipvalue"):
            if hasattr(opt, name):
                raise ValueError(
                    f"LossScaleOptimizer does not support wrapping optimizers with a {name}. "
                    f"Optimizer {opt} has {name} {getattr(opt, name)}"
                )
        super().__init__(opt._name)
        self._optimizer = opt
        found = loss_scales.get(loss_scale)
        if found is None:
            raise ValueError("loss_scale cannot be None.")
        self._loss_scale: LossScale = found  # programs look at it by this name

    @property
    def _checkpoint_dependencies(self) -> Dependencies:
        return [("base_optimizer", self._optimizer), ("loss_scale", self._loss_scale)]

    @property
    def loss_scale(self) -> LossScale:
        """The scale."""
        return self._loss_scale

    def get_scaled_loss(self, loss: Any) -> Any:
        """A loss, multiplied by the scale.

        Args:
            loss: A tensor, or a function that gives one.

        Returns:
            A tensor; a function for a function.
        """
        if callable(loss):
            return lambda: self.get_scaled_loss(loss())
        return loss * math_ops.cast(self._loss_scale(), loss.dtype.base_dtype)

    def get_unscaled_gradients(self, grads: Sequence[Any]) -> List[Any]:
        """Gradients, divided by the scale.

        Args:
            grads: The gradients, or None.

        Returns:
            As many, None for None.
        """
        inverse = 1.0 / self._loss_scale()
        return [None if each is None else _times(each, inverse) for each in grads]

    def _compute_gradients(self, loss: Any, var_list: Any, grad_loss: Any = None) -> Any:
        scaled = self.get_scaled_loss(loss)
        pairs = self._optimizer._compute_gradients(scaled, var_list, grad_loss)
        unscaled = self.get_unscaled_gradients([gradient for gradient, _ in pairs])
        return list(zip(unscaled, [variable for _, variable in pairs]))

    def get_gradients(self, loss: Tensor, params: Sequence[Variable]) -> List[Any]:
        """The gradients of a loss, with the help of the scale.

        Args:
            loss: The loss.
            params: The variables.

        Returns:
            A gradient for each of them.

        Raises:
            ValueError: The loss does not depend on one of them.
        """
        scaled = self.get_scaled_loss(loss)
        return self.get_unscaled_gradients(self._optimizer.get_gradients(scaled, params))

    def apply_gradients(self, grads_and_vars: Any, name: Optional[str] = None) -> Operation:
        """An operation that applies gradients where the scale lets them be applied.

        Args:
            grads_and_vars: Pairs of a gradient, or None, and a variable.
            name: The name scope of the updates, by default that of the optimizer.

        Returns:
            The operation, which also changes the scale.

        Raises:
            ValueError: It is called in the scope of a strategy and not in a replica, or no
                variable has a gradient.
        """
        if in_cross_replica_context():
            raise ValueError("apply_gradients() must be called in a replica context.")
        pairs = list(grads_and_vars)
        update, is_applied = self._loss_scale.update([gradient for gradient, _ in pairs])
        applied = smart_cond(
            is_applied, lambda: self._optimizer.apply_gradients(pairs, name), no_op
        )
        return group(applied, update)

    # What it has of the other optimizer.

    @property
    def iterations(self) -> Variable:
        """The number of steps of the other optimizer so far, a variable of int64."""
        return self._optimizer.iterations

    @iterations.setter
    def iterations(self, variable: Variable) -> None:
        self._optimizer.iterations = variable

    @property
    def learning_rate(self) -> Any:
        """The learning rate of the other optimizer."""
        return self._optimizer.learning_rate

    @learning_rate.setter
    def learning_rate(self, value: Any) -> None:
        self._optimizer.learning_rate = value

    @property
    def lr(self) -> Any:
        """The learning rate of the other optimizer."""
        return self._optimizer.learning_rate

    @lr.setter
    def lr(self, value: Any) -> None:
        self._optimizer.lr = value

    def get_slot_names(self) -> List[str]:
        """The names of all slots of the other optimizer, in the order of their creation."""
        return self._optimizer.get_slot_names()

    def get_slot(self, var: Variable, slot_name: str) -> Variable:
        """No slot: those of the other optimizer are its own.

        Args:
            var: The variable.
            slot_name: The name of the slot.

        Raises:
            KeyError: Always.
        """
        raise KeyError(slot_name)

    def get_config(self) -> Dict[str, Any]:
        """Not there: no configuration makes such an optimizer.

        Raises:
            NotImplementedError: Always.
        """
        raise NotImplementedError("get_config() is not yet implemented for LossScaleOptimizers")

    @classmethod
    def from_config(
        cls, config: Mapping[str, Any], custom_objects: Optional[Mapping[str, Any]] = None
    ) -> Any:
        """Not there: no configuration makes such an optimizer.

        Args:
            config: The arguments by their names.
            custom_objects: Schedules of the program by their names.

        Raises:
            NotImplementedError: Always.
        """
        raise NotImplementedError("from_config() is not yet implemented for LossScaleOptimizers")


def scaled_as(policy: Policy, optimizer: Any) -> Any:
    """The optimizer of a model that is compiled, which scales the loss if the policy asks for it.

    Args:
        policy: The policy of the model.
        optimizer: What the program gave the model.

    Returns:
        An optimizer.

    Raises:
        ValueError: The policy has a loss scale, and the optimizer is none of `tf.keras`.
    """
    if policy.loss_scale is None:
        return optimizer
    if isinstance(optimizer, LossScaleOptimizer):
        if optimizer.loss_scale != policy.loss_scale:
            logging.warning(
                f"LossScale of LossScaleOptimizer passed to compile ({optimizer.loss_scale}) is "
                f"not the same as the dtype policy's loss scale ({policy.loss_scale}). Because "
                "the dtype policy has a loss scale, you should pass an optimizer that is not "
                "wrapped with a LossScaleOptimizer."
            )
        return optimizer
    if not isinstance(optimizer, Optimizer):
        raise ValueError(
            '"optimizer" must be an instance of tf.keras.optimizers.Optimizer when a dtype '
            f"policy with a loss scale is used, but got: {optimizer}. Using policy: {policy}"
        )
    return LossScaleOptimizer(optimizer, policy.loss_scale)


def _times(gradient: Any, number: Tensor) -> Any:
    if isinstance(gradient, IndexedSlices):
        values = _times(gradient.values, number)
        return IndexedSlices(values, gradient.indices, gradient.dense_shape)
    return gradient * math_ops.cast(number, gradient.dtype.base_dtype)
