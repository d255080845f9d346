"""Transposed convolutions: the gradients of convolutions with respect to their inputs."""

from __future__ import annotations

from typing import Any, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.nn.conv_ops import sizes_of_output
from troupe._src.nn.windows import channel_axis, known_rank, line_of_images, paddings, sizes
from troupe._src.ops import array_ops, raw_ops
from troupe._src.ops.arguments import either, required
from troupe._src.ops.convert import convert_to_tensor


def conv1d_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: str = "SAME",
    data_format: str = "NWC",
    dilations: Any = None,
    name: Optional[str] = None,
) -> Tensor:
    """The transpose of conv1d, with a [width, outputs, channels] filter."""
    channels = channel_axis(data_format, 3)
    with get_default_graph().name_scope(name or "conv1d_transpose"):
        line = line_of_images(convert_to_tensor(input), channels)
        shape = array_ops.expand_dims(sizes_of_output(output_shape), 0)
        parts = [line.height_axis, 3 - line.height_axis]
        before, after = array_ops.split(shape, parts, 1)
        one = array_ops.ones([1, 1], shape.dtype)
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
    value: Any = None,
    filter: Any = None,
    output_shape: Any = None,
    strides: Any = None,
    padding: Any = "SAME",
    data_format: str = "NHWC",
    name: Optional[str] = None,
    input: Any = None,
    filters: Any = None,
    dilations: Any = None,
) -> Tensor:
    """The transpose of conv2d, with a [height, width, outputs, channels] filter."""
    kind, explicit = paddings(padding)
    channels = channel_axis(data_format, 4)
    return raw_ops.Conv2DBackpropInput(
        input_sizes=sizes_of_output(required("output_shape", output_shape)),
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
    value: Any,
    filter: Any = None,
    output_shape: Any = None,
    strides: Any = None,
    padding: str = "SAME",
    data_format: str = "NDHWC",
    name: Optional[str] = None,
    input: Any = None,
    filters: Any = None,
    dilations: Any = None,
) -> Tensor:
    """The transpose of conv3d, with a [depth, height, width, outputs, channels] filter."""
    channels = channel_axis(data_format, 5)
    return raw_ops.Conv3DBackpropInputV2(
        input_sizes=sizes_of_output(required("output_shape", output_shape)),
        filter=either("filters", filters, "filter", filter),
        out_backprop=either("input", input, "value", value),
        strides=sizes(strides, 5, channels, "strides"),
        padding=str(padding).upper(),
        data_format=data_format,
        dilations=sizes(dilations, 5, channels, "dilations"),
        name=name or "conv3d_transpose",
    )


def conv_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: str = "SAME",
    data_format: Optional[str] = None,
    dilations: Any = None,
    name: Optional[str] = None,
) -> Tensor:
    """conv1d_transpose, conv2d_transpose or conv3d_transpose, by the rank of the input."""
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
    value: Any,
    filters: Any,
    output_shape: Any,
    rate: int,
    padding: str,
    name: Optional[str] = None,
) -> Tensor:
    """The transpose of atrous_conv2d."""
    return conv2d_transpose(
        value,
        filters,
        output_shape,
        1,
        padding,
        dilations=rate,
        name=name or "atrous_conv2d_transpose",
    )
