"""Layers and losses of networks."""

from __future__ import annotations

from typing import Any, Optional

from troupe import raw_ops
from troupe._elements import Tensor
from troupe._gen_ops import bias_add, l2_loss, log_softmax, relu, sigmoid, softmax, tanh
from troupe._missing import missing


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
    """The rows of `params` with those numbers."""
    return raw_ops.GatherV2(params=params, indices=ids, axis=0, name=name or "embedding_lookup")


def __getattr__(name: str) -> Any:
    return missing(__name__, name)


__all__ = [
    "bias_add",
    "embedding_lookup",
    "l2_loss",
    "log_softmax",
    "relu",
    "sigmoid",
    "softmax",
    "softmax_cross_entropy_with_logits",
    "softmax_cross_entropy_with_logits_v2",
    "sparse_softmax_cross_entropy_with_logits",
    "tanh",
    "xw_plus_b",
]
