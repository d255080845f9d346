"""The gradients of convolutions, as ops of their own."""

from __future__ import annotations

from typing import Any, List, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.nn.windows import paddings
from troupe._src.ops import raw_ops
from troupe._src.arguments import either, required


def conv2d_backprop_filter(
    input: TensorLike,
    filter_sizes: TensorLike,
    out_backprop: TensorLike,
    strides: Any,
    padding: Any,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Any = [1, 1, 1, 1],  # noqa: B006
    name: Optional[str] = None,
) -> Tensor:
    """The gradient of conv2d with respect to its filter.

    Args:
        input: the images of the convolution, [batch, height, width, channels].
        filter_sizes: the shape of the filter, int32 [4].
        out_backprop: the gradient with respect to the result of the convolution, in its shape.
        strides: those of the convolution, one number for each of the four axes.
        padding: "SAME", "VALID", or a list of four pairs, as for `tf.nn.conv2d`.
        use_cudnn_on_gpu: kept for TensorFlow's programs; the devices choose.
        data_format: "NHWC", or "NCHW" with the channels before the pixels.
        dilations: those of the convolution, one number for each of the four axes.

    Returns:
        A tensor of the shape of the filter.
    """
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
    input_sizes: TensorLike,
    filter: Optional[TensorLike] = None,
    out_backprop: Optional[TensorLike] = None,
    strides: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Any = [1, 1, 1, 1],  # noqa: B006
    name: Optional[str] = None,
    filters: Optional[TensorLike] = None,
) -> Tensor:
    """The gradient of conv2d with respect to its input.

    Args:
        input_sizes: the shape of the images, int32 [4].
        filter: that of the convolution, [height, width, channels, outputs].
        out_backprop: the gradient with respect to the result of the convolution, in its shape.
        strides: those of the convolution, one number for each of the four axes.
        padding: "SAME", "VALID", or a list of four pairs, as for `tf.nn.conv2d`.
        use_cudnn_on_gpu: kept for TensorFlow's programs; the devices choose.
        data_format: "NHWC", or "NCHW" with the channels before the pixels.
        dilations: those of the convolution, one number for each of the four axes.
        filters: another name of `filter`.

    Returns:
        A tensor of the shape of the images.

    Raises:
        ValueError: if both names of the filter are given.
    """
    kind, explicit = paddings(padding)
    return raw_ops.Conv2DBackpropInput(
        input_sizes=input_sizes,
        filter=either("filters", filters, "filter", filter),
        out_backprop=required("out_backprop", out_backprop),
        strides=strides,
        padding=kind,
        explicit_paddings=explicit,
        use_cudnn_on_gpu=use_cudnn_on_gpu,
        data_format=data_format,
        dilations=dilations,
        name=name,
    )


def conv3d_backprop_filter(
    input: TensorLike,
    filter_sizes: TensorLike,
    out_backprop: TensorLike,
    strides: Any,
    padding: Any,
    data_format: str = "NDHWC",
    dilations: Any = [1, 1, 1, 1, 1],  # noqa: B006
    name: Optional[str] = None,
) -> Tensor:
    """The gradient of conv3d with respect to its filter.

    Args:
        input: the volumes of the convolution, [batch, depth, height, width, channels].
        filter_sizes: the shape of the filter, int32 [5].
        out_backprop: the gradient with respect to the result of the convolution, in its shape.
        strides: those of the convolution, one number for each of the five axes.
        padding: "SAME" or "VALID", as for the convolution.
        data_format: "NDHWC", or "NCDHW" with the channels before the pixels.
        dilations: those of the convolution, one number for each of the five axes.

    Returns:
        A tensor of the shape of the filter.
    """
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


def depthwise_conv2d_backprop_input(
    input_sizes: TensorLike,
    filter: TensorLike,
    out_backprop: TensorLike,
    strides: List[int],
    padding: str,
    data_format: str = "NHWC",
    dilations: List[int] = [1, 1, 1, 1],  # noqa: B006
    name: Optional[str] = None,
) -> Tensor:
    """The gradient of depthwise_conv2d with respect to its input.

    Args:
        input_sizes: the shape of the images, int32 [4].
        filter: that of the convolution, [height, width, channels, outputs of each].
        out_backprop: the gradient with respect to the result of the convolution, in its shape.
        strides: those of the convolution, one number for each of the four axes.
        padding: "SAME" or "VALID", as for the convolution.
        data_format: "NHWC", or "NCHW" with the channels before the pixels.
        dilations: those of the convolution, one number for each of the four axes.

    Returns:
        A tensor of the shape of the images.
    """
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
    input: TensorLike,
    filter_sizes: TensorLike,
    out_backprop: TensorLike,
    strides: List[int],
    padding: str,
    data_format: str = "NHWC",
    dilations: List[int] = [1, 1, 1, 1],  # noqa: B006
    name: Optional[str] = None,
) -> Tensor:
    """The gradient of depthwise_conv2d with respect to its filter.

    Args:
        input: the images of the convolution, [batch, height, width, channels].
        filter_sizes: the shape of the filter, int32 [4].
        out_backprop: the gradient with respect to the result of the convolution, in its shape.
        strides: those of the convolution, one number for each of the four axes.
        padding: "SAME" or "VALID", as for the convolution.
        data_format: "NHWC", or "NCHW" with the channels before the pixels.
        dilations: those of the convolution, one number for each of the four axes.

    Returns:
        A tensor of the shape of the filter.
    """
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
