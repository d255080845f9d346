"""Distributions of real numbers that are rounded up to integers."""

from __future__ import annotations

from typing import Any, List, Optional

import numpy as np

from troupe._src.checks.check_ops import assert_same_float_dtype
from troupe._src.distributions.arguments import checked
from troupe._src.distributions.distribution import Distribution
from troupe._src.distributions.reparameterization import NOT_REPARAMETERIZED
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.ops import assert_ops, creation_ops, gen_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.selection_ops import where_v2
from troupe._src.set_module import set_module
from troupe._src.types.shapes import TensorShape


@set_module("troupe.contrib.distributions")
class QuantizedDistribution(Distribution):
    """Distributions of ceil(x) of another one's x, no lower and no higher than given ends."""

    def __init__(
        self,
        distribution: Any,
        low: Any = None,
        high: Any = None,
        validate_args: bool = False,
        name: str = "QuantizedDistribution",
    ) -> None:
        """Distributions of the integers above another one's samples.

        Args:
            distribution: The other one, which defines `cdf`, or `log_cdf`.
            low: The lowest integer, a float of the same dtype; lower samples become it. By default
                there is no end.
            high: The highest integer, likewise.
            validate_args: Whether steps check that the ends and values are integers.

        Raises:
            ValueError: The dtypes differ.
        """
        parameters = dict(locals())
        self._base = distribution
        with name_scope(name) as scope:
            self._validates = validate_args
            ends = [
                None if each is None else convert_to_tensor(each, name=text)
                for each, text in ((low, "low"), (high, "high"))
            ]
            given = [each for each in ends if each is not None]
            assert_same_float_dtype(given, distribution.dtype)
            if validate_args and len(given) == 2:
                less = assert_ops.assert_less(
                    given[0], given[1], message="low must be strictly less than high."
                )
                ends = [None if each is None else checked(each, less) for each in ends]
            self._low, self._high = (
                None if each is None else self._whole(each) for each in ends
            )
        parents: List[Any] = [each for each in (self._low, self._high) if each is not None]
        super().__init__(
            distribution.dtype, NOT_REPARAMETERIZED, validate_args, distribution.allow_nan_stats,
            parameters, [*distribution._graph_parents, *parents], scope,
        )  # fmt: skip

    def _whole(self, value: Tensor) -> Tensor:
        if not self._validates:
            return value
        text = "value has non-integer components."
        return checked(value, assert_ops.assert_equal(value, gen_ops.round(value), message=text))

    @property
    def distribution(self) -> Any:
        """The other distribution."""
        return self._base

    @property
    def low(self) -> Optional[Tensor]:
        """The lowest integer, or None."""
        return self._low

    @property
    def high(self) -> Optional[Tensor]:
        """The highest integer, or None."""
        return self._high

    def _batch_shape(self) -> TensorShape:
        found: TensorShape = self._base.batch_shape
        return found

    def _batch_shape_tensor(self) -> Tensor:
        found: Tensor = self._base.batch_shape_tensor()
        return found

    def _event_shape(self) -> TensorShape:
        found: TensorShape = self._base.event_shape
        return found

    def _event_shape_tensor(self) -> Tensor:
        found: Tensor = self._base.event_shape_tensor()
        return found

    def _sample_n(self, n: Any, seed: Optional[int] = None) -> Tensor:
        found = gen_ops.ceil(self._base.sample(n, seed=seed))
        if self._low is not None:
            found = gen_ops.maximum(found, self._low)
        return found if self._high is None else gen_ops.minimum(found, self._high)

    def _log_prob(self, value: Tensor) -> Tensor:
        y = self._whole(value)
        try:
            rest, rest_below = self.log_survival_function(y), self.log_survival_function(y - 1.0)
        except NotImplementedError:
            return _log_difference(self.log_cdf(y), self.log_cdf(y - 1.0))
        up_to, below = self.log_cdf(y), self.log_cdf(y - 1.0)
        # By the smaller ones, whose difference has more digits.
        is_upper = gen_ops.less(rest, up_to)
        return _log_difference(
            where_v2(is_upper, rest_below, up_to), where_v2(is_upper, rest, below)
        )

    def _prob(self, value: Tensor) -> Tensor:
        y = self._whole(value)
        try:
            rest, rest_below = self.survival_function(y), self.survival_function(y - 1.0)
        except NotImplementedError:
            return self.cdf(y) - self.cdf(y - 1.0)
        up_to, below = self.cdf(y), self.cdf(y - 1.0)
        return where_v2(gen_ops.less(rest, up_to), rest_below - rest, up_to - below)

    def _between(self, found: Any, j: Tensor, below: float, above: float) -> Tensor:
        """What is found, but for the values lower than the ends, and those as high as they are."""
        ones = creation_ops.ones_like(found)
        place = j + creation_ops.zeros_like(found)
        result: Tensor = found
        if self._low is not None:
            result = where_v2(gen_ops.less(place, self._low), below * ones, result)
        if self._high is not None:
            result = where_v2(gen_ops.greater_equal(place, self._high), above * ones, result)
        return result

    def _log_cdf(self, value: Tensor) -> Tensor:
        j = gen_ops.floor(value)
        return self._between(self._base.log_cdf(j), j, -np.inf, 0.0)

    def _cdf(self, value: Tensor) -> Tensor:
        j = gen_ops.floor(value)
        return self._between(self._base.cdf(j), j, 0.0, 1.0)

    def _log_survival_function(self, value: Tensor) -> Tensor:
        j = gen_ops.ceil(value)
        return self._between(self._base.log_survival_function(j), j, 0.0, -np.inf)

    def _survival_function(self, value: Tensor) -> Tensor:
        j = gen_ops.ceil(value)
        return self._between(self._base.survival_function(j), j, 1.0, 0.0)


def _log_difference(big: Tensor, small: Tensor) -> Tensor:
    """log(exp(big) - exp(small)), which is -inf for equal ones, infinite ones as well."""
    is_equal = gen_ops.equal(small, big)
    gap = where_v2(is_equal, creation_ops.zeros_like(big), small - big)
    return gen_ops.log(1.0 - gen_ops.exp(gap)) + big
