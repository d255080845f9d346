"""Functions that add layers with masks, whose variables are named weights and biases."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional, Sequence, Union

from troupe._src.contrib.arg_scope import add_arg_scope
from troupe._src.contrib.model_layers import RENAMED, applied, finished, getter_of
from troupe._src.contrib.regularizers import xavier_initializer
from troupe._src.graph.elements import Tensor
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.model_layers.convolutions import channels_of
from troupe._src.model_pruning.masked_layers import MaskedConv2D, MaskedFullyConnected
from troupe._src.ops import gen_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.variables.initializers import Zeros
from troupe._src.variables.variable_store import variable_scope

_xavier = xavier_initializer()
_zeros = Zeros()
_FORMATS = (None, "NWC", "NCW", "NHWC", "NCHW", "NDHWC", "NCDHW")


@add_arg_scope
def masked_convolution(
    inputs: TensorLike, num_outputs: int, kernel_size: Union[int, Sequence[int]],
    stride: Union[int, Sequence[int]] = 1, padding: str = "SAME", data_format: Optional[str] = None,
    rate: Union[int, Sequence[int]] = 1, activation_fn: Optional[Callable[..., Any]] = gen_ops.relu,
    normalizer_fn: Optional[Callable[..., Any]] = None,
    normalizer_params: Optional[Dict[str, Any]] = None, weights_initializer: Any = _xavier,
    weights_regularizer: Optional[Callable[[Any], Any]] = None, biases_initializer: Any = _zeros,
    biases_regularizer: Optional[Callable[[Any], Any]] = None, reuse: Any = None,
    variables_collections: Any = None, outputs_collections: Any = None, trainable: bool = True,
    scope: Any = None,
) -> Tensor:  # fmt: skip
    """activation_fn of a convolution of images with weights that have a mask, and biases.

    Args:
        inputs: Images, [batch, height, width, channels], or with the channels before; the number
            of channels is known.
        num_outputs: The channels of the result.
        kernel_size: The height and width of the window, or one number for both.
        stride: How far the window moves, for each axis or one number for both.
        padding: "SAME" or "VALID".
        data_format: "NHWC" or "NCHW"; None for "NHWC".
        rate: The dilation of the window, for each axis or one number for both.
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
        scope: The scope of the variables, by default `Conv`.

    Returns:
        Images with `num_outputs` channels.

    Raises:
        ValueError: The format is another one, or `inputs` are no images.
    """
    if data_format not in _FORMATS:
        raise ValueError(f"Invalid data_format: {data_format!r}")
    with variable_scope(scope, "Conv", reuse=reuse, custom_getter=getter_of(RENAMED)) as current:
        tensor = convert_to_tensor(inputs)
        if tensor.shape.rank != 4:
            raise ValueError(
                f"Sparse Convolution not supported for input with rank {tensor.shape.rank}"
            )
        if data_format not in (None, "NHWC", "NCHW"):
            raise ValueError(f"Unsupported data format {data_format}")
        layer = MaskedConv2D(
            num_outputs,
            kernel_size,
            strides=stride,
            padding=padding,
            data_format=channels_of(data_format),
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
        outputs = applied(layer, tensor, RENAMED, variables_collections)
        normalizer = normalizer_fn, normalizer_params
        return finished(outputs, *normalizer, activation_fn, outputs_collections, current.name)


masked_conv2d = masked_convolution


@add_arg_scope
def masked_fully_connected(
    inputs: TensorLike, num_outputs: int,
    activation_fn: Optional[Callable[..., Any]] = gen_ops.relu,
    normalizer_fn: Optional[Callable[..., Any]] = None,
    normalizer_params: Optional[Dict[str, Any]] = None, weights_initializer: Any = _xavier,
    weights_regularizer: Optional[Callable[[Any], Any]] = None, biases_initializer: Any = _zeros,
    biases_regularizer: Optional[Callable[[Any], Any]] = None, reuse: Any = None,
    variables_collections: Any = None, outputs_collections: Any = None, trainable: bool = True,
    scope: Any = None,
) -> Tensor:  # fmt: skip
    """activation_fn(inputs * masked weights + biases), along the last axis.

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
        raise ValueError(f"num_outputs should be an integer, got {num_outputs}.")
    getter = getter_of(RENAMED)
    with variable_scope(scope, "fully_connected", reuse=reuse, custom_getter=getter) as current:
        tensor = convert_to_tensor(inputs)
        layer = MaskedFullyConnected(
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
