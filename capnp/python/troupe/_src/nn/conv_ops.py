"""Convolutions."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.nn.windows import (
    channel_axis,
    known_rank,
    line_of_images,
    paddings,
    sizes,
)
from troupe._src.ops import array_ops, raw_ops
from troupe._src.ops.arguments import either, required
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types import dtypes

_FORMATS = {1: "NWC", 2: "NHWC", 3: "NDHWC"}


def conv1d(
    value: Any = None,
    filters: Any = None,
    stride: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: Optional[bool] = None,
    data_format: Optional[str] = None,
    name: Optional[str] = None,
    input: Any = None,
    dilations: Any = None,
) -> Tensor:
    """Sequences filtered by a [width, channels, outputs] filter."""
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
    input: Any,
    filter: Any = None,
    strides: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Any = [1, 1, 1, 1],  # noqa: B006
    name: Optional[str] = None,
    filters: Any = None,
) -> Tensor:
    """Images filtered by a [height, width, channels, outputs] filter."""
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


def conv2d_backprop_filter(
    input: Any,
    filter_sizes: Any,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Any = [1, 1, 1, 1],  # noqa: B006
    name: Optional[str] = None,
) -> Tensor:
    """The gradient of conv2d with respect to its filter."""
    kind, explicit = paddings(padding)
    return raw_ops.Conv2DBackpropFilter(
        input=input,
        filter_sizes=filter_sizes,
        out_backprop=out_backprop,
        strides=strides,
        padding=kind,
        explicit_paddings=explicit,
        use_cudnn_on_gpu=use_cudnn_on_gpu,
        data_format=data_format,
        dilations=dilations,
        name=name,
    )


def conv2d_backprop_input(
    input_sizes: Any,
    filter: Any = None,
    out_backprop: Any = None,
    strides: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Any = [1, 1, 1, 1],  # noqa: B006
    name: Optional[str] = None,
    filters: Any = None,
) -> Tensor:
    """The gradient of conv2d with respect to its input."""
    kind, explicit = paddings(padding)
    return raw_ops.Conv2DBackpropInput(
        input_sizes=input_sizes,
        filter=either("filters", filters, "filter", filter),
        out_backprop=out_backprop,
        strides=strides,
        padding=kind,
        explicit_paddings=explicit,
        use_cudnn_on_gpu=use_cudnn_on_gpu,
        data_format=data_format,
        dilations=dilations,
        name=name,
    )


def conv3d(
    input: Any,
    filter: Any = None,
    strides: Any = None,
    padding: Any = None,
    data_format: str = "NDHWC",
    dilations: Any = [1, 1, 1, 1, 1],  # noqa: B006
    name: Optional[str] = None,
    filters: Any = None,
) -> Tensor:
    """Volumes filtered by a [depth, height, width, channels, outputs] filter."""
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


def conv3d_backprop_filter(
    input: Any,
    filter_sizes: Any,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NDHWC",
    dilations: Any = [1, 1, 1, 1, 1],  # noqa: B006
    name: Optional[str] = None,
) -> Tensor:
    """The gradient of conv3d with respect to its filter."""
    return raw_ops.Conv3DBackpropFilterV2(
        input=input,
        filter_sizes=filter_sizes,
        out_backprop=out_backprop,
        strides=strides,
        padding=padding,
        data_format=data_format,
        dilations=dilations,
        name=name,
    )


def atrous_conv2d(
    value: Any, filters: Any, rate: int, padding: str, name: Optional[str] = None
) -> Tensor:
    """conv2d with gaps of `rate` - 1 between the pixels that a filter reads."""
    return conv2d(value, filters, 1, padding, dilations=rate, name=name)


def convolution(
    input: Any,
    filter: Any,
    padding: str,
    strides: Optional[Sequence[int]] = None,
    dilation_rate: Optional[Sequence[int]] = None,
    name: Optional[str] = None,
    data_format: Optional[str] = None,
    filters: Any = None,
    dilations: Optional[Sequence[int]] = None,
) -> Tensor:
    """conv1d, conv2d or conv3d, by the rank of the input."""
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


def depthwise_conv2d(
    input: Any,
    filter: Any,
    strides: Any,
    padding: Any,
    rate: Any = None,
    name: Optional[str] = None,
    data_format: Optional[str] = None,
    dilations: Any = None,
) -> Tensor:
    """Each channel filtered by its own filters: [height, width, channels, outputs of each]."""
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
    input: Any,
    filter: Any,
    strides: List[int],
    padding: str,
    data_format: str = "NHWC",
    dilations: List[int] = [1, 1, 1, 1],  # noqa: B006
    name: Optional[str] = None,
) -> Tensor:
    """`depthwise_conv2d` with the attributes of its op."""
    return raw_ops.DepthwiseConv2dNative(
        input=input,
        filter=filter,
        strides=strides,
        padding=padding,
        data_format=data_format,
        dilations=dilations,
        name=name,
    )


def depthwise_conv2d_backprop_input(
    input_sizes: Any,
    filter: Any,
    out_backprop: Any,
    strides: List[int],
    padding: str,
    data_format: str = "NHWC",
    dilations: List[int] = [1, 1, 1, 1],  # noqa: B006
    name: Optional[str] = None,
) -> Tensor:
    """The gradient of depthwise_conv2d with respect to its input."""
    return raw_ops.DepthwiseConv2dNativeBackpropInput(
        input_sizes=input_sizes,
        filter=filter,
        out_backprop=out_backprop,
        strides=strides,
        padding=padding,
        data_format=data_format,
        dilations=dilations,
        name=name,
    )


def depthwise_conv2d_backprop_filter(
    input: Any,
    filter_sizes: Any,
    out_backprop: Any,
    strides: List[int],
    padding: str,
    data_format: str = "NHWC",
    dilations: List[int] = [1, 1, 1, 1],  # noqa: B006
    name: Optional[str] = None,
) -> Tensor:
    """The gradient of depthwise_conv2d with respect to its filter."""
    return raw_ops.DepthwiseConv2dNativeBackpropFilter(
        input=input,
        filter_sizes=filter_sizes,
        out_backprop=out_backprop,
        strides=strides,
        padding=padding,
        data_format=data_format,
        dilations=dilations,
        name=name,
    )


def separable_conv2d(
    input: Any,
    depthwise_filter: Any,
    pointwise_filter: Any,
    strides: Any,
    padding: Any,
    rate: Any = None,
    name: Optional[str] = None,
    data_format: Optional[str] = None,
    dilations: Any = None,
) -> Tensor:
    """depthwise_conv2d, and a filter of one pixel that mixes the channels."""
    with get_default_graph().name_scope(name or "separable_conv2d") as scope:
        separate = depthwise_conv2d(
            input, depthwise_filter, strides, padding, rate, None, data_format, dilations
        )
        return conv2d(
            separate, pointwise_filter, 1, "VALID", data_format=data_format or "NHWC", name=scope
        )


def dilation2d(
    input: Any,
    filter: Any = None,
    strides: Any = None,
    rates: Any = None,
    padding: Any = None,
    name: Optional[str] = None,
    filters: Any = None,
    dilations: Any = None,
) -> Tensor:
    """The largest sum of a pixel and the filter's value for it, in each window of a channel."""
    return raw_ops.Dilation2D(
        input=input,
        filter=either("filters", filters, "filter", filter),
        strides=strides,
        rates=either("dilations", dilations, "rates", rates),
        padding=padding,
        name=name,
    )


def erosion2d(
    value: Any,
    kernel: Any,
    strides: Any,
    rates: Any,
    padding: str,
    name: Optional[str] = None,
) -> Tensor:
    """The smallest difference of a pixel and the kernel's value for it: the dual of dilation2d."""
    with get_default_graph().name_scope(name or "erosion2d"):
        turned = convert_to_tensor(kernel)
        for axis in (0, 1):
            turned = array_ops.stack(array_ops.unstack(turned, axis=axis)[::-1], axis)
        return -dilation2d(-convert_to_tensor(value), turned, strides, rates, padding)


def sizes_of_output(shape: Any) -> Tensor:
    """An output's shape as an input of an op."""
    if not isinstance(shape, Tensor) and any(isinstance(size, Tensor) for size in shape):
        shape = array_ops.stack([convert_to_tensor(size, dtypes.int32) for size in shape])
    return convert_to_tensor(shape, None if isinstance(shape, Tensor) else dtypes.int32)
