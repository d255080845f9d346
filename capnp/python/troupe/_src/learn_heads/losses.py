"""Losses of heads: the mean that is trained, and the average that counts weights."""

from __future__ import annotations

import inspect
from typing import Any, Callable, Optional, Tuple

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.scopes import name_scope
from troupe._src.metrics.weights import broadcast_weights
from troupe._src.nn.cross_entropies import (
    log_poisson_loss,
    sigmoid_cross_entropy_with_logits,
    sparse_softmax_cross_entropy_with_logits,
)
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.ops.assert_ops import Assert
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types import dtypes

# What is trained, and the average that counts weights.
Loss = Tuple[Tensor, Tensor]


def weighted_means(losses: Tensor, weights: Any) -> Loss:
    """The mean of weighted losses, and their sum by the sum of weights."""
    with name_scope("loss", None) as scope:
        if weights is None:
            loss = math_ops.reduce_mean(losses, name=scope)
            return loss, loss
        full = broadcast_weights(weights, losses)
        weighted = gen_ops.multiply(losses, full)
        total = math_ops.reduce_sum(full)
        average = math_ops.div(
            math_ops.reduce_sum(weighted), math_ops.cast(total, dtypes.float32),
            name="weighted_average_loss",
        )  # fmt: skip
        return math_ops.reduce_mean(weighted, name=scope), average


def _columns(tensor: Tensor) -> Tensor:
    """A vector as one column."""
    return array_ops.expand_dims(tensor, 1) if tensor.shape.rank == 1 else tensor


def _pair(labels: Any, logits: Any) -> Tuple[Tensor, Tensor]:
    found = _columns(convert_to_tensor(labels)), _columns(convert_to_tensor(logits))
    found[1].shape.assert_is_compatible_with(found[0].shape)
    return found


def mean_squared_loss(labels: Any, logits: Any, weights: Any = None) -> Loss:
    """The squares of differences."""
    with name_scope(None, "mean_squared_loss"):
        expected, given = _pair(labels, logits)
        losses = gen_ops.squared_difference(given, math_ops.cast(expected, dtypes.float32))
        return weighted_means(losses, weights)


def poisson_loss(labels: Any, logits: Any, weights: Any = None) -> Loss:
    """Of counts, whose rates have logits as their logarithms."""
    with name_scope(None, "_poisson_loss"):
        expected, given = _pair(labels, logits)
        counts = math_ops.cast(expected, given.dtype)
        return weighted_means(log_poisson_loss(counts, given, compute_full_loss=True), weights)


def log_loss_with_two_classes(labels: Any, logits: Any, weights: Any = None) -> Loss:
    """The cross entropy of labels 0 and 1."""
    with name_scope(None, "log_loss_with_two_classes"):
        expected = _columns(math_ops.cast(labels, dtypes.float32))
        losses = sigmoid_cross_entropy_with_logits(labels=expected, logits=logits)
        return weighted_means(losses, weights)


def softmax_cross_entropy_loss(labels: Any, logits: Any, weights: Any = None) -> Loss:
    """The cross entropy of labels that are the numbers of classes."""
    with name_scope(None, "softmax_cross_entropy_loss"):
        expected = convert_to_tensor(labels)
        if not expected.dtype.is_integer:
            raise ValueError(f"Labels dtype should be integer Instead got {expected.dtype}.")
        is_column = expected.shape.rank == 2
        numbers = array_ops.squeeze(expected, axis=[1]) if is_column else expected
        losses = sparse_softmax_cross_entropy_with_logits(labels=numbers, logits=logits)
        if is_column:
            losses = array_ops.expand_dims(losses, 1)
        return weighted_means(losses, weights)


def sigmoid_cross_entropy_loss(labels: Any, logits: Any, weights: Any = None) -> Loss:
    """The cross entropy of labels 0 and 1 of several classes."""
    with name_scope(None, "sigmoid_cross_entropy_loss"):
        expected = math_ops.cast(labels, dtypes.float32)
        losses = sigmoid_cross_entropy_with_logits(labels=expected, logits=logits)
        return weighted_means(losses, weights)


def hinge_loss(labels: Any, logits: Any, weights: Any = None) -> Loss:
    """How far labels 0 and 1 are on the wrong side, or too near to it."""
    with name_scope(None, "hinge_loss"):
        given = convert_to_tensor(labels)
        is_column = gen_ops.less_equal(array_ops.rank(given), 2)
        check = Assert(is_column, ["labels shape should be either [batch_size, 1] or [batch_size]"])
        with get_default_graph().control_dependencies([check]):
            expected = math_ops.cast(array_ops.reshape(given, [-1, 1]), dtypes.float32)
        return weighted_means(gen_ops.relu(1.0 - (2.0 * expected - 1.0) * logits), weights)


def custom_loss(function: Optional[Callable[..., Any]]) -> Optional[Callable[..., Loss]]:
    """A function of a program that gives one loss, as one that gives two; None for None.

    Raises:
        ValueError: The function has not the arguments `labels`, `logits` and `weights`.
    """
    if function is None:
        return None
    for name in ("labels", "logits", "weights"):
        if name not in inspect.signature(function).parameters:
            raise ValueError(f"Argument {name} not found in loss_fn.")
    called = function

    def loss_fn(labels: Any, logits: Any, weights: Any = None) -> Loss:
        more = () if weights is None else (weights,)
        loss = called(labels, logits, *more)
        return loss, loss

    return loss_fn
