"""Separable convolutions, as classes and as functions."""

from __future__ import annotations

from typing import Any, Callable, Optional, Sequence, Union

from troupe._src.graph.elements import Tensor
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.layers.separation import Separation
from troupe._src.set_module import set_module
from troupe._src.variables.initializers import Zeros

_zeros = Zeros()


@set_module("troupe.layers")
class SeparableConv1D(Separation):
    """Filters each channel of sequences, and mixes them by a filter of one element.

    Args:
        filters: The number of channels of the result.
        kernel_size: The length of the window.
        strides: How far the window moves.
        padding: "valid" for whole windows only, or "same" for a result as large as the input,
            divided by the strides.
        data_format: "channels_last" or "channels_first".
        dilation_rate: The distance of the elements of a window.
        depth_multiplier: How many channels are made of each by its own window, before they are
            combined.
        activation: A function that is applied to the result; None for none.
        use_bias: Adds a variable `bias`.
        depthwise_initializer: Makes the first values of the windows of channels; None for the
            scope's default.
        pointwise_initializer: Makes the first values of what combines channels; None for the
            scope's default.
        bias_initializer: Makes the first values of the bias, by default zeros.
        depthwise_regularizer: Makes a loss of the windows of channels, which is added to
            REGULARIZATION_LOSSES.
        pointwise_regularizer: Makes a loss of what combines channels, likewise.
        bias_regularizer: Makes a loss of the bias, likewise.
        activity_regularizer: Makes a loss of the result, likewise.
        depthwise_constraint: Is applied to the windows of channels after an optimizer has updated
            them.
        pointwise_constraint: Is applied to what combines channels after an optimizer has updated
            it.
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
        strides: Union[int, Sequence[int]] = 1,
        padding: str = "valid",
        data_format: str = "channels_last",
        dilation_rate: Union[int, Sequence[int]] = 1,
        depth_multiplier: int = 1,
        activation: Optional[Callable[..., Any]] = None,
        use_bias: bool = True,
        depthwise_initializer: Any = None,
        pointwise_initializer: Any = None,
        bias_initializer: Any = _zeros,
        depthwise_regularizer: Optional[Callable[[Any], Any]] = None,
        pointwise_regularizer: Optional[Callable[[Any], Any]] = None,
        bias_regularizer: Optional[Callable[[Any], Any]] = None,
        activity_regularizer: Optional[Callable[[Any], Any]] = None,
        depthwise_constraint: Optional[Callable[[Any], Any]] = None,
        pointwise_constraint: Optional[Callable[[Any], Any]] = None,
        bias_constraint: Optional[Callable[[Any], Any]] = None,
        trainable: bool = True,
        name: Optional[str] = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            1,
            filters=filters,
            kernel_size=kernel_size,
            strides=strides,
            padding=padding,
            data_format=data_format,
            dilation_rate=dilation_rate,
            depth_multiplier=depth_multiplier,
            activation=activation,
            use_bias=use_bias,
            depthwise_initializer=depthwise_initializer,
            pointwise_initializer=pointwise_initializer,
            bias_initializer=bias_initializer,
            depthwise_regularizer=depthwise_regularizer,
            pointwise_regularizer=pointwise_regularizer,
            bias_regularizer=bias_regularizer,
            activity_regularizer=activity_regularizer,
            depthwise_constraint=depthwise_constraint,
            pointwise_constraint=pointwise_constraint,
            bias_constraint=bias_constraint,
            trainable=trainable,
            name=name,
            **kwargs,
        )


def separable_conv1d(
    inputs: TensorLike,
    filters: int,
    kernel_size: Union[int, Sequence[int]],
    strides: Union[int, Sequence[int]] = 1,
    padding: str = "valid",
    data_format: str = "channels_last",
    dilation_rate: Union[int, Sequence[int]] = 1,
    depth_multiplier: int = 1,
    activation: Optional[Callable[..., Any]] = None,
    use_bias: bool = True,
    depthwise_initializer: Any = None,
    pointwise_initializer: Any = None,
    bias_initializer: Any = _zeros,
    depthwise_regularizer: Optional[Callable[[Any], Any]] = None,
    pointwise_regularizer: Optional[Callable[[Any], Any]] = None,
    bias_regularizer: Optional[Callable[[Any], Any]] = None,
    activity_regularizer: Optional[Callable[[Any], Any]] = None,
    depthwise_constraint: Optional[Callable[[Any], Any]] = None,
    pointwise_constraint: Optional[Callable[[Any], Any]] = None,
    bias_constraint: Optional[Callable[[Any], Any]] = None,
    trainable: bool = True,
    name: Optional[str] = None,
    reuse: Any = None,
) -> Tensor:
    """Filters each channel of sequences, and mixes them by a filter of one element.

    Args:
        inputs: A batch of sequences, of a known number of channels.
        filters: The number of channels of the result.
        kernel_size: The length of the window.
        strides: How far the window moves.
        padding: "valid" for whole windows only, or "same" for a result as large as the input,
            divided by the strides.
        data_format: "channels_last" or "channels_first".
        dilation_rate: The distance of the elements of a window.
        depth_multiplier: How many channels are made of each by its own window, before they are
            combined.
        activation: A function that is applied to the result; None for none.
        use_bias: Adds a variable `bias`.
        depthwise_initializer: Makes the first values of the windows of channels; None for the
            scope's default.
        pointwise_initializer: Makes the first values of what combines channels; None for the
            scope's default.
        bias_initializer: Makes the first values of the bias, by default zeros.
        depthwise_regularizer: Makes a loss of the windows of channels, which is added to
            REGULARIZATION_LOSSES.
        pointwise_regularizer: Makes a loss of what combines channels, likewise.
        bias_regularizer: Makes a loss of the bias, likewise.
        activity_regularizer: Makes a loss of the result, likewise.
        depthwise_constraint: Is applied to the windows of channels after an optimizer has updated
            them.
        pointwise_constraint: Is applied to what combines channels after an optimizer has updated
            it.
        bias_constraint: Is applied to the bias after an optimizer has updated it.
        trainable: Whether optimizers train its variables by default.
        name: The name of its node.
        reuse: Takes the variables that the scope has, instead of making them; by default as the
            scope says.

    Returns:
        A tensor of rank 3.

    Raises:
        ValueError: An argument has another form, or the number of channels is not known.
    """
    layer = SeparableConv1D(
        filters=filters,
        kernel_size=kernel_size,
        strides=strides,
        padding=padding,
        data_format=data_format,
        dilation_rate=dilation_rate,
        depth_multiplier=depth_multiplier,
        activation=activation,
        use_bias=use_bias,
        depthwise_initializer=depthwise_initializer,
        pointwise_initializer=pointwise_initializer,
        bias_initializer=bias_initializer,
        depthwise_regularizer=depthwise_regularizer,
        pointwise_regularizer=pointwise_regularizer,
        bias_regularizer=bias_regularizer,
        activity_regularizer=activity_regularizer,
        depthwise_constraint=depthwise_constraint,
        pointwise_constraint=pointwise_constraint,
        bias_constraint=bias_constraint,
        trainable=trainable,
        name=name,
        _scope=name,
        _reuse=reuse,
    )
    outputs: Tensor = layer(inputs)
    return outputs


@set_module("troupe.layers")
class SeparableConv2D(Separation):
    """Filters each channel of images, and mixes them by a filter of one pixel.

    Args:
        filters: The number of channels of the result.
        kernel_size: The height and width of the window, or one number for both.
        strides: How far the window moves, (height, width) or one number for both.
        padding: "valid" for whole windows only, or "same" for a result as large as the input,
            divided by the strides.
        data_format: "channels_last" or "channels_first".
        dilation_rate: The distance of the elements of a window, (height, width) or one number for
            both.
        depth_multiplier: How many channels are made of each by its own window, before they are
            combined.
        activation: A function that is applied to the result; None for none.
        use_bias: Adds a variable `bias`.
        depthwise_initializer: Makes the first values of the windows of channels; None for the
            scope's default.
        pointwise_initializer: Makes the first values of what combines channels; None for the
            scope's default.
        bias_initializer: Makes the first values of the bias, by default zeros.
        depthwise_regularizer: Makes a loss of the windows of channels, which is added to
            REGULARIZATION_LOSSES.
        pointwise_regularizer: Makes a loss of what combines channels, likewise.
        bias_regularizer: Makes a loss of the bias, likewise.
        activity_regularizer: Makes a loss of the result, likewise.
        depthwise_constraint: Is applied to the windows of channels after an optimizer has updated
            them.
        pointwise_constraint: Is applied to what combines channels after an optimizer has updated
            it.
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
        dilation_rate: Union[int, Sequence[int]] = (1, 1),
        depth_multiplier: int = 1,
        activation: Optional[Callable[..., Any]] = None,
        use_bias: bool = True,
        depthwise_initializer: Any = None,
        pointwise_initializer: Any = None,
        bias_initializer: Any = _zeros,
        depthwise_regularizer: Optional[Callable[[Any], Any]] = None,
        pointwise_regularizer: Optional[Callable[[Any], Any]] = None,
        bias_regularizer: Optional[Callable[[Any], Any]] = None,
        activity_regularizer: Optional[Callable[[Any], Any]] = None,
        depthwise_constraint: Optional[Callable[[Any], Any]] = None,
        pointwise_constraint: Optional[Callable[[Any], Any]] = None,
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
            dilation_rate=dilation_rate,
            depth_multiplier=depth_multiplier,
            activation=activation,
            use_bias=use_bias,
            depthwise_initializer=depthwise_initializer,
            pointwise_initializer=pointwise_initializer,
            bias_initializer=bias_initializer,
            depthwise_regularizer=depthwise_regularizer,
            pointwise_regularizer=pointwise_regularizer,
            bias_regularizer=bias_regularizer,
            activity_regularizer=activity_regularizer,
            depthwise_constraint=depthwise_constraint,
            pointwise_constraint=pointwise_constraint,
            bias_constraint=bias_constraint,
            trainable=trainable,
            name=name,
            **kwargs,
        )


def separable_conv2d(
    inputs: TensorLike,
    filters: int,
    kernel_size: Union[int, Sequence[int]],
    strides: Union[int, Sequence[int]] = (1, 1),
    padding: str = "valid",
    data_format: str = "channels_last",
    dilation_rate: Union[int, Sequence[int]] = (1, 1),
    depth_multiplier: int = 1,
    activation: Optional[Callable[..., Any]] = None,
    use_bias: bool = True,
    depthwise_initializer: Any = None,
    pointwise_initializer: Any = None,
    bias_initializer: Any = _zeros,
    depthwise_regularizer: Optional[Callable[[Any], Any]] = None,
    pointwise_regularizer: Optional[Callable[[Any], Any]] = None,
    bias_regularizer: Optional[Callable[[Any], Any]] = None,
    activity_regularizer: Optional[Callable[[Any], Any]] = None,
    depthwise_constraint: Optional[Callable[[Any], Any]] = None,
    pointwise_constraint: Optional[Callable[[Any], Any]] = None,
    bias_constraint: Optional[Callable[[Any], Any]] = None,
    trainable: bool = True,
    name: Optional[str] = None,
    reuse: Any = None,
) -> Tensor:
    """Filters each channel of images, and mixes them by a filter of one pixel.

    Args:
        inputs: A batch of images, of a known number of channels.
        filters: The number of channels of the result.
        kernel_size: The height and width of the window, or one number for both.
        strides: How far the window moves, (height, width) or one number for both.
        padding: "valid" for whole windows only, or "same" for a result as large as the input,
            divided by the strides.
        data_format: "channels_last" or "channels_first".
        dilation_rate: The distance of the elements of a window, (height, width) or one number for
            both.
        depth_multiplier: How many channels are made of each by its own window, before they are
            combined.
        activation: A function that is applied to the result; None for none.
        use_bias: Adds a variable `bias`.
        depthwise_initializer: Makes the first values of the windows of channels; None for the
            scope's default.
        pointwise_initializer: Makes the first values of what combines channels; None for the
            scope's default.
        bias_initializer: Makes the first values of the bias, by default zeros.
        depthwise_regularizer: Makes a loss of the windows of channels, which is added to
            REGULARIZATION_LOSSES.
        pointwise_regularizer: Makes a loss of what combines channels, likewise.
        bias_regularizer: Makes a loss of the bias, likewise.
        activity_regularizer: Makes a loss of the result, likewise.
        depthwise_constraint: Is applied to the windows of channels after an optimizer has updated
            them.
        pointwise_constraint: Is applied to what combines channels after an optimizer has updated
            it.
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
    layer = SeparableConv2D(
        filters=filters,
        kernel_size=kernel_size,
        strides=strides,
        padding=padding,
        data_format=data_format,
        dilation_rate=dilation_rate,
        depth_multiplier=depth_multiplier,
        activation=activation,
        use_bias=use_bias,
        depthwise_initializer=depthwise_initializer,
        pointwise_initializer=pointwise_initializer,
        bias_initializer=bias_initializer,
        depthwise_regularizer=depthwise_regularizer,
        pointwise_regularizer=pointwise_regularizer,
        bias_regularizer=bias_regularizer,
        activity_regularizer=activity_regularizer,
        depthwise_constraint=depthwise_constraint,
        pointwise_constraint=pointwise_constraint,
        bias_constraint=bias_constraint,
        trainable=trainable,
        name=name,
        _scope=name,
        _reuse=reuse,
    )
    outputs: Tensor = layer(inputs)
    return outputs
