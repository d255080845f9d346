"""Kumaraswamy's distributions."""

from __future__ import annotations

from typing import Any, ClassVar, Optional, Sequence

import numpy as np

from troupe._src.distributions.arguments import (
    ScalarDistribution,
    checked,
    floats,
    one_of,
    where_defined,
)
from troupe._src.distributions.reparameterization import FULLY_REPARAMETERIZED
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.ops import assert_ops, gen_ops
from troupe._src.random.random_ops import random_uniform
from troupe._src.set_module import set_module


@set_module("troupe.contrib.distributions")
class Kumaraswamy(ScalarDistribution):
    """Kumaraswamy's distributions, of numbers between 0 and 1: nearly beta distributions."""

    _shaped_parameters: ClassVar[Sequence[str]] = ("concentration1", "concentration0")

    def __init__(
        self,
        concentration1: Any = None,
        concentration0: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Kumaraswamy",
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
        super().__init__(
            self._concentration1.dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats,
            parameters, [self._concentration1, self._concentration0], scope,
        )  # fmt: skip

    @property
    def concentration1(self) -> Tensor:
        """The weights of 1."""
        return self._concentration1

    @property
    def concentration0(self) -> Tensor:
        """The weights of 0."""
        return self._concentration0

    def _valid(self, value: Tensor) -> Tensor:
        if not self.validate_args:
            return value
        return checked(
            value,
            assert_ops.assert_non_negative(value, message="sample must be non-negative"),
            assert_ops.assert_less_equal(
                value, one_of(self.dtype), message="sample must be less than or equal to 1"
            ),
        )

    def _sample_n(self, n: Any, seed: Optional[int] = None) -> Tensor:
        return self._quantile(random_uniform(self._draw_shape(n), dtype=self.dtype, seed=seed))

    def _quantile(self, value: Tensor) -> Tensor:
        rest = gen_ops.exp(gen_ops.log1p(-value) / self.concentration0)
        return gen_ops.exp(gen_ops.log1p(-rest) / self.concentration1)

    def _log_prob(self, value: Tensor) -> Tensor:
        x = self._valid(value)
        a, b = self.concentration1, self.concentration0
        rest = gen_ops.log1p(-gen_ops.pow(x, a))
        return gen_ops.log(a) + gen_ops.log(b) + gen_ops.xlogy(a - 1.0, x) + (b - 1.0) * rest

    def _cdf(self, value: Tensor) -> Tensor:
        return -gen_ops.expm1(self._log_survival_function(value))

    def _log_survival_function(self, value: Tensor) -> Tensor:
        return self.concentration0 * gen_ops.log1p(
            -gen_ops.pow(self._valid(value), self.concentration1)
        )

    def _entropy(self) -> Tensor:
        a, b = self.concentration1, self.concentration0
        harmonic = gen_ops.digamma(b + 1.0) + np.euler_gamma
        # The mean of -log of the density; TensorFlow's formula exchanges the weights and a sign.
        return 1.0 - 1.0 / b + (1.0 - 1.0 / a) * harmonic - gen_ops.log(a) - gen_ops.log(b)

    def _moment(self, power: float) -> Tensor:
        """The mean of a power: b B(1 + power / a, b)."""
        b = self.concentration0
        first = 1.0 + power / self.concentration1
        logs = gen_ops.lgamma(first) + gen_ops.lgamma(b) - gen_ops.lgamma(first + b)
        return gen_ops.exp(gen_ops.log(b) + logs)

    def _mean(self) -> Tensor:
        return self._moment(1.0)

    def _variance(self) -> Tensor:
        return self._moment(2.0) - gen_ops.square(self._moment(1.0))

    def _mode(self) -> Tensor:
        a, b = self.concentration1, self.concentration0
        one = one_of(self.dtype)
        found = gen_ops.pow((a - 1.0) / (a * b - 1.0), 1.0 / a)
        text = "Mode undefined where a concentration is 1 or less."
        return where_defined(self, [(one, a), (one, b)], self._in_batch(found), text)
