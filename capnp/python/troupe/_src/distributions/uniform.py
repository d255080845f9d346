"""Uniform distributions of an interval."""

from __future__ import annotations

import math
from typing import Any, ClassVar, Optional, Sequence

from troupe._src.distributions.arguments import ScalarDistribution, checked, floats
from troupe._src.distributions.reparameterization import FULLY_REPARAMETERIZED
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.ops import assert_ops, creation_ops, gen_ops
from troupe._src.ops.selection_ops import where_v2
from troupe._src.random.random_ops import random_uniform
from troupe._src.set_module import set_module


@set_module("troupe.distributions")
class Uniform(ScalarDistribution):
    """Uniform distributions of intervals, whose upper boundary is not part of them."""

    _shaped_parameters: ClassVar[Sequence[str]] = ("low", "high")

    def __init__(
        self,
        low: Any = 0.0,
        high: Any = 1.0,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Uniform",
    ) -> None:
        """Distributions of those intervals, whose boundaries broadcast.

        Args:
            low: The lower boundaries, floats.
            high: The upper ones, of the same dtype.
            validate_args: Whether steps check the parameters and the values.
            allow_nan_stats: False makes statistics that are not defined an error of the step.

        Raises:
            ValueError: The dtypes differ.
        """
        parameters = dict(locals())
        with name_scope(name) as scope:
            self._low, self._high = floats(low, high)
            if validate_args:
                text = "uniform not defined when low >= high."
                is_less = assert_ops.assert_less(self._low, self._high, message=text)
                self._low, self._high = checked(self._low, is_less), checked(self._high, is_less)
        super().__init__(
            self._low.dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats, parameters,
            [self._low, self._high], scope,
        )  # fmt: skip

    @property
    def low(self) -> Tensor:
        """The lower boundaries."""
        return self._low

    @property
    def high(self) -> Tensor:
        """The upper boundaries."""
        return self._high

    def range(self, name: str = "range") -> Tensor:
        """The lengths of the intervals."""
        with self._name_scope(name):
            return self.high - self.low

    def _sample_n(self, n: Any, seed: Optional[int] = None) -> Tensor:
        drawn = random_uniform(self._draw_shape(n), dtype=self.dtype, seed=seed)
        return self.low + self.range() * drawn

    def _prob(self, value: Tensor) -> Tensor:
        x = self._in_batch(value)
        outside = gen_ops.logical_or(gen_ops.less(x, self.low), gen_ops.greater_equal(x, self.high))
        density = where_v2(
            outside, creation_ops.zeros_like(x), creation_ops.ones_like(x) / self.range()
        )
        return where_v2(gen_ops.is_nan(x), x, density)

    def _cdf(self, value: Tensor) -> Tensor:
        x = self._in_batch(value)
        share = (x - self.low) / self.range()
        found = where_v2(gen_ops.less(x, self.low), creation_ops.zeros_like(x), share)
        return where_v2(gen_ops.greater_equal(x, self.high), creation_ops.ones_like(x), found)

    def _entropy(self) -> Tensor:
        return gen_ops.log(self.range())

    def _mean(self) -> Tensor:
        return (self.low + self.high) / 2.0

    def _variance(self) -> Tensor:
        return gen_ops.square(self.range()) / 12.0

    def _stddev(self) -> Tensor:
        return self.range() / math.sqrt(12)
