"""Losses whose predictions come first, and whose weights are those of the first axes."""

from __future__ import annotations

from typing import Any, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.nn import class_losses
from troupe._src.nn import losses as _losses
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor


def _for_first_axes(weights: TensorLike, rank: Optional[int]) -> Tensor:
    """Weights with axes of size 1 behind them, up to that rank."""
    given = math_ops.cast(convert_to_tensor(weights), "float32")
    if rank is None or not given.shape.rank or given.shape.rank >= rank:
        return given
    for _ in range(rank - given.shape.rank):
        given = array_ops.expand_dims(given, -1)
    return given


def compute_weighted_loss(
    losses: TensorLike, weights: TensorLike = 1.0, scope: Optional[str] = None
) -> Tensor:
    """The mean of losses, over those whose weight is not 0, which is added to LOSSES.

    Args:
        losses: Losses, of any shape.
        weights: A number, or weights of the first axes.
        scope: The name scope.

    Returns:
        A scalar.
    """
    tensor = convert_to_tensor(losses)
    return _losses.compute_weighted_loss(tensor, _for_first_axes(weights, tensor.shape.rank), scope)


def absolute_difference(
    predictions: TensorLike, labels: Optional[TensorLike] = None, weights: TensorLike = 1.0,
    scope: Optional[str] = None,
) -> Tensor:  # fmt: skip
    """The mean of |predictions - labels|.

    Args:
        predictions: Predictions, of any shape.
        labels: What is true, of that shape.
        weights: A number, or weights of the first axes.
        scope: The name scope, by default `absolute_difference`.

    Returns:
        A scalar, which is in LOSSES.
    """
    with get_default_graph().name_scope(scope or "absolute_difference") as names:
        guess, truth = _pair(predictions, labels)
        return compute_weighted_loss(gen_ops.abs(guess - truth), weights, names)


def _pair(predictions: TensorLike, labels: Optional[TensorLike]) -> Any:
    """Both as floats of one shape."""
    guess = math_ops.cast(convert_to_tensor(predictions), "float32")
    truth = math_ops.cast(convert_to_tensor(labels), "float32")
    guess.shape.assert_is_compatible_with(truth.shape)
    return guess, truth


def sigmoid_cross_entropy(
    logits: TensorLike, multi_class_labels: TensorLike, weights: TensorLike = 1.0,
    label_smoothing: float = 0, scope: Optional[str] = None,
) -> Tensor:  # fmt: skip
    """The mean cross entropy of independent classes.

    Args:
        logits: [batch, classes].
        multi_class_labels: 0 or 1, of that shape.
        weights: A number, or weights of the first axes.
        label_smoothing: How far labels are moved to 1/2.
        scope: The name scope.

    Returns:
        A scalar, which is in LOSSES.
    """
    weights = _for_first_axes(weights, convert_to_tensor(logits).shape.rank)
    return class_losses.sigmoid_cross_entropy(
        multi_class_labels, logits, weights, label_smoothing, scope
    )


def softmax_cross_entropy(
    logits: TensorLike, onehot_labels: TensorLike, weights: TensorLike = 1.0,
    label_smoothing: float = 0, scope: Optional[str] = None,
) -> Tensor:  # fmt: skip
    """The mean cross entropy of classes.

    Args:
        logits: [batch, classes].
        onehot_labels: Rows with a 1 at the class.
        weights: A number, or one for each example.
        label_smoothing: How far labels are moved to the same number for each class.
        scope: The name scope.

    Returns:
        A scalar, which is in LOSSES.
    """
    return class_losses.softmax_cross_entropy(
        onehot_labels, logits, weights, label_smoothing, scope
    )


def sparse_softmax_cross_entropy(
    logits: TensorLike, labels: TensorLike, weights: TensorLike = 1.0, scope: Optional[str] = None
) -> Tensor:
    """The mean cross entropy of classes that are numbers.

    Args:
        logits: [batch, classes].
        labels: The classes, [batch] or [batch, 1].
        weights: A number, or one for each example.
        scope: The name scope, by default `sparse_softmax_cross_entropy_loss`.

    Returns:
        A scalar, which is in LOSSES.
    """
    count = array_ops.shape(convert_to_tensor(logits))[0]
    classes = array_ops.reshape(convert_to_tensor(labels), [count])
    given = convert_to_tensor(weights)
    if given.shape.rank:
        given = array_ops.reshape(given, [count])
    return class_losses.sparse_softmax_cross_entropy(classes, logits, given, scope)


def log_loss(
    predictions: TensorLike, labels: Optional[TensorLike] = None, weights: TensorLike = 1.0,
    epsilon: float = 1e-7, scope: Optional[str] = None,
) -> Tensor:  # fmt: skip
    """The mean of the negative logarithm of how likely the labels were.

    Args:
        predictions: Probabilities, of any shape.
        labels: 0 or 1, of that shape.
        weights: A number, or weights of the first axes.
        epsilon: What is added before logarithms.
        scope: The name scope, by default `log_loss`.

    Returns:
        A scalar, which is in LOSSES.
    """
    guess, truth = _pair(predictions, labels)
    return class_losses.log_loss(
        truth, guess, _for_first_axes(weights, guess.shape.rank), epsilon, scope
    )


def hinge_loss(
    logits: TensorLike, labels: Optional[TensorLike] = None, scope: Optional[str] = None
) -> Tensor:
    """How far each logit is from its margin, which is not summed and in no collection.

    Args:
        logits: Of any shape.
        labels: 0 or 1, of that shape.
        scope: The name scope, by default `hinge_loss`.

    Returns:
        A tensor of that shape.
    """
    with get_default_graph().name_scope(scope or "hinge_loss"):
        guess, truth = _pair(logits, labels)
        return gen_ops.relu(1.0 - (2 * truth - 1) * guess)


def mean_squared_error(
    predictions: TensorLike, labels: Optional[TensorLike] = None, weights: TensorLike = 1.0,
    scope: Optional[str] = None,
) -> Tensor:  # fmt: skip
    """The mean of (predictions - labels)^2.

    Args:
        predictions: Predictions, of any shape.
        labels: What is true, of that shape.
        weights: A number, or weights of the first axes.
        scope: The name scope, by default `mean_squared_error`.

    Returns:
        A scalar, which is in LOSSES.
    """
    with get_default_graph().name_scope(scope or "mean_squared_error") as names:
        guess, truth = _pair(predictions, labels)
        return compute_weighted_loss(gen_ops.square(guess - truth), weights, names)


def mean_pairwise_squared_error(
    predictions: TensorLike, labels: Optional[TensorLike] = None, weights: TensorLike = 1.0,
    scope: Optional[str] = None,
) -> Tensor:  # fmt: skip
    """The mean of the squares of differences of pairs of elements of an example.

    Args:
        predictions: Predictions, [batch, ...].
        labels: What is true, of that shape.
        weights: A number, or one for each example.
        scope: The name scope, by default `mean_pairwise_squared_error`.

    Returns:
        A scalar, which is in LOSSES.
    """
    guess, truth = _pair(predictions, labels)
    return _losses.mean_pairwise_squared_error(truth, guess, weights, scope)


def cosine_distance(
    predictions: TensorLike, labels: Optional[TensorLike] = None, axis: Optional[int] = None,
    weights: TensorLike = 1.0, scope: Optional[str] = None, dim: Optional[int] = None,
) -> Tensor:  # fmt: skip
    """The mean of 1 - predictions * labels, summed along an axis of vectors of length 1.

    Args:
        predictions: Predictions, of any shape.
        labels: What is true, of that shape.
        axis: The axis.
        weights: A number, or weights of the first axes.
        scope: The name scope, by default `cosine_distance_loss`.
        dim: Another name of `axis`.

    Returns:
        A scalar, which is in LOSSES.

    Raises:
        ValueError: There is no axis.
    """
    chosen = dim if axis is None else axis
    if chosen is None:
        raise ValueError("You must specify 'axis'.")
    with get_default_graph().name_scope(scope or "cosine_distance_loss") as names:
        guess, truth = _pair(predictions, labels)
        distances = 1.0 - math_ops.reduce_sum(guess * truth, [chosen])
        return compute_weighted_loss(distances, weights, names)
