"""The optimizer of `tf.train` that scales losses."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence, Tuple

from troupe._src.control_flow.smart_cond import smart_cond
from troupe._src.distribute.replica_context import in_cross_replica_context
from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.indexed_slices import IndexedSlices
from troupe._src.mixed_precision import loss_scale as loss_scales
from troupe._src.mixed_precision.loss_scale import DynamicLossScale, LossScale
from troupe._src.module_scopes.checkpointable import Dependencies
from troupe._src.ops import math_ops
from troupe._src.ops.grouping_ops import group, no_op
from troupe._src.set_module import set_module
from troupe._src.train.optimizer import GradientsAndVariables, Optimizer
from troupe._src.variables.variable import Variable


@set_module("troupe.train.experimental")
class MixedPrecisionLossScaleOptimizer(Optimizer):
    """Lets another optimizer minimize a loss that is multiplied by a scale.

    The gradients are divided by the scale. A dynamic one is changed by each step that applies
    gradients; a step in which they are not all finite leaves the variables and the global step as
    they are.

    Args:
        opt: The other optimizer.
        loss_scale: A `LossScale`, a number, or "dynamic".

    Raises:
        ValueError: `opt` is no optimizer of `tf.train`, or `loss_scale` is something else.
    """

    def __init__(self, opt: Optimizer, loss_scale: Any) -> None:
        if not isinstance(opt, Optimizer):
            raise ValueError(f'"opt" must be an instance of Optimizer, but got: {type(opt)}')
        super().__init__(opt._use_locking, opt.get_name())
        self._optimizer = opt
        found = loss_scales.get(loss_scale)
        if found is None:
            raise ValueError("loss_scale cannot be None.")
        self._loss_scale: LossScale = found  # programs look at it by this name

    @property
    def _checkpoint_dependencies(self) -> Dependencies:
        return [("base_optimizer", self._optimizer), ("loss_scale", self._loss_scale)]

    def compute_gradients(
        self,
        loss: Any,
        var_list: Optional[Sequence[Variable]] = None,
        gate_gradients: int = Optimizer.GATE_OP,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: Any = None,
    ) -> List[Tuple[Any, Variable]]:
        pairs = self._optimizer.compute_gradients(
            self._scaled(loss() if callable(loss) else loss, self._loss_scale()),
            var_list=var_list,
            gate_gradients=gate_gradients,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
            grad_loss=grad_loss,
        )
        inverse = 1 / self._loss_scale()
        return [(None if g is None else self._scaled(g, inverse), v) for g, v in pairs]

    @staticmethod
    def _scaled(value: Any, scale: Tensor) -> Any:
        if isinstance(value, IndexedSlices):
            scaled = MixedPrecisionLossScaleOptimizer._scaled(value.values, scale)
            return IndexedSlices(scaled, value.indices, value.dense_shape)
        return value * math_ops.cast(scale, value.dtype.base_dtype)

    def apply_gradients(
        self,
        grads_and_vars: GradientsAndVariables,
        global_step: Optional[Variable] = None,
        name: Optional[str] = None,
    ) -> Operation:
        """An op that applies gradients where they are finite.

        Args:
            grads_and_vars: Pairs of a gradient, or None, and a variable.
            global_step: A variable that is incremented after the update.
            name: The name of the operation.

        Returns:
            The operation.

        Raises:
            ValueError: It is called in the scope of a strategy and not in a replica.
        """
        if in_cross_replica_context():
            raise ValueError("apply_gradients() must be called in a replica context.")
        pairs = list(grads_and_vars)
        if not isinstance(self._loss_scale, DynamicLossScale):
            return self._optimizer.apply_gradients(pairs, global_step, name)
        name = name or self.get_name()
        update, is_finite = self._loss_scale.update([gradient for gradient, _ in pairs])
        applied = smart_cond(
            is_finite,
            lambda: self._optimizer.apply_gradients(pairs, global_step, f"{name}-wrapped"),
            no_op,
        )
        return group(applied, update, name=name)
