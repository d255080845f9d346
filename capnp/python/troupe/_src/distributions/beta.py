"""Beta distributions."""

from __future__ import annotations

from typing import Any, ClassVar, Optional, Sequence

from troupe._src.distributions.arguments import (
    ScalarDistribution,
    checked,
    floats,
    one_of,
    gen_new_seed,
    where_defined,
)
from troupe._src.distributions.divergences import RegisterKL
from troupe._src.distributions.reparameterization import FULLY_REPARAMETERIZED
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.ops import assert_ops, gen_ops
from troupe._src.random.random_ops import random_gamma
from troupe._src.set_module import set_module


@set_module("troupe.distributions")
class Beta(ScalarDistribution):
    """Beta distributions, of numbers between 0 and 1."""

    _shaped_parameters: ClassVar[Sequence[str]] = ("concentration1", "concentration0")

    def __init__(
        self,
        concentration1: Any = None,
        concentration0: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Beta",
    ) -> None:
        """Distributions of those parameters, which broadcast.

        Args:
            concentration1: The weights of 1, positive floats.
            concentration0: The weights of 0, of the same dtype.
            validate_args: Whether steps check the parameters and the values.
            allow_nan_stats: False makes statistics that are not defined an error of the step.

        Raises:
            ValueError: The dtypes differ.
        """
        parameters = dict(locals())
        with name_scope(name) as scope:
            positive = [concentration1, concentration0] if validate_args else []
            self._concentration1, self._concentration0 = floats(
                concentration1, concentration0, positive=positive
            )
            self._total = self._concentration1 + self._concentration0
        super().__init__(
            self._total.dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats, parameters,
            [self._concentration1, self._concentration0, self._total], scope,
        )  # fmt: skip

    @property
    def concentration1(self) -> Tensor:
        """The weights of 1."""
        return self._concentration1

    @property
    def concentration0(self) -> Tensor:
        """The weights of 0."""
        return self._concentration0

    @property
    def total_concentration(self) -> Tensor:
        """The sums of both weights."""
        return self._total

    def _sample_n(self, n: Any, seed: Optional[int] = None) -> Tensor:
        ones, zeros = (
            random_gamma([n], self._in_batch(each), dtype=self.dtype, seed=given)
            for each, given in (
                (self.concentration1, seed), (self.concentration0, gen_new_seed(seed, "beta")),
            )
        )  # fmt: skip
        return ones / (ones + zeros)

    def _log_prob(self, value: Tensor) -> Tensor:
        x = self._valid(value)
        of_ones = gen_ops.xlogy(self.concentration1 - 1.0, x)
        return of_ones + (self.concentration0 - 1.0) * gen_ops.log1p(-x) - self._log_norm()

    def _cdf(self, value: Tensor) -> Tensor:
        x = self._valid(value)
        return gen_ops.betainc(
            self._in_batch(self.concentration1) + 0.0 * x,
            self._in_batch(self.concentration0) + 0.0 * x,
            self._in_batch(x),
        )

    def _log_norm(self) -> Tensor:
        both = gen_ops.lgamma(self.concentration1) + gen_ops.lgamma(self.concentration0)
        return both - gen_ops.lgamma(self._total)

    def _entropy(self) -> Tensor:
        return (
            self._log_norm()
            - (self.concentration1 - 1.0) * gen_ops.digamma(self.concentration1)
            - (self.concentration0 - 1.0) * gen_ops.digamma(self.concentration0)
            + (self._total - 2.0) * gen_ops.digamma(self._total)
        )

    def _mean(self) -> Tensor:
        return self.concentration1 / self._total

    def _variance(self) -> Tensor:
        return self._mean() * (self.concentration0 / self._total) / (1.0 + self._total)

    def _mode(self) -> Tensor:
        one = one_of(self.dtype)
        return where_defined(
            self,
            [(one, self.concentration1), (one, self.concentration0)],
            (self.concentration1 - 1.0) / (self._total - 2.0),
            "Mode undefined where a concentration is 1 or less.",
        )

    def _valid(self, value: Tensor) -> Tensor:
        if not self.validate_args:
            return value
        return checked(
            value,
            assert_ops.assert_positive(value, message="sample must be positive"),
            assert_ops.assert_less(value, one_of(self.dtype), message="sample must be less than 1"),
        )


@RegisterKL(Beta, Beta)
def _kl_of_betas(a: Beta, b: Beta, name: Optional[str] = None) -> Tensor:
    with name_scope(name, "kl_beta_beta"):
        ones, zeros = a.concentration1, a.concentration0
        return (
            b._log_norm()
            - a._log_norm()
            - gen_ops.digamma(ones) * (b.concentration1 - ones)
            - gen_ops.digamma(zeros) * (b.concentration0 - zeros)
            + gen_ops.digamma(a._total) * (b._total - a._total)
        )
