"""Convolutions whose variables are model variables named weights and biases."""

from __future__ import annotations

import functools
import inspect
from typing import Any, Callable, Dict, Optional, Sequence, Union

from troupe._src.contrib.arg_scope import add_arg_scope
from troupe._src.contrib.model_layers import RENAMED, applied, finished, getter_of
from troupe._src.contrib.regularizers import xavier_initializer
from troupe._src.graph.elements import Tensor
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.layers.convolutional import Conv1D, Conv2D
from troupe._src.layers.convolutional_3d import Conv3D
from troupe._src.layers.transposed import Conv2DTranspose, Conv3DTranspose
from troupe._src.ops import gen_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.variables.initializers import Zeros
from troupe._src.variables.variable_store import variable_scope

_xavier = xavier_initializer()
_zeros = Zeros()
_LAYERS: Dict[int, Any] = {3: Conv1D, 4: Conv2D, 5: Conv3D}
_FORMATS = (None, "NWC", "NCW", "NHWC", "NCHW", "NDHWC", "NCDHW")


@add_arg_scope
def convolution(
    inputs: TensorLike, num_outputs: int, kernel_size: Union[int, Sequence[int]],
    stride: Union[int, Sequence[int]] = 1, padding: str = "SAME", data_format: Optional[str] = None,
    rate: Union[int, Sequence[int]] = 1, activation_fn: Optional[Callable[..., Any]] = gen_ops.relu,
    normalizer_fn: Optional[Callable[..., Any]] = None,
    normalizer_params: Optional[Dict[str, Any]] = None, weights_initializer: Any = _xavier,
    weights_regularizer: Optional[Callable[[Any], Any]] = None, biases_initializer: Any = _zeros,
    biases_regularizer: Optional[Callable[[Any], Any]] = None, reuse: Any = None,
    variables_collections: Any = None, outputs_collections: Any = None, trainable: bool = True,
    scope: Any = None, conv_dims: Optional[int] = None,
) -> Tensor:  # fmt: skip
    """activation_fn of a convolution with weights, and biases.

    Args:
        inputs: [batch, axes of space, channels], or with the channels before the axes of space;
            of one, two or three of these axes and a known number of channels.
        num_outputs: The channels of the result.
        kernel_size: The size of the window for each axis of space, or one number for all.
        stride: How far the window moves, for each axis of space or one number for all.
        padding: "SAME" or "VALID".
        data_format: Where the channels are, such as "NHWC" or "NCHW"; None for the last axis.
        rate: The dilation of the window, for each axis of space or one number for all.
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
        conv_dims: How many axes of space there must be; None for any.

    Returns:
        A tensor of the rank of `inputs`, with that many channels.

    Raises:
        ValueError: The format is another one, or `inputs` has another rank.
    """
    if data_format not in _FORMATS:
        raise ValueError(f"Invalid data_format: {data_format!r}")
    with variable_scope(scope, "Conv", reuse=reuse, custom_getter=getter_of(RENAMED)) as current:
        tensor = convert_to_tensor(inputs)
        rank = tensor.shape.rank
        if conv_dims is not None and conv_dims + 2 != rank:
            raise ValueError(f"Convolution expects input with rank {conv_dims + 2}, got {rank}")
        if rank not in _LAYERS:
            raise ValueError(f"Convolution not supported for input with rank {rank}")
        layer = _LAYERS[rank](
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


def channels_of(data_format: Optional[str]) -> str:
    """A format of ops as one of layers."""
    return "channels_first" if data_format and data_format.startswith("NC") else "channels_last"


def _of_rank(dims: int) -> Callable[..., Tensor]:
    """`convolution` of one number of axes of space."""
    whole = inspect.unwrap(convolution)

    @functools.wraps(whole)
    def convolve(*args: Any, **kwargs: Any) -> Tensor:
        return convolution(*args, **{**kwargs, "conv_dims": dims})

    signature = inspect.signature(whole)
    own = [each for name, each in signature.parameters.items() if name != "conv_dims"]
    convolve.__signature__ = signature.replace(parameters=own)  # type: ignore[attr-defined]
    convolve.__name__ = convolve.__qualname__ = f"convolution{dims}d"
    text = (whole.__doc__ or "").replace(
        "of one, two or three of these axes", f"of {dims} of these axes"
    )
    convolve.__doc__ = "".join(
        line for line in text.splitlines(keepends=True) if "conv_dims" not in line
    )
    return add_arg_scope(convolve)


convolution1d, convolution2d, convolution3d = _of_rank(1), _of_rank(2), _of_rank(3)


@add_arg_scope
def convolution2d_transpose(
    inputs: TensorLike, num_outputs: int, kernel_size: Union[int, Sequence[int]],
    stride: Union[int, Sequence[int]] = 1, padding: str = "SAME", data_format: str = "NHWC",
    activation_fn: Optional[Callable[..., Any]] = gen_ops.relu,
    normalizer_fn: Optional[Callable[..., Any]] = None,
    normalizer_params: Optional[Dict[str, Any]] = None, weights_initializer: Any = _xavier,
    weights_regularizer: Optional[Callable[[Any], Any]] = None, biases_initializer: Any = _zeros,
    biases_regularizer: Optional[Callable[[Any], Any]] = None, reuse: Any = None,
    variables_collections: Any = None, outputs_collections: Any = None, trainable: bool = True,
    scope: Any = None,
) -> Tensor:  # fmt: skip
    """activation_fn of the transposition of a convolution of images, and biases.

    Args:
        inputs: Images, [batch, height, width, channels] for "NHWC", of a known number of channels.
        num_outputs: The channels of the result.
        kernel_size: The height and width of the window, or one number for both.
        stride: How far the windows of the result are apart, (height, width) or one number for both.
        padding: "SAME" or "VALID".
        data_format: "NHWC" or "NCHW".
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
        scope: The scope of the variables, by default `Conv2d_transpose`.

    Returns:
        Images with `num_outputs` channels, larger by the stride.

    Raises:
        ValueError: The format is another one.
    """
    if data_format not in ("NCHW", "NHWC"):
        raise ValueError("data_format has to be either NCHW or NHWC.")
    return _transposed(Conv2DTranspose, "Conv2d_transpose", **locals())


@add_arg_scope
def convolution3d_transpose(
    inputs: TensorLike, num_outputs: int, kernel_size: Union[int, Sequence[int]],
    stride: Union[int, Sequence[int]] = 1, padding: str = "SAME", data_format: str = "NDHWC",
    activation_fn: Optional[Callable[..., Any]] = gen_ops.relu,
    normalizer_fn: Optional[Callable[..., Any]] = None,
    normalizer_params: Optional[Dict[str, Any]] = None, weights_initializer: Any = _xavier,
    weights_regularizer: Optional[Callable[[Any], Any]] = None, biases_initializer: Any = _zeros,
    biases_regularizer: Optional[Callable[[Any], Any]] = None, reuse: Any = None,
    variables_collections: Any = None, outputs_collections: Any = None, trainable: bool = True,
    scope: Any = None,
) -> Tensor:  # fmt: skip
    """activation_fn of the transposition of a convolution of volumes, and biases.

    Args:
        inputs: Volumes, [batch, depth, height, width, channels] for "NDHWC", of a known number of
            channels.
        num_outputs: The channels of the result.
        kernel_size: The depth, height and width of the window, or one number for all.
        stride: How far the windows of the result are apart, three numbers or one for all.
        padding: "SAME" or "VALID".
        data_format: "NDHWC" or "NCDHW".
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
        scope: The scope of the variables, by default `Conv3d_transpose`.

    Returns:
        Volumes with `num_outputs` channels, larger by the stride.

    Raises:
        ValueError: The format is another one.
    """
    if data_format not in ("NCDHW", "NDHWC"):
        raise ValueError("data_format has to be either NCDHW or NDHWC.")
    return _transposed(Conv3DTranspose, "Conv3d_transpose", **locals())


def _transposed(kind: Any, default_scope: str, **given: Any) -> Tensor:
    """The outputs of a layer of that class, for the arguments of the functions above."""
    options = {"reuse": given["reuse"], "custom_getter": getter_of(RENAMED)}
    with variable_scope(given["scope"], default_scope, **options) as current:
        tensor = convert_to_tensor(given["inputs"])
        layer = kind(
            given["num_outputs"],
            given["kernel_size"],
            strides=given["stride"],
            padding=given["padding"],
            data_format=channels_of(given["data_format"]),
            use_bias=not given["normalizer_fn"] and given["biases_initializer"] is not None,
            kernel_initializer=given["weights_initializer"],
            bias_initializer=given["biases_initializer"],
            kernel_regularizer=given["weights_regularizer"],
            bias_regularizer=given["biases_regularizer"],
            trainable=given["trainable"],
            name=current.name,
            dtype=tensor.dtype,
            _scope=current,
            _reuse=given["reuse"],
        )
        outputs = applied(layer, tensor, RENAMED, given["variables_collections"])
        normalizer = given["normalizer_fn"], given["normalizer_params"]
        collections = given["outputs_collections"]
        return finished(outputs, *normalizer, given["activation_fn"], collections, current.name)
