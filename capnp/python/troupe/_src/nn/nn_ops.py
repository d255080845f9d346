"""Layers of networks: activations, softmax and cross entropies, dropout."""

from __future__ import annotations

import math
from typing import Any, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.ops import array_ops, gen_ops, math_ops, random_ops, raw_ops
from troupe._src.ops.arguments import either
from troupe._src.ops.convert import constant, convert_to_tensor, is_tensor
from troupe._src.types import dtypes, errors


def bias_add(
    value: Any, bias: Any, data_format: Optional[str] = None, name: Optional[str] = None
) -> Tensor:
    """Adds one number to each channel."""
    kind = "NHWC"
    if data_format is not None:
        if data_format.startswith("NC"):
            kind = "NCHW"
        elif not (data_format.startswith("N") and data_format.endswith("C")):
            raise ValueError("data_format must be of the form `N...C` or `NC...`")
    return raw_ops.BiasAdd(value=value, bias=bias, data_format=kind, name=name)


def xw_plus_b(x: Any, weights: Any, biases: Any, name: Optional[str] = None) -> Tensor:
    """matmul(x, weights) + biases."""
    with get_default_graph().name_scope(name or "xw_plus_b") as scope:
        return bias_add(math_ops.matmul(x, weights), biases, name=scope)


def relu_layer(x: Any, weights: Any, biases: Any, name: Optional[str] = None) -> Tensor:
    """relu(matmul(x, weights) + biases)."""
    with get_default_graph().name_scope(name or "relu_layer") as scope:
        return gen_ops.relu(bias_add(math_ops.matmul(x, weights), biases), name=scope)


def leaky_relu(features: Any, alpha: Any = 0.2, name: Optional[str] = None) -> Tensor:
    """x where it is positive, else alpha * x."""
    x = convert_to_tensor(features)
    if x.dtype.is_integer:
        x = math_ops.cast(x, dtypes.float32)
    if isinstance(alpha, Tensor):
        return gen_ops.maximum(alpha * x, x, name=name or "LeakyRelu")
    return raw_ops.LeakyRelu(features=x, alpha=float(alpha), name=name)


def crelu(features: Any, name: Optional[str] = None, axis: int = -1) -> Tensor:
    """relu(x) and relu(-x), one behind the other along an axis."""
    with get_default_graph().name_scope(name or "CRelu") as scope:
        x = convert_to_tensor(features)
        return gen_ops.relu(array_ops.concat([x, -x], axis), name=scope)


def swish(features: Any) -> Tensor:
    """x * sigmoid(x)."""
    x = convert_to_tensor(features)
    return x * gen_ops.sigmoid(x)


def softmax(logits: Any, axis: Any = None, name: Optional[str] = None, dim: Any = None) -> Tensor:
    """exp(logits) / sum(exp(logits)) along an axis, by default the last one."""
    return _on_axis(raw_ops.Softmax, logits, either("axis", axis, "dim", dim), name)


def log_softmax(
    logits: Any, axis: Any = None, name: Optional[str] = None, dim: Any = None
) -> Tensor:
    """The logarithm of softmax, computed without overflow."""
    return _on_axis(raw_ops.LogSoftmax, logits, either("axis", axis, "dim", dim), name)


def _on_axis(op: Any, logits: Any, axis: Any, name: Optional[str]) -> Tensor:
    """Applies an op for the last axis along any axis."""
    tensor = convert_to_tensor(logits)
    rank = tensor.shape.rank
    axis = array_ops.get_static_value(axis) if isinstance(axis, Tensor) else axis
    if axis is not None and rank is not None and not -rank <= axis < max(rank, 1):
        raise errors.InvalidArgumentError(
            None, None, f"axis {axis} is not in [{-rank}, {rank}) of {tensor!r}"
        )
    if axis in (None, -1) or axis + 1 == rank:
        result: Tensor = op(logits=tensor, name=name)
        return result
    swapped = _to_last(tensor, axis)
    return _to_last(op(logits=swapped), axis, name)


def _to_last(tensor: Tensor, axis: int, name: Optional[str] = None) -> Tensor:
    """Swaps an axis with the last one."""
    rank = tensor.shape.rank
    if rank is None:
        raise ValueError(f"the rank of {tensor!r} must be known for an axis that is not the last")
    order = list(range(rank))
    order[axis], order[-1] = order[-1], order[axis]
    return array_ops.transpose(tensor, order, name or "transpose")


def softmax_cross_entropy_with_logits(
    _sentinel: Any = None,
    labels: Any = None,
    logits: Any = None,
    dim: int = -1,
    name: Optional[str] = None,
    axis: Optional[int] = None,
) -> Tensor:
    """The cross entropy of softmax(logits) and labels that are probabilities, along an axis.

    No gradient passes to the labels.
    """
    _check_named(_sentinel, labels, logits)
    with get_default_graph().name_scope(name or "softmax_cross_entropy_with_logits_sg") as scope:
        constant_labels = gen_ops.stop_gradient(labels)
        return softmax_cross_entropy_with_logits_v2(
            constant_labels, logits, dim if axis is None else axis, scope
        )


def softmax_cross_entropy_with_logits_v2(
    labels: Any,
    logits: Any,
    axis: Optional[int] = None,
    name: Optional[str] = None,
    dim: Optional[int] = None,
) -> Tensor:
    """The cross entropy of softmax(logits) and labels that are probabilities, along an axis."""
    axis = either("axis", axis, "dim", dim)
    axis = -1 if axis is None else axis
    with get_default_graph().name_scope(name or "softmax_cross_entropy_with_logits"):
        features = convert_to_tensor(logits)
        exact = _in_single_precision(features)
        expected = math_ops.cast(convert_to_tensor(labels), exact.dtype)
        rank = exact.shape.rank
        if axis != -1 and axis + 1 != rank:
            if rank is None:
                raise ValueError("the rank of the logits must be known for an axis before the last")
            axis %= rank
            order = [*range(axis), *range(axis + 1, rank), axis]
            exact = array_ops.transpose(exact, order)
            expected = array_ops.transpose(expected, order)
        shape = array_ops.shape(exact)
        if rank != 2:
            exact, expected = _rows(exact), _rows(expected)
        loss, _ = raw_ops.SoftmaxCrossEntropyWithLogits(features=exact, labels=expected)
        if rank != 2:
            loss = array_ops.reshape(loss, _outer(shape, rank))
        return math_ops.cast(loss, features.dtype)


def sparse_softmax_cross_entropy_with_logits(
    _sentinel: Any = None,
    labels: Any = None,
    logits: Any = None,
    name: Optional[str] = None,
) -> Tensor:
    """The same along the last axis, with labels that are indices of classes."""
    _check_named(_sentinel, labels, logits)
    with get_default_graph().name_scope(name or "SparseSoftmaxCrossEntropyWithLogits"):
        features, numbers = convert_to_tensor(logits), convert_to_tensor(labels)
        rank = features.shape.rank
        if rank is not None and numbers.shape.rank not in (None, rank - 1):
            raise ValueError(
                f"Rank mismatch: Rank of labels (received {numbers.shape.rank}) should equal rank "
                f"of logits minus 1 (received {rank})."
            )
        exact = _in_single_precision(features)
        shape = array_ops.shape(numbers)
        if rank != 2:
            exact, numbers = _rows(exact), array_ops.reshape(numbers, [-1])
        loss, _ = raw_ops.SparseSoftmaxCrossEntropyWithLogits(features=exact, labels=numbers)
        if rank != 2:
            loss = array_ops.reshape(loss, shape)
        return math_ops.cast(loss, features.dtype)


def _in_single_precision(tensor: Tensor) -> Tensor:
    is_half = tensor.dtype in (dtypes.float16, dtypes.bfloat16)
    return math_ops.cast(tensor, dtypes.float32) if is_half else tensor


def _rows(tensor: Tensor) -> Tensor:
    """All but the last axis as one."""
    if tensor.shape.rank and tensor.shape[-1].value is not None:
        return array_ops.reshape(tensor, [-1, tensor.shape[-1].value])
    last = array_ops.reshape(gen_ops.rank(tensor) - 1, [1])
    classes = array_ops.slice(array_ops.shape(tensor), last, [1])
    return array_ops.reshape(tensor, array_ops.concat([constant([-1]), classes], 0))


def _outer(shape: Tensor, rank: Optional[int]) -> Tensor:
    """A shape without its last size."""
    if rank is not None:
        return array_ops.slice(shape, [0], [rank - 1])
    return array_ops.slice(shape, [0], array_ops.reshape(array_ops.size(shape) - 1, [1]))


def _check_named(sentinel: Any, labels: Any, logits: Any) -> None:
    if sentinel is not None or labels is None or logits is None:
        raise ValueError("Only call with named arguments (labels=..., logits=..., ...)")


def sigmoid_cross_entropy_with_logits(
    _sentinel: Any = None, labels: Any = None, logits: Any = None, name: Optional[str] = None
) -> Tensor:
    """The cross entropy of sigmoid(logits) and labels, computed without overflow."""
    _check_named(_sentinel, labels, logits)
    with get_default_graph().name_scope(name or "logistic_loss") as scope:
        x = convert_to_tensor(logits)
        z = convert_to_tensor(labels, None if is_tensor(labels) else x.dtype)
        _check_same_shape("logits", x, "labels", z)
        return gen_ops.subtract(gen_ops.softplus(x), x * z, name=scope)


def weighted_cross_entropy_with_logits(
    labels: Any = None,
    logits: Any = None,
    pos_weight: Any = None,
    name: Optional[str] = None,
    targets: Any = None,
) -> Tensor:
    """The same, with positive labels weighted by `pos_weight`."""
    with get_default_graph().name_scope(name or "logistic_loss") as scope:
        x = convert_to_tensor(logits)
        z = convert_to_tensor(either("labels", labels, "targets", targets))
        _check_same_shape("logits", x, "targets", z)
        weight = z * (pos_weight - 1.0) + 1.0
        negative = gen_ops.softplus(-x) * weight
        return math_ops.add((1.0 - z) * x, negative, name=scope)


def _check_same_shape(name: str, x: Tensor, other_name: str, z: Tensor) -> None:
    if not x.shape.is_compatible_with(z.shape):
        raise ValueError(
            f"{name} and {other_name} must have the same shape ({x.shape} vs {z.shape})"
        )


def log_poisson_loss(
    targets: Any, log_input: Any, compute_full_loss: bool = False, name: Optional[str] = None
) -> Tensor:
    """The negative log-likelihood of counts of a Poisson process with the logarithm of a rate.

    The full loss also has Stirling's approximation of log(targets!), for targets above 1.
    """
    with get_default_graph().name_scope(name or "log_poisson_loss"):
        x, z = convert_to_tensor(log_input), convert_to_tensor(targets)
        _check_same_shape("log_input", x, "targets", z)
        loss: Tensor = gen_ops.exp(x) - x * z
        if compute_full_loss:
            stirling = z * gen_ops.log(z) - z + 0.5 * gen_ops.log(2.0 * math.pi * z)
            zeros, ones = array_ops.zeros_like(z), array_ops.ones_like(z)
            is_small = gen_ops.logical_and(gen_ops.greater_equal(z, zeros), z <= ones)
            loss = loss + array_ops.where(is_small, zeros, stirling)
        return loss


def dropout(
    x: Any,
    keep_prob: Any = None,
    noise_shape: Any = None,
    seed: Optional[int] = None,
    name: Optional[str] = None,
    rate: Any = None,
) -> Tensor:
    """Sets elements to zero at that rate, and scales the others to keep the expected sum."""
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
        return scaled


def _filled(noise_shape: Any, tensor: Tensor) -> Any:
    """The shape of the noise, with the tensor's sizes where it says None."""
    if is_tensor(noise_shape) or all(size is not None for size in noise_shape):
        return noise_shape
    if len(noise_shape) != tensor.shape.rank:
        raise ValueError(f"noise_shape {noise_shape} is not of the rank of {tensor!r}")
    sizes = array_ops.unstack(array_ops.shape(tensor), len(noise_shape))
    return array_ops.stack([own if size is None else size for size, own in zip(noise_shape, sizes)])


def zero_fraction(value: Any, name: Optional[str] = None) -> Tensor:
    """The fraction of elements that are zero."""
    with get_default_graph().name_scope(name or "zero_fraction"):
        tensor = convert_to_tensor(value)
        zeros = math_ops.cast(gen_ops.equal(tensor, array_ops.zeros_like(tensor)), dtypes.float32)
        return math_ops.reduce_mean(zeros, name="fraction")
