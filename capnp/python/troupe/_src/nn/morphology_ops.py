"""Dilation and erosion of images."""

from __future__ import annotations

from typing import Any, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import array_ops, raw_ops
from troupe._src.arguments import either
from troupe._src.ops.convert import convert_to_tensor


def dilation2d(
    input: TensorLike,
    filter: Optional[TensorLike] = None,
    strides: Any = None,
    rates: Any = None,
    padding: Any = None,
    name: Optional[str] = None,
    filters: Optional[TensorLike] = None,
    dilations: Any = None,
) -> Tensor:
    """The largest sum of a pixel and the filter's value for it, in each window of a channel.

    Args:
        input: numbers, [batch, height, width, channels].
        filter: of the dtype of `input`, [height, width, channels].
        strides: the step of the windows, one number for each of the four axes.
        rates: the distance of the pixels that a window reads, one number for each of the four axes.
        padding: "SAME" to fill up with zeros at the borders, "VALID" to leave out windows that
            cross them.
        filters: another name of `filter`.
        dilations: another name of `rates`.

    Returns:
        A tensor [batch, new height, new width, channels].

    Raises:
        ValueError: if both names of an argument are given.
    """
    return raw_ops.Dilation2D(
        input=input,
        filter=either("filters", filters, "filter", filter),
        strides=strides,
        rates=either("dilations", dilations, "rates", rates),
        padding=padding,
        name=name,
    )


def erosion2d(
    value: TensorLike,
    kernel: TensorLike,
    strides: Any,
    rates: Any,
    padding: str,
    name: Optional[str] = None,
) -> Tensor:
    """The smallest difference of a pixel and the kernel's value for it: the dual of dilation2d.

    Args:
        value: numbers, [batch, height, width, channels].
        kernel: of the dtype of `value`, [height, width, channels]; its size is known.
        strides: the step of the windows, one number for each of the four axes.
        rates: the distance of the pixels that a window reads, one number for each of the four axes.
        padding: "SAME" to fill up with zeros at the borders, "VALID" to leave out windows that
            cross them.

    Returns:
        A tensor [batch, new height, new width, channels].
    """
    with get_default_graph().name_scope(name or "erosion2d"):
        turned = convert_to_tensor(kernel)
        for axis in (0, 1):
            turned = array_ops.stack(array_ops.unstack(turned, axis=axis)[::-1], axis)
        return -dilation2d(-convert_to_tensor(value), turned, strides, rates, padding)
