"""Normal distributions of vectors whose elements are independent."""

from __future__ import annotations

import math
from typing import Any, Optional

from troupe._src.checks.check_ops import assert_same_float_dtype
from troupe._src.distributions.arguments import VectorDistribution, checked
from troupe._src.distributions.divergences import RegisterKL
from troupe._src.distributions.reparameterization import FULLY_REPARAMETERIZED
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.linalg.diagonal_ops import matrix_diag
from troupe._src.linalg.linear_operators import LinearOperatorDiag
from troupe._src.ops import array_ops, arithmetic_ops, assert_ops, creation_ops, gen_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.random.random_ops import random_normal
from troupe._src.set_module import set_module


@set_module("troupe.contrib.distributions")
class MultivariateNormalDiag(VectorDistribution):
    """Normal distributions of vectors whose elements are independent."""

    def __init__(
        self,
        loc: Any = None,
        scale_diag: Any = None,
        scale_identity_multiplier: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalDiag",
    ) -> None:
        """Distributions of those parameters, which broadcast; the last axis is that of a vector.

        Args:
            loc: The means, by default 0.
            scale_diag: The standard deviations, by default 1 if no multiplier is given.
            scale_identity_multiplier: Is added to all standard deviations of a vector, in the
                shape of the batch.
            validate_args: Whether steps check the parameters and the values.
            allow_nan_stats: False makes statistics that are not defined an error of the step.

        Raises:
            ValueError: Neither `loc` nor `scale_diag` says the length of the vectors, or the
                dtypes differ.
        """
        parameters = dict(locals())
        if loc is None and scale_diag is None:
            raise ValueError("Must specify one or both of `loc`, `scale_diag`.")
        with name_scope(name) as scope:
            given = [each for each in (loc, scale_diag) if each is not None]
            tensors = [convert_to_tensor(each) for each in given]
            like = tensors[0]
            scale = tensors[-1] if scale_diag is not None else None
            if scale_identity_multiplier is not None:
                every = convert_to_tensor(scale_identity_multiplier, preferred_dtype=like.dtype)
                added = array_ops.expand_dims(every, -1)
                scale = creation_ops.zeros_like(like) + added if scale is None else scale + added
            scale = creation_ops.ones_like(like) if scale is None else scale
            assert_same_float_dtype([like, scale])
            if validate_args:
                text = "diagonal of `scale` must be non-zero"
                size = arithmetic_ops.abs(scale)
                scale = checked(scale, assert_ops.assert_positive(size, message=text))
            zeros = creation_ops.zeros_like(like)
            self._loc = (zeros if loc is None else like) + creation_ops.zeros_like(scale)
            self._diagonal = scale + zeros
        super().__init__(
            self._loc.dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats, parameters,
            [self._loc, self._diagonal], scope,
        )  # fmt: skip

    @property
    def loc(self) -> Tensor:
        """The means."""
        return self._loc

    @property
    def scale(self) -> LinearOperatorDiag:
        """The linear operator that multiplies by the standard deviations."""
        return LinearOperatorDiag(self._diagonal, is_non_singular=True)

    def _shaped(self) -> Tensor:
        return self._loc

    def _sample_n(self, n: Any, seed: Optional[int] = None) -> Tensor:
        shape = array_ops.concat([[n], array_ops.shape(self._loc)], 0)
        drawn = random_normal(shape, dtype=self.dtype, seed=seed)
        return drawn * self._diagonal + self._loc

    def _log_prob(self, value: Tensor) -> Tensor:
        squares = gen_ops.square((value - self._loc) / self._diagonal)
        return -0.5 * math_ops.reduce_sum(squares, -1) - self._log_norm(2 * math.pi)

    def _log_norm(self, factor: float) -> Tensor:
        """The logarithm of the root of `factor`, by the scale of each element."""
        logs = gen_ops.log(arithmetic_ops.abs(self._diagonal)) + 0.5 * math.log(factor)
        return math_ops.reduce_sum(logs, -1)

    def _entropy(self) -> Tensor:
        return self._log_norm(2 * math.pi * math.e)

    def _mean(self) -> Tensor:
        return array_ops.identity(self._loc)

    def _mode(self) -> Tensor:
        return array_ops.identity(self._loc)

    def _stddev(self) -> Tensor:
        return arithmetic_ops.abs(self._diagonal)

    def _variance(self) -> Tensor:
        return gen_ops.square(self._diagonal)

    def _covariance(self) -> Tensor:
        return matrix_diag(self._variance())


@set_module("troupe.contrib.distributions")
class MultivariateNormalDiagWithSoftplusScale(MultivariateNormalDiag):
    """`MultivariateNormalDiag` whose standard deviations are the softplus of what is given."""

    def __init__(
        self,
        loc: Any,
        scale_diag: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalDiagWithSoftplusScale",
    ) -> None:
        """Distributions of those parameters, which broadcast.

        Args:
            loc: The means.
            scale_diag: Numbers whose softplus are the standard deviations.
            validate_args: Whether steps check the parameters and the values.
            allow_nan_stats: False makes statistics that are not defined an error of the step.
        """
        parameters = dict(locals())
        scale = gen_ops.softplus(convert_to_tensor(scale_diag))
        super().__init__(
            loc, scale, validate_args=validate_args, allow_nan_stats=allow_nan_stats, name=name
        )
        self._parameters = parameters


@RegisterKL(MultivariateNormalDiag, MultivariateNormalDiag)
def _kl_of_mvn_diags(
    a: MultivariateNormalDiag, b: MultivariateNormalDiag, name: Optional[str] = None
) -> Tensor:
    with name_scope(name, "kl_mvn"):
        ratio = gen_ops.square(a._diagonal / b._diagonal)
        shift = gen_ops.square((a.loc - b.loc) / b._diagonal)
        return 0.5 * math_ops.reduce_sum(shift + ratio - 1.0 - gen_ops.log(ratio), -1)
