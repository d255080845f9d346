"""Poisson distributions."""

from __future__ import annotations

from typing import Any, Optional

from troupe._src.distributions.arguments import ScalarDistribution, checked, integers
from troupe._src.distributions.reparameterization import NOT_REPARAMETERIZED
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.ops import array_ops, assert_ops, gen_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.random.random_ops import random_poisson
from troupe._src.set_module import set_module


@set_module("troupe.contrib.distributions")
class Poisson(ScalarDistribution):
    """Poisson distributions, of how many events there are at a rate."""

    def __init__(
        self,
        rate: Any = None,
        log_rate: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Poisson",
    ) -> None:
        """Distributions of those rates.

        Args:
            rate: The means, positive floats.
            log_rate: Their logarithms, instead of the rates.
            validate_args: Whether steps check the parameters and the values.
            allow_nan_stats: False makes statistics that are not defined an error of the step.

        Raises:
            ValueError: Both are given, or none is.
            TypeError: They are no floats.
        """
        parameters = dict(locals())
        with name_scope(name) as scope:
            if (rate is None) == (log_rate is None):
                raise ValueError("Must specify exactly one of `rate` and `log_rate`.")
            text = "log_rate" if rate is None else "rate"
            given = convert_to_tensor(log_rate if rate is None else rate, name=text)
            if not given.dtype.is_floating:
                raise TypeError(f"{text}.dtype ({given.dtype.name}) is a not a float-type.")
            if rate is None:
                self._rate, self._log_rate = gen_ops.exp(given), given
            else:
                checks = [assert_ops.assert_positive(given)] if validate_args else []
                self._rate = checked(given, *checks)
                self._log_rate = gen_ops.log(self._rate)
        super().__init__(
            self._rate.dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats, parameters,
            [self._rate], scope,
        )  # fmt: skip

    @property
    def rate(self) -> Tensor:
        """The means."""
        return self._rate

    @property
    def log_rate(self) -> Tensor:
        """The logarithms of the means."""
        return self._log_rate

    def _valid(self, value: Tensor) -> Tensor:
        return integers(value) if self.validate_args else value

    def _sample_n(self, n: Any, seed: Optional[int] = None) -> Tensor:
        return random_poisson(self.rate, [n], dtype=self.dtype, seed=seed)

    def _log_prob(self, value: Tensor) -> Tensor:
        x = self._valid(value)
        return x * self.log_rate - gen_ops.lgamma(1.0 + x) - self.rate

    def _cdf(self, value: Tensor) -> Tensor:
        return gen_ops.igammac(1.0 + self._valid(value), self.rate)

    def _mean(self) -> Tensor:
        return array_ops.identity(self.rate)

    def _variance(self) -> Tensor:
        return array_ops.identity(self.rate)

    def _mode(self) -> Tensor:
        return gen_ops.floor(self.rate)
