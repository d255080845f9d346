"""Student's distributions."""

from __future__ import annotations

import math
from typing import Any, ClassVar, Optional, Sequence

import numpy as np

from troupe._src.distributions.arguments import (
    ScalarDistribution,
    floats,
    one_of,
    gen_new_seed,
    where_defined,
)
from troupe._src.distributions.reparameterization import FULLY_REPARAMETERIZED
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.ops import arithmetic_ops, array_ops, creation_ops, gen_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.selection_ops import where_v2
from troupe._src.random.random_ops import random_gamma, random_normal
from troupe._src.set_module import set_module


@set_module("troupe.distributions")
class StudentT(ScalarDistribution):
    """Student's t-distributions, at a location and in a scale."""

    _shaped_parameters: ClassVar[Sequence[str]] = ("df", "loc", "scale")

    def __init__(
        self,
        df: Any,
        loc: Any,
        scale: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "StudentT",
    ) -> None:
        """Distributions of those parameters, which broadcast.

        Args:
            df: The degrees of freedom, positive floats.
            loc: The locations, floats of the same dtype.
            scale: The scales, of the same dtype; they are no standard deviations.
            validate_args: Whether steps check the parameters and the values.
            allow_nan_stats: False makes statistics that are not defined an error of the step.

        Raises:
            ValueError: The dtypes differ.
        """
        parameters = dict(locals())
        with name_scope(name) as scope:
            positive = [df] if validate_args else []
            self._df, self._loc, self._scale = floats(df, loc, scale, positive=positive)
        super().__init__(
            self._scale.dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats, parameters,
            [self._df, self._loc, self._scale], scope,
        )  # fmt: skip

    @property
    def df(self) -> Tensor:
        """The degrees of freedom."""
        return self._df

    @property
    def loc(self) -> Tensor:
        """The locations."""
        return self._loc

    @property
    def scale(self) -> Tensor:
        """The scales."""
        return self._scale

    def _sample_n(self, n: Any, seed: Optional[int] = None) -> Tensor:
        normal = random_normal(self._draw_shape(n), dtype=self.dtype, seed=seed)
        df = self._in_batch(self.df)
        other_seed = gen_new_seed(seed, "student_t")
        squares = random_gamma([n], 0.5 * df, 0.5, dtype=self.dtype, seed=other_seed)
        return normal * gen_ops.rsqrt(squares / df) * self.scale + self.loc

    def _log_prob(self, value: Tensor) -> Tensor:
        y = (value - self.loc) / self.scale
        norm = (
            gen_ops.log(arithmetic_ops.abs(self.scale))
            + 0.5 * (gen_ops.log(self.df) + math.log(math.pi))
            + gen_ops.lgamma(0.5 * self.df)
            - gen_ops.lgamma(0.5 * (self.df + 1.0))
        )
        return -0.5 * (self.df + 1.0) * gen_ops.log1p(gen_ops.square(y) / self.df) - norm

    def _cdf(self, value: Tensor) -> Tensor:
        y = self._in_batch((value - self.loc) / arithmetic_ops.abs(self.scale))
        df = self.df + creation_ops.zeros_like(y)
        half = creation_ops.fill(array_ops.shape(y), convert_to_tensor(0.5, self.dtype))
        tail = 0.5 * gen_ops.betainc(0.5 * df, half, df / (gen_ops.square(y) + df))
        return where_v2(gen_ops.less(y, 0), tail, 1.0 - tail)

    def _entropy(self) -> Tensor:
        df = self._in_batch(self.df)
        beta = gen_ops.lgamma(0.5 * df) + gen_ops.lgamma(creation_ops.ones_like(df) * 0.5)
        slope = gen_ops.digamma(0.5 * (df + 1.0)) - gen_ops.digamma(0.5 * df)
        return (
            gen_ops.log(arithmetic_ops.abs(self.scale))
            + 0.5 * gen_ops.log(df)
            + beta - gen_ops.lgamma(0.5 * (df + 1.0))
            + 0.5 * (df + 1.0) * slope
        )  # fmt: skip

    def _mean(self) -> Tensor:
        text = "mean not defined for components of df <= 1"
        return self._above_1(self._in_batch(self.loc), text)

    def _variance(self) -> Tensor:
        """Infinite for degrees of freedom up to 2."""
        df = self._in_batch(self.df)
        is_finite = gen_ops.greater(df, 2)
        # Not 0 where the other branch counts, whose gradient would not be a number.
        rest = where_v2(is_finite, df - 2.0, creation_ops.ones_like(df))
        infinite = creation_ops.fill(array_ops.shape(df), convert_to_tensor(np.inf, self.dtype))
        found = where_v2(is_finite, gen_ops.square(self.scale) * df / rest, infinite)
        return self._above_1(found, "variance not defined for components of df <= 1")

    def _above_1(self, value: Tensor, text: str) -> Tensor:
        return where_defined(self, [(one_of(self.dtype), self._in_batch(self.df))], value, text)

    def _mode(self) -> Tensor:
        return array_ops.identity(self.loc)
