"""Layers of networks: activations, normalization, cross entropies."""

from __future__ import annotations

from typing import Any, Optional, Tuple

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.ops import array_ops, gen_ops, math_ops, raw_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.gen_ops import (
    bias_add,
    relu,
    sigmoid,
    stop_gradient,
)
from troupe._src.types import dtypes


def softmax(logits: Any, axis: Any = None, name: Optional[str] = None, dim: Any = None) -> Tensor:
    """exp(logits) / sum(exp(logits)) along an axis, by default the last one."""
    return _on_axis(raw_ops.Softmax, logits, dim if axis is None else axis, name)


def log_softmax(
    logits: Any, axis: Any = None, name: Optional[str] = None, dim: Any = None
) -> Tensor:
    """The logarithm of softmax, computed without overflow."""
    return _on_axis(raw_ops.LogSoftmax, logits, dim if axis is None else axis, name)


def _on_axis(op: Any, logits: Any, axis: Any, name: Optional[str]) -> Tensor:
    """Applies an op for the last axis along any axis."""
    tensor = convert_to_tensor(logits)
    rank = tensor.shape.rank
    if axis in (None, -1) or axis + 1 == rank:
        result: Tensor = op(logits=tensor, name=name)
        return result
    if rank is None:
        raise ValueError(f"the rank of {tensor!r} must be known for an axis that is not the last")
    order = list(range(rank))
    order[axis], order[-1] = order[-1], order[axis]
    return array_ops.transpose(
        op(logits=array_ops.transpose(tensor, order)), order, name or "transpose"
    )


def softmax_cross_entropy_with_logits(
    _sentinel: Any = None,
    labels: Any = None,
    logits: Any = None,
    dim: int = -1,
    name: Optional[str] = None,
) -> Tensor:
    """The cross entropy of softmax(logits) and labels that are probabilities, for each row."""
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
    """The same, with labels that are indices of classes."""
    _check_named(_sentinel, labels, logits)
    loss, _ = raw_ops.SparseSoftmaxCrossEntropyWithLogits(features=logits, labels=labels, name=name)
    return loss


def _check_named(sentinel: Any, labels: Any, logits: Any) -> None:
    if sentinel is not None or labels is None or logits is None:
        raise ValueError("Only call with named arguments (labels=..., logits=..., ...)")


def xw_plus_b(x: Any, weights: Any, biases: Any, name: str = "xw_plus_b") -> Tensor:
    """matmul(x, weights) + biases."""
    return bias_add(raw_ops.MatMul(a=x, b=weights), biases, name=name)


def embedding_lookup(params: Any, ids: Any, name: Optional[str] = None, **_: Any) -> Tensor:
    """The rows of `params` at `ids`; `params` may be a list of one tensor."""
    if isinstance(params, (list, tuple)):
        if len(params) > 1:
            raise NotImplementedError("partitioned tables are not part of this version")
        params = params[0]
    return raw_ops.GatherV2(params=params, indices=ids, axis=0, name=name or "embedding_lookup")


def sigmoid_cross_entropy_with_logits(
    _sentinel: Any = None, labels: Any = None, logits: Any = None, name: Optional[str] = None
) -> Tensor:
    """The cross entropy of sigmoid(logits) and labels, computed without overflow."""
    _check_named(_sentinel, labels, logits)
    x, z = convert_to_tensor(logits), convert_to_tensor(labels)
    if not x.shape.is_compatible_with(z.shape):
        raise ValueError(f"logits and labels must have the same shape ({x.shape} vs {z.shape})")
    with get_default_graph().name_scope(name or "logistic_loss"):
        return _softplus(x) - x * z


def weighted_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, pos_weight: Any = None, name: Optional[str] = None
) -> Tensor:
    """The same, with positive labels weighted by `pos_weight`."""
    x, z = convert_to_tensor(logits), convert_to_tensor(labels)
    with get_default_graph().name_scope(name or "logistic_loss"):
        weight = z * (pos_weight - 1.0) + 1.0
        loss: Tensor = x - z * x + weight * (_softplus(x) - x)
        return loss


def _softplus(x: Tensor, name: Optional[str] = None) -> Tensor:
    """log(1 + exp(x)), computed without overflow.

    It uses `where` in place of relu and abs, whose gradient at 0 is wrong here: the logits of a
    model are all 0 when its weights are initialized with zeros.
    """
    is_negative, zeros = gen_ops.less(x, 0.0), array_ops.zeros_like(x)
    positive = array_ops.where(is_negative, zeros, x)
    minus_abs = array_ops.where(is_negative, x, -x)
    return math_ops.add(positive, gen_ops.log(gen_ops.exp(minus_abs) + 1.0), name=name)


def softplus(features: Any, name: Optional[str] = None) -> Tensor:
    """log(1 + exp(x))."""
    return _softplus(convert_to_tensor(features), name or "Softplus")


def leaky_relu(features: Any, alpha: Any = 0.2, name: Optional[str] = None) -> Tensor:
    """x where it is positive, else alpha * x."""
    x = convert_to_tensor(features)
    return gen_ops.maximum(x * alpha, x, name=name or "LeakyRelu")


def relu6(features: Any, name: Optional[str] = None) -> Tensor:
    """x, clipped to [0, 6]."""
    return gen_ops.minimum(relu(features), 6.0, name=name or "Relu6")


def elu(features: Any, name: Optional[str] = None) -> Tensor:
    """x where it is positive, else exp(x) - 1."""
    x = convert_to_tensor(features)
    return math_ops.add(relu(x), gen_ops.exp(gen_ops.minimum(x, 0.0)) - 1.0, name=name or "Elu")


def swish(features: Any) -> Tensor:
    """x * sigmoid(x)."""
    x = convert_to_tensor(features)
    return x * sigmoid(x)


def l2_normalize(
    x: Any, axis: Any = None, epsilon: float = 1e-12, name: Optional[str] = None, dim: Any = None
) -> Tensor:
    """x divided by its L2 norm along those axes."""
    tensor = convert_to_tensor(x)
    axes = dim if axis is None else axis
    with get_default_graph().name_scope(name or "l2_normalize"):
        squares = math_ops.reduce_sum(gen_ops.square(tensor), axes, keepdims=True)
        return tensor * gen_ops.rsqrt(gen_ops.maximum(squares, epsilon))


def moments(
    x: Any, axes: Any, shift: Any = None, name: Optional[str] = None, keep_dims: Any = None,
    keepdims: Any = None,
) -> Tuple[Tensor, Tensor]:  # fmt: skip
    """(mean, variance) along those axes."""
    tensor, keep = convert_to_tensor(x), bool(keepdims or keep_dims)
    with get_default_graph().name_scope(name or "moments"):
        mean = math_ops.reduce_mean(tensor, axes, keepdims=True)
        squares = gen_ops.squared_difference(tensor, stop_gradient(mean))
        variance = math_ops.reduce_mean(squares, axes, keepdims=keep)
        return mean if keep else math_ops.reduce_mean(tensor, axes), variance


def batch_normalization(
    x: Any, mean: Any, variance: Any, offset: Any, scale: Any, variance_epsilon: float,
    name: Optional[str] = None,
) -> Tensor:  # fmt: skip
    """(x - mean) / sqrt(variance + epsilon) * scale + offset."""
    with get_default_graph().name_scope(name or "batchnorm"):
        factor = gen_ops.rsqrt(convert_to_tensor(variance) + variance_epsilon)
        if scale is not None:
            factor = factor * scale
        shift = -mean * factor if offset is None else offset - mean * factor
        normalized: Tensor = convert_to_tensor(x) * factor + shift
        return normalized


def dropout(
    x: Any, keep_prob: Any = None, noise_shape: Any = None, seed: Optional[int] = None,
    name: Optional[str] = None, rate: Any = None,
) -> Tensor:  # fmt: skip
    """Sets elements to zero at that rate, and scales the others to keep the expected sum."""
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
        sizes = array_ops.shape(tensor) if noise_shape is None else noise_shape
        drawn = array_ops.random_uniform(sizes, dtype=tensor.dtype, seed=seed)
        kept = math_ops.cast(gen_ops.less(drawn, keep), tensor.dtype)
        scaled: Tensor = tensor / keep * kept
        return scaled


def zero_fraction(value: Any, name: Optional[str] = None) -> Tensor:
    """The fraction of elements that are zero."""
    zeros = math_ops.cast(gen_ops.equal(value, 0), dtypes.float32)
    return math_ops.reduce_mean(zeros, name=name or "zero_fraction")
