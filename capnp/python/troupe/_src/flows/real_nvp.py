"""The bijector that scales one part of vectors by functions of the other part."""

from __future__ import annotations

from typing import Any, Callable, Optional, Sequence, Tuple

from troupe._src.bijectors.bijector import Bijector
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.layers.core import dense
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.set_module import set_module
from troupe._src.variables.template import make_template


@set_module("troupe.contrib.distributions.bijectors")
class RealNVP(Bijector):
    """y0 = x0 and y1 = x1 * exp(log_scale(x0)) + shift(x0), of two parts of vectors."""

    def __init__(
        self,
        num_masked: int,
        shift_and_log_scale_fn: Callable[..., Any],
        is_constant_jacobian: bool = False,
        validate_args: bool = False,
        name: Optional[str] = None,
    ) -> None:
        """The bijector.

        Args:
            num_masked: How many elements x0 has.
            shift_and_log_scale_fn: A function of x0, and of the number of elements of x1, which
                gives `shift` and `log_scale`; each may be None, for 0.
            is_constant_jacobian: Whether the Jacobian is the same for all x, as without
                `log_scale`.
            validate_args: Has no effect.
            name: The name scope of its nodes.

        Raises:
            ValueError: `num_masked` is not positive.
        """
        if num_masked <= 0:
            raise ValueError("num_masked must be a positive integer.")
        self._num_masked, self._function = num_masked, shift_and_log_scale_fn
        super().__init__(
            is_constant_jacobian=is_constant_jacobian, validate_args=validate_args,
            forward_min_event_ndims=1, name=name or "real_nvp",
        )  # fmt: skip

    def _parts(self, value: Tensor) -> Tuple[Tensor, Tensor, Any, Any]:
        """Both parts, and what the function gives for the first one."""
        size = value.shape.with_rank_at_least(1)[-1].value
        if size is None:
            raise NotImplementedError(
                "Rightmost dimension must be known prior to graph execution."
            )
        if self._num_masked >= size:
            raise ValueError("Number of masked units must be smaller than the event size.")
        first, second = value[..., : self._num_masked], value[..., self._num_masked :]
        shift, log_scale = self._function(first, size - self._num_masked)
        return first, second, shift, log_scale

    def _forward(self, x: Any) -> Any:
        first, second, shift, log_scale = self._parts(x)
        if log_scale is not None:
            second *= gen_ops.exp(log_scale)
        if shift is not None:
            second += shift
        return array_ops.concat([first, second], -1)

    def _inverse(self, y: Any) -> Any:
        first, second, shift, log_scale = self._parts(y)
        if shift is not None:
            second -= shift
        if log_scale is not None:
            second *= gen_ops.exp(-log_scale)
        return array_ops.concat([first, second], -1)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        log_scale = self._parts(x)[3]
        if log_scale is None:
            return convert_to_tensor(0.0, x.dtype)
        return math_ops.reduce_sum(log_scale, -1)

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        # The first part is the same on both sides.
        return -self._forward_log_det_jacobian(y)


@set_module("troupe.contrib.distributions.bijectors")
def real_nvp_default_template(
    hidden_layers: Sequence[int],
    shift_only: bool = False,
    activation: Optional[Callable[..., Any]] = gen_ops.relu,
    name: Optional[str] = None,
    *args: Any,
    **kwargs: Any,
) -> Callable[..., Any]:
    """A function for `RealNVP`: dense layers, one after the other.

    Args:
        hidden_layers: The numbers of units of all layers but the last one.
        shift_only: Makes no `log_scale`.
        activation: That of all layers but the last one.
        *args: Further arguments of `tf.layers.dense`, after `activation`.
        **kwargs: Likewise, by name.

    Returns:
        A function of a tensor and of a number of units, which gives `shift` and `log_scale`; all
        calls share the variables.
    """

    def shift_and_log_scale(x: Any, output_units: int) -> Tuple[Any, Any]:
        for units in hidden_layers:
            x = dense(x, units, activation, *args, **kwargs)
        count = output_units if shift_only else 2 * output_units
        x = dense(x, count, None, *args, **kwargs)
        if shift_only:
            return x, None
        shift, log_scale = array_ops.split(x, 2, axis=-1)
        return shift, log_scale

    with name_scope(name, "real_nvp_default_template"):
        return make_template("real_nvp_default_template", shift_and_log_scale)
