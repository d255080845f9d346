"""Gamma distributions, and exponential ones among them."""

from __future__ import annotations

from typing import Any, ClassVar, Optional, Sequence

import numpy as np

from troupe._src.checks.check_ops import assert_same_float_dtype
from troupe._src.distributions.arguments import (
    ScalarDistribution,
    checked,
    floats,
    one_of,
    where_defined,
)
from troupe._src.distributions.divergences import RegisterKL
from troupe._src.distributions.reparameterization import FULLY_REPARAMETERIZED
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.ops import assert_ops, gen_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.random.random_ops import random_gamma, random_uniform
from troupe._src.set_module import set_module


@set_module("troupe.distributions")
class Gamma(ScalarDistribution):
    """Gamma distributions, by their concentration (or shape) and rate."""

    _shaped_parameters: ClassVar[Sequence[str]] = ("concentration", "rate")

    def __init__(
        self,
        concentration: Any,
        rate: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Gamma",
    ) -> None:
        """Distributions of those parameters, which broadcast.

        Args:
            concentration: Positive floats.
            rate: The inverse of their scales, positive floats of the same dtype.
            validate_args: Whether steps check the parameters and the values.
            allow_nan_stats: False makes statistics that are not defined an error of the step.

        Raises:
            ValueError: The dtypes differ.
        """
        parameters = dict(locals())
        with name_scope(name) as scope:
            positive = [concentration, rate] if validate_args else []
            self._concentration, self._rate = floats(concentration, rate, positive=positive)
        super().__init__(
            self._concentration.dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats,
            parameters, [self._concentration, self._rate], scope,
        )  # fmt: skip

    @property
    def concentration(self) -> Tensor:
        """The concentrations."""
        return self._concentration

    @property
    def rate(self) -> Tensor:
        """The rates."""
        return self._rate

    def _sample_n(self, n: Any, seed: Optional[int] = None) -> Tensor:
        return random_gamma([n], self.concentration, self.rate, dtype=self.dtype, seed=seed)

    def _log_prob(self, value: Tensor) -> Tensor:
        x = self._valid(value)
        norm = gen_ops.lgamma(self.concentration) - self.concentration * gen_ops.log(self.rate)
        return gen_ops.xlogy(self.concentration - 1.0, x) - self.rate * x - norm

    def _cdf(self, value: Tensor) -> Tensor:
        return gen_ops.igamma(self.concentration, self.rate * self._valid(value))

    def _entropy(self) -> Tensor:
        alpha = self.concentration
        slope = (1.0 - alpha) * gen_ops.digamma(alpha)
        return alpha - gen_ops.log(self.rate) + gen_ops.lgamma(alpha) + slope

    def _mean(self) -> Tensor:
        return self.concentration / self.rate

    def _variance(self) -> Tensor:
        return self.concentration / gen_ops.square(self.rate)

    def _stddev(self) -> Tensor:
        return gen_ops.sqrt(self.concentration) / self.rate

    def _mode(self) -> Tensor:
        return where_defined(
            self,
            [(one_of(self.dtype), self.concentration)],
            (self.concentration - 1.0) / self.rate,
            "mode not defined when any concentration <= 1",
        )

    def _valid(self, value: Tensor) -> Tensor:
        assert_same_float_dtype([value], self.dtype)
        return checked(value, assert_ops.assert_positive(value)) if self.validate_args else value


@set_module("troupe.distributions")
class Exponential(Gamma):
    """Exponential distributions, by their rate."""

    _shaped_parameters: ClassVar[Sequence[str]] = ("rate",)

    def __init__(
        self,
        rate: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Exponential",
    ) -> None:
        """Distributions of those rates.

        Args:
            rate: The inverse of the means, positive floats.
            validate_args: Whether steps check the parameters and the values.
            allow_nan_stats: False makes statistics that are not defined an error of the step.
        """
        parameters = dict(locals())
        given = convert_to_tensor(rate, name="rate")
        super().__init__(one_of(given.dtype), given, validate_args, allow_nan_stats, name)
        self._parameters = parameters

    def _log_survival_function(self, value: Tensor) -> Tensor:
        return -self.rate * self._valid(value)

    def _sample_n(self, n: Any, seed: Optional[int] = None) -> Tensor:
        # 0 would be an infinite sample.
        tiny = float(np.finfo(self.dtype.as_numpy_dtype).tiny)
        shape = self._draw_shape(n)
        return -gen_ops.log(random_uniform(shape, tiny, 1.0, self.dtype, seed)) / self.rate


@RegisterKL(Gamma, Gamma)
def _kl_of_gammas(a: Gamma, b: Gamma, name: Optional[str] = None) -> Tensor:
    with name_scope(name, "kl_gamma_gamma"):
        alpha, beta = a.concentration, b.concentration
        return (
            (alpha - beta) * gen_ops.digamma(alpha)
            + gen_ops.lgamma(beta)
            - gen_ops.lgamma(alpha)
            + beta * (gen_ops.log(a.rate) - gen_ops.log(b.rate))
            + alpha * (b.rate / a.rate - 1.0)
        )
