"""Convolutions."""

from __future__ import annotations

from typing import Any, Optional, Sequence

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.nn.windows import (
    Padding,
    Sizes,
    channel_axis,
    known_rank,
    line_of_images,
    paddings,
    sizes,
)
from troupe._src.ops import array_ops, raw_ops
from troupe._src.arguments import either, required
from troupe._src.ops.convert import convert_to_tensor

_FORMATS = {1: "NWC", 2: "NHWC", 3: "NDHWC"}


def conv1d(
    value: Optional[TensorLike] = None,
    filters: Optional[TensorLike] = None,
    stride: Optional[Sizes] = None,
    padding: Optional[Padding] = None,
    use_cudnn_on_gpu: Optional[bool] = None,
    data_format: Optional[str] = None,
    name: Optional[str] = None,
    input: Optional[TensorLike] = None,
    dilations: Optional[Sizes] = None,
) -> Tensor:
    """Sequences filtered by a [width, channels, outputs] filter.

    Args:
        value: floats, [batch, width, channels].
        filters: of the dtype of `value`, [width, channels, outputs].
        stride: the step of the windows, one number.
        padding: "SAME" to fill up with zeros at the borders, "VALID" to leave out windows that
            cross them.
        use_cudnn_on_gpu: kept for TensorFlow's programs; the devices choose.
        data_format: "NWC" (also None and "NHWC"), or "NCW" (also "NCHW") with the channels before
            the width.
        input: another name of `value`.
        dilations: the distance of the elements that a window reads, one number; None for 1.

    Returns:
        A tensor [batch, new width, outputs], in the format of `value`.

    Raises:
        ValueError: if both names of an argument are given, or numbers and shapes do not fit.
    """
    data_format = {None: "NWC", "NHWC": "NWC", "NCHW": "NCW"}.get(data_format, data_format)
    channels = channel_axis(data_format, 3)
    sequences = convert_to_tensor(required("value", either("input", input, "value", value)))
    with get_default_graph().name_scope(name or "conv1d"):
        line = line_of_images(sequences, channels)
        images = conv2d(
            line.images,
            array_ops.expand_dims(required("filters", filters), 0),
            line.with_height(sizes(stride, 3, channels, "stride")),
            padding,
            data_format=line.data_format,
            dilations=line.with_height(sizes(dilations, 3, channels, "dilations")),
        )
        return line.sequences(images)


def conv2d(
    input: TensorLike,
    filter: Optional[TensorLike] = None,
    strides: Optional[Sizes] = None,
    padding: Optional[Padding] = None,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Optional[Sizes] = [1, 1, 1, 1],  # noqa: B006
    name: Optional[str] = None,
    filters: Optional[TensorLike] = None,
) -> Tensor:
    """Images filtered by a [height, width, channels, outputs] filter.

    Args:
        input: floats, [batch, height, width, channels].
        filter: of the dtype of `input`, [height, width, channels, outputs].
        strides: the step of the windows along each axis of space: one number, one for each of these
            axes, or one for each axis of the input.
        padding: "SAME" to fill up with zeros at the borders, "VALID" to leave out windows that
            cross them, or a list of four pairs: the zeros before and behind each axis.
        use_cudnn_on_gpu: kept for TensorFlow's programs; the devices choose.
        data_format: "NHWC", or "NCHW" with the channels before the pixels.
        dilations: the distance of the pixels that a window reads: numbers as for the strides; None
            for 1.
        filters: another name of `filter`.

    Returns:
        A tensor [batch, new height, new width, outputs], in the format of the input.

    Raises:
        ValueError: if both names of an argument are given, or numbers and shapes do not fit.
    """
    kind, explicit = paddings(padding)
    channels = channel_axis(data_format, 4)
    return raw_ops.Conv2D(
        input=input,
        filter=either("filters", filters, "filter", filter),
        strides=sizes(strides, 4, channels, "strides"),
        padding=kind,
        explicit_paddings=explicit,
        use_cudnn_on_gpu=use_cudnn_on_gpu,
        data_format=data_format or "NHWC",
        dilations=sizes(dilations, 4, channels, "dilations"),
        name=name,
    )


def conv3d(
    input: TensorLike,
    filter: Optional[TensorLike] = None,
    strides: Optional[Sizes] = None,
    padding: Optional[str] = None,
    data_format: str = "NDHWC",
    dilations: Optional[Sizes] = [1, 1, 1, 1, 1],  # noqa: B006
    name: Optional[str] = None,
    filters: Optional[TensorLike] = None,
) -> Tensor:
    """Volumes filtered by a [depth, height, width, channels, outputs] filter.

    Args:
        input: floats, [batch, depth, height, width, channels].
        filter: of the dtype of `input`, [depth, height, width, channels, outputs].
        strides: the step of the windows along each axis of space: one number, one for each of these
            axes, or one for each axis of the input.
        padding: "SAME" to fill up with zeros at the borders, "VALID" to leave out windows that
            cross them.
        data_format: "NDHWC", or "NCDHW" with the channels before the pixels.
        dilations: the distance of the pixels that a window reads: numbers as for the strides; None
            for 1.
        filters: another name of `filter`.

    Returns:
        A tensor [batch, new depth, new height, new width, outputs], in the format of the input.

    Raises:
        ValueError: if both names of an argument are given, or numbers and shapes do not fit.
    """
    channels = channel_axis(data_format, 5)
    return raw_ops.Conv3D(
        input=input,
        filter=either("filters", filters, "filter", filter),
        strides=sizes(strides, 5, channels, "strides"),
        padding=str(padding).upper(),
        data_format=data_format or "NDHWC",
        dilations=sizes(dilations, 5, channels, "dilations"),
        name=name,
    )


def atrous_conv2d(
    value: TensorLike, filters: TensorLike, rate: int, padding: str, name: Optional[str] = None
) -> Tensor:
    """conv2d with gaps of `rate` - 1 between the pixels that a filter reads.

    Args:
        value: floats, [batch, height, width, channels].
        filters: of the dtype of `value`, [height, width, channels, outputs].
        rate: the distance of the pixels that a window reads.
        padding: "SAME" to fill up with zeros at the borders, "VALID" to leave out windows that
            cross them.

    Returns:
        A tensor [batch, new height, new width, outputs].
    """
    return conv2d(value, filters, 1, padding, dilations=rate, name=name)


def convolution(
    input: TensorLike,
    filter: TensorLike,
    padding: str,
    strides: Optional[Sequence[int]] = None,
    dilation_rate: Optional[Sequence[int]] = None,
    name: Optional[str] = None,
    data_format: Optional[str] = None,
    filters: Optional[TensorLike] = None,
    dilations: Optional[Sequence[int]] = None,
) -> Tensor:
    """conv1d, conv2d or conv3d, by the rank of the input.

    Args:
        input: floats, [batch, ..., channels] with one to three axes of space.
        filter: of the dtype of `input`, with the size of a window, the channels and the outputs as
            axes.
        padding: "SAME" to fill up with zeros at the borders, "VALID" to leave out windows that
            cross them.
        strides: the step of the windows for each axis of space; None for 1.
        dilation_rate: the distance of the pixels that a window reads, for each axis of space; None
            for 1.
        data_format: where the channels are, such as "NHWC" or "NCHW"; None for the last axis.
        filters: another name of `filter`.
        dilations: another name of `dilation_rate`.

    Returns:
        A tensor with the axes of the input: windows instead of pixels, outputs instead of channels.

    Raises:
        ValueError: if strides and dilations are both above 1, both names of an argument are given,
            or the rank is not 3, 4 or 5.
    """
    tensor = convert_to_tensor(input)
    weights = either("filters", filters, "filter", filter)
    rates = either("dilations", dilations, "dilation_rate", dilation_rate)
    rank = known_rank(tensor.shape, (3, 4, 5), "input")
    channels = channel_axis(data_format, rank)
    steps = sizes(strides, rank, channels, "strides")
    gaps = sizes(rates, rank, channels, "dilation_rate")
    if max(steps) > 1 and max(gaps) > 1:
        raise ValueError("strides > 1 not supported in conjunction with dilation_rate > 1")
    functions: Any = {3: conv1d, 4: conv2d, 5: conv3d}
    result: Tensor = functions[rank](
        tensor,
        weights,
        steps,
        padding,
        data_format=data_format or _FORMATS[rank - 2],
        dilations=gaps,
        name=name or ("convolution" if rank == 3 else None),
    )
    return result
