"""Layers as functions, whose variables are model variables named weights and biases."""

from __future__ import annotations

import functools
from typing import Any, Optional

from troupe._src.contrib.arg_scope import add_arg_scope
from troupe._src.contrib.model_layers import (
    RENAMED,
    collect_outputs,
    collect_variable,
    finished,
    getter_of,
)
from troupe._src.contrib.regularizers import xavier_initializer
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.layers import convolutional, core, pooling
from troupe._src.ops import creation_ops, gen_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types import dtypes
from troupe._src.variables.initializers import Zeros
from troupe._src.variables.variable_scope import variable_scope

_xavier = xavier_initializer()
_zeros = Zeros()


@add_arg_scope
def fully_connected(
    inputs: Any, num_outputs: int, activation_fn: Any = gen_ops.relu, normalizer_fn: Any = None,
    normalizer_params: Any = None, weights_initializer: Any = _xavier,
    weights_regularizer: Any = None, biases_initializer: Any = _zeros,
    biases_regularizer: Any = None, reuse: Any = None, variables_collections: Any = None,
    outputs_collections: Any = None, trainable: bool = True, scope: Any = None,
) -> Tensor:  # fmt: skip
    """activation_fn(inputs * weights + biases), along the last axis.

    Args:
        inputs: of rank 2 or more, with a known last size.
        num_outputs: the last size of the result.
        activation_fn: None for a linear layer.
        normalizer_fn: called with the product instead of biases.
        normalizer_params: its arguments.
        weights_initializer: makes the first weights.
        weights_regularizer: makes a loss of them, in REGULARIZATION_LOSSES.
        biases_initializer: None for no biases.
        biases_regularizer: makes a loss of them.
        reuse: takes the variables that the scope has.
        variables_collections: where variables are added to, or {kind: collections}.
        outputs_collections: where the result is added to.
        trainable: whether optimizers train the variables by default.
        scope: of the variables, `fully_connected` by default.

    Raises:
        ValueError: if the last size is not known, or `num_outputs` is no integer.
    """
    if not isinstance(num_outputs, int):
        raise ValueError(f"num_outputs type should be an integer, got {type(num_outputs)}.")
    getter = getter_of(RENAMED)
    with variable_scope(scope, "fully_connected", reuse=reuse, custom_getter=getter) as current:
        tensor = convert_to_tensor(inputs)
        layer = core.Dense(
            num_outputs,
            use_bias=not normalizer_fn and biases_initializer is not None,
            kernel_initializer=weights_initializer,
            bias_initializer=biases_initializer,
            kernel_regularizer=weights_regularizer,
            bias_regularizer=biases_regularizer,
            trainable=trainable,
            name=current.name,
            dtype=tensor.dtype,
            _scope=current,
            _reuse=reuse,
        )
        outputs = layer(tensor)
        collect_variable(layer.kernel, variables_collections, "weights")
        collect_variable(layer.bias, variables_collections, "biases")
        normalizer = normalizer_fn, normalizer_params
        return finished(outputs, *normalizer, activation_fn, outputs_collections)


linear = functools.partial(fully_connected, activation_fn=None)
relu = functools.partial(fully_connected, activation_fn=gen_ops.relu)


@add_arg_scope
def convolution2d(
    inputs: Any, num_outputs: int, kernel_size: Any, stride: Any = 1, padding: str = "SAME",
    data_format: Optional[str] = None, rate: Any = 1, activation_fn: Any = gen_ops.relu,
    normalizer_fn: Any = None, normalizer_params: Any = None,
    weights_initializer: Any = _xavier, weights_regularizer: Any = None,
    biases_initializer: Any = _zeros, biases_regularizer: Any = None, reuse: Any = None,
    variables_collections: Any = None, outputs_collections: Any = None, trainable: bool = True,
    scope: Any = None,
) -> Tensor:  # fmt: skip
    """activation_fn of a convolution of images with weights, and biases.

    Args:
        inputs: images, of a known number of channels.
        num_outputs: the channels of the result.
        kernel_size: the height and width of the window, or one number for both.
        stride: of the window.
        padding: "SAME" or "VALID".
        data_format: "NHWC", as by default, or "NCHW".
        rate: the dilation of the window.

    The others are those of `fully_connected`; the scope is `Conv` by default.

    Raises:
        ValueError: for another format, and for inputs that are no images.
    """
    if data_format not in (None, "NHWC", "NCHW"):
        raise ValueError(f"Invalid data_format: {data_format!r}")
    with variable_scope(scope, "Conv", reuse=reuse, custom_getter=getter_of(RENAMED)) as current:
        tensor = convert_to_tensor(inputs)
        if tensor.shape.rank != 4:
            raise ValueError(f"Convolution expects input with rank 4, got {tensor.shape.rank}")
        layer = convolutional.Conv2D(
            num_outputs,
            kernel_size,
            strides=stride,
            padding=padding,
            data_format="channels_first" if data_format == "NCHW" else "channels_last",
            dilation_rate=rate,
            use_bias=not normalizer_fn and biases_initializer is not None,
            kernel_initializer=weights_initializer,
            bias_initializer=biases_initializer,
            kernel_regularizer=weights_regularizer,
            bias_regularizer=biases_regularizer,
            trainable=trainable,
            name=current.name,
            dtype=tensor.dtype,
            _scope=current,
            _reuse=reuse,
        )
        outputs = layer(tensor)
        collect_variable(layer.kernel, variables_collections, "weights")
        collect_variable(layer.bias, variables_collections, "biases")
        normalizer = normalizer_fn, normalizer_params
        return finished(outputs, *normalizer, activation_fn, outputs_collections)


@add_arg_scope
def max_pool2d(
    inputs: Any, kernel_size: Any, stride: Any = 2, padding: str = "VALID",
    data_format: str = "NHWC", outputs_collections: Any = None, scope: Optional[str] = None,
) -> Tensor:  # fmt: skip
    """The greatest elements of windows of images."""
    with get_default_graph().name_scope(scope or "MaxPool2D"):
        form = _channels(data_format)
        outputs = pooling.MaxPooling2D(kernel_size, stride, padding, form)(inputs)
        return collect_outputs(outputs_collections, outputs)


@add_arg_scope
def avg_pool2d(
    inputs: Any, kernel_size: Any, stride: Any = 2, padding: str = "VALID",
    data_format: str = "NHWC", outputs_collections: Any = None, scope: Optional[str] = None,
) -> Tensor:  # fmt: skip
    """The means of windows of images."""
    with get_default_graph().name_scope(scope or "AvgPool2D"):
        form = _channels(data_format)
        outputs = pooling.AveragePooling2D(kernel_size, stride, padding, form)(inputs)
        return collect_outputs(outputs_collections, outputs)


def _channels(data_format: str) -> str:
    if data_format not in ("NCHW", "NHWC"):
        raise ValueError("data_format has to be either NCHW or NHWC.")
    return "channels_first" if data_format == "NCHW" else "channels_last"


@add_arg_scope
def flatten(inputs: Any, outputs_collections: Any = None, scope: Optional[str] = None) -> Tensor:
    """All axes but the first as one."""
    with get_default_graph().name_scope(scope or "Flatten"):
        return collect_outputs(outputs_collections, core.Flatten()(inputs))


@add_arg_scope
def dropout(
    inputs: Any, keep_prob: Any = 0.5, noise_shape: Any = None, is_training: Any = True,
    outputs_collections: Any = None, scope: Any = None, seed: Optional[int] = None,
) -> Tensor:  # fmt: skip
    """In training, keeps elements at that rate, scaled, and sets the others to zero."""
    with variable_scope(scope, "Dropout", custom_getter=getter_of()) as current:
        layer = core.Dropout(1 - keep_prob, noise_shape, seed, name=current.name, _scope=current)
        outputs = layer(inputs, training=is_training)
        return collect_outputs(outputs_collections, outputs)


@add_arg_scope
def one_hot_encoding(
    labels: Any, num_classes: Any, on_value: Any = 1.0, off_value: Any = 0.0,
    outputs_collections: Any = None, scope: Optional[str] = None,
) -> Tensor:  # fmt: skip
    """Rows with the one value at the label and the other one elsewhere."""
    with get_default_graph().name_scope(scope or "OneHotEncoding"):
        given = convert_to_tensor(labels)
        if given.dtype == dtypes.int32:
            given = math_ops.cast(given, dtypes.int64)
        outputs = creation_ops.one_hot(given, num_classes, on_value=on_value, off_value=off_value)
        return collect_outputs(outputs_collections, outputs)
