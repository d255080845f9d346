"""Normal distributions of vectors, whose scale is a linear operator."""

from __future__ import annotations

import math
from typing import Any, Optional

from troupe._src.distributions.divergences import RegisterKL
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.linalg.linear_operators import DiagonalOperator
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.ops.arithmetic_ops import broadcast_static_shape
from troupe._src.random.random_ops import random_normal
from troupe._src.set_module import set_module
from troupe._src.vector_distributions.affine import AffineDistribution


@set_module("troupe.contrib.distributions")
class MultivariateNormalLinearOperator(AffineDistribution):
    """Normal distributions of vectors, whose scale is a linear operator."""

    def __init__(
        self,
        loc: Any = None,
        scale: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalLinearOperator",
    ) -> None:
        """Distributions of those parameters, whose batches broadcast.

        Args:
            loc: The means, [..., size], by default 0.
            scale: A linear operator A: the covariance is A A*.
            validate_args: Whether steps check the parameters.
            allow_nan_stats: False makes statistics that are not defined an error of the step.

        Raises:
            ValueError: There is no scale, or its size is another one.
            TypeError: It is not of floating point numbers.
        """
        super().__init__(loc, scale, validate_args, allow_nan_stats, name, dict(locals()))

    def _unit_sample(self, shape: Tensor, seed: Optional[int]) -> Tensor:
        return random_normal(shape, dtype=self.dtype, seed=seed)

    def _unit_log_prob(self, z: Tensor) -> Tensor:
        return -0.5 * gen_ops.square(z) - 0.5 * math.log(2 * math.pi)

    def _unit_entropy(self) -> float:
        return 0.5 * math.log(2 * math.pi * math.e)


@RegisterKL(MultivariateNormalLinearOperator, MultivariateNormalLinearOperator)
def _kl_of_mvns(
    a: MultivariateNormalLinearOperator,
    b: MultivariateNormalLinearOperator,
    name: Optional[str] = None,
) -> Tensor:
    with name_scope(name, "kl_mvn"):
        if isinstance(a.scale, DiagonalOperator) and isinstance(b.scale, DiagonalOperator):
            ratio = array_ops.expand_dims(a.stddev() / b.stddev(), -1)
        else:
            ratio = b.scale.solve(a.scale.to_dense())
        shift = b.scale.solve(array_ops.expand_dims(b.mean() - a.mean(), -1))
        size = math_ops.cast(a.event_shape_tensor()[0], a.dtype)
        found = (
            b.scale.log_abs_determinant()
            - a.scale.log_abs_determinant()
            + 0.5 * (_squares(ratio) + _squares(shift) - size)
        )
        found.set_shape(broadcast_static_shape(a.batch_shape, b.batch_shape))
        return found


def _squares(matrix: Tensor) -> Tensor:
    return math_ops.reduce_sum(gen_ops.square(matrix), [-2, -1])
