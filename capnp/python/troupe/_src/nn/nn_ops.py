"""Layers of networks: activations, softmax and cross entropies, dropout."""

from __future__ import annotations

from typing import Any, Optional, Union

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops, raw_ops
from troupe._src.arguments import either
from troupe._src.ops.convert import convert_to_tensor, is_tensor
from troupe._src.ops.selection_ops import where_v2
from troupe._src.random import random_ops
from troupe._src.types import dtypes, errors
from troupe._src.types.shapes import ShapeLike


def bias_add(
    value: TensorLike,
    bias: TensorLike,
    data_format: Optional[str] = None,
    name: Optional[str] = None,
) -> Tensor:
    """Adds one number to each channel.

    Args:
        value: numbers of shape [..., channels], or [batch, channels, ...] with a format "NC...".
        bias: one number for each channel, [channels], of the dtype of `value`.
        data_format: where the channels are: None or "N...C" for the last axis, "NC..." for the
            second.

    Returns:
        A tensor of the shape of `value`.

    Raises:
        ValueError: if the format is none of these, or the sizes differ.
    """
    kind = "NHWC"
    if data_format is not None:
        if data_format.startswith("NC"):
            kind = "NCHW"
        elif not (data_format.startswith("N") and data_format.endswith("C")):
            raise ValueError("data_format must be of the form `N...C` or `NC...`")
    return raw_ops.BiasAdd(value=value, bias=bias, data_format=kind, name=name)


def xw_plus_b(
    x: TensorLike, weights: TensorLike, biases: TensorLike, name: Optional[str] = None
) -> Tensor:
    """matmul(x, weights) + biases.

    Args:
        x: [batch, inputs].
        weights: [inputs, outputs].
        biases: [outputs].

    Returns:
        A tensor [batch, outputs].
    """
    with get_default_graph().name_scope(name or "xw_plus_b") as scope:
        return bias_add(math_ops.matmul(x, weights), biases, name=scope)


def relu_layer(
    x: TensorLike, weights: TensorLike, biases: TensorLike, name: Optional[str] = None
) -> Tensor:
    """relu(matmul(x, weights) + biases).

    Args:
        x: [batch, inputs].
        weights: [inputs, outputs].
        biases: [outputs].

    Returns:
        A tensor [batch, outputs].
    """
    with get_default_graph().name_scope(name or "relu_layer") as scope:
        return gen_ops.relu(bias_add(math_ops.matmul(x, weights), biases), name=scope)


def leaky_relu(
    features: TensorLike, alpha: Union[float, Tensor] = 0.2, name: Optional[str] = None
) -> Tensor:
    """x where it is positive, else alpha * x.

    Args:
        features: numbers of any shape; integers are cast to float32.
        alpha: the slope below 0, a number or a scalar tensor.

    Returns:
        A tensor of the shape of the features.
    """
    x = convert_to_tensor(features)
    if x.dtype.is_integer:
        x = math_ops.cast(x, dtypes.float32)
    if isinstance(alpha, Tensor):
        return gen_ops.maximum(alpha * x, x, name=name or "LeakyRelu")
    return raw_ops.LeakyRelu(features=x, alpha=float(alpha), name=name)


def crelu(features: TensorLike, name: Optional[str] = None, axis: int = -1) -> Tensor:
    """relu(x) and relu(-x), one behind the other along an axis.

    Args:
        features: numbers of any shape.
        axis: the axis along which the halves are concatenated.

    Returns:
        A tensor that is twice as large along the axis.
    """
    with get_default_graph().name_scope(name or "CRelu") as scope:
        x = convert_to_tensor(features)
        return gen_ops.relu(array_ops.concat([x, -x], axis), name=scope)


def swish(features: TensorLike) -> Tensor:
    """x * sigmoid(x).

    Args:
        features: floats of any shape.

    Returns:
        A tensor of their shape.
    """
    x = convert_to_tensor(features)
    return x * gen_ops.sigmoid(x)


def softmax(
    logits: TensorLike, axis: Any = None, name: Optional[str] = None, dim: Any = None
) -> Tensor:
    """exp(logits) / sum(exp(logits)) along an axis, by default the last one.

    Args:
        logits: floats with at least one axis.
        axis: the axis of the classes, whose results add up to 1; None for the last.
        dim: the former name of `axis`.

    Returns:
        A tensor of the shape and dtype of the logits.

    Raises:
        InvalidArgumentError: if there is no such axis.
        ValueError: if both names of the axis are given.
    """
    return _on_axis(raw_ops.Softmax, logits, either("axis", axis, "dim", dim), name)


def log_softmax(
    logits: TensorLike, axis: Any = None, name: Optional[str] = None, dim: Any = None
) -> Tensor:
    """The logarithm of softmax, computed without overflow.

    Args:
        logits: floats with at least one axis.
        axis: the axis of the classes; None for the last.
        dim: the former name of `axis`.

    Returns:
        A tensor of the shape and dtype of the logits.

    Raises:
        InvalidArgumentError: if there is no such axis.
        ValueError: if both names of the axis are given.
    """
    return _on_axis(raw_ops.LogSoftmax, logits, either("axis", axis, "dim", dim), name)


def _on_axis(op: Any, logits: Any, axis: Any, name: Optional[str]) -> Tensor:
    """Applies an op for the last axis along any axis."""
    tensor = convert_to_tensor(logits)
    rank = tensor.shape.rank
    if isinstance(axis, Tensor):
        known = array_ops.get_static_value(axis)
        axis = axis if known is None else int(known)
    is_known = not isinstance(axis, Tensor)
    if is_known and axis is not None and rank is not None and not -rank <= axis < max(rank, 1):
        raise errors.InvalidArgumentError(
            None, None, f"axis {axis} is not in [{-rank}, {rank}) of {tensor!r}"
        )
    if is_known and (axis in (None, -1) or axis + 1 == rank):
        result: Tensor = op(logits=tensor, name=name)
        return result
    order = _with_last(tensor, axis)
    result = array_ops.transpose(
        op(logits=array_ops.transpose(tensor, order)), order, name or "transpose"
    )
    result.set_shape(tensor.shape)
    return result


def _with_last(tensor: Tensor, axis: Any) -> Any:
    """The tensor's axes, one and the last in each other's place. A step in which there is no such
    axis fails in the transpose."""
    rank = tensor.shape.rank
    if rank is not None and not isinstance(axis, Tensor):
        order = list(range(rank))
        order[axis], order[-1] = order[-1], order[axis]
        return order
    last = array_ops.rank(tensor) - 1
    axis = math_ops.cast(axis, dtypes.int32)
    axis = where_v2(axis < 0, axis + last + 1, axis)
    axes = math_ops.range(last + 1)
    moved = where_v2(gen_ops.equal(axes, axis), last, axes)
    return where_v2(gen_ops.equal(axes, last), axis, moved)


def dropout(
    x: TensorLike,
    keep_prob: Any = None,
    noise_shape: ShapeLike = None,
    seed: Optional[int] = None,
    name: Optional[str] = None,
    rate: Any = None,
) -> Tensor:
    """Sets elements to zero at that rate, and scales the others to keep the expected sum.

    Args:
        x: floats of any shape.
        keep_prob: 1 - rate, a number or a scalar tensor; one of both is given.
        noise_shape: the shape of the draws, which broadcast to `x`: elements share a draw where it
            says 1. None, or a size of None in a list, stands for that of `x`.
        seed: makes the draws repeatable.
        rate: the probability of an element to become 0, in [0, 1).

    Returns:
        A tensor of the shape of `x`, and `x` itself for a rate of 0.

    Raises:
        ValueError: if a number is out of range, both or none are given, or `x` is not of floats.
    """
    if (keep_prob is None) == (rate is None):
        raise ValueError("You must provide exactly one of rate and keep_prob to dropout.")
    if isinstance(keep_prob, (int, float)) and not 0 < keep_prob <= 1:
        raise ValueError(f"keep_prob must be a scalar tensor or a float in (0, 1], got {keep_prob}")
    dropped = 1.0 - keep_prob if rate is None else rate
    if isinstance(dropped, (int, float)) and not 0 <= dropped < 1:
        raise ValueError(f"rate must be a scalar tensor or a float in the range [0, 1), got {rate}")
    tensor = convert_to_tensor(x)
    if not tensor.dtype.is_floating:
        raise ValueError(
            f"x has to be a floating point tensor since it's going to be scaled: {tensor!r}"
        )
    if isinstance(dropped, (int, float)) and dropped == 0:
        return tensor
    with get_default_graph().name_scope(name or "dropout"):
        dropped = convert_to_tensor(dropped, None if is_tensor(dropped) else tensor.dtype)
        sizes = array_ops.shape(tensor) if noise_shape is None else _filled(noise_shape, tensor)
        drawn = random_ops.random_uniform(sizes, dtype=tensor.dtype, seed=seed)
        kept = math_ops.cast(gen_ops.greater_equal(drawn, dropped), tensor.dtype)
        scaled: Tensor = tensor * (1.0 / (1.0 - dropped)) * kept
        # The rate is a scalar, also where its shape is not known.
        scaled.set_shape(tensor.shape)
        return scaled


def _filled(noise_shape: Any, tensor: Tensor) -> Any:
    """The shape of the noise, with the tensor's sizes where it says None."""
    if is_tensor(noise_shape) or all(size is not None for size in noise_shape):
        return noise_shape
    if len(noise_shape) != tensor.shape.rank:
        raise ValueError(f"noise_shape {noise_shape} is not of the rank of {tensor!r}")
    sizes = array_ops.unstack(array_ops.shape(tensor), len(noise_shape))
    return array_ops.stack([own if size is None else size for size, own in zip(noise_shape, sizes)])


def zero_fraction(value: TensorLike, name: Optional[str] = None) -> Tensor:
    """The fraction of elements that are zero.

    Args:
        value: numbers of any shape.

    Returns:
        A float32 scalar, NaN for a tensor without elements.
    """
    with get_default_graph().name_scope(name or "zero_fraction"):
        tensor = convert_to_tensor(value)
        is_zero = gen_ops.equal(tensor, creation_ops.zeros_like(tensor))
        return math_ops.reduce_mean(math_ops.cast(is_zero, dtypes.float32), name="fraction")
