"""Skewed distributions of vectors, and such with heavier or lighter tails than normal ones."""

from __future__ import annotations

from typing import Any, Optional

from troupe._src.distributions.arguments import checked, one_of
from troupe._src.distributions.normal import Normal
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.ops import array_ops, assert_ops, gen_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.scalar_distributions.sinh_arcsinh_function import (
    SinhArcsinhFunction,
    scalar_checks,
)
from troupe._src.set_module import set_module
from troupe._src.vector_distributions.affine import AffineDistribution
from troupe._src.vector_distributions.scales import diagonal_scale


@set_module("troupe.contrib.distributions")
class VectorSinhArcsinhDiag(AffineDistribution):
    """Distributions of vectors whose elements are independent and of `SinhArcsinh`."""

    def __init__(
        self,
        loc: Any = None,
        scale_diag: Any = None,
        scale_identity_multiplier: Any = None,
        skewness: Any = None,
        tailweight: Any = None,
        distribution: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalLinearOperator",
    ) -> None:
        """Distributions of those parameters, whose batches broadcast.

        Args:
            loc: The locations, [..., size], by default 0.
            scale_diag: The scales, by default 1 if no multiplier is given.
            scale_identity_multiplier: Is added to all scales of a vector, in the shape of the
                batch.
            skewness: By default 0; positive values make the upper tails heavier.
            tailweight: By default 1; positive values, higher ones of which make both tails heavier.
            distribution: Of the elements of z, in place of the normal distribution: one of single
                numbers without a batch.
            validate_args: Whether steps check the parameters.
            allow_nan_stats: False makes statistics that are not defined an error of the step.

        Raises:
            ValueError: Neither `loc` nor `scale_diag` says the length of the vectors, or
                `distribution` is not one of single numbers.
            TypeError: Its dtype is another one.
        """
        parameters = dict(locals())
        with name_scope(name) as scope:
            scale = diagonal_scale(loc, scale_diag, scale_identity_multiplier)
            self._skewness = convert_to_tensor(0 if skewness is None else skewness, scale.dtype)
            weight = convert_to_tensor(1 if tailweight is None else tailweight, scale.dtype)
            checks = []
            if distribution is None:
                zero = convert_to_tensor(0, scale.dtype)
                distribution = Normal(zero, one_of(scale.dtype), allow_nan_stats=allow_nan_stats)
            else:
                checks += scalar_checks(distribution, scale.dtype, validate_args)
            if validate_args:
                text = "Argument tailweight was not positive"
                checks.append(assert_ops.assert_positive(weight, message=text))
            self._tailweight, self._distribution = checked(weight, *checks), distribution
        super().__init__(loc, scale, validate_args, allow_nan_stats, scope, parameters)
        with self._name_scope("function"):
            self._function = SinhArcsinhFunction(
                self.loc, scale.diag_part(), self._skewness, self._tailweight
            )

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
        """That of the elements of z."""
        return self._distribution

    def _sample_n(self, n: Any, seed: Optional[int] = None) -> Tensor:
        with self._checks():
            shape = array_ops.concat([[n], self._shape()], 0)
            return self._function.forward(self._distribution.sample(shape, seed=seed))

    def _log_prob(self, value: Tensor) -> Tensor:
        with self._checks():
            z, log_slope = self._function.inverse(value)
            return math_ops.reduce_sum(self._distribution.log_prob(z) + log_slope, -1)

    def _prob(self, value: Tensor) -> Tensor:
        return gen_ops.exp(self._log_prob(value))

    def _entropy(self) -> Tensor:
        raise NotImplementedError("entropy is not implemented: VectorSinhArcsinhDiag")

    def _mean(self) -> Tensor:
        raise NotImplementedError("mean is not implemented: VectorSinhArcsinhDiag")

    def _mode(self) -> Tensor:
        raise NotImplementedError("mode is not implemented: VectorSinhArcsinhDiag")

    def _variance(self) -> Tensor:
        raise NotImplementedError("variance is not implemented: VectorSinhArcsinhDiag")

    def _stddev(self) -> Tensor:
        raise NotImplementedError("stddev is not implemented: VectorSinhArcsinhDiag")

    def _covariance(self) -> Tensor:
        raise NotImplementedError("covariance is not implemented: VectorSinhArcsinhDiag")
