"""Convolutions of each channel by itself."""

from __future__ import annotations

from typing import List, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.nn.conv_ops import conv2d
from troupe._src.nn.windows import Sizes, channel_axis, sizes
from troupe._src.ops import raw_ops
from troupe._src.arguments import either


def depthwise_conv2d(
    input: TensorLike,
    filter: TensorLike,
    strides: List[int],
    padding: str,
    rate: Optional[Sizes] = None,
    name: Optional[str] = None,
    data_format: Optional[str] = None,
    dilations: Optional[Sizes] = None,
) -> Tensor:
    """Each channel filtered by its own filters: [height, width, channels, outputs of each].

    Args:
        input: floats, [batch, height, width, channels].
        filter: of the dtype of `input`, [height, width, channels, outputs of each].
        strides: the step of the windows, one number for each of the four axes.
        padding: "SAME" to fill up with zeros at the borders, "VALID" to leave out windows that
            cross them.
        rate: the distance of the pixels that a window reads: one number, or one for each axis of
            space; None for 1.
        data_format: "NHWC", or "NCHW" with the channels before the pixels.
        dilations: another name of `rate`.

    Returns:
        A tensor [batch, new height, new width, channels * outputs of each].

    Raises:
        ValueError: if strides and rate are both above 1, or both names of the rate are given.
    """
    channels = channel_axis(data_format, 4)
    gaps = sizes(either("dilations", dilations, "rate", rate), 4, channels, "rate")
    if max(gaps) > 1 and max(strides) > 1:
        raise ValueError("strides > 1 not supported in conjunction with rate > 1")
    return raw_ops.DepthwiseConv2dNative(
        input=input,
        filter=filter,
        strides=strides,
        padding=padding,
        data_format=data_format or "NHWC",
        dilations=gaps,
        name=name or "depthwise",
    )


def depthwise_conv2d_native(
    input: TensorLike,
    filter: TensorLike,
    strides: List[int],
    padding: str,
    data_format: str = "NHWC",
    dilations: List[int] = [1, 1, 1, 1],  # noqa: B006
    name: Optional[str] = None,
) -> Tensor:
    """`depthwise_conv2d` with the attributes of its op.

    Args:
        input: floats, [batch, height, width, channels].
        filter: of the dtype of `input`, [height, width, channels, outputs of each].
        strides: the step of the windows, one number for each of the four axes.
        padding: "SAME" to fill up with zeros at the borders, "VALID" to leave out windows that
            cross them.
        data_format: "NHWC", or "NCHW" with the channels before the pixels.
        dilations: the distance of the pixels that a window reads, one number for each of the four
            axes.

    Returns:
        A tensor [batch, new height, new width, channels * outputs of each].
    """
    return raw_ops.DepthwiseConv2dNative(
        input=input,
        filter=filter,
        strides=strides,
        padding=padding,
        data_format=data_format,
        dilations=dilations,
        name=name,
    )


def separable_conv2d(
    input: TensorLike,
    depthwise_filter: TensorLike,
    pointwise_filter: TensorLike,
    strides: List[int],
    padding: str,
    rate: Optional[Sizes] = None,
    name: Optional[str] = None,
    data_format: Optional[str] = None,
    dilations: Optional[Sizes] = None,
) -> Tensor:
    """depthwise_conv2d, and a filter of one pixel that mixes the channels.

    Args:
        input: floats, [batch, height, width, channels].
        depthwise_filter: of the dtype of `input`, [height, width, channels, outputs of each].
        pointwise_filter: of the dtype of `input`, [1, 1, channels * outputs of each, outputs].
        strides: the step of the windows, one number for each of the four axes.
        padding: "SAME" to fill up with zeros at the borders, "VALID" to leave out windows that
            cross them.
        rate: the distance of the pixels that a window reads: one number, or one for each axis of
            space; None for 1.
        data_format: "NHWC", or "NCHW" with the channels before the pixels.
        dilations: another name of `rate`.

    Returns:
        A tensor [batch, new height, new width, outputs].

    Raises:
        ValueError: if strides and rate are both above 1, or both names of the rate are given.
    """
    with get_default_graph().name_scope(name or "separable_conv2d") as scope:
        separate = depthwise_conv2d(
            input, depthwise_filter, strides, padding, rate, None, data_format, dilations
        )
        return conv2d(
            separate, pointwise_filter, 1, "VALID", data_format=data_format or "NHWC", name=scope
        )
