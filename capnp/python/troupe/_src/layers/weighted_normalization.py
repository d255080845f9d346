"""Batch normalization by weights of examples, with a moving mean that is right from the start."""

from __future__ import annotations

from typing import Any, Tuple

from troupe._src.graph.elements import Tensor
from troupe._src.layers.normalization import BatchNormalization, rest_of
from troupe._src.layers.renormalization import Select, move_average
from troupe._src.nn import norm_ops
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.variables.initializers import Zeros
from troupe._src.variables.variable_store import variable_scope
from troupe._src.variables.variable_scope import get_variable


class WeightedBatchNormalization(BatchNormalization):
    """Batch normalization whose examples count by weights, or whose mean is without bias.

    A moving mean that starts at zero lacks a factor 1 - momentum^n after n updates. Without bias it
    is divided by that (Kingma and Ba, Adam, 2014, section 3): two more variables have the biased
    mean and the number of updates.

    Args:
        batch_weights: What each example counts in the moments, [batch]; None for alike.
        zero_debias: Whether the moving mean is without bias.
        *args: Those of `BatchNormalization`.
        **kwargs: Those of `BatchNormalization`.
    """

    def __init__(self, batch_weights: Any, zero_debias: bool, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._batch_weights, self._zero_debias = batch_weights, zero_debias

    def _moments(self, tensor: Tensor) -> Tuple[Tensor, Tensor]:
        if self._batch_weights is None:
            return super()._moments(tensor)
        rank = tensor.shape.rank or 0
        weights = convert_to_tensor(self._batch_weights)
        tensor.shape[:1].assert_is_compatible_with(weights.shape)
        axes = [axis for axis in range(rank) if axis not in self.axis]
        given = math_ops.cast(tensor, self.moving_mean.dtype)
        mean, variance = norm_ops.weighted_moments(
            given, axes, array_ops.reshape(weights, [-1] + [1] * (rank - 1))
        )
        return mean, variance

    def _move_mean(self, mean: Tensor, select: Select) -> Tensor:
        if not self._zero_debias:
            return super()._move_mean(mean, select)
        average, dtype = self.moving_mean, self.moving_mean.dtype.base_dtype
        with variable_scope(average.op.name):
            biased = get_variable("biased", average.shape, dtype, Zeros(), trainable=False)
            steps = get_variable("local_step", [], dtype, Zeros(), trainable=False)
        moved = move_average(biased, mean, self._rate(self.momentum, select))
        count = steps.assign_add(select(constant(1.0, dtype), constant(0.0, dtype)))
        # 1 - momentum^n, of which little would remain in float32.
        lacking = -gen_ops.expm1(count * gen_ops.log1p(-rest_of(self.momentum, dtype)))
        value: Tensor = average.assign(select(moved / lacking, average))
        return value
