"""Bijectors of vectors onto simplices, and of increasing vectors."""

from __future__ import annotations

from typing import Any, Optional

from troupe._src.bijectors.bijector import Bijector
from troupe._src.bijectors.checked import checked
from troupe._src.graph.elements import Tensor
from troupe._src.nn.nn_ops import softmax
from troupe._src.ops import array_ops, assert_ops, gen_ops, math_ops
from troupe._src.ops.creation_ops import zeros_like
from troupe._src.ops.reduction_ops import reduce_logsumexp
from troupe._src.ops.segment_ops import cumsum
from troupe._src.set_module import set_module
from troupe._src.types.shapes import TensorShape


class _OfVectors(Bijector):
    """One whose y has some more elements than x."""

    _more = 0

    def _forward_event_shape(self, input_shape: TensorShape) -> Any:
        size = _last(input_shape)
        return input_shape if size is None else TensorShape([size + self._more])

    def _forward_event_shape_tensor(self, input_shape: Tensor) -> Any:
        return input_shape[-1:] + self._more

    def _inverse_event_shape(self, output_shape: TensorShape) -> Any:
        size = _last(output_shape)
        if size is None:
            return output_shape
        if size <= 1:
            raise ValueError(f"output_shape[-1] = {size} <= 1")
        return TensorShape([size - self._more])

    def _inverse_event_shape_tensor(self, output_shape: Tensor) -> Any:
        size = output_shape[-1:]
        if self.validate_args:
            text = "Need last dimension greater than 1."
            size = checked(size, assert_ops.assert_greater(size, 1, message=text))
        return size - self._more


def _last(shape: TensorShape) -> Optional[int]:
    return shape[-1].value if shape.rank else None


@set_module("troupe.contrib.distributions.bijectors")
class Ordered(_OfVectors):
    """y[0] = x[0] and y[i] = log(x[i] - x[i - 1]), of increasing vectors."""

    def __init__(self, validate_args: bool = False, name: str = "ordered") -> None:
        """The bijector.

        Args:
            validate_args: Whether steps check that x increases.
            name: The name scope of its nodes.
        """
        super().__init__(forward_min_event_ndims=1, validate_args=validate_args, name=name)

    def _forward(self, x: Any) -> Any:
        return array_ops.concat([x[..., :1], gen_ops.log(self._steps(x))], -1)

    def _inverse(self, y: Any) -> Any:
        return cumsum(array_ops.concat([y[..., :1], gen_ops.exp(y[..., 1:])], -1), axis=-1)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return -math_ops.reduce_sum(gen_ops.log(self._steps(x)), -1)

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return math_ops.reduce_sum(y[..., 1:], -1)

    def _steps(self, x: Tensor) -> Tensor:
        steps: Tensor = x[..., 1:] - x[..., :-1]
        if not self.validate_args:
            return steps
        text = "Forward transformation input must be strictly increasing."
        return checked(steps, assert_ops.assert_positive(steps, message=text))


@set_module("troupe.contrib.distributions.bijectors")
class SoftmaxCentered(_OfVectors):
    """y = softmax of x and a last 0: the probabilities of one class more than x has numbers."""

    _more = 1

    def __init__(self, validate_args: bool = False, name: str = "softmax_centered") -> None:
        """The bijector.

        Args:
            validate_args: Whether steps check the sizes of y.
            name: The name scope of its nodes.
        """
        super().__init__(forward_min_event_ndims=1, validate_args=validate_args, name=name)

    def _forward(self, x: Any) -> Any:
        return softmax(array_ops.concat([x, zeros_like(x[..., :1])], -1))

    def _inverse(self, y: Any) -> Any:
        logarithms = gen_ops.log(y)
        return logarithms[..., :-1] - logarithms[..., -1:]

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return -math_ops.reduce_sum(gen_ops.log(y), -1)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        # log(1 + the sum of exp(x)), for each probability
        total = gen_ops.softplus(reduce_logsumexp(x, -1))
        more = math_ops.cast(array_ops.shape(x)[-1] + 1, x.dtype)
        return math_ops.reduce_sum(x, -1) - more * total
