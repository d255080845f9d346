"""The bijector that scales each element of vectors by functions of earlier elements."""

from __future__ import annotations

from typing import Any, Callable, Optional, Tuple

from troupe._src.bijectors.bijector import Bijector
from troupe._src.control_flow.loops import while_loop
from troupe._src.graph.elements import Tensor
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.creation_ops import zeros_like
from troupe._src.set_module import set_module


@set_module("troupe.contrib.distributions.bijectors")
class MaskedAutoregressiveFlow(Bijector):
    """y[i] = x[i] * exp(log_scale(y)[i]) + shift(y)[i], both of y[:i] alone.

    So y takes one step for each element, and x takes one in all.
    """

    def __init__(
        self,
        shift_and_log_scale_fn: Callable[..., Any],
        is_constant_jacobian: bool = False,
        validate_args: bool = False,
        unroll_loop: bool = False,
        name: Optional[str] = None,
    ) -> None:
        """The bijector.

        Args:
            shift_and_log_scale_fn: A function of y, which gives `shift` and `log_scale`; each may
                be None, for 0.
            is_constant_jacobian: Whether the Jacobian is the same for all x, as without
                `log_scale`.
            validate_args: Has no effect.
            unroll_loop: Adds the nodes of all steps, in place of a loop.
            name: The name scope of its nodes.
        """
        self._function, self._unroll_loop = shift_and_log_scale_fn, unroll_loop
        super().__init__(
            is_constant_jacobian=is_constant_jacobian, validate_args=validate_args,
            forward_min_event_ndims=1, name=name or "masked_autoregressive_flow",
        )  # fmt: skip

    def _forward(self, x: Any) -> Any:
        size = x.shape.with_rank_at_least(1)[-1].value
        y = zeros_like(x, name="y0")
        if self._unroll_loop:
            if size is None:
                raise ValueError(
                    "The final dimension of `x` must be known at graph construction time if "
                    f"`unroll_loop=True`. `x.shape: {x.shape!r}`"
                )
            for _ in range(size):
                y = self._step(x, y)
            return y
        self._function(y)  # The loop would make variables of its own iterations.
        count = array_ops.shape(x)[-1]

        def body(index: Tensor, y: Tensor) -> Tuple[Any, Any]:
            following = self._step(x, y)
            following.set_shape(x.shape)
            return index + 1, following

        found: Tensor = while_loop(
            lambda index, _: gen_ops.less(index, count), body, (convert_to_tensor(0), y),
            maximum_iterations=size,
        )[1]  # fmt: skip
        return found

    def _step(self, x: Tensor, y: Tensor) -> Tensor:
        shift, log_scale = self._function(y)
        following = x if log_scale is None else x * gen_ops.exp(log_scale)
        return following if shift is None else following + shift

    def _inverse(self, y: Any) -> Any:
        shift, log_scale = self._function(y)
        x = y if shift is None else y - shift
        return x if log_scale is None else x * gen_ops.exp(-log_scale)

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        log_scale = self._function(y)[1]
        if log_scale is None:
            return convert_to_tensor(0.0, y.dtype)
        return -math_ops.reduce_sum(log_scale, -1)
