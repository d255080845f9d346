"""Distributions that have one value only."""

from __future__ import annotations

from typing import Any, Dict, Optional

from troupe._src.checks.rank_ops import assert_rank_at_least
from troupe._src.distributions.arguments import (
    ScalarDistribution,
    VectorDistribution,
    checked,
)
from troupe._src.distributions.distribution import Distribution
from troupe._src.distributions.reparameterization import NOT_REPARAMETERIZED
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.ops import array_ops, arithmetic_ops, assert_ops, creation_ops, gen_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.set_module import set_module


class _Constant(Distribution):
    """One whose samples are all the same.

    Args:
        loc: The values.
        atol: How far from it a value may be and count as the same.
        rtol: The same as a part of the value's size.
        parameters: The arguments of the constructor.
        scope: The scope of its nodes.
    """

    def __init__(
        self, loc: Tensor, atol: Any, rtol: Any, validate_args: bool, allow_nan_stats: bool,
        parameters: Dict[str, Any], scope: str,
    ) -> None:  # fmt: skip
        self._loc = loc
        super().__init__(
            loc.dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats, parameters, [loc], scope
        )
        with name_scope(scope):
            self._atol, self._rtol = self._tolerance(atol), self._tolerance(rtol)
            self._slack = self._atol
            if rtol is not None:
                self._slack = self._atol + self._rtol * arithmetic_ops.abs(loc)

    def _tolerance(self, given: Any) -> Tensor:
        found = convert_to_tensor(0 if given is None else given, self.dtype)
        if given is None or not self.validate_args:
            return found
        text = "Argument 'tol' must be non-negative"
        return checked(found, assert_ops.assert_non_negative(found, message=text))

    @property
    def loc(self) -> Tensor:
        """The values."""
        return self._loc

    @property
    def atol(self) -> Tensor:
        """How far from it a value may be and count as the same."""
        return self._atol

    @property
    def rtol(self) -> Tensor:
        """The same as a part of the value's size."""
        return self._rtol

    def _is_near(self, value: Tensor) -> Tensor:
        return gen_ops.less_equal(arithmetic_ops.abs(value - self.loc), self._slack)

    def _sample_n(self, n: Any, seed: Optional[int] = None) -> Tensor:
        ones = creation_ops.ones_like(array_ops.shape(self.loc))
        multiples = array_ops.concat([[n], ones], 0)
        return gen_ops.tile(array_ops.expand_dims(self.loc, 0), multiples)

    def _entropy(self) -> Tensor:
        return creation_ops.zeros(self.batch_shape_tensor(), self.dtype)

    def _mean(self) -> Tensor:
        return array_ops.identity(self.loc)

    def _variance(self) -> Tensor:
        return creation_ops.zeros_like(self.loc)

    def _mode(self) -> Tensor:
        return array_ops.identity(self.loc)


@set_module("troupe.contrib.distributions")
class Deterministic(_Constant, ScalarDistribution):
    """Distributions of numbers that are always the same."""

    def __init__(
        self,
        loc: Any,
        atol: Any = None,
        rtol: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Deterministic",
    ) -> None:
        """Distributions of those numbers.

        Args:
            loc: The numbers.
            atol: How far from its number a value may be and count as the same, by default 0.
            rtol: The same as a part of the number's size.
            validate_args: Whether steps check the parameters and the values.
            allow_nan_stats: False makes statistics that are not defined an error of the step.
        """
        parameters = dict(locals())
        with name_scope(name) as scope:
            given = convert_to_tensor(loc, name="loc")
        super().__init__(given, atol, rtol, validate_args, allow_nan_stats, parameters, scope)

    def _prob(self, value: Tensor) -> Tensor:
        return math_ops.cast(self._is_near(value), self.dtype)

    def _cdf(self, value: Tensor) -> Tensor:
        is_above = gen_ops.greater_equal(value, self.loc - self._slack)
        return math_ops.cast(is_above, self.dtype)


@set_module("troupe.contrib.distributions")
class VectorDeterministic(_Constant, VectorDistribution):
    """Distributions of vectors that are always the same."""

    def __init__(
        self,
        loc: Any,
        atol: Any = None,
        rtol: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "VectorDeterministic",
    ) -> None:
        """Distributions of those vectors.

        Args:
            loc: The vectors, along the last axis.
            atol: How far from its element that of a value may be and count as the same, by
                default 0.
            rtol: The same as a part of the element's size.
            validate_args: Whether steps check the parameters and the values.
            allow_nan_stats: False makes statistics that are not defined an error of the step.

        Raises:
            ValueError: `loc` is known to be a number, and arguments are validated.
        """
        parameters = dict(locals())
        with name_scope(name) as scope:
            given = convert_to_tensor(loc, name="loc")
            if validate_args:
                text = "Argument loc must be at least rank 1."
                given = checked(given, assert_rank_at_least(given, 1, message=text))
        super().__init__(given, atol, rtol, validate_args, allow_nan_stats, parameters, scope)

    def _shaped(self) -> Tensor:
        return self.loc

    def _prob(self, value: Tensor) -> Tensor:
        if self.validate_args:
            size = array_ops.shape(value)[-1]
            text = "Argument 'x' not defined in the same space R^k as this distribution"
            value = checked(
                value,
                assert_rank_at_least(value, 1),
                assert_ops.assert_equal(self.event_shape_tensor()[0], size, message=text),
            )
        return math_ops.cast(math_ops.reduce_all(self._is_near(value), -1), self.dtype)
