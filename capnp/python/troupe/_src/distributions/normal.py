"""Distributions around a location, in a scale: normal and Laplace ones."""

from __future__ import annotations

import math
from typing import Any, ClassVar, Optional, Sequence

import numpy as np

from troupe._src.distributions.arguments import ScalarDistribution, floats
from troupe._src.distributions.divergences import RegisterKL
from troupe._src.distributions.normal_functions import log_ndtr, ndtr
from troupe._src.distributions.normal_quantile import ndtri
from troupe._src.distributions.reparameterization import FULLY_REPARAMETERIZED
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.ops import arithmetic_ops, gen_ops
from troupe._src.ops.selection_ops import where_v2
from troupe._src.random.random_ops import random_normal, random_uniform
from troupe._src.set_module import set_module


class LocationDistribution(ScalarDistribution):
    """One that is symmetric around a location.

    Args:
        loc: The means, floats.
        scale: The scales, positive floats of the same dtype.
        validate_args: Whether steps check the parameters and the values.
        allow_nan_stats: False makes statistics that are not defined an error of the step.
        parameters: The arguments of the constructor.
    """

    _shaped_parameters: ClassVar[Sequence[str]] = ("loc", "scale")

    def __init__(
        self, loc: Any, scale: Any, validate_args: bool, allow_nan_stats: bool, name: str,
        parameters: Any,
    ) -> None:  # fmt: skip
        with name_scope(name) as scope:
            self._loc, self._scale = floats(loc, scale, positive=[scale] * validate_args)
        super().__init__(
            self._scale.dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats, parameters,
            [self._loc, self._scale], scope,
        )  # fmt: skip

    @property
    def loc(self) -> Tensor:
        """The location, which is the mean."""
        return self._loc

    @property
    def scale(self) -> Tensor:
        """The scale."""
        return self._scale

    def _mean(self) -> Tensor:
        return self._in_batch(self.loc)

    def _mode(self) -> Tensor:
        return self._in_batch(self.loc)

    def _z(self, value: Tensor) -> Tensor:
        """The distance from the location in scales."""
        return (value - self.loc) / self.scale


@set_module("troupe.distributions")
class Normal(LocationDistribution):
    """Normal distributions."""

    def __init__(
        self,
        loc: Any,
        scale: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Normal",
    ) -> None:
        """Distributions of those parameters, which broadcast.

        Args:
            loc: The means, floats.
            scale: The standard deviations, positive floats of the same dtype.
            validate_args: Whether steps check the parameters and the values.
            allow_nan_stats: False makes statistics that are not defined an error of the step.

        Raises:
            ValueError: The dtypes differ.
        """
        super().__init__(loc, scale, validate_args, allow_nan_stats, name, dict(locals()))

    def _sample_n(self, n: Any, seed: Optional[int] = None) -> Tensor:
        drawn = random_normal(self._draw_shape(n), dtype=self.dtype, seed=seed)
        return drawn * self.scale + self.loc

    def _log_prob(self, value: Tensor) -> Tensor:
        norm = gen_ops.log(self.scale) + 0.5 * math.log(2 * math.pi)
        return -0.5 * gen_ops.square(self._z(value)) - norm

    def _log_cdf(self, value: Tensor) -> Tensor:
        return log_ndtr(self._z(value))

    def _cdf(self, value: Tensor) -> Tensor:
        return ndtr(self._z(value))

    def _log_survival_function(self, value: Tensor) -> Tensor:
        return log_ndtr(-self._z(value))

    def _survival_function(self, value: Tensor) -> Tensor:
        return ndtr(-self._z(value))

    def _quantile(self, value: Tensor) -> Tensor:
        return self.loc + self.scale * ndtri(value)

    def _entropy(self) -> Tensor:
        return gen_ops.log(self._in_batch(self.scale)) + 0.5 * math.log(2 * math.pi * math.e)

    def _stddev(self) -> Tensor:
        return self._in_batch(self.scale)


@set_module("troupe.distributions")
class Laplace(LocationDistribution):
    """Laplace distributions: exponential ones to both sides."""

    def __init__(
        self,
        loc: Any,
        scale: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Laplace",
    ) -> None:
        """Distributions of those parameters, which broadcast.

        Args:
            loc: The means, floats.
            scale: The mean distances from them, positive floats of the same dtype.
            validate_args: Whether steps check the parameters and the values.
            allow_nan_stats: False makes statistics that are not defined an error of the step.

        Raises:
            ValueError: The dtypes differ.
        """
        super().__init__(loc, scale, validate_args, allow_nan_stats, name, dict(locals()))

    def _sample_n(self, n: Any, seed: Optional[int] = None) -> Tensor:
        # -1 would be an infinite sample.
        dtype = self.dtype.as_numpy_dtype
        low = float(np.nextafter(dtype(-1.0), dtype(0.0)))
        drawn = random_uniform(self._draw_shape(n), low, 1.0, dtype=self.dtype, seed=seed)
        distance = gen_ops.log1p(-arithmetic_ops.abs(drawn))
        return self.loc - self.scale * gen_ops.sign(drawn) * distance

    def _log_prob(self, value: Tensor) -> Tensor:
        return -arithmetic_ops.abs(self._z(value)) - math.log(2) - gen_ops.log(self.scale)

    def _log_cdf(self, value: Tensor) -> Tensor:
        return _log_cdf_of_laplace(self._z(value))

    def _log_survival_function(self, value: Tensor) -> Tensor:
        return _log_cdf_of_laplace(-self._z(value))

    def _cdf(self, value: Tensor) -> Tensor:
        z = self._z(value)
        return 0.5 - 0.5 * gen_ops.sign(z) * gen_ops.expm1(-arithmetic_ops.abs(z))

    def _entropy(self) -> Tensor:
        return gen_ops.log(self._in_batch(self.scale)) + (math.log(2) + 1)

    def _stddev(self) -> Tensor:
        return self._in_batch(self.scale) * math.sqrt(2)


def _log_cdf_of_laplace(z: Tensor) -> Tensor:
    """Exact also far from 0, where the cdf or the rest of it is too small for floats."""
    above = gen_ops.log1p(-0.5 * gen_ops.exp(-arithmetic_ops.abs(z)))
    return where_v2(gen_ops.less(z, 0), z - math.log(2), above)


@RegisterKL(Normal, Normal)
def _kl_of_normals(a: Normal, b: Normal, name: Optional[str] = None) -> Tensor:
    with name_scope(name, "kl_normal_normal"):
        ratio = gen_ops.square(a.scale / b.scale)
        shift = gen_ops.square((a.loc - b.loc) / b.scale)
        return 0.5 * (shift + ratio - 1.0 - gen_ops.log(ratio))
