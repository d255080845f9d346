"""Layers one after the other, and layers without windows."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Sequence

from troupe._src.contrib.aliases import (
    collect_named_outputs,
    get_variable_collections,
    last_dimension,
)
from troupe._src.contrib.arg_scope import add_arg_scope
from troupe._src.contrib.variables import model_variable
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.nn import nn_ops
from troupe._src.ops import array_ops, gen_ops, math_ops, rearrange_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.train.custom_gradient import custom_gradient
from troupe._src.types import dtypes
from troupe._src.variables.initializers import Constant, Ones, Zeros
from troupe._src.variables.variable_store import variable_scope


def repeat(
    inputs: TensorLike, repetitions: int, layer: Callable[..., Any], *args: Any, **kwargs: Any
) -> Any:
    """The same layer so many times, each applied to the result of the one before.

    Args:
        inputs: What the first one gets.
        repetitions: How many there are.
        layer: Called with the inputs, the arguments, and `scope`.
        *args: Further arguments of each.
        **kwargs: Further arguments of each; `scope` is that of all, by default `Repeat`. Inside
            of it they have that name and a number, or that of the function without one.

    Returns:
        What the last one returns.
    """
    return _chained("Repeat", "repeat", inputs, layer, [args] * repetitions, kwargs)


def stack(
    inputs: TensorLike, layer: Callable[..., Any], stack_args: Sequence[Any], **kwargs: Any
) -> Any:
    """A layer for each of the arguments, each applied to the result of the one before.

    Args:
        inputs: What the first one gets.
        layer: Called with the inputs, its arguments, and `scope`.
        stack_args: The arguments of each, a list or tuple, or a single one.
        **kwargs: Further arguments of each; `scope` is that of all, by default `Stack`. Inside of
            it they have that name and a number, or that of the function without one.

    Returns:
        What the last one returns.

    Raises:
        ValueError: The arguments are no list or tuple.
    """
    if not isinstance(stack_args, (list, tuple)):
        raise ValueError("stack_args need to be a list or tuple")
    each = [args if isinstance(args, (list, tuple)) else [args] for args in stack_args]
    return _chained("Stack", "stack", inputs, layer, each, kwargs)


def _chained(
    default_scope: str, without_name: str, inputs: Any, layer: Any, calls: Any, kwargs: Any
) -> Any:
    scope = kwargs.pop("scope", None)
    with variable_scope(scope, default_scope):
        outputs: Any = convert_to_tensor(inputs)
        if scope is None:
            function = layer if hasattr(layer, "__name__") else getattr(layer, "func", None)
            scope = getattr(function, "__name__", without_name)
        for index, args in enumerate(calls):
            outputs = layer(outputs, *args, **{**kwargs, "scope": f"{scope}_{index + 1}"})
        return outputs


@add_arg_scope
def bias_add(
    inputs: TensorLike, activation_fn: Optional[Callable[..., Any]] = None,
    initializer: Any = Zeros(), regularizer: Optional[Callable[[Any], Any]] = None,
    reuse: Any = None, variables_collections: Any = None, outputs_collections: Any = None,
    trainable: bool = True, data_format: str = "NHWC", scope: Any = None,
) -> Tensor:  # fmt: skip
    """Adds a variable `biases`, one number for each channel.

    Args:
        inputs: Of a known rank and number of channels; of rank 4 for "NCHW".
        activation_fn: Called with the result; None for none.
        initializer: Makes the first biases, by default zeros.
        regularizer: Makes a loss of the biases, which is added to REGULARIZATION_LOSSES.
        reuse: Takes the variables that the scope has.
        variables_collections: Where the variable is added to, or {kind: collections}.
        outputs_collections: Where the result is added to.
        trainable: Whether optimizers train it by default.
        data_format: "NHWC", with the channels last, or "NCHW".
        scope: The scope of the variable, by default `BiasAdd`.

    Returns:
        A tensor of the shape of `inputs`.

    Raises:
        ValueError: The format is another one, or the rank or number of channels is not known.
    """
    if data_format not in ("NCHW", "NHWC"):
        raise ValueError("data_format has to be either NCHW or NHWC.")
    with variable_scope(scope, "BiasAdd", reuse=reuse) as current:
        tensor = convert_to_tensor(inputs)
        rank = tensor.shape.rank
        if rank is None:
            raise ValueError("Dims of shape must be known but is None")
        if rank != 4 and data_format == "NCHW":
            raise ValueError("Data format NCHW only supports 4D Tensor")
        channels = tensor.shape.as_list()[1 if data_format == "NCHW" else -1]
        if channels is None:
            raise ValueError("`C` dimension must be known but is None")
        biases = model_variable(
            "biases",
            [channels],
            tensor.dtype,
            initializer,
            regularizer,
            trainable,
            get_variable_collections(variables_collections, "biases"),
        )
        outputs = nn_ops.bias_add(tensor, biases, data_format=data_format)
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        found: Tensor = collect_named_outputs(outputs_collections, current.name, outputs)
        return found


@add_arg_scope
def softmax(logits: TensorLike, scope: Any = None) -> Tensor:
    """`tf.nn.softmax` along the last axis.

    Args:
        logits: Of rank 2 or more, with a known last size.
        scope: The scope of the nodes, by default `softmax`.

    Returns:
        A tensor of the shape of `logits`.

    Raises:
        ValueError: The rank is below 2, or it or the last size is not known.
    """
    with variable_scope(scope, "softmax"):
        tensor = convert_to_tensor(logits)
        rows = array_ops.reshape(tensor, [-1, last_dimension(tensor.shape, min_rank=2)])
        found = array_ops.reshape(nn_ops.softmax(rows), array_ops.shape(tensor))
        found.set_shape(tensor.shape)
        return found


@add_arg_scope
def spatial_softmax(
    features: TensorLike, temperature: Any = None, name: Optional[str] = None,
    variables_collections: Any = None, trainable: bool = True, data_format: str = "NHWC",
) -> Tensor:  # fmt: skip
    """Where in an image each channel is active: the mean place by the softmax of its pixels.

    Args:
        features: Images, [batch, height, width, channels] for "NHWC", of a known number of
            channels.
        temperature: What a variable `temperature` that divides the pixels begins with; None for 1.
        variables_collections: Where the variable is added to, or {kind: collections}.
        trainable: Whether optimizers train it.
        data_format: "NHWC" or "NCHW".

    Returns:
        A tensor, [batch, 2 * channels]: for each channel its rows and its columns, both from -1
        to 1.

    Raises:
        ValueError: The format is another one, or the number of channels is not known.
    """
    with variable_scope(name, "spatial_softmax"):
        tensor = convert_to_tensor(features)
        if data_format not in ("NCHW", "NHWC"):
            raise ValueError("data_format has to be either NCHW or NHWC.")
        axis, first = (1, 2) if data_format == "NCHW" else (3, 1)
        channels = tensor.shape.as_list()[axis]
        if channels is None:
            raise ValueError(
                "The num_channels dimension of the inputs to `spatial_softmax` should be defined. "
                "Found `None`."
            )
        sizes = array_ops.shape(tensor)
        height, width = sizes[first], sizes[first + 1]
        rows, columns = rearrange_ops.meshgrid(
            gen_ops.lin_space(-1.0, 1.0, num=height),
            gen_ops.lin_space(-1.0, 1.0, num=width),
            indexing="ij",
        )
        collections = get_variable_collections(variables_collections, "temperature")
        divisor = model_variable(
            "temperature",
            [],
            dtypes.float32,
            Ones() if temperature is None else Constant(temperature),
            trainable=trainable,
            collections=collections if trainable else None,
        )
        if data_format == "NHWC":
            tensor = array_ops.transpose(tensor, [0, 3, 1, 2])
        weights = nn_ops.softmax(array_ops.reshape(tensor, [-1, height * width]) / divisor)
        places = [
            math_ops.reduce_sum(array_ops.reshape(place, [-1]) * weights, [1], keepdims=True)
            for place in (rows, columns)
        ]
        found = array_ops.reshape(array_ops.concat(places, 1), [-1, channels * 2])
        found.set_shape([None, channels * 2])
        return found


@add_arg_scope
def maxout(inputs: TensorLike, num_units: int, axis: int = -1, scope: Any = None) -> Tensor:
    """The greatest one of each group of channels.

    Args:
        inputs: Of a known rank and number of channels.
        num_units: How many groups there are; each has channels that follow each other.
        axis: The axis of the channels.
        scope: The scope of the nodes, by default `MaxOut`.

    Returns:
        A tensor with `num_units` channels.

    Raises:
        ValueError: The groups do not divide the channels.
    """
    with variable_scope(scope, "MaxOut"):
        tensor = convert_to_tensor(inputs)
        sizes: List[Any] = tensor.shape.as_list()
        if sizes[axis] % num_units:
            raise ValueError(
                f"number of features({sizes[axis]}) is not a multiple of num_units({num_units})"
            )
        each = sizes[axis] // num_units
        sizes[axis] = num_units
        dynamic = array_ops.shape(tensor)
        shape = [dynamic[index] if size is None else size for index, size in enumerate(sizes)]
        return math_ops.reduce_max(array_ops.reshape(tensor, [*shape, each]), -1)


def scale_gradient(inputs: TensorLike, gradient_multiplier: TensorLike) -> Tensor:
    """The inputs, whose gradient is multiplied.

    Args:
        inputs: A tensor.
        gradient_multiplier: A scalar of the dtype of `inputs`.

    Returns:
        The inputs.
    """

    @custom_gradient
    def scaled(tensor: Tensor, factor: Tensor) -> Any:
        return array_ops.identity(tensor), lambda gradient: (gradient * factor, None)

    with get_default_graph().name_scope("scale_gradient"):
        found: Tensor = scaled(convert_to_tensor(inputs), convert_to_tensor(gradient_multiplier))
        return found
