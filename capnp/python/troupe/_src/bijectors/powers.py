"""Bijectors of numbers that are powers: exponentials, squares, and magnitudes."""

from __future__ import annotations

import math
from typing import Any, Tuple

from troupe._src.bijectors.bijector import Bijector
from troupe._src.bijectors.checked import checked
from troupe._src.graph.elements import Tensor
from troupe._src.ops import arithmetic_ops, array_ops, assert_ops, gen_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.set_module import set_module


@set_module("troupe.contrib.distributions.bijectors")
class PowerTransform(Bijector):
    """y = (1 + x c)^(1 / c) for a power c; exp(x), to which this tends, for 0."""

    def __init__(
        self, power: Any = 0.0, validate_args: bool = False, name: str = "power_transform"
    ) -> None:
        """A bijector of that power.

        Args:
            power: c, a number that is known while the graph is built.
            validate_args: Whether steps check the values.
            name: The name scope of its nodes.

        Raises:
            ValueError: `power` is negative, or not known.
        """
        self._graph_parents, self._name = [], name
        with self._name_scope("init"):
            known = array_ops.get_static_value(convert_to_tensor(power, name="power"))
        if known is None or known < 0:
            raise ValueError("`power` must be a non-negative TF constant.")
        self._power, self._exponent = known, float(known)
        super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)

    @property
    def power(self) -> Any:
        """c."""
        return self._power

    def _forward(self, x: Any) -> Any:
        base = self._of_domain(x)
        if not self._exponent:
            return gen_ops.exp(base)
        return gen_ops.exp(gen_ops.log1p(base * self._exponent) / self._exponent)

    def _inverse(self, y: Any) -> Any:
        logarithm = gen_ops.log(self._of_range(y))
        if not self._exponent:
            return logarithm
        return gen_ops.expm1(logarithm * self._exponent) / self._exponent

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return (self._exponent - 1.0) * gen_ops.log(self._of_range(y))

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        base = self._of_domain(x)
        if not self._exponent:
            return base
        return (1.0 / self._exponent - 1.0) * gen_ops.log1p(base * self._exponent)

    def _of_domain(self, x: Tensor) -> Tensor:
        if not self.validate_args or not self._exponent:
            return x
        text = f"Forward transformation input must be at least {-1.0 / self._exponent}."
        base = 1.0 + self._exponent * x
        return checked(x, assert_ops.assert_non_negative(base, message=text))

    def _of_range(self, y: Tensor) -> Tensor:
        if not self.validate_args:
            return y
        text = "Inverse transformation input must be greater than 0."
        return checked(y, assert_ops.assert_positive(y, message=text))


@set_module("troupe.contrib.distributions.bijectors")
class Exp(PowerTransform):
    """y = exp(x)."""

    def __init__(self, validate_args: bool = False, name: str = "exp") -> None:
        """The bijector.

        Args:
            validate_args: Whether steps check the values.
            name: The name scope of its nodes.
        """
        super().__init__(validate_args=validate_args, name=name)


@set_module("troupe.contrib.distributions.bijectors")
class Square(Bijector):
    """y = x^2, of numbers that are not negative."""

    def __init__(self, validate_args: bool = False, name: str = "square") -> None:
        """The bijector.

        Args:
            validate_args: Whether steps check the values.
            name: The name scope of its nodes.
        """
        super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)

    def _forward(self, x: Any) -> Any:
        return gen_ops.square(self._not_negative(x))

    def _inverse(self, y: Any) -> Any:
        return gen_ops.sqrt(self._not_negative(y))

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return math.log(2.0) + gen_ops.log(self._not_negative(x))

    def _not_negative(self, value: Tensor) -> Tensor:
        if not self.validate_args:
            return value
        text = "All elements must be non-negative."
        return checked(value, assert_ops.assert_non_negative(value, message=text))


@set_module("troupe.contrib.distributions.bijectors")
class AbsoluteValue(Bijector):
    """y = |x|, whose inverse is the pair (-y, y)."""

    def __init__(self, validate_args: bool = False, name: str = "absolute_value") -> None:
        """The bijector.

        Args:
            validate_args: Whether steps check the values.
            name: The name scope of its nodes.
        """
        super().__init__(
            is_constant_jacobian=True, validate_args=validate_args, forward_min_event_ndims=0,
            name=name,
        )  # fmt: skip

    @property
    def _is_injective(self) -> bool:
        return False

    def _forward(self, x: Any) -> Any:
        return arithmetic_ops.abs(x)

    def _inverse(self, y: Any) -> Tuple[Any, Any]:
        magnitude = self._not_negative(y, y)
        return -magnitude, magnitude

    def _inverse_log_det_jacobian(self, y: Any) -> Tuple[Any, Any]:
        zero = self._not_negative(y, convert_to_tensor(0.0, y.dtype))
        return zero, zero

    def _not_negative(self, y: Tensor, value: Tensor) -> Tensor:
        if not self.validate_args:
            return value
        text = "Argument y was negative"
        return checked(value, assert_ops.assert_non_negative(y, message=text))
