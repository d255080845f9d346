"""Normal distributions of one side."""

from __future__ import annotations

import math
from typing import Any, ClassVar, Optional, Sequence

from troupe._src.distributions.arguments import ScalarDistribution, floats
from troupe._src.distributions.normal_quantile import ndtri
from troupe._src.distributions.reparameterization import FULLY_REPARAMETERIZED
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.ops import arithmetic_ops, creation_ops, gen_ops, math_ops
from troupe._src.random.random_ops import random_normal
from troupe._src.set_module import set_module


@set_module("troupe.contrib.distributions")
class HalfNormal(ScalarDistribution):
    """Distributions of the sizes of numbers that are normal with the mean 0."""

    _shaped_parameters: ClassVar[Sequence[str]] = ("scale",)

    def __init__(
        self,
        scale: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "HalfNormal",
    ) -> None:
        """Distributions of those scales.

        Args:
            scale: The standard deviations of the normal distributions, positive floats.
            validate_args: Whether steps check the parameters and the values.
            allow_nan_stats: False makes statistics that are not defined an error of the step.
        """
        parameters = dict(locals())
        with name_scope(name) as scope:
            (self._scale,) = floats(scale, positive=[scale] * validate_args)
        super().__init__(
            self._scale.dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats, parameters,
            [self._scale], scope,
        )  # fmt: skip

    @property
    def scale(self) -> Tensor:
        """The standard deviations of the normal distributions."""
        return self._scale

    def _sample_n(self, n: Any, seed: Optional[int] = None) -> Tensor:
        drawn = random_normal(self._draw_shape(n), dtype=self.dtype, seed=seed)
        return arithmetic_ops.abs(drawn * self.scale)

    def _prob(self, value: Tensor) -> Tensor:
        density = math.sqrt(2 / math.pi) / self.scale
        above = density * gen_ops.exp(-0.5 * gen_ops.square(value / self.scale))
        return above * math_ops.cast(gen_ops.greater_equal(value, 0.0), self.dtype)

    def _cdf(self, value: Tensor) -> Tensor:
        return gen_ops.erf(gen_ops.relu(value) / self.scale / math.sqrt(2))

    def _quantile(self, value: Tensor) -> Tensor:
        return self.scale * ndtri((value + 1.0) / 2.0)

    def _entropy(self) -> Tensor:
        return 0.5 * gen_ops.log(math.pi / 2 * gen_ops.square(self.scale)) + 0.5

    def _mean(self) -> Tensor:
        return self.scale * math.sqrt(2) / math.sqrt(math.pi)

    def _variance(self) -> Tensor:
        return gen_ops.square(self.scale) * (1.0 - 2.0 / math.pi)

    def _mode(self) -> Tensor:
        return creation_ops.zeros(self.batch_shape_tensor(), self.dtype)
