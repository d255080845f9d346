"""Convolutions of channels by themselves: with one window, or with own ones that are mixed."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional, Sequence, Union

from troupe._src.contrib.aliases import (
    channel_dimension,
    get_variable_collections,
    last_dimension,
    two_element_tuple,
)
from troupe._src.contrib.arg_scope import add_arg_scope
from troupe._src.contrib.model_layers import applied, finished, getter_of
from troupe._src.contrib.regularizers import xavier_initializer
from troupe._src.contrib.variables import model_variable
from troupe._src.graph.elements import Tensor
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.layers.separable import SeparableConv2D
from troupe._src.model_layers.convolutions import channels_of
from troupe._src.nn.depthwise_ops import depthwise_conv2d
from troupe._src.nn.nn_ops import bias_add
from troupe._src.ops import gen_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.variables.initializers import Zeros
from troupe._src.variables.variable_store import variable_scope

_xavier = xavier_initializer()
_zeros = Zeros()
_SEPARABLE = {
    "bias": "biases",
    "depthwise_kernel": "depthwise_weights",
    "pointwise_kernel": "pointwise_weights",
}


@add_arg_scope
def convolution2d_in_plane(
    inputs: TensorLike, kernel_size: Union[int, Sequence[int]],
    stride: Union[int, Sequence[int]] = 1, padding: str = "SAME",
    activation_fn: Optional[Callable[..., Any]] = gen_ops.relu,
    normalizer_fn: Optional[Callable[..., Any]] = None,
    normalizer_params: Optional[Dict[str, Any]] = None, weights_initializer: Any = _xavier,
    weights_regularizer: Optional[Callable[[Any], Any]] = None, biases_initializer: Any = _zeros,
    biases_regularizer: Optional[Callable[[Any], Any]] = None, reuse: Any = None,
    variables_collections: Any = None, outputs_collections: Any = None, trainable: bool = True,
    scope: Any = None,
) -> Tensor:  # fmt: skip
    """activation_fn of a convolution of each channel with the same window, and biases.

    Args:
        inputs: Images, [batch, height, width, channels], of a known number of channels.
        kernel_size: The height and width of the window, or one number for both.
        stride: How far the window moves, (height, width) or one number for both.
        padding: "SAME" or "VALID".
        activation_fn: Called with the result, by default `relu`; None for a linear layer.
        normalizer_fn: Called with the result before `activation_fn`, instead of adding biases.
        normalizer_params: A dict of the arguments of `normalizer_fn`.
        weights_initializer: Makes the first weights; by default Xavier's, uniform.
        weights_regularizer: Makes a loss of the weights, which is added to REGULARIZATION_LOSSES.
        biases_initializer: Makes the first biases, by default zeros; None for no biases.
        biases_regularizer: Makes a loss of the biases, likewise.
        reuse: Takes the variables that the scope has, instead of making them; by default as the
            scope says.
        variables_collections: The collections that variables are added to, or {kind of variable:
            collections}.
        outputs_collections: The collections that the result is added to.
        trainable: Whether optimizers train it by default.
        scope: The scope of the variables, by default `ConvInPlane`.

    Returns:
        Images with the channels of `inputs`.
    """
    with variable_scope(scope, "ConvInPlane", reuse=reuse) as current:
        tensor = convert_to_tensor(inputs)
        channels = last_dimension(tensor.shape, min_rank=4)
        weights = model_variable(
            "weights",
            [*two_element_tuple(kernel_size), 1, 1],
            tensor.dtype,
            weights_initializer,
            weights_regularizer,
            trainable,
            get_variable_collections(variables_collections, "weights"),
        )
        filters = gen_ops.tile(weights, [1, 1, channels, 1])
        strides = [1, *two_element_tuple(stride), 1]
        outputs = depthwise_conv2d(tensor, filters, strides, padding)
        if not normalizer_fn and biases_initializer is not None:
            biases = model_variable(
                "biases",
                [channels],
                tensor.dtype,
                biases_initializer,
                biases_regularizer,
                trainable,
                get_variable_collections(variables_collections, "biases"),
            )
            outputs = bias_add(outputs, biases)
        normalizer = normalizer_fn, normalizer_params
        return finished(outputs, *normalizer, activation_fn, outputs_collections, current.name)


@add_arg_scope
def separable_convolution2d(
    inputs: TensorLike, num_outputs: Optional[int], kernel_size: Union[int, Sequence[int]],
    depth_multiplier: int = 1, stride: Union[int, Sequence[int]] = 1, padding: str = "SAME",
    data_format: str = "NHWC", rate: Union[int, Sequence[int]] = 1,
    activation_fn: Optional[Callable[..., Any]] = gen_ops.relu,
    normalizer_fn: Optional[Callable[..., Any]] = None,
    normalizer_params: Optional[Dict[str, Any]] = None, weights_initializer: Any = _xavier,
    pointwise_initializer: Any = None,
    weights_regularizer: Optional[Callable[[Any], Any]] = None, biases_initializer: Any = _zeros,
    biases_regularizer: Optional[Callable[[Any], Any]] = None, reuse: Any = None,
    variables_collections: Any = None, outputs_collections: Any = None, trainable: bool = True,
    scope: Any = None,
) -> Tensor:  # fmt: skip
    """activation_fn of a convolution of each channel with own windows, mixed, and biases.

    Args:
        inputs: Images, [batch, height, width, channels] for "NHWC", of a known number of channels.
        num_outputs: The channels of the result; None leaves the channels unmixed.
        kernel_size: The height and width of the windows, or one number for both.
        depth_multiplier: How many channels are made of each by own windows.
        stride: How far the windows move, (height, width) or one number for both.
        padding: "SAME" or "VALID".
        data_format: "NHWC" or "NCHW".
        rate: The dilation of the windows, (height, width) or one number for both.
        activation_fn: Called with the result, by default `relu`; None for a linear layer.
        normalizer_fn: Called with the result before `activation_fn`, instead of adding biases.
        normalizer_params: A dict of the arguments of `normalizer_fn`.
        weights_initializer: Makes the first weights; by default Xavier's, uniform.
        pointwise_initializer: Makes those that mix the channels; None for `weights_initializer`.
        weights_regularizer: Makes a loss of the weights, which is added to REGULARIZATION_LOSSES.
        biases_initializer: Makes the first biases, by default zeros; None for no biases.
        biases_regularizer: Makes a loss of the biases, likewise.
        reuse: Takes the variables that the scope has, instead of making them; by default as the
            scope says.
        variables_collections: The collections that variables are added to, or {kind of variable:
            collections}.
        outputs_collections: The collections that the result is added to.
        trainable: Whether optimizers train it by default.
        scope: The scope of the variables, by default `SeparableConv2d`.

    Returns:
        Images with `num_outputs` channels, or `depth_multiplier` for each one of `inputs`.

    Raises:
        ValueError: The format is another one.
    """
    if data_format not in ("NCHW", "NHWC"):
        raise ValueError("data_format has to be either NCHW or NHWC.")
    given = dict(locals())
    options = {"reuse": reuse, "custom_getter": getter_of(_SEPARABLE)}
    with variable_scope(scope, "SeparableConv2d", **options) as current:
        tensor = convert_to_tensor(inputs)
        unmixed = _unmixed if num_outputs is None else _mixed
        outputs = unmixed(tensor, current, given)
        normalizer = normalizer_fn, normalizer_params
        return finished(outputs, *normalizer, activation_fn, outputs_collections, current.name)


def _mixed(tensor: Tensor, current: Any, given: Dict[str, Any]) -> Tensor:
    """The outputs of a layer of separable convolutions."""
    weights_initializer = given["weights_initializer"]
    layer = SeparableConv2D(
        given["num_outputs"],
        given["kernel_size"],
        strides=given["stride"],
        padding=given["padding"],
        data_format=channels_of(given["data_format"]),
        dilation_rate=two_element_tuple(given["rate"]),
        depth_multiplier=given["depth_multiplier"],
        use_bias=not given["normalizer_fn"] and given["biases_initializer"] is not None,
        depthwise_initializer=weights_initializer,
        pointwise_initializer=given["pointwise_initializer"] or weights_initializer,
        bias_initializer=given["biases_initializer"],
        depthwise_regularizer=given["weights_regularizer"],
        pointwise_regularizer=given["weights_regularizer"],
        bias_regularizer=given["biases_regularizer"],
        trainable=given["trainable"],
        name=current.name,
        dtype=tensor.dtype,
        _scope=current,
        _reuse=given["reuse"],
    )
    kinds = {"depthwise_kernel": "weights", "pointwise_kernel": "weights", "bias": "biases"}
    return applied(layer, tensor, kinds, given["variables_collections"])


def _unmixed(tensor: Tensor, _: Any, given: Dict[str, Any]) -> Tensor:
    """The channels, each convolved with its own windows."""
    data_format, collections = given["data_format"], given["variables_collections"]
    channels = channel_dimension(tensor.shape, channels_of(data_format), min_rank=4)
    multiplier = given["depth_multiplier"]
    weights = model_variable(
        "depthwise_weights",
        [*two_element_tuple(given["kernel_size"]), channels, multiplier],
        tensor.dtype,
        given["weights_initializer"],
        given["weights_regularizer"],
        given["trainable"],
        get_variable_collections(collections, "weights"),
    )
    moved = two_element_tuple(given["stride"])
    strides = [1, 1, *moved] if data_format == "NCHW" else [1, *moved, 1]
    rate = two_element_tuple(given["rate"])
    outputs = depthwise_conv2d(
        tensor, weights, strides, given["padding"], rate=rate, data_format=data_format
    )
    if given["normalizer_fn"] or given["biases_initializer"] is None:
        return outputs
    biases = model_variable(
        "biases",
        [multiplier * channels],
        tensor.dtype,
        given["biases_initializer"],
        given["biases_regularizer"],
        given["trainable"],
        get_variable_collections(collections, "biases"),
    )
    return bias_add(outputs, biases, data_format=data_format)
