"""Pooling of volumes and of any axes of space, and images as sequences of their columns."""

from __future__ import annotations

from typing import Any, Optional, Sequence, Union

from troupe._src.contrib.aliases import collect_named_outputs, n_positive_integers
from troupe._src.contrib.arg_scope import add_arg_scope
from troupe._src.contrib.model_layers import pooled
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.layers.pooling import AveragePooling3D, MaxPooling3D
from troupe._src.model_layers.convolutions import channels_of
from troupe._src.nn import dilated_windows
from troupe._src.ops import array_ops
from troupe._src.ops.convert import convert_to_tensor


@add_arg_scope
def max_pool3d(
    inputs: TensorLike,
    kernel_size: Union[int, Sequence[int]],
    stride: Union[int, Sequence[int]] = 2,
    padding: str = "VALID",
    data_format: str = "NDHWC", outputs_collections: Any = None, scope: Optional[str] = None,
) -> Tensor:  # fmt: skip
    """The greatest elements of windows of volumes.

    Args:
        inputs: Volumes, [batch, depth, height, width, channels] for "NDHWC".
        kernel_size: The depth, height and width of the windows, or one number for all.
        stride: How far a window moves, three numbers or one for all.
        padding: "SAME" or "VALID".
        data_format: "NDHWC", with the channels last, or "NCDHW".
        outputs_collections: The collections that the result is added to.
        scope: The name scope, by default `MaxPool3D`.

    Returns:
        A tensor of rank 5, with the channels of `inputs`.

    Raises:
        ValueError: The format is another one.
    """
    with get_default_graph().name_scope(scope or "MaxPool3D") as names:
        layer = MaxPooling3D(kernel_size, stride, padding, _of_volumes(data_format))
        return _collected(outputs_collections, names, pooled(layer, inputs))


@add_arg_scope
def avg_pool3d(
    inputs: TensorLike,
    kernel_size: Union[int, Sequence[int]],
    stride: Union[int, Sequence[int]] = 2,
    padding: str = "VALID",
    data_format: str = "NDHWC", outputs_collections: Any = None, scope: Optional[str] = None,
) -> Tensor:  # fmt: skip
    """The means of windows of volumes.

    Args:
        inputs: Volumes, [batch, depth, height, width, channels] for "NDHWC".
        kernel_size: The depth, height and width of the windows, or one number for all.
        stride: How far a window moves, three numbers or one for all.
        padding: "SAME" or "VALID".
        data_format: "NDHWC", with the channels last, or "NCDHW".
        outputs_collections: The collections that the result is added to.
        scope: The name scope, by default `AvgPool3D`.

    Returns:
        A tensor of rank 5, with the channels of `inputs`.

    Raises:
        ValueError: The format is another one.
    """
    with get_default_graph().name_scope(scope or "AvgPool3D") as names:
        layer = AveragePooling3D(kernel_size, stride, padding, _of_volumes(data_format))
        return _collected(outputs_collections, names, pooled(layer, inputs))


def _of_volumes(data_format: str) -> str:
    if data_format not in ("NCDHW", "NDHWC"):
        raise ValueError("data_format has to be either NCDHW or NDHWC.")
    return channels_of(data_format)


def _collected(collections: Any, alias: str, outputs: Tensor) -> Tensor:
    found: Tensor = collect_named_outputs(collections, alias, outputs)
    return found


@add_arg_scope
def pool(
    inputs: TensorLike,
    kernel_size: Union[int, Sequence[int]],
    pooling_type: str,
    padding: str = "VALID",
    data_format: Optional[str] = None,
    dilation_rate: Union[int, Sequence[int]] = 1, stride: Union[int, Sequence[int]] = 1,
    outputs_collections: Any = None, scope: Optional[str] = None,
) -> Tensor:  # fmt: skip
    """The greatest elements or the means of windows, by the rank of the inputs.

    Args:
        inputs: [batch, axes of space, channels], of a known rank.
        kernel_size: The size of the windows for each axis of space, or one number for all.
        pooling_type: "MAX" or "AVG".
        padding: "SAME" or "VALID".
        data_format: Where the channels are, such as "NHWC" or "NCHW"; None for the last axis.
        dilation_rate: The distance of the elements of a window; must be 1.
        stride: How far a window moves, for each axis of space or one number for all.
        outputs_collections: The collections that the result is added to.
        scope: The name scope, by default `max_pool` or `avg_pool`.

    Returns:
        A tensor of the rank of `inputs`, with its channels.

    Raises:
        ValueError: The rank is not known, or below 3.
    """
    with get_default_graph().name_scope(scope or f"{pooling_type.lower()}_pool") as names:
        tensor = convert_to_tensor(inputs)
        if tensor.shape.rank is None:
            raise ValueError("Rank of inputs must be known")
        if tensor.shape.rank < 3:
            raise ValueError("Rank of inputs must be >= 3")
        axes = tensor.shape.rank - 2
        outputs = dilated_windows.pool(
            tensor,
            n_positive_integers(axes, kernel_size),
            pooling_type,
            padding,
            n_positive_integers(axes, dilation_rate),
            n_positive_integers(axes, stride),
            data_format=data_format,
        )
        return _collected(outputs_collections, names, outputs)


@add_arg_scope
def images_to_sequence(
    inputs: TensorLike, data_format: str = "NHWC", outputs_collections: Any = None,
    scope: Optional[str] = None,
) -> Tensor:  # fmt: skip
    """The columns of images as steps of sequences, with a sequence for each row.

    Args:
        inputs: Images, [batch, height, width, channels] for "NHWC".
        data_format: "NHWC" or "NCHW".
        outputs_collections: The collections that the result is added to.
        scope: The name scope, by default `ImagesToSequence`.

    Returns:
        A tensor, [width, batch * height, channels].

    Raises:
        ValueError: The format is another one.
    """
    if data_format not in ("NCHW", "NHWC"):
        raise ValueError("data_format has to be either NCHW or NHWC.")
    with get_default_graph().name_scope(scope or "ImagesToSequence") as names:
        tensor = convert_to_tensor(inputs)
        if data_format == "NCHW":
            tensor = array_ops.transpose(tensor, [0, 2, 3, 1])
        sizes = array_ops.shape(tensor)
        width, channels = (
            sizes[axis] if size is None else size
            for axis, size in list(enumerate(tensor.shape.as_list()))[2:]
        )
        columns = array_ops.transpose(tensor, [2, 0, 1, 3])
        outputs = array_ops.reshape(columns, [width, sizes[0] * sizes[1], channels])
        return _collected(outputs_collections, names, outputs)


@add_arg_scope
def sequence_to_images(
    inputs: TensorLike, height: int, output_data_format: str = "channels_last",
    outputs_collections: Any = None, scope: Optional[str] = None,
) -> Tensor:  # fmt: skip
    """The images of `images_to_sequence`.

    Args:
        inputs: A tensor, [width, batch * height, channels], with a known width and channels.
        height: The height of the images.
        output_data_format: "channels_last" or "channels_first".
        outputs_collections: The collections that the result is added to.
        scope: The name scope, by default `SequenceToImages`.

    Returns:
        Images, [batch, height, width, channels], or with the channels before the height.
    """
    with get_default_graph().name_scope(scope or "SequenceToImages") as names:
        tensor = convert_to_tensor(inputs)
        width, rows, channels = tensor.shape.as_list()
        count = -1 if rows is None else rows // height
        columns = array_ops.reshape(tensor, [width, count, height, channels])
        order = [1, 3, 2, 0] if output_data_format == "channels_first" else [1, 2, 0, 3]
        return _collected(outputs_collections, names, array_ops.transpose(columns, order))
