"""Variants of functions of `tf.nn`."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.nn.cross_entropies import (
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits,
    sparse_softmax_cross_entropy_with_logits,
)
from troupe._src.ops import array_ops, assert_ops, creation_ops, gen_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.random import random_ops
from troupe._src.train.gradients import gradients

# What selu approaches for inputs that are very negative.
_SATURATED = -1.7580993408473766


def alpha_dropout(
    x: TensorLike,
    keep_prob: Any,
    noise_shape: Any = None,
    seed: Optional[int] = None,
    name: Optional[str] = None,
) -> Tensor:
    """Sets elements to what selu approaches, and keeps a mean of 0 and a variance of 1.

    For networks that normalize themselves (Klambauer et al., 2017).

    Args:
        x: Floats of any shape.
        keep_prob: The probability of an element to stay, in (0, 1]: a number or a scalar.
        noise_shape: The shape of the draws, which broadcast to `x`; by default that of `x`.
        seed: Makes the draws repeatable.

    Returns:
        A tensor of the shape of `x`, and `x` itself for a probability of 1.

    Raises:
        ValueError: The probability is out of range, or no scalar.
    """
    with get_default_graph().name_scope(name or "alpha_dropout"):
        tensor = convert_to_tensor(x)
        if isinstance(keep_prob, (int, float)) and not 0 < keep_prob <= 1:
            raise ValueError(
                f"keep_prob must be a scalar tensor or a float in the range (0, 1], got {keep_prob}"
            )
        kept = convert_to_tensor(keep_prob, tensor.dtype)
        kept.shape.assert_has_rank(0)
        if array_ops.get_static_value(kept) == 1:
            return tensor
        sizes = array_ops.shape(tensor) if noise_shape is None else noise_shape
        drawn = random_ops.random_uniform(sizes, seed=seed, dtype=tensor.dtype)
        stays = math_ops.cast(gen_ops.greater_equal(drawn, 1 - kept), tensor.dtype)
        dropped = tensor * stays + _SATURATED * (1 - stays)
        scale = (kept + kept * (1 - kept) * _SATURATED**2) ** -0.5
        result: Tensor = scale * dropped - scale * _SATURATED * (1 - kept)
        return result


def scaled_softplus(
    x: TensorLike, alpha: TensorLike, clip: Optional[TensorLike] = None, name: Optional[str] = None
) -> Tensor:
    """alpha * log(1 + exp(x / alpha)), and at most `clip`: relu or relu6 with a smooth corner.

    Args:
        x: Floats of any shape.
        alpha: How smooth it is: positive, of a shape that broadcasts.
        clip: The greatest value, of a shape that broadcasts; by default there is none.

    Returns:
        A tensor of the shape to which all broadcast.
    """
    with get_default_graph().name_scope(name or "scaled_softplus"):
        tensor = convert_to_tensor(x)
        scale = convert_to_tensor(alpha, tensor.dtype)
        result: Tensor = scale * gen_ops.softplus(tensor / scale)
        if clip is None:
            return result
        return gen_ops.minimum(result, convert_to_tensor(clip, tensor.dtype))


def deprecated_flipped_softmax_cross_entropy_with_logits(
    logits: TensorLike, labels: TensorLike, dim: int = -1, name: Optional[str] = None
) -> Tensor:
    """`tf.nn.softmax_cross_entropy_with_logits` with the logits first.

    Args:
        logits: Floats, with an axis of classes.
        labels: A distribution over the classes for each row of the logits.
        dim: The axis of the classes.

    Returns:
        The losses, of the shape without the axis.
    """
    return softmax_cross_entropy_with_logits(labels=labels, logits=logits, dim=dim, name=name)


def deprecated_flipped_sparse_softmax_cross_entropy_with_logits(
    logits: TensorLike, labels: TensorLike, name: Optional[str] = None
) -> Tensor:
    """`tf.nn.sparse_softmax_cross_entropy_with_logits` with the logits first.

    Args:
        logits: Floats, [..., classes].
        labels: int32 or int64 indices of classes, [...].

    Returns:
        The losses, of the shape of the labels.
    """
    return sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits, name=name)


def deprecated_flipped_sigmoid_cross_entropy_with_logits(
    logits: TensorLike, targets: TensorLike, name: Optional[str] = None
) -> Tensor:
    """`tf.nn.sigmoid_cross_entropy_with_logits` with the logits first.

    Args:
        logits: Floats of any shape.
        targets: Probabilities, of the same shape.

    Returns:
        The losses, of that shape.
    """
    return sigmoid_cross_entropy_with_logits(labels=targets, logits=logits, name=name)


def fwd_gradients(
    ys: Sequence[Tensor],
    xs: Sequence[Tensor],
    grad_xs: Optional[Sequence[TensorLike]] = None,
    assert_unused: bool = False,
) -> List[Optional[Tensor]]:
    """How tensors change where others are moved in a direction.

    The gradients of gradients: those of the `xs` are linear in what comes in at the `ys`, so their
    own gradients by that are the derivatives, and what comes in has no effect.

    Args:
        ys: The tensors that change.
        xs: The tensors that are moved.
        grad_xs: How each of them is moved, by default by ones.
        assert_unused: Makes a step fail with InvalidArgumentError if it computes gradients of `xs`.

    Returns:
        The change of each of the `ys`; None for one that does not depend on the `xs`.
    """
    # Not numbers, so that a use of them would be seen.
    coming = [creation_ops.zeros_like(y) + float("nan") for y in ys]
    found: List[Any] = gradients(ys, xs, grad_ys=coming)
    known = [convert_to_tensor(each) for each in found if each is not None]
    if assert_unused and known:
        graph = get_default_graph()
        with graph.control_dependencies(known):
            check = assert_ops.Assert(False, ["gradients by xs are computed"], name="fwd_gradients")
        with graph.control_dependencies([check]):
            known = array_ops.identity_n(known)
    rest = iter(known)
    towards = [creation_ops.zeros_like(x) if g is None else next(rest) for x, g in zip(xs, found)]
    for x, each in zip(xs, towards):
        each.set_shape(x.shape)
    changes: List[Optional[Tensor]] = gradients(towards, coming, grad_ys=grad_xs)
    return changes
