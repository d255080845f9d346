"""Bijectors of numbers onto intervals and half lines, and the one that changes nothing."""

from __future__ import annotations

from typing import Any

from troupe._src.bijectors.bijector import Bijector
from troupe._src.bijectors.checked import checked
from troupe._src.bijectors.softplus_inverse import softplus_inverse
from troupe._src.graph.elements import Tensor
from troupe._src.ops import arithmetic_ops, assert_ops, gen_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.set_module import set_module


@set_module("troupe.contrib.distributions.bijectors")
class Identity(Bijector):
    """y = x."""

    def __init__(self, validate_args: bool = False, name: str = "identity") -> None:
        """The bijector.

        Args:
            validate_args: Has no effect.
            name: The name scope of its nodes.
        """
        super().__init__(
            is_constant_jacobian=True, validate_args=validate_args, forward_min_event_ndims=0,
            name=name,
        )  # fmt: skip

    def _forward(self, x: Any) -> Any:
        return x

    def _inverse(self, y: Any) -> Any:
        return y

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return convert_to_tensor(0.0, x.dtype)

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return convert_to_tensor(0.0, y.dtype)


@set_module("troupe.contrib.distributions.bijectors")
class Sigmoid(Bijector):
    """y = 1 / (1 + exp(-x))."""

    def __init__(self, validate_args: bool = False, name: str = "sigmoid") -> None:
        """The bijector.

        Args:
            validate_args: Has no effect.
            name: The name scope of its nodes.
        """
        super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)

    def _forward(self, x: Any) -> Any:
        return gen_ops.sigmoid(x)

    def _inverse(self, y: Any) -> Any:
        return gen_ops.log(y) - gen_ops.log1p(-y)

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return -(gen_ops.log(y) + gen_ops.log1p(-y))

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return -(gen_ops.softplus(-x) + gen_ops.softplus(x))


@set_module("troupe.contrib.distributions.bijectors")
class Softplus(Bijector):
    """y = c log(1 + exp(x / c)), a smooth maximum of x and 0."""

    def __init__(
        self, hinge_softness: Any = None, validate_args: bool = False, name: str = "softplus"
    ) -> None:
        """The bijector.

        Args:
            hinge_softness: c, not 0: the greater, the smoother; by default 1.
            validate_args: Whether steps check that it is not 0.
            name: The name scope of its nodes.
        """
        super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)
        self._softness: Any = None
        if hinge_softness is not None:
            with self._name_scope("init"):
                softness = convert_to_tensor(hinge_softness, name="hinge_softness")
                if validate_args:
                    zero = convert_to_tensor(0, softness.dtype)
                    text = "hinge_softness must be non-zero"
                    check = assert_ops.assert_none_equal(softness, zero, message=text)
                    softness = checked(softness, check)
                self._softness = softness

    @property
    def hinge_softness(self) -> Any:
        """c, or None."""
        return self._softness

    def _forward(self, x: Any) -> Any:
        if self._softness is None:
            return gen_ops.softplus(x)
        softness = math_ops.cast(self._softness, x.dtype)
        return softness * gen_ops.softplus(x / softness)

    def _inverse(self, y: Any) -> Any:
        if self._softness is None:
            return softplus_inverse(y)
        softness = math_ops.cast(self._softness, y.dtype)
        return softness * softplus_inverse(y / softness)

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        # The derivative is 1 / (1 - exp(-y)).
        return -gen_ops.log(-gen_ops.expm1(-self._scaled(y)))

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return -gen_ops.softplus(-self._scaled(x))

    def _scaled(self, value: Tensor) -> Tensor:
        if self._softness is None:
            return value
        return value / math_ops.cast(self._softness, value.dtype)


@set_module("troupe.contrib.distributions.bijectors")
class Softsign(Bijector):
    """y = x / (1 + |x|)."""

    def __init__(self, validate_args: bool = False, name: str = "softsign") -> None:
        """The bijector.

        Args:
            validate_args: Whether steps check that y is between -1 and 1.
            name: The name scope of its nodes.
        """
        super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)

    def _forward(self, x: Any) -> Any:
        return x / (1.0 + arithmetic_ops.abs(x))

    def _inverse(self, y: Any) -> Any:
        value = self._between(y)
        return value / (1.0 - arithmetic_ops.abs(value))

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return -2.0 * gen_ops.log1p(arithmetic_ops.abs(x))

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return -2.0 * gen_ops.log1p(-arithmetic_ops.abs(self._between(y)))

    def _between(self, y: Tensor) -> Tensor:
        if not self.validate_args:
            return y
        text = "Inverse transformation input must be"
        ends = [convert_to_tensor(end, y.dtype) for end in (-1.0, 1.0)]
        low = assert_ops.assert_greater(y, ends[0], message=f"{text} greater than -1.")
        high = assert_ops.assert_less(y, ends[1], message=f"{text} less than 1.")
        return checked(y, low, high)
