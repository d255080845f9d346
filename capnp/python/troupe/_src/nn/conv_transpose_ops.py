"""Transposed convolutions: the gradients of convolutions with respect to their inputs."""

from __future__ import annotations

from typing import Any, Optional

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
from troupe._src.ops import array_ops, creation_ops, raw_ops
from troupe._src.arguments import either, required
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types import dtypes
from troupe._src.types.shapes import ShapeLike


def conv1d_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: ShapeLike,
    strides: Sizes,
    padding: str = "SAME",
    data_format: str = "NWC",
    dilations: Optional[Sizes] = None,
    name: Optional[str] = None,
) -> Tensor:
    """The transpose of conv1d, with a [width, outputs, channels] filter.

    Args:
        input: floats, [batch, width, channels].
        filters: of the dtype of `input`, [width, outputs, channels].
        output_shape: [batch, new width, outputs], as numbers, tensors or a tensor.
        strides: the step of the windows, one number.
        padding: "SAME" to fill up with zeros at the borders, "VALID" to leave out windows that
            cross them.
        data_format: "NWC", or "NCW" with the channels before the width.
        dilations: the distance of the elements that a window reads, one number; None for 1.

    Returns:
        A tensor of the shape `output_shape`.

    Raises:
        ValueError: if numbers and shapes do not fit.
    """
    channels = channel_axis(data_format, 3)
    with get_default_graph().name_scope(name or "conv1d_transpose"):
        line = line_of_images(convert_to_tensor(input), channels)
        shape = array_ops.expand_dims(_sizes_of_output(output_shape), 0)
        parts = [line.height_axis, 3 - line.height_axis]
        before, after = array_ops.split(shape, parts, 1)
        one = creation_ops.ones([1, 1], shape.dtype)
        images = conv2d_transpose(
            line.images,
            array_ops.expand_dims(filters, 0),
            array_ops.squeeze(array_ops.concat([before, one, after], 1), [0]),
            line.with_height(sizes(strides, 3, channels, "strides")),
            padding,
            line.data_format,
            dilations=line.with_height(sizes(dilations, 3, channels, "dilations")),
        )
        return line.sequences(images)


def conv2d_transpose(
    value: Optional[TensorLike] = None,
    filter: Optional[TensorLike] = None,
    output_shape: ShapeLike = None,
    strides: Optional[Sizes] = None,
    padding: Padding = "SAME",
    data_format: str = "NHWC",
    name: Optional[str] = None,
    input: Optional[TensorLike] = None,
    filters: Optional[TensorLike] = None,
    dilations: Optional[Sizes] = None,
) -> Tensor:
    """The transpose of conv2d, with a [height, width, outputs, channels] filter.

    Args:
        value: floats, [batch, height, width, channels].
        filter: of the dtype of `value`, [height, width, outputs, channels].
        output_shape: [batch, new height, new width, outputs], as numbers, tensors or a tensor.
        strides: the step of the windows along each axis of space: one number, one for each of these
            axes, or one for each axis of the input.
        padding: "SAME" to fill up with zeros at the borders, "VALID" to leave out windows that
            cross them, or a list of four pairs: the zeros before and behind each axis.
        data_format: "NHWC", or "NCHW" with the channels before the pixels.
        input: another name of `value`.
        filters: another name of `filter`.
        dilations: the distance of the pixels that a window reads: numbers as for the strides; None
            for 1.

    Returns:
        A tensor of the shape `output_shape`.

    Raises:
        ValueError: if both names of an argument are given, or numbers and shapes do not fit.
    """
    kind, explicit = paddings(padding)
    channels = channel_axis(data_format, 4)
    return raw_ops.Conv2DBackpropInput(
        input_sizes=_sizes_of_output(required("output_shape", output_shape)),
        filter=either("filters", filters, "filter", filter),
        out_backprop=either("input", input, "value", value),
        strides=sizes(strides, 4, channels, "strides"),
        padding=kind,
        explicit_paddings=explicit,
        data_format=data_format,
        dilations=sizes(dilations, 4, channels, "dilations"),
        name=name or "conv2d_transpose",
    )


def conv3d_transpose(
    value: TensorLike,
    filter: Optional[TensorLike] = None,
    output_shape: ShapeLike = None,
    strides: Optional[Sizes] = None,
    padding: str = "SAME",
    data_format: str = "NDHWC",
    name: Optional[str] = None,
    input: Optional[TensorLike] = None,
    filters: Optional[TensorLike] = None,
    dilations: Optional[Sizes] = None,
) -> Tensor:
    """The transpose of conv3d, with a [depth, height, width, outputs, channels] filter.

    Args:
        value: floats, [batch, depth, height, width, channels].
        filter: of the dtype of `value`, [depth, height, width, outputs, channels].
        output_shape: [batch, new depth, new height, new width, outputs], as numbers, tensors or a
            tensor.
        strides: the step of the windows along each axis of space: one number, one for each of these
            axes, or one for each axis of the input.
        padding: "SAME" to fill up with zeros at the borders, "VALID" to leave out windows that
            cross them.
        data_format: "NDHWC", or "NCDHW" with the channels before the pixels.
        input: another name of `value`.
        filters: another name of `filter`.
        dilations: the distance of the pixels that a window reads: numbers as for the strides; None
            for 1.

    Returns:
        A tensor of the shape `output_shape`.

    Raises:
        ValueError: if both names of an argument are given, or numbers and shapes do not fit.
    """
    channels = channel_axis(data_format, 5)
    return raw_ops.Conv3DBackpropInputV2(
        input_sizes=_sizes_of_output(required("output_shape", output_shape)),
        filter=either("filters", filters, "filter", filter),
        out_backprop=either("input", input, "value", value),
        strides=sizes(strides, 5, channels, "strides"),
        padding=str(padding).upper(),
        data_format=data_format,
        dilations=sizes(dilations, 5, channels, "dilations"),
        name=name or "conv3d_transpose",
    )


def conv_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: ShapeLike,
    strides: Sizes,
    padding: str = "SAME",
    data_format: Optional[str] = None,
    dilations: Optional[Sizes] = None,
    name: Optional[str] = None,
) -> Tensor:
    """conv1d_transpose, conv2d_transpose or conv3d_transpose, by the rank of the input.

    Args:
        input: floats, [batch, ..., channels] with one to three axes of space.
        filters: of the dtype of `input`, with the size of a window, the outputs and the channels as
            axes.
        output_shape: the shape of the result, as numbers, tensors or a tensor.
        strides: the step of the windows along each axis of space: one number, one for each of these
            axes, or one for each axis of the input.
        padding: "SAME" to fill up with zeros at the borders, "VALID" to leave out windows that
            cross them.
        data_format: where the channels are, such as "NHWC" or "NCHW"; None for the last axis.
        dilations: the distance of the pixels that a window reads: numbers as for the strides; None
            for 1.

    Returns:
        A tensor of the shape `output_shape`.

    Raises:
        ValueError: if the rank is not 3, 4 or 5.
    """
    tensor = convert_to_tensor(input)
    rank = known_rank(tensor.shape, (3, 4, 5), "input")
    functions: Any = {3: conv1d_transpose, 4: conv2d_transpose, 5: conv3d_transpose}
    result: Tensor = functions[rank](
        tensor,
        filters,
        output_shape,
        strides,
        padding,
        data_format or {3: "NWC", 4: "NHWC", 5: "NDHWC"}[rank],
        dilations=dilations,
        name=name,
    )
    return result


def atrous_conv2d_transpose(
    value: TensorLike,
    filters: TensorLike,
    output_shape: ShapeLike,
    rate: int,
    padding: str,
    name: Optional[str] = None,
) -> Tensor:
    """The transpose of atrous_conv2d.

    Args:
        value: floats, [batch, height, width, channels].
        filters: of the dtype of `value`, [height, width, outputs, channels].
        output_shape: [batch, new height, new width, outputs], as numbers, tensors or a tensor.
        rate: the distance of the pixels that a window reads.
        padding: "SAME" to fill up with zeros at the borders, "VALID" to leave out windows that
            cross them.

    Returns:
        A tensor of the shape `output_shape`.
    """
    return conv2d_transpose(
        value,
        filters,
        output_shape,
        1,
        padding,
        dilations=rate,
        name=name or "atrous_conv2d_transpose",
    )


def _sizes_of_output(shape: Any) -> Tensor:
    """An output's shape as an input of an op."""
    if not isinstance(shape, Tensor) and any(isinstance(size, Tensor) for size in shape):
        shape = array_ops.stack([convert_to_tensor(size, dtypes.int32) for size in shape])
    return convert_to_tensor(shape, None if isinstance(shape, Tensor) else dtypes.int32)
