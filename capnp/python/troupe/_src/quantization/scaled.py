"""Numbers as integers keep them that a scale makes of them."""

from __future__ import annotations

from typing import Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import raw_ops


def quantize_and_dequantize(
    input: TensorLike,
    input_min: TensorLike,
    input_max: TensorLike,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    name: Optional[str] = None,
    narrow_range: bool = False,
) -> Tensor:
    """The input as it is after it was multiplied by a scale, rounded, and divided again.

    Its gradient is as if nothing had been rounded.

    Args:
        input: A tensor of floating point numbers.
        input_min: The least number that an integer is to stand for, where `range_given`.
        input_max: The greatest one.
        signed_input: Whether integers may be negative.
        num_bits: How many bits an integer has.
        range_given: Whether the scale follows from `input_min` and `input_max`, or from the least
            and the greatest number of the input.
        round_mode: "HALF_TO_EVEN" or "HALF_UP".
        name: The name of the node.
        narrow_range: Whether there are as many negative integers as positive ones.

    Returns:
        A tensor of the dtype and shape of the input.
    """
    return raw_ops.QuantizeAndDequantizeV2(
        input=input,
        input_min=input_min,
        input_max=input_max,
        signed_input=signed_input,
        num_bits=num_bits,
        range_given=range_given,
        round_mode=round_mode,
        narrow_range=narrow_range,
        name=name,
    )
