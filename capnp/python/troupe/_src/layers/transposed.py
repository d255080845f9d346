"""Transposed convolutions, as classes and as functions."""

from __future__ import annotations

from typing import Any, Callable, Optional, Sequence, Union

from troupe._src.graph.elements import Tensor
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.layers.transposition import Transposition
from troupe._src.set_module import set_module
from troupe._src.variables.initializers import Zeros

_zeros = Zeros()


@set_module("troupe.layers")
class Conv2DTranspose(Transposition):
    """activation(conv2d_transpose(images) + bias).

    Args:
        filters: The number of channels of the result.
        kernel_size: The height and width of the window, or one number for both.
        strides: How far the windows of the result are apart, (height, width) or one number for
            both.
        padding: "valid" or "same": that of the convolution whose gradient this is.
        data_format: "channels_last" or "channels_first".
        activation: A function that is applied to the result; None for none.
        use_bias: Adds a variable `bias`.
        kernel_initializer: Makes the first values of the kernel; None for the scope's default.
        bias_initializer: Makes the first values of the bias, by default zeros.
        kernel_regularizer: Makes a loss of the kernel, which is added to REGULARIZATION_LOSSES.
        bias_regularizer: Makes a loss of the bias, likewise.
        activity_regularizer: Makes a loss of the result, likewise.
        kernel_constraint: Is applied to the kernel after an optimizer has updated it.
        bias_constraint: Is applied to the bias after an optimizer has updated it.
        trainable: Whether optimizers train its variables by default.
        name: The name of its node.
        **kwargs: Arguments of `Layer`.

    Raises:
        ValueError: An argument has another form.
    """

    def __init__(
        self,
        filters: int,
        kernel_size: Union[int, Sequence[int]],
        strides: Union[int, Sequence[int]] = (1, 1),
        padding: str = "valid",
        data_format: str = "channels_last",
        activation: Optional[Callable[..., Any]] = None,
        use_bias: bool = True,
        kernel_initializer: Any = None,
        bias_initializer: Any = _zeros,
        kernel_regularizer: Optional[Callable[[Any], Any]] = None,
        bias_regularizer: Optional[Callable[[Any], Any]] = None,
        activity_regularizer: Optional[Callable[[Any], Any]] = None,
        kernel_constraint: Optional[Callable[[Any], Any]] = None,
        bias_constraint: Optional[Callable[[Any], Any]] = None,
        trainable: bool = True,
        name: Optional[str] = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            2,
            filters=filters,
            kernel_size=kernel_size,
            strides=strides,
            padding=padding,
            data_format=data_format,
            activation=activation,
            use_bias=use_bias,
            kernel_initializer=kernel_initializer,
            bias_initializer=bias_initializer,
            kernel_regularizer=kernel_regularizer,
            bias_regularizer=bias_regularizer,
            activity_regularizer=activity_regularizer,
            kernel_constraint=kernel_constraint,
            bias_constraint=bias_constraint,
            trainable=trainable,
            name=name,
            **kwargs,
        )


def conv2d_transpose(
    inputs: TensorLike,
    filters: int,
    kernel_size: Union[int, Sequence[int]],
    strides: Union[int, Sequence[int]] = (1, 1),
    padding: str = "valid",
    data_format: str = "channels_last",
    activation: Optional[Callable[..., Any]] = None,
    use_bias: bool = True,
    kernel_initializer: Any = None,
    bias_initializer: Any = _zeros,
    kernel_regularizer: Optional[Callable[[Any], Any]] = None,
    bias_regularizer: Optional[Callable[[Any], Any]] = None,
    activity_regularizer: Optional[Callable[[Any], Any]] = None,
    kernel_constraint: Optional[Callable[[Any], Any]] = None,
    bias_constraint: Optional[Callable[[Any], Any]] = None,
    trainable: bool = True,
    name: Optional[str] = None,
    reuse: Any = None,
) -> Tensor:
    """activation(conv2d_transpose(images) + bias).

    Args:
        inputs: A batch of images, of a known number of channels.
        filters: The number of channels of the result.
        kernel_size: The height and width of the window, or one number for both.
        strides: How far the windows of the result are apart, (height, width) or one number for
            both.
        padding: "valid" or "same": that of the convolution whose gradient this is.
        data_format: "channels_last" or "channels_first".
        activation: A function that is applied to the result; None for none.
        use_bias: Adds a variable `bias`.
        kernel_initializer: Makes the first values of the kernel; None for the scope's default.
        bias_initializer: Makes the first values of the bias, by default zeros.
        kernel_regularizer: Makes a loss of the kernel, which is added to REGULARIZATION_LOSSES.
        bias_regularizer: Makes a loss of the bias, likewise.
        activity_regularizer: Makes a loss of the result, likewise.
        kernel_constraint: Is applied to the kernel after an optimizer has updated it.
        bias_constraint: Is applied to the bias after an optimizer has updated it.
        trainable: Whether optimizers train its variables by default.
        name: The name of its node.
        reuse: Takes the variables that the scope has, instead of making them; by default as the
            scope says.

    Returns:
        A tensor of rank 4.

    Raises:
        ValueError: An argument has another form, or the number of channels is not known.
    """
    layer = Conv2DTranspose(
        filters=filters,
        kernel_size=kernel_size,
        strides=strides,
        padding=padding,
        data_format=data_format,
        activation=activation,
        use_bias=use_bias,
        kernel_initializer=kernel_initializer,
        bias_initializer=bias_initializer,
        kernel_regularizer=kernel_regularizer,
        bias_regularizer=bias_regularizer,
        activity_regularizer=activity_regularizer,
        kernel_constraint=kernel_constraint,
        bias_constraint=bias_constraint,
        trainable=trainable,
        name=name,
        _scope=name,
        _reuse=reuse,
    )
    outputs: Tensor = layer(inputs)
    return outputs


@set_module("troupe.layers")
class Conv3DTranspose(Transposition):
    """activation(conv3d_transpose(volumes) + bias).

    Args:
        filters: The number of channels of the result.
        kernel_size: The depth, height and width of the window, or one number for all.
        strides: How far the windows of the result are apart, (depth, height, width) or one number
            for all.
        padding: "valid" or "same": that of the convolution whose gradient this is.
        data_format: "channels_last" or "channels_first".
        activation: A function that is applied to the result; None for none.
        use_bias: Adds a variable `bias`.
        kernel_initializer: Makes the first values of the kernel; None for the scope's default.
        bias_initializer: Makes the first values of the bias, by default zeros.
        kernel_regularizer: Makes a loss of the kernel, which is added to REGULARIZATION_LOSSES.
        bias_regularizer: Makes a loss of the bias, likewise.
        activity_regularizer: Makes a loss of the result, likewise.
        kernel_constraint: Is applied to the kernel after an optimizer has updated it.
        bias_constraint: Is applied to the bias after an optimizer has updated it.
        trainable: Whether optimizers train its variables by default.
        name: The name of its node.
        **kwargs: Arguments of `Layer`.

    Raises:
        ValueError: An argument has another form.
    """

    _config_names = tuple(
        each for each in Transposition._config_names if each != "dilation_rate"
    )

    def __init__(
        self,
        filters: int,
        kernel_size: Union[int, Sequence[int]],
        strides: Union[int, Sequence[int]] = (1, 1, 1),
        padding: str = "valid",
        data_format: str = "channels_last",
        activation: Optional[Callable[..., Any]] = None,
        use_bias: bool = True,
        kernel_initializer: Any = None,
        bias_initializer: Any = _zeros,
        kernel_regularizer: Optional[Callable[[Any], Any]] = None,
        bias_regularizer: Optional[Callable[[Any], Any]] = None,
        activity_regularizer: Optional[Callable[[Any], Any]] = None,
        kernel_constraint: Optional[Callable[[Any], Any]] = None,
        bias_constraint: Optional[Callable[[Any], Any]] = None,
        trainable: bool = True,
        name: Optional[str] = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            3,
            filters=filters,
            kernel_size=kernel_size,
            strides=strides,
            padding=padding,
            data_format=data_format,
            activation=activation,
            use_bias=use_bias,
            kernel_initializer=kernel_initializer,
            bias_initializer=bias_initializer,
            kernel_regularizer=kernel_regularizer,
            bias_regularizer=bias_regularizer,
            activity_regularizer=activity_regularizer,
            kernel_constraint=kernel_constraint,
            bias_constraint=bias_constraint,
            trainable=trainable,
            name=name,
            **kwargs,
        )


def conv3d_transpose(
    inputs: TensorLike,
    filters: int,
    kernel_size: Union[int, Sequence[int]],
    strides: Union[int, Sequence[int]] = (1, 1, 1),
    padding: str = "valid",
    data_format: str = "channels_last",
    activation: Optional[Callable[..., Any]] = None,
    use_bias: bool = True,
    kernel_initializer: Any = None,
    bias_initializer: Any = _zeros,
    kernel_regularizer: Optional[Callable[[Any], Any]] = None,
    bias_regularizer: Optional[Callable[[Any], Any]] = None,
    activity_regularizer: Optional[Callable[[Any], Any]] = None,
    kernel_constraint: Optional[Callable[[Any], Any]] = None,
    bias_constraint: Optional[Callable[[Any], Any]] = None,
    trainable: bool = True,
    name: Optional[str] = None,
    reuse: Any = None,
) -> Tensor:
    """activation(conv3d_transpose(volumes) + bias).

    Args:
        inputs: A batch of volumes, of a known number of channels.
        filters: The number of channels of the result.
        kernel_size: The depth, height and width of the window, or one number for all.
        strides: How far the windows of the result are apart, (depth, height, width) or one number
            for all.
        padding: "valid" or "same": that of the convolution whose gradient this is.
        data_format: "channels_last" or "channels_first".
        activation: A function that is applied to the result; None for none.
        use_bias: Adds a variable `bias`.
        kernel_initializer: Makes the first values of the kernel; None for the scope's default.
        bias_initializer: Makes the first values of the bias, by default zeros.
        kernel_regularizer: Makes a loss of the kernel, which is added to REGULARIZATION_LOSSES.
        bias_regularizer: Makes a loss of the bias, likewise.
        activity_regularizer: Makes a loss of the result, likewise.
        kernel_constraint: Is applied to the kernel after an optimizer has updated it.
        bias_constraint: Is applied to the bias after an optimizer has updated it.
        trainable: Whether optimizers train its variables by default.
        name: The name of its node.
        reuse: Takes the variables that the scope has, instead of making them; by default as the
            scope says.

    Returns:
        A tensor of rank 5.

    Raises:
        ValueError: An argument has another form, or the number of channels is not known.
    """
    layer = Conv3DTranspose(
        filters=filters,
        kernel_size=kernel_size,
        strides=strides,
        padding=padding,
        data_format=data_format,
        activation=activation,
        use_bias=use_bias,
        kernel_initializer=kernel_initializer,
        bias_initializer=bias_initializer,
        kernel_regularizer=kernel_regularizer,
        bias_regularizer=bias_regularizer,
        activity_regularizer=activity_regularizer,
        kernel_constraint=kernel_constraint,
        bias_constraint=bias_constraint,
        trainable=trainable,
        name=name,
        _scope=name,
        _reuse=reuse,
    )
    outputs: Tensor = layer(inputs)
    return outputs
