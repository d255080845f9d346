"""Distributions of the inverses of gamma distributed numbers."""

from __future__ import annotations

from typing import Any, ClassVar, Optional, Sequence

from troupe._src.checks.check_ops import assert_same_float_dtype
from troupe._src.distributions.arguments import (
    ScalarDistribution,
    checked,
    floats,
    one_of,
    where_defined,
)
from troupe._src.distributions.reparameterization import NOT_REPARAMETERIZED
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.ops import assert_ops, gen_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.random.random_ops import random_gamma
from troupe._src.set_module import set_module


@set_module("troupe.contrib.distributions")
class InverseGamma(ScalarDistribution):
    """Inverse gamma distributions, by the concentration and the rate of the gamma distributions."""

    _shaped_parameters: ClassVar[Sequence[str]] = ("concentration", "rate")

    def __init__(
        self,
        concentration: Any,
        rate: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "InverseGamma",
    ) -> None:
        """Distributions of those parameters, which broadcast.

        Args:
            concentration: Positive floats.
            rate: Positive floats of the same dtype; the scales of these distributions.
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
            self._concentration.dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats,
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
        drawn = random_gamma([n], self.concentration, self.rate, dtype=self.dtype, seed=seed)
        return 1.0 / drawn

    def _log_prob(self, value: Tensor) -> Tensor:
        x = self._valid(value)
        norm = gen_ops.lgamma(self.concentration) - self.concentration * gen_ops.log(self.rate)
        return -(1.0 + self.concentration) * gen_ops.log(x) - self.rate / x - norm

    def _cdf(self, value: Tensor) -> Tensor:
        return gen_ops.igammac(self.concentration, self.rate / self._valid(value))

    def _entropy(self) -> Tensor:
        alpha = self.concentration
        slope = (1.0 + alpha) * gen_ops.digamma(alpha)
        return alpha + gen_ops.log(self.rate) + gen_ops.lgamma(alpha) - slope

    def _mean(self) -> Tensor:
        return where_defined(
            self, [(one_of(self.dtype), self.concentration)],
            self.rate / (self.concentration - 1.0), "mean undefined when any concentration <= 1",
        )  # fmt: skip

    def _variance(self) -> Tensor:
        scale = gen_ops.square(self.rate / (self.concentration - 1.0))
        return where_defined(
            self, [(convert_to_tensor(2, self.dtype), self.concentration)],
            scale / (self.concentration - 2.0), "variance undefined when any concentration <= 2",
        )  # fmt: skip

    def _mode(self) -> Tensor:
        return self.rate / (1.0 + self.concentration)

    def _valid(self, value: Tensor) -> Tensor:
        assert_same_float_dtype([value], self.dtype)
        return checked(value, assert_ops.assert_positive(value)) if self.validate_args else value
