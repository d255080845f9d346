"""The inverse of softplus."""

from __future__ import annotations

from typing import Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import gen_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.set_module import set_module


@set_module("troupe.contrib.distributions")
def softplus_inverse(x: TensorLike, name: Optional[str] = None) -> Tensor:
    """The y of log(1 + exp(y)) = x.

    Args:
        x: Positive numbers.

    Returns:
        A tensor of the same shape.
    """
    with name_scope(name, "softplus_inverse"):
        value = convert_to_tensor(x, name="x")
        # log(exp(x) - 1), without a difference of large numbers, nor of numbers near 1.
        return value + gen_ops.log(-gen_ops.expm1(-value))
