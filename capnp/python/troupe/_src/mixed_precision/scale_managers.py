"""The scales of losses of `tf.contrib.mixed_precision`, and the optimizer that takes them."""

from __future__ import annotations

import abc
from typing import Any, List, Optional, Sequence, Tuple

from troupe._src.control_flow.conditional import cond
from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.indexed_slices import IndexedSlices
from troupe._src.mixed_precision.loss_scale import all_finite
from troupe._src.ops import gen_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.grouping_ops import group, no_op
from troupe._src.set_module import set_module
from troupe._src.train.optimizer import GradientsAndVariables, Optimizer
from troupe._src.types import dtypes
from troupe._src.variables.variable import Variable

_MODULE = "troupe.contrib.mixed_precision"


@set_module(_MODULE)
class LossScaleManager(abc.ABC):
    """What a loss is multiplied by before it is derived, and what changes that number."""

    @abc.abstractmethod
    def get_loss_scale(self) -> Any:
        """The number, a scalar of float32."""

    @abc.abstractmethod
    def update_loss_scale(self, finite_grads: Any) -> Any:
        """What changes the number after a step.

        Args:
            finite_grads: Whether all gradients are finite, a scalar.

        Returns:
            The operation.
        """


@set_module(_MODULE)
class FixedLossScaleManager(LossScaleManager):
    """A number that stays what it is.

    Args:
        loss_scale: The number, at least 1.

    Raises:
        ValueError: It is less.
    """

    def __init__(self, loss_scale: float) -> None:
        if loss_scale < 1:
            raise ValueError("loss scale must be at least 1.")
        self._loss_scale = convert_to_tensor(loss_scale, dtypes.float32)

    def get_loss_scale(self) -> Tensor:
        return self._loss_scale

    def update_loss_scale(self, finite_grads: Any) -> Operation:
        return no_op()


@set_module(_MODULE)
class ExponentialUpdateLossScaleManager(LossScaleManager):
    """A number that grows while gradients are finite, and shrinks where often one is not.

    Whenever it changes, both counts of steps begin again.

    Args:
        init_loss_scale: The number at the beginning.
        incr_every_n_steps: After so many steps with finite gradients, one after the other, it is
            multiplied by `incr_ratio`, unless that gives an infinite number.
        decr_every_n_nan_or_inf: After so many other steps, also with finite ones in between, it is
            multiplied by `decr_ratio`, and stays at least 1.
        incr_ratio: By what it grows.
        decr_ratio: By what it shrinks, less than 1.
    """

    def __init__(
        self,
        init_loss_scale: float,
        incr_every_n_steps: int,
        decr_every_n_nan_or_inf: int = 2,
        incr_ratio: float = 2,
        decr_ratio: float = 0.8,
    ) -> None:
        self._incr_every_n_steps = incr_every_n_steps
        self._decr_every_n_nan_or_inf = decr_every_n_nan_or_inf
        self._incr_ratio = incr_ratio
        self._decr_ratio = decr_ratio
        # Programs look at them by these names.
        self._loss_scale = Variable(
            convert_to_tensor(init_loss_scale, dtypes.float32), trainable=False, name="loss_scale"
        )
        self._num_good_steps = Variable(0, trainable=False, name="good_steps", dtype=dtypes.int32)
        self._num_bad_steps = Variable(0, trainable=False, name="bad_steps", dtype=dtypes.int32)

    def get_loss_scale(self) -> Variable:
        return self._loss_scale

    def update_loss_scale(self, finite_grads: Any) -> Any:
        return cond(finite_grads, self._after_finite_step, self._after_other_step)

    def _changed(self, scale: Any) -> Operation:
        return group(
            self._loss_scale.assign(scale),
            self._num_good_steps.assign(0),
            self._num_bad_steps.assign(0),
        )

    def _after_finite_step(self) -> Any:
        def grown() -> Operation:
            larger = self._loss_scale * self._incr_ratio
            is_finite = gen_ops.is_finite(larger)
            return self._changed(cond(is_finite, lambda: larger, self._loss_scale.read_value))

        return cond(
            self._num_good_steps + 1 >= self._incr_every_n_steps,
            grown,
            lambda: group(self._num_good_steps.assign_add(1)),
        )

    def _after_other_step(self) -> Any:
        def shrunk() -> Operation:
            return self._changed(gen_ops.maximum(1.0, self._loss_scale * self._decr_ratio))

        def counted() -> Operation:
            return group(self._num_bad_steps.assign_add(1), self._num_good_steps.assign(0))

        is_often = self._num_bad_steps + 1 >= self._decr_every_n_nan_or_inf
        return cond(is_often, shrunk, counted)


@set_module(_MODULE)
class LossScaleOptimizer(Optimizer):
    """Lets another optimizer minimize a loss that is multiplied by a scale.

    The gradients are divided by the scale, which each step changes that applies them; a step in
    which they are not all finite leaves the variables and the global step as they are.

    Args:
        opt: The other optimizer.
        loss_scale_manager: The scale.
    """

    def __init__(self, opt: Optimizer, loss_scale_manager: LossScaleManager) -> None:
        super().__init__(opt._use_locking, opt.get_name())
        self._opt = opt
        self._loss_scale_manager = loss_scale_manager

    def compute_gradients(
        self,
        loss: Any,
        var_list: Optional[Sequence[Variable]] = None,
        gate_gradients: int = Optimizer.GATE_OP,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: Any = None,
    ) -> List[Tuple[Any, Variable]]:
        scale = self._loss_scale_manager.get_loss_scale()
        pairs = self._opt.compute_gradients(
            _times(loss() if callable(loss) else loss, scale),
            var_list=var_list,
            gate_gradients=gate_gradients,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
            grad_loss=grad_loss,
        )
        inverse = gen_ops.reciprocal(scale)
        return [(None if g is None else _times(g, inverse), v) for g, v in pairs]

    def apply_gradients(
        self,
        grads_and_vars: GradientsAndVariables,
        global_step: Optional[Variable] = None,
        name: Optional[str] = None,
    ) -> Operation:
        pairs = list(grads_and_vars)
        is_finite = all_finite([gradient for gradient, _ in pairs])
        updated = cond(
            is_finite, lambda: self._opt.apply_gradients(pairs, global_step, name), no_op
        )
        return group(updated, self._loss_scale_manager.update_loss_scale(is_finite))


def _times(value: Any, number: Any) -> Any:
    if isinstance(value, IndexedSlices):
        return IndexedSlices(_times(value.values, number), value.indices, value.dense_shape)
    return value * math_ops.cast(number, value.dtype.base_dtype)
