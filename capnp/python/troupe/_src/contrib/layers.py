"""Layers as functions, whose variables are model variables named weights and biases."""

from __future__ import annotations

import functools
from typing import Any, Callable, Dict, Optional, Sequence, Union

from troupe._src.contrib.aliases import collect_named_outputs
from troupe._src.contrib.arg_scope import add_arg_scope
from troupe._src.contrib.model_layers import (
    RENAMED,
    applied,
    finished,
    getter_of,
    pooled,
)
from troupe._src.contrib.regularizers import xavier_initializer
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.operand import Operand
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.layers import core, pooling
from troupe._src.ops import creation_ops, gen_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types import dtypes
from troupe._src.variables.initializers import Zeros
from troupe._src.variables.variable_store import variable_scope

_xavier = xavier_initializer()
_zeros = Zeros()


@add_arg_scope
def fully_connected(
    inputs: TensorLike, num_outputs: int,
    activation_fn: Optional[Callable[..., Any]] = gen_ops.relu,
    normalizer_fn: Optional[Callable[..., Any]] = None,
    normalizer_params: Optional[Dict[str, Any]] = None, weights_initializer: Any = _xavier,
    weights_regularizer: Optional[Callable[[Any], Any]] = None, biases_initializer: Any = _zeros,
    biases_regularizer: Optional[Callable[[Any], Any]] = None, reuse: Any = None,
    variables_collections: Any = None, outputs_collections: Any = None, trainable: bool = True,
    scope: Any = None,
) -> Tensor:  # fmt: skip
    """activation_fn(inputs * weights + biases), along the last axis.

    Args:
        inputs: Of floating point numbers, of rank 2 or more, with a known last size.
        num_outputs: The last size of the result.
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
        trainable: Whether optimizers train the variables by default.
        scope: The scope of the variables, by default `fully_connected`.

    Returns:
        A tensor of the shape of `inputs`, but for the last size.

    Raises:
        ValueError: The last size is not known, or `num_outputs` is no integer.
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
        outputs = applied(layer, tensor, RENAMED, variables_collections)
        normalizer = normalizer_fn, normalizer_params
        return finished(outputs, *normalizer, activation_fn, outputs_collections, current.name)


linear = functools.partial(fully_connected, activation_fn=None)
relu = functools.partial(fully_connected, activation_fn=gen_ops.relu)
relu6 = functools.partial(fully_connected, activation_fn=gen_ops.relu6)
elu = functools.partial(fully_connected, activation_fn=gen_ops.elu)


@add_arg_scope
def max_pool2d(
    inputs: TensorLike,
    kernel_size: Union[int, Sequence[int]],
    stride: Union[int, Sequence[int]] = 2,
    padding: str = "VALID",
    data_format: str = "NHWC", outputs_collections: Any = None, scope: Optional[str] = None,
) -> Tensor:  # fmt: skip
    """The greatest elements of windows of images.

    Args:
        inputs: Images, [batch, height, width, channels] for "NHWC".
        kernel_size: The height and width of the windows, or one number for both.
        stride: How far a window moves, (height, width) or one number for both.
        padding: "SAME" or "VALID".
        data_format: "NHWC", with the channels last, or "NCHW".
        outputs_collections: The collections that the result is added to.
        scope: The name scope, by default `MaxPool2D`.

    Returns:
        A tensor of rank 4, with the channels of `inputs`.

    Raises:
        ValueError: The format is another one.
    """
    with get_default_graph().name_scope(scope or "MaxPool2D") as names:
        form = _channels(data_format)
        outputs = pooled(pooling.MaxPooling2D(kernel_size, stride, padding, form), inputs)
        return _collected(outputs_collections, names, outputs)


@add_arg_scope
def avg_pool2d(
    inputs: TensorLike,
    kernel_size: Union[int, Sequence[int]],
    stride: Union[int, Sequence[int]] = 2,
    padding: str = "VALID",
    data_format: str = "NHWC", outputs_collections: Any = None, scope: Optional[str] = None,
) -> Tensor:  # fmt: skip
    """The means of windows of images.

    Args:
        inputs: Images, [batch, height, width, channels] for "NHWC".
        kernel_size: The height and width of the windows, or one number for both.
        stride: How far a window moves, (height, width) or one number for both.
        padding: "SAME" or "VALID".
        data_format: "NHWC", with the channels last, or "NCHW".
        outputs_collections: The collections that the result is added to.
        scope: The name scope, by default `AvgPool2D`.

    Returns:
        A tensor of rank 4, with the channels of `inputs`.

    Raises:
        ValueError: The format is another one.
    """
    with get_default_graph().name_scope(scope or "AvgPool2D") as names:
        form = _channels(data_format)
        outputs = pooled(pooling.AveragePooling2D(kernel_size, stride, padding, form), inputs)
        return _collected(outputs_collections, names, outputs)


def _collected(collections: Any, alias: str, outputs: Tensor) -> Tensor:
    found: Tensor = collect_named_outputs(collections, alias, outputs)
    return found


def _channels(data_format: str) -> str:
    if data_format not in ("NCHW", "NHWC"):
        raise ValueError("data_format has to be either NCHW or NHWC.")
    return "channels_first" if data_format == "NCHW" else "channels_last"


@add_arg_scope
def flatten(
    inputs: TensorLike, outputs_collections: Any = None, scope: Optional[str] = None
) -> Tensor:
    """All axes but the first as one.

    Args:
        inputs: A tensor of rank 1 or more.
        outputs_collections: The collections that the result is added to.
        scope: The name scope, by default `Flatten`.

    Returns:
        A tensor, [batch, product of the other sizes].
    """
    with get_default_graph().name_scope(scope or "Flatten") as names:
        return _collected(outputs_collections, names, core.Flatten()(inputs))


@add_arg_scope
def dropout(
    inputs: TensorLike,
    keep_prob: Union[float, Operand] = 0.5,
    noise_shape: Optional[TensorLike] = None,
    is_training: Union[bool, Operand] = True,
    outputs_collections: Any = None, scope: Any = None, seed: Optional[int] = None,
) -> Tensor:  # fmt: skip
    """In training, keeps elements at that rate, scaled, and sets the others to zero.

    Args:
        inputs: A tensor of floating point numbers.
        keep_prob: The part of the elements that is kept, a number or a scalar tensor.
        noise_shape: The shape of the choices, which are broadcast; by default that of `inputs`.
        is_training: A bool or a boolean tensor; where it is false, the result is `inputs`.
        outputs_collections: The collections that the result is added to.
        scope: The scope of the nodes, by default `Dropout`.
        seed: Of the random numbers.

    Returns:
        A tensor of the shape of `inputs`.
    """
    with variable_scope(scope, "Dropout", custom_getter=getter_of()) as current:
        layer = core.Dropout(1 - keep_prob, noise_shape, seed, name=current.name, _scope=current)
        outputs = layer(inputs, training=is_training)
        return _collected(outputs_collections, current.name, outputs)


@add_arg_scope
def one_hot_encoding(
    labels: TensorLike,
    num_classes: TensorLike,
    on_value: TensorLike = 1.0,
    off_value: TensorLike = 0.0,
    outputs_collections: Any = None, scope: Optional[str] = None,
) -> Tensor:  # fmt: skip
    """Rows with the one value at the label and the other one elsewhere.

    Args:
        labels: Integers in [0, num_classes).
        num_classes: The length of the rows.
        on_value: The element at the label.
        off_value: The other elements.
        outputs_collections: The collections that the result is added to.
        scope: The name scope, by default `OneHotEncoding`.

    Returns:
        A tensor of the shape of `labels` and `num_classes`.
    """
    with get_default_graph().name_scope(scope or "OneHotEncoding") as names:
        given = convert_to_tensor(labels)
        if given.dtype == dtypes.int32:
            given = math_ops.cast(given, dtypes.int64)
        outputs = creation_ops.one_hot(
            given, num_classes, on_value=on_value, off_value=off_value, name="one_hot"
        )
        return _collected(outputs_collections, names, outputs)
