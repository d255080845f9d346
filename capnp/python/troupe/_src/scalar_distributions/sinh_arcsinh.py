"""Skewed distributions, and such with heavier or lighter tails than normal ones."""

from __future__ import annotations

from typing import Any, Optional

from troupe._src.distributions.arguments import ScalarDistribution, checked, one_of
from troupe._src.distributions.normal import Normal
from troupe._src.distributions.reparameterization import FULLY_REPARAMETERIZED
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.ops import assert_ops, gen_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.scalar_distributions.sinh_arcsinh_function import (
    SinhArcsinhFunction,
    scalar_checks,
)
from troupe._src.set_module import set_module


@set_module("troupe.contrib.distributions")
class SinhArcsinh(ScalarDistribution):
    """Distributions of loc + scale f(z) 2 / f0(2), for a normal z.

    f(z) is sinh((asinh(z) + skewness) tailweight), f0 the same without skewness (Jones and Pewsey,
    "Sinh-arcsinh distributions", 2009).
    """

    def __init__(
        self,
        loc: Any,
        scale: Any,
        skewness: Any = None,
        tailweight: Any = None,
        distribution: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "SinhArcsinh",
    ) -> None:
        """Distributions of those parameters, which broadcast.

        Args:
            loc: Floats; the medians, where there is no skewness.
            scale: The scales.
            skewness: By default 0; positive values make the upper tails heavier.
            tailweight: By default 1; positive values, higher ones of which make both tails heavier.
            distribution: Of z, in place of the normal distribution: one without a batch.
            validate_args: Whether steps check the parameters.
            allow_nan_stats: False makes statistics that are not defined an error of the step.

        Raises:
            TypeError: The dtype of `distribution` is another one.
            ValueError: It is not one of single numbers.
        """
        parameters = dict(locals())
        with name_scope(name) as scope:
            self._loc = convert_to_tensor(loc, name="loc")
            dtype = self._loc.dtype
            self._scale = convert_to_tensor(scale, dtype, name="scale")
            self._skewness = convert_to_tensor(0 if skewness is None else skewness, dtype)
            self._tailweight = convert_to_tensor(1 if tailweight is None else tailweight, dtype)
            checks = []
            if distribution is None:
                distribution = Normal(
                    convert_to_tensor(0, dtype), one_of(dtype), allow_nan_stats=allow_nan_stats
                )
            else:
                checks += scalar_checks(distribution, dtype, validate_args)
            if validate_args:
                text = "Argument tailweight was not positive"
                checks.append(assert_ops.assert_positive(self._tailweight, message=text))
            self._loc, self._distribution = checked(self._loc, *checks), distribution
            self._function = SinhArcsinhFunction(
                self._loc, self._scale, self._skewness, self._tailweight
            )
        super().__init__(
            dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats, parameters,
            [self._loc, self._scale, self._tailweight, self._skewness], scope,
        )  # fmt: skip

    @property
    def loc(self) -> Tensor:
        """The locations."""
        return self._loc

    @property
    def scale(self) -> Tensor:
        """The scales."""
        return self._scale

    @property
    def tailweight(self) -> Tensor:
        """How heavy the tails are."""
        return self._tailweight

    @property
    def skewness(self) -> Tensor:
        """How skewed it is."""
        return self._skewness

    @property
    def distribution(self) -> Any:
        """That of z."""
        return self._distribution

    def _sample_n(self, n: Any, seed: Optional[int] = None) -> Tensor:
        return self._function.forward(self._distribution.sample(self._draw_shape(n), seed=seed))

    def _log_prob(self, value: Tensor) -> Tensor:
        z, log_slope = self._function.inverse(value)
        found: Tensor = self._distribution.log_prob(z)
        return found + log_slope

    def _prob(self, value: Tensor) -> Tensor:
        z, log_slope = self._function.inverse(value)
        found: Tensor = self._distribution.prob(z)
        return found * gen_ops.exp(log_slope)

    def _cdf(self, value: Tensor) -> Tensor:
        found: Tensor = self._distribution.cdf(self._function.inverse(value)[0])
        return found

    def _log_cdf(self, value: Tensor) -> Tensor:
        found: Tensor = self._distribution.log_cdf(self._function.inverse(value)[0])
        return found

    def _survival_function(self, value: Tensor) -> Tensor:
        z = self._function.inverse(value)[0]
        found: Tensor = self._distribution.survival_function(z)
        return found

    def _log_survival_function(self, value: Tensor) -> Tensor:
        z = self._function.inverse(value)[0]
        found: Tensor = self._distribution.log_survival_function(z)
        return found

    def _quantile(self, value: Tensor) -> Tensor:
        return self._function.forward(self._distribution.quantile(value))
