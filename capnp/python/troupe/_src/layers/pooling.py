"""Pooling of sequences, images and volumes, as classes and as functions."""

from __future__ import annotations

from typing import Any, Optional, Sequence, Union

from troupe._src.graph.elements import Tensor
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.layers.base import Layer
from troupe._src.layers.input_spec import InputSpec
from troupe._src.layers.windows import (
    data_format_of,
    format_of_op,
    output_shape,
    padding_of,
    tuple_of,
    windowed,
)
from troupe._src.nn.pool_ops import avg_pool, avg_pool_v2, max_pool, max_pool_v2
from troupe._src.nn.windows import line_of_images, sizes
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.set_module import set_module
from troupe._src.types.shapes import ShapeLike, TensorShape


class _Pooling(Layer):
    """One number for each window."""

    _config_names = ("pool_size", "strides", "padding", "data_format")

    def __init__(
        self,
        pool: Any,
        rank: int,
        pool_size: Union[int, Sequence[int]],
        strides: Any,
        padding: str,
        data_format: str,
        name: Optional[str],
        **kwargs: Any,
    ) -> None:
        """Sets what poolings have in common.

        Args:
            pool: The function of windows of images or volumes.
            rank: The number of dimensions.
            pool_size: The size of the windows in each dimension, or one number for all.
            strides: How far a window moves, likewise.
            padding: "valid" for whole windows only, or "same" for a result as large as the input,
                divided by the strides.
            data_format: "channels_last" or "channels_first".
            name: The name of its scope, made unique; by default that of its class.
            **kwargs: Arguments of `Layer`.
        """
        super().__init__(name=name, **kwargs)
        self._pool, self._rank = pool, rank
        self.pool_size = tuple(tuple_of(pool_size, rank, "pool_size"))
        if strides is None:
            raise ValueError("Argument `strides` must not be None.")
        self.strides = tuple(tuple_of(strides, rank, "strides"))
        self.padding = padding_of(padding)
        self.data_format = data_format_of(data_format)
        self.input_spec = InputSpec(ndim=rank + 2)

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        data_format = format_of_op(self.data_format, self._rank)
        padding = self.padding.upper()
        if self._rank > 1:
            return self._pool(inputs, self.pool_size, self.strides, padding, data_format)
        channels = 1 if data_format == "NCW" else 2
        line = line_of_images(convert_to_tensor(inputs), channels)
        windows, steps = (
            line.with_height(sizes(value, 3, channels, "pool_size"))
            for value in (self.pool_size, self.strides)
        )
        return line.sequences(self._pool(line.images, windows, steps, padding, line.data_format))

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        def size_of(axis: int, size: Optional[int]) -> Optional[int]:
            return windowed(size, self.pool_size[axis], self.padding, self.strides[axis])

        return output_shape(input_shape, self.data_format, size_of)


@set_module("troupe.layers")
class AveragePooling1D(_Pooling):
    """The mean of each window of a sequence.

    Args:
        pool_size: The length of the windows.
        strides: How far a window moves, likewise.
        padding: "valid" for whole windows only, or "same" for a result as large as the input,
            divided by the strides.
        data_format: "channels_last" or "channels_first".
        name: The name of its scope, made unique; by default that of its class.
        **kwargs: Arguments of `Layer`.
    """

    def __init__(
        self,
        pool_size: Union[int, Sequence[int]],
        strides: Any,
        padding: str = "valid",
        data_format: str = "channels_last",
        name: Optional[str] = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(avg_pool, 1, pool_size, strides, padding, data_format, name, **kwargs)


def average_pooling1d(
    inputs: TensorLike,
    pool_size: Union[int, Sequence[int]],
    strides: Any,
    padding: str = "valid",
    data_format: str = "channels_last",
    name: Optional[str] = None,
) -> Tensor:
    """The mean of each window of a sequence.

    Args:
        inputs: A batch of sequences.
        pool_size: The length of the windows.
        strides: How far a window moves, likewise.
        padding: "valid" for whole windows only, or "same" for a result as large as the input,
            divided by the strides.
        data_format: "channels_last" or "channels_first".
        name: The name of its node.

    Returns:
        A tensor of rank 3, with the channels of `inputs`.
    """
    outputs: Tensor = AveragePooling1D(pool_size, strides, padding, data_format, name)(inputs)
    return outputs


@set_module("troupe.layers")
class AveragePooling2D(_Pooling):
    """The mean of each window of an image.

    Args:
        pool_size: The height and width of the windows, or one number for both.
        strides: How far a window moves, likewise.
        padding: "valid" for whole windows only, or "same" for a result as large as the input,
            divided by the strides.
        data_format: "channels_last" or "channels_first".
        name: The name of its node.
        **kwargs: Arguments of `Layer`.
    """

    def __init__(
        self,
        pool_size: Union[int, Sequence[int]],
        strides: Any,
        padding: str = "valid",
        data_format: str = "channels_last",
        name: Optional[str] = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(avg_pool_v2, 2, pool_size, strides, padding, data_format, name, **kwargs)


def average_pooling2d(
    inputs: TensorLike,
    pool_size: Union[int, Sequence[int]],
    strides: Any,
    padding: str = "valid",
    data_format: str = "channels_last",
    name: Optional[str] = None,
) -> Tensor:
    """The mean of each window of an image.

    Args:
        inputs: A batch of images.
        pool_size: The height and width of the windows, or one number for both.
        strides: How far a window moves, likewise.
        padding: "valid" for whole windows only, or "same" for a result as large as the input,
            divided by the strides.
        data_format: "channels_last" or "channels_first".
        name: The name of its node.

    Returns:
        A tensor of rank 4, with the channels of `inputs`.
    """
    outputs: Tensor = AveragePooling2D(pool_size, strides, padding, data_format, name)(inputs)
    return outputs


@set_module("troupe.layers")
class AveragePooling3D(_Pooling):
    """The mean of each window of a volume.

    Args:
        pool_size: The depth, height and width of the windows, or one number for all.
        strides: How far a window moves, likewise.
        padding: "valid" for whole windows only, or "same" for a result as large as the input,
            divided by the strides.
        data_format: "channels_last" or "channels_first".
        name: The name of its node.
        **kwargs: Arguments of `Layer`.
    """

    def __init__(
        self,
        pool_size: Union[int, Sequence[int]],
        strides: Any,
        padding: str = "valid",
        data_format: str = "channels_last",
        name: Optional[str] = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(avg_pool_v2, 3, pool_size, strides, padding, data_format, name, **kwargs)


def average_pooling3d(
    inputs: TensorLike,
    pool_size: Union[int, Sequence[int]],
    strides: Any,
    padding: str = "valid",
    data_format: str = "channels_last",
    name: Optional[str] = None,
) -> Tensor:
    """The mean of each window of a volume.

    Args:
        inputs: A batch of volumes.
        pool_size: The depth, height and width of the windows, or one number for all.
        strides: How far a window moves, likewise.
        padding: "valid" for whole windows only, or "same" for a result as large as the input,
            divided by the strides.
        data_format: "channels_last" or "channels_first".
        name: The name of its node.

    Returns:
        A tensor of rank 5, with the channels of `inputs`.
    """
    outputs: Tensor = AveragePooling3D(pool_size, strides, padding, data_format, name)(inputs)
    return outputs


@set_module("troupe.layers")
class MaxPooling1D(_Pooling):
    """The largest number of each window of a sequence.

    Args:
        pool_size: The length of the windows.
        strides: How far a window moves, likewise.
        padding: "valid" for whole windows only, or "same" for a result as large as the input,
            divided by the strides.
        data_format: "channels_last" or "channels_first".
        name: The name of its scope, made unique; by default that of its class.
        **kwargs: Arguments of `Layer`.
    """

    def __init__(
        self,
        pool_size: Union[int, Sequence[int]],
        strides: Any,
        padding: str = "valid",
        data_format: str = "channels_last",
        name: Optional[str] = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(max_pool, 1, pool_size, strides, padding, data_format, name, **kwargs)


def max_pooling1d(
    inputs: TensorLike,
    pool_size: Union[int, Sequence[int]],
    strides: Any,
    padding: str = "valid",
    data_format: str = "channels_last",
    name: Optional[str] = None,
) -> Tensor:
    """The largest number of each window of a sequence.

    Args:
        inputs: A batch of sequences.
        pool_size: The length of the windows.
        strides: How far a window moves, likewise.
        padding: "valid" for whole windows only, or "same" for a result as large as the input,
            divided by the strides.
        data_format: "channels_last" or "channels_first".
        name: The name of its node.

    Returns:
        A tensor of rank 3, with the channels of `inputs`.
    """
    outputs: Tensor = MaxPooling1D(pool_size, strides, padding, data_format, name)(inputs)
    return outputs


@set_module("troupe.layers")
class MaxPooling2D(_Pooling):
    """The largest number of each window of an image.

    Args:
        pool_size: The height and width of the windows, or one number for both.
        strides: How far a window moves, likewise.
        padding: "valid" for whole windows only, or "same" for a result as large as the input,
            divided by the strides.
        data_format: "channels_last" or "channels_first".
        name: The name of its node.
        **kwargs: Arguments of `Layer`.
    """

    def __init__(
        self,
        pool_size: Union[int, Sequence[int]],
        strides: Any,
        padding: str = "valid",
        data_format: str = "channels_last",
        name: Optional[str] = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(max_pool_v2, 2, pool_size, strides, padding, data_format, name, **kwargs)


def max_pooling2d(
    inputs: TensorLike,
    pool_size: Union[int, Sequence[int]],
    strides: Any,
    padding: str = "valid",
    data_format: str = "channels_last",
    name: Optional[str] = None,
) -> Tensor:
    """The largest number of each window of an image.

    Args:
        inputs: A batch of images.
        pool_size: The height and width of the windows, or one number for both.
        strides: How far a window moves, likewise.
        padding: "valid" for whole windows only, or "same" for a result as large as the input,
            divided by the strides.
        data_format: "channels_last" or "channels_first".
        name: The name of its node.

    Returns:
        A tensor of rank 4, with the channels of `inputs`.
    """
    outputs: Tensor = MaxPooling2D(pool_size, strides, padding, data_format, name)(inputs)
    return outputs


@set_module("troupe.layers")
class MaxPooling3D(_Pooling):
    """The largest number of each window of a volume.

    Args:
        pool_size: The depth, height and width of the windows, or one number for all.
        strides: How far a window moves, likewise.
        padding: "valid" for whole windows only, or "same" for a result as large as the input,
            divided by the strides.
        data_format: "channels_last" or "channels_first".
        name: The name of its node.
        **kwargs: Arguments of `Layer`.
    """

    def __init__(
        self,
        pool_size: Union[int, Sequence[int]],
        strides: Any,
        padding: str = "valid",
        data_format: str = "channels_last",
        name: Optional[str] = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(max_pool_v2, 3, pool_size, strides, padding, data_format, name, **kwargs)


def max_pooling3d(
    inputs: TensorLike,
    pool_size: Union[int, Sequence[int]],
    strides: Any,
    padding: str = "valid",
    data_format: str = "channels_last",
    name: Optional[str] = None,
) -> Tensor:
    """The largest number of each window of a volume.

    Args:
        inputs: A batch of volumes.
        pool_size: The depth, height and width of the windows, or one number for all.
        strides: How far a window moves, likewise.
        padding: "valid" for whole windows only, or "same" for a result as large as the input,
            divided by the strides.
        data_format: "channels_last" or "channels_first".
        name: The name of its node.

    Returns:
        A tensor of rank 5, with the channels of `inputs`.
    """
    outputs: Tensor = MaxPooling3D(pool_size, strides, padding, data_format, name)(inputs)
    return outputs
