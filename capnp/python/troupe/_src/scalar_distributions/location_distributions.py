"""Distributions around a location, in a scale: Cauchy, logistic and Gumbel ones."""

from __future__ import annotations

import math
from typing import Any, Optional

import numpy as np

from troupe._src.distributions.normal import LocationDistribution
from troupe._src.graph.elements import Tensor
from troupe._src.ops import creation_ops, gen_ops
from troupe._src.random.random_ops import random_uniform
from troupe._src.set_module import set_module


@set_module("troupe.contrib.distributions")
class Cauchy(LocationDistribution):
    """Cauchy distributions, which have neither means nor variances."""

    def __init__(
        self,
        loc: Any,
        scale: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Cauchy",
    ) -> None:
        """Distributions of those parameters, which broadcast.

        Args:
            loc: The modes, floats.
            scale: The distances from them within which half of the values are, positive floats of
                the same dtype.
            validate_args: Whether steps check the parameters and the values.
            allow_nan_stats: False makes statistics that are not defined an error.

        Raises:
            ValueError: The dtypes differ.
        """
        super().__init__(loc, scale, validate_args, allow_nan_stats, name, dict(locals()))

    def _sample_n(self, n: Any, seed: Optional[int] = None) -> Tensor:
        return self._quantile(random_uniform(self._draw_shape(n), dtype=self.dtype, seed=seed))

    def _log_prob(self, value: Tensor) -> Tensor:
        norm = math.log(math.pi) + gen_ops.log(self.scale)
        return -gen_ops.log1p(gen_ops.square(self._z(value))) - norm

    def _cdf(self, value: Tensor) -> Tensor:
        return gen_ops.atan(self._z(value)) / math.pi + 0.5

    def _log_cdf(self, value: Tensor) -> Tensor:
        return gen_ops.log1p(2 / math.pi * gen_ops.atan(self._z(value))) - math.log(2)

    def _quantile(self, value: Tensor) -> Tensor:
        return self.loc + self.scale * gen_ops.tan(math.pi * (value - 0.5))

    def _entropy(self) -> Tensor:
        return gen_ops.log(self._in_batch(self.scale)) + math.log(4 * math.pi)

    def _undefined(self, text: str) -> Tensor:
        if not self.allow_nan_stats:
            raise ValueError(f"`{text}` is undefined for Cauchy distribution.")
        return creation_ops.fill(self.batch_shape_tensor(), self.dtype.as_numpy_dtype(np.nan))

    def _mean(self) -> Tensor:
        return self._undefined("mean")

    def _stddev(self) -> Tensor:
        return self._undefined("stddev")


class _OfUniform(LocationDistribution):
    """One that is drawn by the inverse of its distribution function."""

    def _unit(self, drawn: Tensor) -> Tensor:
        """The quantiles at the location 0 in the scale 1."""
        raise NotImplementedError

    def _sample_n(self, n: Any, seed: Optional[int] = None) -> Tensor:
        # 0 would be an infinite sample.
        tiny = float(np.finfo(self.dtype.as_numpy_dtype).tiny)
        drawn = random_uniform(self._draw_shape(n), tiny, 1.0, self.dtype, seed)
        return self._unit(drawn) * self.scale + self.loc


@set_module("troupe.contrib.distributions")
class Logistic(_OfUniform):
    """Logistic distributions, whose distribution function is a sigmoid."""

    def __init__(
        self,
        loc: Any,
        scale: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Logistic",
    ) -> None:
        """Distributions of those parameters, which broadcast.

        Args:
            loc: The means, floats.
            scale: The scales, positive floats of the same dtype; they are no standard deviations.
            validate_args: Whether steps check the parameters and the values.
            allow_nan_stats: False makes statistics that are not defined an error of the step.

        Raises:
            ValueError: The dtypes differ.
        """
        super().__init__(loc, scale, validate_args, allow_nan_stats, name, dict(locals()))

    def _unit(self, drawn: Tensor) -> Tensor:
        return gen_ops.log(drawn) - gen_ops.log1p(-drawn)

    def _log_prob(self, value: Tensor) -> Tensor:
        z = self._z(value)
        return -z - 2.0 * gen_ops.softplus(-z) - gen_ops.log(self.scale)

    def _cdf(self, value: Tensor) -> Tensor:
        return gen_ops.sigmoid(self._z(value))

    def _log_cdf(self, value: Tensor) -> Tensor:
        return -gen_ops.softplus(-self._z(value))

    def _survival_function(self, value: Tensor) -> Tensor:
        return gen_ops.sigmoid(-self._z(value))

    def _log_survival_function(self, value: Tensor) -> Tensor:
        return -gen_ops.softplus(self._z(value))

    def _entropy(self) -> Tensor:
        return gen_ops.log(self._in_batch(self.scale)) + 2.0

    def _stddev(self) -> Tensor:
        return self._in_batch(self.scale) * (math.pi / math.sqrt(3))


@set_module("troupe.contrib.distributions")
class Gumbel(_OfUniform):
    """Gumbel distributions, of the maxima of many numbers."""

    def __init__(
        self,
        loc: Any,
        scale: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Gumbel",
    ) -> None:
        """Distributions of those parameters, which broadcast.

        Args:
            loc: The modes, floats.
            scale: The scales, positive floats of the same dtype; they are no standard deviations.
            validate_args: Whether steps check the parameters and the values.
            allow_nan_stats: False makes statistics that are not defined an error of the step.

        Raises:
            ValueError: The dtypes differ.
        """
        super().__init__(loc, scale, validate_args, allow_nan_stats, name, dict(locals()))

    def _unit(self, drawn: Tensor) -> Tensor:
        return -gen_ops.log(-gen_ops.log(drawn))

    def _log_prob(self, value: Tensor) -> Tensor:
        z = self._z(value)
        return -z - gen_ops.exp(-z) - gen_ops.log(self.scale)

    def _cdf(self, value: Tensor) -> Tensor:
        return gen_ops.exp(self._log_cdf(value))

    def _log_cdf(self, value: Tensor) -> Tensor:
        return -gen_ops.exp(-self._z(value))

    def _entropy(self) -> Tensor:
        return gen_ops.log(self._in_batch(self.scale)) + (1.0 + np.euler_gamma)

    def _mean(self) -> Tensor:
        return self.loc + self.scale * np.euler_gamma

    def _stddev(self) -> Tensor:
        return self._in_batch(self.scale) * (math.pi / math.sqrt(6))
