"""The bijector that multiplies a number, and adds one."""

from __future__ import annotations

from typing import Any

from troupe._src.bijectors.bijector import Bijector
from troupe._src.bijectors.checked import checked
from troupe._src.ops import arithmetic_ops, array_ops, assert_ops, gen_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.set_module import set_module


@set_module("troupe.contrib.distributions.bijectors")
class AffineScalar(Bijector):
    """y = scale * x + shift, by elements."""

    def __init__(
        self,
        shift: Any = None,
        scale: Any = None,
        validate_args: bool = False,
        name: str = "affine_scalar",
    ) -> None:
        """The bijector.

        Args:
            shift: What is added; None for 0.
            scale: What multiplies, not 0; None for 1.
            validate_args: Whether steps check that `scale` is not 0.
            name: The name scope of its nodes.
        """
        self._graph_parents, self._name = [], name
        with self._name_scope("init"):
            self._shift = None if shift is None else convert_to_tensor(shift, name="shift")
            self._scale = None if scale is None else convert_to_tensor(scale, name="scale")
            if validate_args and self._scale is not None:
                zero = convert_to_tensor(0, self._scale.dtype)
                check = assert_ops.assert_none_equal(self._scale, zero)
                self._scale = checked(self._scale, check)
        super().__init__(
            is_constant_jacobian=True, validate_args=validate_args, forward_min_event_ndims=0,
            name=name,
        )  # fmt: skip

    @property
    def shift(self) -> Any:
        """What is added, or None."""
        return self._shift

    @property
    def scale(self) -> Any:
        """What multiplies, or None."""
        return self._scale

    def _forward(self, x: Any) -> Any:
        y = array_ops.identity(x)
        if self.scale is not None:
            y *= self.scale
        return y if self.shift is None else y + self.shift

    def _inverse(self, y: Any) -> Any:
        x = array_ops.identity(y)
        if self.shift is not None:
            x -= self.shift
        return x if self.scale is None else x / self.scale

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        if self.scale is None:
            return convert_to_tensor(0.0, x.dtype)
        return gen_ops.log(arithmetic_ops.abs(self.scale))
