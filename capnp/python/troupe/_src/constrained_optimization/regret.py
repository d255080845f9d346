"""The constrained optimizers."""

from __future__ import annotations

import math
from typing import Any, Optional, Tuple

from troupe._src.constrained_optimization.projections import (
    maximal_eigenvector, nearest_log_stochastic_matrix, nearest_multipliers,
    nearest_stochastic_matrix,
)  # fmt: skip
from troupe._src.constrained_optimization.regret_optimizer import RegretOptimizer
from troupe._src.graph.elements import Tensor
from troupe._src.linalg.linear_ops import tensordot
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops
from troupe._src.set_module import set_module
from troupe._src.train.optimizer import Optimizer
from troupe._src.types import dtypes


@set_module("troupe.contrib.constrained_optimization")
class AdditiveExternalRegretOptimizer(RegretOptimizer):
    """Minimizes a Lagrangian; gradients are added to the multipliers.

    It is `tf.contrib.constrained_optimization.AdditiveExternalRegretOptimizer` (Cotter et al.,
    Two-player games for efficient non-convex constrained optimization, 2018, algorithm 3).

    Args:
        optimizer: The optimizer of the parameters.
        constraint_optimizer: That of the multipliers; None for the same one.
        maximum_multiplier_radius: The greatest sum of the multipliers; None for none.

    Raises:
        ValueError: The greatest sum is not positive.
    """

    _state_name = "external_regret_optimizer_state"

    def __init__(
        self,
        optimizer: Optimizer,
        constraint_optimizer: Optional[Optimizer] = None,
        maximum_multiplier_radius: Optional[float] = None,
    ) -> None:
        super().__init__(optimizer, constraint_optimizer)
        if maximum_multiplier_radius and maximum_multiplier_radius <= 0.0:
            raise ValueError("maximum_multiplier_radius must be strictly positive")
        self._maximum_multiplier_radius = maximum_multiplier_radius

    def _initial_state(self, num_constraints: int) -> Any:
        return creation_ops.zeros([num_constraints], dtypes.float32)

    def _loss(
        self, state: Tensor, objective: Tensor, constraints: Tensor, proxies: Tensor
    ) -> Tuple[Tensor, Tensor]:
        weighted = tensordot(math_ops.cast(state, proxies.dtype), proxies, 1)
        return objective + weighted, math_ops.cast(constraints, state.dtype)

    def _projected(self, state: Tensor) -> Tensor:
        if self._maximum_multiplier_radius:
            return nearest_multipliers(state, self._maximum_multiplier_radius)
        return gen_ops.maximum(state, 0.0)


class _SwapRegretOptimizer(RegretOptimizer):
    """Weights objective and constraints by the stationary distribution of a matrix."""

    _state_name = "swap_regret_optimizer_state"

    def _stochastic_matrix(self, state: Tensor) -> Tensor:
        return state

    def _loss(
        self, state: Tensor, objective: Tensor, constraints: Tensor, proxies: Tensor
    ) -> Tuple[Tensor, Tensor]:
        vector = gen_ops.abs(maximal_eigenvector(self._stochastic_matrix(state)))
        weights = vector / math_ops.reduce_sum(vector)
        losses = array_ops.concat([array_ops.expand_dims(objective, 0), proxies], 0)
        gains = array_ops.concat([creation_ops.zeros([1], constraints.dtype), constraints], 0)
        of_rows = array_ops.expand_dims(math_ops.cast(gains, weights.dtype), 1)
        gain = math_ops.matmul(of_rows, array_ops.expand_dims(weights, 0))
        return tensordot(math_ops.cast(weights, losses.dtype), losses, 1), gain


@set_module("troupe.contrib.constrained_optimization")
class AdditiveSwapRegretOptimizer(_SwapRegretOptimizer):
    """Minimizes a sum weighted by a stochastic matrix that gradients are added to.

    It is `tf.contrib.constrained_optimization.AdditiveSwapRegretOptimizer` (Cotter et al.,
    Two-player games for efficient non-convex constrained optimization, 2018, algorithm 2).

    Args:
        optimizer: The optimizer of the parameters.
        constraint_optimizer: That of the matrix; None for the same one.
    """

    def _initial_state(self, num_constraints: int) -> Any:
        ones = creation_ops.ones([1, num_constraints + 1])
        zeros = creation_ops.zeros([num_constraints, num_constraints + 1])
        return array_ops.concat([ones, zeros], 0)

    def _projected(self, state: Tensor) -> Tensor:
        return nearest_stochastic_matrix(state)


@set_module("troupe.contrib.constrained_optimization")
class MultiplicativeSwapRegretOptimizer(_SwapRegretOptimizer):
    """Minimizes a weighted sum; gradients are added to the logarithm of a stochastic matrix.

    It is `tf.contrib.constrained_optimization.MultiplicativeSwapRegretOptimizer` (Cotter et al.,
    Two-player games for efficient non-convex constrained optimization, 2018, algorithm 2).

    Args:
        optimizer: The optimizer of the parameters.
        constraint_optimizer: That of the matrix; None for the same one.
        minimum_multiplier_radius: The least element of the matrix, times its size.
        initial_multiplier_radius: The first elements of the constraints, times its size; by default
            the least ones.

    Raises:
        ValueError: The first elements are out of range.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        constraint_optimizer: Optional[Optimizer] = None,
        minimum_multiplier_radius: float = 1e-3,
        initial_multiplier_radius: Optional[float] = None,
    ) -> None:
        super().__init__(optimizer, constraint_optimizer)
        if not 0.0 < minimum_multiplier_radius < 1.0:
            raise ValueError("minimum_multiplier_radius must be in the range (0,1)")
        if initial_multiplier_radius is None:
            initial_multiplier_radius = minimum_multiplier_radius
        elif initial_multiplier_radius < minimum_multiplier_radius:
            raise ValueError(
                "initial_multiplier_radius must be in the range [minimum_multiplier_radius,1]"
            )
        self._minimum_multiplier_radius = minimum_multiplier_radius
        self._initial_multiplier_radius = initial_multiplier_radius

    def _initial_state(self, num_constraints: int) -> Any:
        size, radius = num_constraints + 1, self._initial_multiplier_radius
        one = math.log(1.0 - radius * num_constraints / size)
        zero = math.log(radius / size)
        rows = [creation_ops.fill([1, size], one), creation_ops.fill([num_constraints, size], zero)]
        return array_ops.concat(rows, 0)

    def _stochastic_matrix(self, state: Tensor) -> Tensor:
        return gen_ops.exp(state)

    def _projected(self, state: Tensor) -> Tensor:
        least = math.log(self._minimum_multiplier_radius / int(state.shape[0]))
        return gen_ops.maximum(nearest_log_stochastic_matrix(state), least)
