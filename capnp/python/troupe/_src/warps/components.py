"""The connected parts of images."""

from __future__ import annotations

from typing import Any

import numpy as np

from troupe._src.control_flow.loops import while_loop
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import (
    arithmetic_ops,
    array_ops,
    creation_ops,
    gen_ops,
    math_ops,
    segment_ops,
    selection_ops,
)
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.types import dtypes


def connected_components(images: TensorLike) -> Tensor:
    """The numbers of the parts of images: pixels of one value that hang together.

    As `tf.contrib.image.connected_components`. A pixel hangs together with those above, below, left
    and right of it.

    Args:
        images: [height, width] or [batch, height, width]; bools, numbers or strings.

    Returns:
        A tensor of int32 of the same shape: 0 for pixels of False, 0 or "", from 1 for the parts of
        all images, in the order of their first pixels.

    Raises:
        TypeError: The rank is another.
    """
    with get_default_graph().name_scope("connected_components"):
        given = convert_to_tensor(images, name="images")
        rank = given.shape.rank
        if rank not in (2, 3):
            raise TypeError(
                f"images should have rank 2 (HW) or 3 (NHW). Static shape is {given.shape}"
            )
        pixels = array_ops.expand_dims(given, 0) if rank == 2 else given
        size = array_ops.shape(pixels)
        numbers = math_ops.range(array_ops.size(pixels))
        is_text = pixels.dtype == dtypes.string
        zero: Any = "" if is_text else np.zeros((), pixels.dtype.as_numpy_dtype)
        is_part = arithmetic_ops.not_equal(pixels, constant(zero, pixels.dtype))
        places = array_ops.reshape(numbers, size)
        down = _pairs(pixels[:, :-1], pixels[:, 1:], is_part[:, 1:], places[:, :-1], places[:, 1:])
        right = _pairs(
            pixels[:, :, :-1], pixels[:, :, 1:], is_part[:, :, 1:], places[:, :, :-1],
            places[:, :, 1:],
        )  # fmt: skip
        ones, others = (array_ops.concat([a, b], 0) for a, b in zip(down, right))
        first = _first_pixels(numbers, ones, others)
        flat = array_ops.reshape(is_part, [-1])
        is_first = math_ops.cast(
            gen_ops.logical_and(flat, gen_ops.equal(first, numbers)), dtypes.int32
        )
        own = selection_ops.gather(segment_ops.cumsum(is_first), first)
        found = selection_ops.where(flat, own, creation_ops.zeros_like(own))
        found = array_ops.reshape(found, array_ops.shape(given))
        found.set_shape(given.shape)
        return found


def _pairs(one: Tensor, other: Tensor, is_part: Tensor, places: Tensor, next_to: Tensor) -> Any:
    """The places of neighbours that hang together."""
    hang = selection_ops.where(
        array_ops.reshape(gen_ops.logical_and(is_part, gen_ops.equal(one, other)), [-1])
    )[:, 0]
    return [
        selection_ops.gather(array_ops.reshape(each, [-1]), hang) for each in (places, next_to)
    ]


def _first_pixels(numbers: Tensor, ones: Tensor, others: Tensor) -> Tensor:
    """The number of the first pixel of each one's part, where pairs hang together.

    Each pixel points to one before it in its part, at first to itself. An iteration lets what the
    pixels of each pair point to point to the lesser one of both, and halves the ways twice, so that
    the iterations are about as many as the logarithm of the longest way.
    """

    def is_open(pointers: Tensor) -> Tensor:
        of_ones, of_others = (selection_ops.gather(pointers, each) for each in (ones, others))
        return math_ops.reduce_any(arithmetic_ops.not_equal(of_ones, of_others))

    def joined(pointers: Tensor) -> Tensor:
        of_ones, of_others = (selection_ops.gather(pointers, each) for each in (ones, others))
        lesser, greater = gen_ops.minimum(of_ones, of_others), gen_ops.maximum(of_ones, of_others)
        count = array_ops.size(pointers)
        pointers = gen_ops.minimum(
            pointers, gen_ops.unsorted_segment_min(lesser, greater, count)
        )
        for _ in range(2):
            pointers = selection_ops.gather(pointers, pointers)
        return pointers

    found: Tensor = while_loop(is_open, joined, [numbers], back_prop=False)
    return found
