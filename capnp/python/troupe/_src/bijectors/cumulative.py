"""Bijectors of numbers that are cumulative distribution functions, or inverses of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from troupe._src.bijectors.bijector import Bijector
from troupe._src.bijectors.checked import at_least, at_most, checked, of_probabilities, positive
from troupe._src.checks.check_ops import assert_same_float_dtype
from troupe._src.graph.elements import Tensor
from troupe._src.ops import arithmetic_ops, gen_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.creation_ops import ones_like
from troupe._src.ops.selection_ops import where_v2
from troupe._src.set_module import set_module


@set_module("troupe.contrib.distributions.bijectors")
class Gumbel(Bijector):
    """y = exp(-exp(-(x - loc) / scale)), the probability of x and lower values."""

    def __init__(
        self, loc: Any = 0.0, scale: Any = 1.0, validate_args: bool = False, name: str = "gumbel"
    ) -> None:
        """The bijector.

        Args:
            loc: The mode.
            scale: The scale, which is positive; of the dtype of `loc`.
            validate_args: Whether steps check the parameters and the values.
            name: The name scope of its nodes.
        """
        self._graph_parents, self._name = [], name
        with self._name_scope("init"):
            self._loc = convert_to_tensor(loc, name="loc")
            self._scale = positive(scale, "scale", validate_args)
            assert_same_float_dtype([self._loc, self._scale])
        super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)

    @property
    def loc(self) -> Tensor:
        """The mode."""
        return self._loc

    @property
    def scale(self) -> Tensor:
        """The scale."""
        return self._scale

    def _standard(self, x: Any) -> Any:
        return (x - self.loc) / self.scale

    def _forward(self, x: Any) -> Any:
        return gen_ops.exp(-gen_ops.exp(-self._standard(x)))

    def _inverse(self, y: Any) -> Any:
        rate = -gen_ops.log(of_probabilities(y, self.validate_args))
        return self.loc - self.scale * gen_ops.log(rate)

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        value = of_probabilities(y, self.validate_args)
        return gen_ops.log(self.scale / (-gen_ops.log(value) * value))

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        z = self._standard(x)
        return -(z + gen_ops.exp(-z) + gen_ops.log(self.scale))


@set_module("troupe.contrib.distributions.bijectors")
class Weibull(Bijector):
    """y = 1 - exp(-(x / scale)^concentration), of numbers that are not negative."""

    def __init__(
        self,
        scale: Any = 1.0,
        concentration: Any = 1.0,
        validate_args: bool = False,
        name: str = "weibull",
    ) -> None:
        """The bijector.

        Args:
            scale: The scale, which is positive.
            concentration: The exponent, positive and of the same dtype.
            validate_args: Whether steps check the parameters and the values.
            name: The name scope of its nodes.
        """
        self._graph_parents, self._name = [], name
        with self._name_scope("init"):
            self._scale = positive(scale, "scale", validate_args)
            self._concentration = positive(concentration, "concentration", validate_args)
            assert_same_float_dtype([self._scale, self._concentration])
        super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)

    @property
    def scale(self) -> Tensor:
        """The scale."""
        return self._scale

    @property
    def concentration(self) -> Tensor:
        """The exponent."""
        return self._concentration

    def _forward(self, x: Any) -> Any:
        return -gen_ops.expm1(-self._power(self._not_negative(x)))

    def _inverse(self, y: Any) -> Any:
        rate = -gen_ops.log1p(-of_probabilities(y, self.validate_args))
        return self.scale * rate ** (1.0 / self.concentration)

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        rate = -gen_ops.log1p(-of_probabilities(y, self.validate_args))
        root = (1.0 / self.concentration - 1.0) * gen_ops.log(rate)
        return rate + root + gen_ops.log(self.scale / self.concentration)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        value = self._not_negative(x)
        power = (self.concentration - 1.0) * gen_ops.log(value)
        scales = gen_ops.log(self.concentration) - self.concentration * gen_ops.log(self.scale)
        return power + scales - self._power(value)

    def _power(self, x: Tensor) -> Any:
        return (x / self.scale) ** self.concentration

    def _not_negative(self, x: Tensor) -> Tensor:
        if not self.validate_args:
            return x
        text = "Forward transformation input must be at least 0."
        return checked(x, at_least(x, 0.0, text))


@set_module("troupe.contrib.distributions.bijectors")
class Kumaraswamy(Bijector):
    """The inverse of x = 1 - (1 - y^a)^b, of numbers between 0 and 1."""

    def __init__(
        self,
        concentration1: Any = None,
        concentration0: Any = None,
        validate_args: bool = False,
        name: str = "kumaraswamy",
    ) -> None:
        """The bijector.

        Args:
            concentration1: a, which is positive.
            concentration0: b, positive and of the same dtype.
            validate_args: Whether steps check the parameters and the values.
            name: The name scope of its nodes.
        """
        self._graph_parents, self._name = [], name
        with self._name_scope("init"):
            self._a = positive(concentration1, "concentration1", validate_args)
            self._b = positive(concentration0, "concentration0", validate_args)
        super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)

    @property
    def concentration1(self) -> Tensor:
        """a."""
        return self._a

    @property
    def concentration0(self) -> Tensor:
        """b."""
        return self._b

    def _forward(self, x: Any) -> Any:
        # 1 - (1 - x)^(1 / b), by logarithms
        rest = gen_ops.log1p(-self._in_unit(x)) / self._b
        return gen_ops.exp(gen_ops.log1p(-gen_ops.exp(rest)) / self._a)

    def _inverse(self, y: Any) -> Any:
        value = self._in_unit(y)
        return gen_ops.exp(gen_ops.log1p(-((1.0 - value**self._a) ** self._b)))

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        value = self._in_unit(y)
        low = (self._a - 1.0) * gen_ops.log(value)
        high = (self._b - 1.0) * gen_ops.log1p(-(value**self._a))
        return gen_ops.log(self._a) + gen_ops.log(self._b) + low + high

    def _in_unit(self, value: Tensor) -> Tensor:
        if not self.validate_args:
            return value
        low = at_least(value, 0.0, "sample must be non-negative")
        return checked(value, low, at_most(value, 1.0, "sample must be no larger than `1`."))


@set_module("troupe.contrib.distributions.bijectors")
class SinhArcsinh(Bijector):
    """y = sinh((arcsinh(x) + skewness) * tailweight)."""

    def __init__(
        self,
        skewness: Any = None,
        tailweight: Any = None,
        validate_args: bool = False,
        name: str = "SinhArcsinh",
    ) -> None:
        """The bijector.

        Args:
            skewness: Makes y larger where it is positive; by default 0.
            tailweight: Positive: more than 1 makes tails heavier; by default 1.
            validate_args: Whether steps check that `tailweight` is positive.
            name: The name scope of its nodes.
        """
        self._graph_parents, self._name = [], name
        with self._name_scope("init"):
            self._skewness = convert_to_tensor(0.0 if skewness is None else skewness)
            weight = 1.0 if tailweight is None else tailweight
            tensor = convert_to_tensor(weight, self._skewness.dtype)
            self._tailweight = positive(tensor, "tailweight", validate_args)
            assert_same_float_dtype([self._skewness, self._tailweight])
        super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)

    @property
    def skewness(self) -> Tensor:
        """What is added to arcsinh(x)."""
        return self._skewness

    @property
    def tailweight(self) -> Tensor:
        """What it is multiplied by."""
        return self._tailweight

    def _angle(self, x: Any) -> Any:
        return (gen_ops.asinh(x) + self.skewness) * self.tailweight

    def _angle_of_inverse(self, y: Any) -> Any:
        return gen_ops.asinh(y) / self.tailweight - self.skewness

    def _forward(self, x: Any) -> Any:
        return gen_ops.sinh(self._angle(x))

    def _inverse(self, y: Any) -> Any:
        return gen_ops.sinh(self._angle_of_inverse(y))

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        found = _log_cosh(self._angle(x)) - _log_root(x)
        return found + gen_ops.log(self.tailweight)

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        found = _log_cosh(self._angle_of_inverse(y)) - _log_root(y)
        return found - gen_ops.log(self.tailweight)


def _log_cosh(angle: Any) -> Any:
    """log(cosh(angle)), finite where cosh is not."""
    size = arithmetic_ops.abs(angle)
    return size + gen_ops.log1p(gen_ops.exp(-2.0 * size)) - float(np.log(2.0))


def _log_root(x: Any) -> Any:
    """log(sqrt(x^2 + 1)), which is log(|x|) where x^2 is too large."""
    size = arithmetic_ops.abs(x)
    limit = float(1.0 / np.sqrt(np.finfo(x.dtype.as_numpy_dtype).eps))
    is_small, one = size <= limit, ones_like(x)
    small = 0.5 * gen_ops.log1p(gen_ops.square(where_v2(is_small, size, one)))
    return where_v2(is_small, small, gen_ops.log(where_v2(is_small, one, size)))
