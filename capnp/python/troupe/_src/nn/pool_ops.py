"""Pooling: one number for each window of an image."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.nn.windows import Sizes, channel_axis, known_rank, line_of_images, sizes
from troupe._src.ops import raw_ops
from troupe._src.arguments import either
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike

_FORMATS = {3: "NWC", 4: "NHWC", 5: "NDHWC"}


class MaxPoolWithArgmax(NamedTuple):
    """The results of max_pool_with_argmax."""

    output: Tensor
    argmax: Tensor


def max_pool(
    value: TensorLike,
    ksize: Sizes,
    strides: Sizes,
    padding: str,
    data_format: str = "NHWC",
    name: Optional[str] = None,
    input: Optional[TensorLike] = None,
) -> Tensor:
    """The largest number of each window of an image.

    Args:
        value: numbers, [batch, height, width, channels].
        ksize: the size of a window: one number, one for each axis of space, or one for each axis.
        strides: the step of the windows, numbers as for `ksize`.
        padding: "SAME" to also take windows that cross a border, "VALID" to leave them out.
        data_format: "NHWC", or "NCHW" with the channels before the pixels.
        input: another name of `value`.

    Returns:
        A tensor [batch, new height, new width, channels], in the format of the images.

    Raises:
        ValueError: if both names of an argument are given, or numbers and shapes do not fit.
    """
    channels = channel_axis(data_format, 4)
    return raw_ops.MaxPool(
        input=either("input", input, "value", value),
        ksize=sizes(ksize, 4, channels, "ksize"),
        strides=sizes(strides, 4, channels, "strides"),
        padding=padding,
        data_format=data_format,
        name=name,
    )


def avg_pool(
    value: TensorLike,
    ksize: Sizes,
    strides: Sizes,
    padding: str,
    data_format: str = "NHWC",
    name: Optional[str] = None,
    input: Optional[TensorLike] = None,
) -> Tensor:
    """The mean of each window of an image, of those pixels that are inside of the image.

    Args:
        value: floats, [batch, height, width, channels].
        ksize: the size of a window: one number, one for each axis of space, or one for each axis.
        strides: the step of the windows, numbers as for `ksize`.
        padding: "SAME" to also take windows that cross a border, "VALID" to leave them out.
        data_format: "NHWC", or "NCHW" with the channels before the pixels.
        input: another name of `value`.

    Returns:
        A tensor [batch, new height, new width, channels], in the format of the images.

    Raises:
        ValueError: if both names of an argument are given, or numbers and shapes do not fit.
    """
    channels = channel_axis(data_format, 4)
    return raw_ops.AvgPool(
        value=either("input", input, "value", value),
        ksize=sizes(ksize, 4, channels, "ksize"),
        strides=sizes(strides, 4, channels, "strides"),
        padding=padding,
        data_format=data_format,
        name=name,
    )


def max_pool2d(
    input: TensorLike,
    ksize: Sizes,
    strides: Sizes,
    padding: str,
    data_format: str = "NHWC",
    name: Optional[str] = None,
) -> Tensor:
    """The largest number of each window of an image.

    Args:
        input: numbers, [batch, height, width, channels].
        ksize: the size of a window: one number, one for each axis of space, or one for each axis.
        strides: the step of the windows, numbers as for `ksize`.
        padding: "SAME" to also take windows that cross a border, "VALID" to leave them out.
        data_format: "NHWC", or "NCHW" with the channels before the pixels.

    Returns:
        A tensor [batch, new height, new width, channels], in the format of the images.
    """
    return max_pool(input, ksize, strides, padding, data_format, name or "MaxPool2d")


def max_pool1d(
    input: TensorLike,
    ksize: Sizes,
    strides: Sizes,
    padding: str,
    data_format: str = "NWC",
    name: Optional[str] = None,
) -> Tensor:
    """The largest number of each window of a sequence.

    Args:
        input: numbers, [batch, width, channels].
        ksize: the size of a window: one number, one for each axis of space, or one for each axis.
        strides: the step of the windows, numbers as for `ksize`.
        padding: "SAME" to also take windows that cross a border, "VALID" to leave them out.
        data_format: "NWC", or "NCW" with the channels before the width.

    Returns:
        A tensor [batch, new width, channels], in the format of the sequences.
    """
    return _pool_lines(max_pool, input, ksize, strides, padding, data_format, name or "MaxPool1d")


def avg_pool1d(
    input: TensorLike,
    ksize: Sizes,
    strides: Sizes,
    padding: str,
    data_format: str = "NWC",
    name: Optional[str] = None,
) -> Tensor:
    """The mean of each window of a sequence.

    Args:
        input: floats, [batch, width, channels].
        ksize: the size of a window: one number, one for each axis of space, or one for each axis.
        strides: the step of the windows, numbers as for `ksize`.
        padding: "SAME" to also take windows that cross a border, "VALID" to leave them out.
        data_format: "NWC", or "NCW" with the channels before the width.

    Returns:
        A tensor [batch, new width, channels], in the format of the sequences.
    """
    return _pool_lines(avg_pool, input, ksize, strides, padding, data_format, name or "AvgPool1D")


def _pool_lines(
    pool: Any, input: Any, ksize: Any, strides: Any, padding: str, data_format: str, name: str
) -> Tensor:
    channels = channel_axis(data_format, 3)
    with get_default_graph().name_scope(name):
        line = line_of_images(convert_to_tensor(input), channels)
        windows, steps = (
            line.with_height(sizes(value, 3, channels, what))
            for value, what in ((ksize, "ksize"), (strides, "strides"))
        )
        return line.sequences(pool(line.images, windows, steps, padding, line.data_format))


def max_pool3d(
    input: TensorLike,
    ksize: Sizes,
    strides: Sizes,
    padding: str,
    data_format: str = "NDHWC",
    name: Optional[str] = None,
) -> Tensor:
    """The largest number of each window of a volume.

    Args:
        input: numbers, [batch, depth, height, width, channels].
        ksize: the size of a window: one number, one for each axis of space, or one for each axis.
        strides: the step of the windows, numbers as for `ksize`.
        padding: "SAME" to also take windows that cross a border, "VALID" to leave them out.
        data_format: "NDHWC", or "NCDHW" with the channels before the pixels.

    Returns:
        A tensor [batch, new depth, new height, new width, channels], in the format of the volumes.
    """
    return _pool_volumes(raw_ops.MaxPool3D, input, ksize, strides, padding, data_format, name)


def avg_pool3d(
    input: TensorLike,
    ksize: Sizes,
    strides: Sizes,
    padding: str,
    data_format: str = "NDHWC",
    name: Optional[str] = None,
) -> Tensor:
    """The mean of each window of a volume.

    Args:
        input: floats, [batch, depth, height, width, channels].
        ksize: the size of a window: one number, one for each axis of space, or one for each axis.
        strides: the step of the windows, numbers as for `ksize`.
        padding: "SAME" to also take windows that cross a border, "VALID" to leave them out.
        data_format: "NDHWC", or "NCDHW" with the channels before the pixels.

    Returns:
        A tensor [batch, new depth, new height, new width, channels], in the format of the volumes.
    """
    return _pool_volumes(raw_ops.AvgPool3D, input, ksize, strides, padding, data_format, name)


def _pool_volumes(
    op: Any, input: Any, ksize: Any, strides: Any, padding: str, data_format: str, name: Any
) -> Tensor:
    data_format = data_format or "NDHWC"
    channels = channel_axis(data_format, 5)
    result: Tensor = op(
        input=input,
        ksize=sizes(ksize, 5, channels, "ksize"),
        strides=sizes(strides, 5, channels, "strides"),
        padding=padding,
        data_format=data_format,
        name=name,
    )
    return result


def max_pool_v2(
    input: TensorLike,
    ksize: Sizes,
    strides: Sizes,
    padding: str,
    data_format: Optional[str] = None,
    name: Optional[str] = None,
) -> Tensor:
    """max_pool1d, max_pool or max_pool3d, by the rank of the input.

    Args:
        input: numbers, [batch, ..., channels] with one to three axes of space.
        ksize: the size of a window: one number, one for each axis of space, or one for each axis.
        strides: the step of the windows, numbers as for `ksize`.
        padding: "SAME" to also take windows that cross a border, "VALID" to leave them out.
        data_format: where the channels are, such as "NHWC" or "NCHW"; None for the last axis.

    Returns:
        A tensor with the axes of the input: windows instead of pixels.

    Raises:
        ValueError: if the rank is not 3, 4 or 5.
    """
    functions = {3: max_pool1d, 4: max_pool, 5: max_pool3d}
    return _by_rank(functions, input, ksize, strides, padding, data_format, name)


def avg_pool_v2(
    input: TensorLike,
    ksize: Sizes,
    strides: Sizes,
    padding: str,
    data_format: Optional[str] = None,
    name: Optional[str] = None,
) -> Tensor:
    """avg_pool1d, avg_pool or avg_pool3d, by the rank of the input.

    Args:
        input: floats, [batch, ..., channels] with one to three axes of space.
        ksize: the size of a window: one number, one for each axis of space, or one for each axis.
        strides: the step of the windows, numbers as for `ksize`.
        padding: "SAME" to also take windows that cross a border, "VALID" to leave them out.
        data_format: where the channels are, such as "NHWC" or "NCHW"; None for the last axis.

    Returns:
        A tensor with the axes of the input: windows instead of pixels.

    Raises:
        ValueError: if the rank is not 3, 4 or 5.
    """
    functions = {3: avg_pool1d, 4: avg_pool, 5: avg_pool3d}
    return _by_rank(functions, input, ksize, strides, padding, data_format, name)


def _by_rank(
    functions: Any,
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: Optional[str],
    name: Optional[str],
) -> Tensor:
    tensor = convert_to_tensor(input)
    rank = known_rank(tensor.shape, (3, 4, 5), "input")
    data_format = data_format or _FORMATS[rank]
    result: Tensor = functions[rank](tensor, ksize, strides, padding, data_format, name)
    return result


def max_pool_with_argmax(
    input: TensorLike,
    ksize: Sizes,
    strides: Sizes,
    padding: str,
    data_format: str = "NHWC",
    Targmax: Optional[DTypeLike] = None,
    name: Optional[str] = None,
    output_dtype: Optional[DTypeLike] = None,
    include_batch_in_index: bool = False,
) -> MaxPoolWithArgmax:
    """max_pool, and the index of each largest number in its flattened image.

    Args:
        input: numbers, [batch, height, width, channels].
        ksize: the size of a window: one number, one for each axis of space, or one for each axis.
        strides: the step of the windows, numbers as for `ksize`.
        padding: "SAME" to also take windows that cross a border, "VALID" to leave them out.
        data_format: "NHWC".
        Targmax: the dtype of the indices, int64 (the default) or int32.
        output_dtype: another name of `Targmax`.
        include_batch_in_index: whether indices count through the whole batch instead of one image.

    Returns:
        Two tensors [batch, new height, new width, channels]: the numbers and their indices.

    Raises:
        ValueError: if the format is another, or both names of the dtype are given.
    """
    if data_format != "NHWC":
        raise ValueError("Data formats other than 'NHWC' are not yet supported")
    results = raw_ops.MaxPoolWithArgmax(
        input=input,
        ksize=sizes(ksize, 4, 3, "ksize"),
        strides=sizes(strides, 4, 3, "strides"),
        padding=padding,
        Targmax=either("output_dtype", output_dtype, "Targmax", Targmax) or dtypes.int64,
        include_batch_in_index=include_batch_in_index,
        name=name,
    )
    return MaxPoolWithArgmax(*results)
