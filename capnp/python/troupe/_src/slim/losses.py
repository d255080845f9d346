"""Losses whose predictions come first, and whose weights are those of the first axes."""

from __future__ import annotations

from typing import Any, Optional, Tuple

from troupe._src.contrib.arg_scope import add_arg_scope
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.nn import cross_entropies, loss_collections
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor

add_loss = add_arg_scope(loss_collections.add_loss)


def _rank_of(tensor: Tensor) -> int:
    rank = tensor.shape.rank
    if rank is None:
        raise ValueError(f"The number of axes of {tensor.name} must be known.")
    return rank


def _ranked(losses: TensorLike, weights: Any) -> Tuple[Tensor, Tensor]:
    """Both as float32, of known ranks; weights of one column lose that axis."""
    each = math_ops.cast(convert_to_tensor(losses), "float32")
    given = math_ops.cast(convert_to_tensor(weights), "float32")
    if _rank_of(given) > 1 and given.shape[-1].is_compatible_with(1):
        given = array_ops.squeeze(given, [-1])
    if _rank_of(given) > _rank_of(each):
        raise ValueError(f"Weights of shape {given.shape} have more axes than {each.shape}.")
    return each, given


def _weighted_sum(losses: Tensor, weights: Tensor) -> Tensor:
    """The sum of losses, of which those of the axes behind the weights' count alike."""
    behind = list(range(_rank_of(weights), _rank_of(losses)))
    return math_ops.reduce_sum(math_ops.reduce_sum(losses, behind) * weights)


def _count_present(losses: Tensor, weights: Tensor) -> Tensor:
    """How many losses of each example have a weight that is not 0, or [1] for weights of [1]."""
    is_present = math_ops.cast(gen_ops.not_equal(weights, 0.0), "float32")
    rank = max(_rank_of(weights), 1)
    behind = math_ops.cast(array_ops.shape(losses)[rank:], "float32")
    if weights.shape.rank == 0:
        is_present = creation_ops.fill(array_ops.shape(losses)[:1], is_present)
    weighted = math_ops.reduce_sum(is_present, list(range(1, rank)))
    return weighted * math_ops.reduce_prod(behind)


def compute_weighted_loss(
    losses: TensorLike, weights: TensorLike = 1.0, scope: Optional[str] = None
) -> Tensor:
    """The mean of losses, over those whose weight is not 0, which is added to LOSSES.

    Args:
        losses: Losses, [batch, ...] with a known number of axes.
        weights: A number, or weights of the first axes, behind which there may be one of size 1.
        scope: The name scope.

    Returns:
        A scalar, in the dtype of the losses.

    Raises:
        ValueError: A number of axes is unknown, the weights have more of them, or are None.
    """
    tensor = convert_to_tensor(losses)
    with get_default_graph().name_scope(scope or "weighted_loss"):
        each, given = _ranked(tensor, weights)
        count = math_ops.reduce_sum(_count_present(each, given))
        mean = gen_ops.div_no_nan(_weighted_sum(each, given), count, name="value")
        loss = math_ops.cast(mean, tensor.dtype)
    add_loss(loss)
    return loss


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
    with get_default_graph().name_scope(scope or "sigmoid_cross_entropy_loss") as names:
        guess = convert_to_tensor(logits)
        truth = _labels_of(guess, multi_class_labels)
        if label_smoothing > 0:
            truth = truth * (1 - label_smoothing) + 0.5 * label_smoothing
        each = cross_entropies.sigmoid_cross_entropy_with_logits(labels=truth, logits=guess)
        return compute_weighted_loss(each, weights, names)


def _labels_of(logits: Tensor, labels: TensorLike) -> Tensor:
    """Labels in the dtype of the logits; ValueError where their shapes are known to differ."""
    tensor = convert_to_tensor(labels)
    logits.shape.assert_is_compatible_with(tensor.shape)
    return math_ops.cast(tensor, logits.dtype)


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
    with get_default_graph().name_scope(scope or "softmax_cross_entropy_loss") as names:
        guess = convert_to_tensor(logits)
        truth = _labels_of(guess, onehot_labels)
        if label_smoothing > 0:
            classes = math_ops.cast(array_ops.shape(truth)[1], guess.dtype)
            truth = truth * (1.0 - label_smoothing) + label_smoothing / classes
        each = cross_entropies.softmax_cross_entropy_with_logits(labels=truth, logits=guess)
        return compute_weighted_loss(each, weights, names)


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
    with get_default_graph().name_scope(scope or "sparse_softmax_cross_entropy_loss") as names:
        classes = convert_to_tensor(labels)
        classes = array_ops.reshape(classes, array_ops.shape(classes)[:1])
        each = cross_entropies.sparse_softmax_cross_entropy_with_logits(
            labels=classes, logits=logits
        )
        return compute_weighted_loss(each, weights, names)


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
    with get_default_graph().name_scope(scope or "log_loss") as names:
        guess, truth = _pair(predictions, labels)
        right = truth * gen_ops.log(guess + epsilon)
        wrong = (1 - truth) * gen_ops.log(1 - guess + epsilon)
        return compute_weighted_loss(-right - wrong, weights, names)


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
    """The squares of differences of pairs of elements of an example, added over examples.

    An example of n elements counts with 2 / n of its squared errors, less 2 / n^2 of the square of
    their sum: not the mean over n (n - 1) pairs that `tf.losses` has.

    Args:
        predictions: Predictions, [batch, ...].
        labels: What is true, of that shape.
        weights: A number, or one for each example.
        scope: The name scope, by default `mean_pairwise_squared_error`.

    Returns:
        A scalar, which is in LOSSES.
    """
    with get_default_graph().name_scope(scope or "mean_pairwise_squared_error"):
        guess, truth = _pair(predictions, labels)
        errors, given = _ranked(guess - truth, weights)
        axes = list(range(1, _rank_of(errors)))
        count = _count_present(errors, given)
        squares = gen_ops.div_no_nan(math_ops.reduce_sum(gen_ops.square(errors), axes), count)
        total = math_ops.reduce_sum(errors, axes)
        common = gen_ops.div_no_nan(gen_ops.square(total), gen_ops.square(count))
        loss = _weighted_sum(2.0 * squares - 2.0 * common, given)
    add_loss(loss)
    return loss


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
