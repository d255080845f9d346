"""Layers and losses of networks."""

from __future__ import annotations

from typing import Any, Optional, Tuple

from troupe import _array, _dtypes, math, raw_ops
from troupe._convert import convert_to_tensor
from troupe._elements import Tensor
from troupe._gen_ops import (
    bias_add,
    l2_loss,
    relu,
    sigmoid,
    stop_gradient,
    tanh,
)
from troupe._graph import get_default_graph
from troupe._missing import missing


def softmax(logits: Any, axis: Any = None, name: Optional[str] = None, dim: Any = None) -> Tensor:
    """e^logits over its sum along an axis, the last one if none is named."""
    return _along(raw_ops.Softmax, logits, dim if axis is None else axis, name)


def log_softmax(
    logits: Any, axis: Any = None, name: Optional[str] = None, dim: Any = None
) -> Tensor:
    """The logarithm of softmax, which does not overflow."""
    return _along(raw_ops.LogSoftmax, logits, dim if axis is None else axis, name)


def _along(op: Any, logits: Any, axis: Any, name: Optional[str]) -> Tensor:
    """An op that works along the last axis, along another one."""
    tensor = convert_to_tensor(logits)
    rank = tensor.shape.rank
    if axis in (None, -1) or axis + 1 == rank:
        result: Tensor = op(logits=tensor, name=name)
        return result
    if rank is None:
        raise ValueError(f"the rank of {tensor!r} must be known for an axis that is not the last")
    order = list(range(rank))
    order[axis], order[-1] = order[-1], order[axis]
    return _array.transpose(op(logits=_array.transpose(tensor, order)), order, name or "transpose")


def softmax_cross_entropy_with_logits(
    _sentinel: Any = None,
    labels: Any = None,
    logits: Any = None,
    dim: int = -1,
    name: Optional[str] = None,
) -> Tensor:
    """The cross entropy of each row's softmax and its labels, which are probabilities."""
    _check_named(_sentinel, labels, logits)
    loss, _ = raw_ops.SoftmaxCrossEntropyWithLogits(features=logits, labels=labels, name=name)
    return loss


softmax_cross_entropy_with_logits_v2 = softmax_cross_entropy_with_logits


def sparse_softmax_cross_entropy_with_logits(
    _sentinel: Any = None,
    labels: Any = None,
    logits: Any = None,
    name: Optional[str] = None,
) -> Tensor:
    """The same, where each row's label is a class's number."""
    _check_named(_sentinel, labels, logits)
    loss, _ = raw_ops.SparseSoftmaxCrossEntropyWithLogits(features=logits, labels=labels, name=name)
    return loss


def _check_named(sentinel: Any, labels: Any, logits: Any) -> None:
    if sentinel is not None or labels is None or logits is None:
        raise ValueError("Only call with named arguments (labels=..., logits=..., ...)")


def xw_plus_b(x: Any, weights: Any, biases: Any, name: str = "xw_plus_b") -> Tensor:
    """x weights + biases."""
    return bias_add(raw_ops.MatMul(a=x, b=weights), biases, name=name)


def embedding_lookup(params: Any, ids: Any, name: Optional[str] = None, **_: Any) -> Tensor:
    """The rows of `params`, which may be a list of one tensor, with those numbers."""
    if isinstance(params, (list, tuple)):
        if len(params) > 1:
            raise NotImplementedError("tables that are cut into parts are not part of this version")
        params = params[0]
    return raw_ops.GatherV2(params=params, indices=ids, axis=0, name=name or "embedding_lookup")


def sigmoid_cross_entropy_with_logits(
    _sentinel: Any = None, labels: Any = None, logits: Any = None, name: Optional[str] = None
) -> Tensor:
    """The cross entropy of each logit's sigmoid and its label, in a form that never overflows."""
    _check_named(_sentinel, labels, logits)
    x, z = convert_to_tensor(logits), convert_to_tensor(labels)
    if not x.shape.is_compatible_with(z.shape):
        raise ValueError(f"logits and labels must have the same shape ({x.shape} vs {z.shape})")
    with get_default_graph().name_scope(name or "logistic_loss"):
        return _softplus(x) - x * z


def weighted_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, pos_weight: Any = None, name: Optional[str] = None
) -> Tensor:
    """The same, where labels that are true weigh `pos_weight` times as much."""
    x, z = convert_to_tensor(logits), convert_to_tensor(labels)
    with get_default_graph().name_scope(name or "logistic_loss"):
        weight = z * (pos_weight - 1.0) + 1.0
        loss: Tensor = x - z * x + weight * (_softplus(x) - x)
        return loss


def _softplus(x: Tensor, name: Optional[str] = None) -> Tensor:
    """log(1 + exp(x)) without overflow, and with its true gradient at 0, where relu and abs have
    none: such are the logits of a model whose weights begin with zeros."""
    has_sign, zeros = math.less(x, 0.0), _array.zeros_like(x)
    positive, falling = _array.where(has_sign, zeros, x), _array.where(has_sign, x, -x)
    return math.add(positive, math.log(math.exp(falling) + 1.0), name=name)


def softplus(features: Any, name: Optional[str] = None) -> Tensor:
    """log(1 + exp(x))."""
    return _softplus(convert_to_tensor(features), name or "Softplus")


def leaky_relu(features: Any, alpha: Any = 0.2, name: Optional[str] = None) -> Tensor:
    """x where it is positive, else alpha x."""
    x = convert_to_tensor(features)
    return math.maximum(x * alpha, x, name=name or "LeakyRelu")


def relu6(features: Any, name: Optional[str] = None) -> Tensor:
    """x, but not below 0 or above 6."""
    return math.minimum(relu(features), 6.0, name=name or "Relu6")


def elu(features: Any, name: Optional[str] = None) -> Tensor:
    """x where it is positive, else exp(x) - 1."""
    x = convert_to_tensor(features)
    return math.add(relu(x), math.exp(math.minimum(x, 0.0)) - 1.0, name=name or "Elu")


def swish(features: Any) -> Tensor:
    """x sigmoid(x)."""
    x = convert_to_tensor(features)
    return x * sigmoid(x)


def l2_normalize(
    x: Any, axis: Any = None, epsilon: float = 1e-12, name: Optional[str] = None, dim: Any = None
) -> Tensor:
    """x over its length along those axes."""
    tensor = convert_to_tensor(x)
    axes = dim if axis is None else axis
    with get_default_graph().name_scope(name or "l2_normalize"):
        squares = math.reduce_sum(math.square(tensor), axes, keepdims=True)
        return tensor * math.rsqrt(math.maximum(squares, epsilon))


def moments(
    x: Any, axes: Any, shift: Any = None, name: Optional[str] = None, keep_dims: Any = None,
    keepdims: Any = None,
) -> Tuple[Tensor, Tensor]:  # fmt: skip
    """(mean, variance) along those axes."""
    tensor, keep = convert_to_tensor(x), bool(keepdims or keep_dims)
    with get_default_graph().name_scope(name or "moments"):
        mean = math.reduce_mean(tensor, axes, keepdims=True)
        distance = math.squared_difference(tensor, stop_gradient(mean))
        variance = math.reduce_mean(distance, axes, keepdims=keep)
        return mean if keep else math.reduce_mean(tensor, axes), variance


def batch_normalization(
    x: Any, mean: Any, variance: Any, offset: Any, scale: Any, variance_epsilon: float,
    name: Optional[str] = None,
) -> Tensor:  # fmt: skip
    """x with that mean and variance taken out, times the scale, plus the offset."""
    with get_default_graph().name_scope(name or "batchnorm"):
        factor = math.rsqrt(convert_to_tensor(variance) + variance_epsilon)
        if scale is not None:
            factor = factor * scale
        shift = -mean * factor if offset is None else offset - mean * factor
        normalized: Tensor = convert_to_tensor(x) * factor + shift
        return normalized


def dropout(
    x: Any, keep_prob: Any = None, noise_shape: Any = None, seed: Optional[int] = None,
    name: Optional[str] = None, rate: Any = None,
) -> Tensor:  # fmt: skip
    """x with elements zeroed at that rate, the others scaled up to keep the sum."""
    if (keep_prob is None) == (rate is None):
        raise ValueError("You must provide exactly one of rate and keep_prob to dropout.")
    tensor = convert_to_tensor(x)
    keep = keep_prob if rate is None else 1 - rate
    if isinstance(keep, (int, float)):
        if not 0 < keep <= 1:
            raise ValueError(f"keep_prob must be a scalar tensor or a float in (0, 1], got {keep}")
        if keep == 1:
            return tensor
    with get_default_graph().name_scope(name or "dropout"):
        sizes = _array.shape(tensor) if noise_shape is None else noise_shape
        drawn = _array.random_uniform(sizes, dtype=tensor.dtype, seed=seed)
        kept = math.cast(math.less(drawn, keep), tensor.dtype)
        scaled: Tensor = tensor / keep * kept
        return scaled


def zero_fraction(value: Any, name: Optional[str] = None) -> Tensor:
    """How much of it is zero."""
    zeros = math.cast(math.equal(value, 0), _dtypes.float32)
    return math.reduce_mean(zeros, name=name or "zero_fraction")


def __getattr__(name: str) -> Any:
    return missing(__name__, name)


__all__ = [
    "batch_normalization",
    "bias_add",
    "dropout",
    "elu",
    "embedding_lookup",
    "l2_loss",
    "l2_normalize",
    "leaky_relu",
    "log_softmax",
    "moments",
    "relu",
    "relu6",
    "sigmoid",
    "sigmoid_cross_entropy_with_logits",
    "softmax",
    "softmax_cross_entropy_with_logits",
    "softmax_cross_entropy_with_logits_v2",
    "softplus",
    "sparse_softmax_cross_entropy_with_logits",
    "swish",
    "tanh",
    "weighted_cross_entropy_with_logits",
    "xw_plus_b",
    "zero_fraction",
]
