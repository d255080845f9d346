"""Losses of classifiers."""

from __future__ import annotations

from typing import Any, List, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.control_flow.weights import of_rank
from troupe._src.nn import cross_entropies
from troupe._src.nn.losses import BY_WEIGHTS, compute_weighted_loss, numbers_of
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types import dtypes


def log_loss(
    labels: TensorLike, predictions: TensorLike, weights: TensorLike = 1.0, epsilon: float = 1e-7,
    scope: Optional[str] = None, loss_collection: Optional[str] = GraphKeys.LOSSES,
    reduction: str = BY_WEIGHTS,
) -> Tensor:  # fmt: skip
    """The cross entropy of predictions that are probabilities.

    Args:
        labels: 0 or 1, or probabilities, of the shape of the predictions.
        predictions: probabilities of any shape.
        weights: what each loss counts: one number, or a tensor of the losses' rank whose sizes are
            theirs or 1.
        epsilon: what is added to probabilities, so that none of the logarithms is infinite.
        scope: the prefix of the names of the nodes.
        loss_collection: the collection that the loss is added to, or None.
        reduction: one of `tf.losses.Reduction`.

    Returns:
        The loss as a scalar, or of the shape of the losses with `Reduction.NONE`.

    Raises:
        ValueError: if the shapes do not fit, or the reduction is unknown.
    """
    with get_default_graph().name_scope(scope or "log_loss") as prefix:
        expected, predicted = numbers_of(labels, predictions)
        positive = expected * gen_ops.log(predicted + epsilon)
        negative = (1.0 - expected) * gen_ops.log(1.0 - predicted + epsilon)
        each = -positive - negative
        return compute_weighted_loss(each, weights, prefix, loss_collection, reduction)


def hinge_loss(
    labels: TensorLike, logits: TensorLike, weights: TensorLike = 1.0, scope: Optional[str] = None,
    loss_collection: Optional[str] = GraphKeys.LOSSES, reduction: str = BY_WEIGHTS,
) -> Tensor:  # fmt: skip
    """max(0, 1 - (2 * labels - 1) * logits), for labels 0 and 1.

    Args:
        labels: 0 or 1, of the shape of the logits.
        logits: floats of any shape, positive for class 1.
        weights: what each loss counts: one number, or a tensor of the losses' rank whose sizes are
            theirs or 1.
        scope: the prefix of the names of the nodes.
        loss_collection: the collection that the loss is added to, or None.
        reduction: one of `tf.losses.Reduction`: how the weighted losses become one number.

    Returns:
        The loss as a scalar, or of the shape of the losses with `Reduction.NONE`.

    Raises:
        ValueError: if the shapes do not fit, or the reduction is unknown.
    """
    with get_default_graph().name_scope(scope or "hinge_loss") as prefix:
        expected, predicted = numbers_of(labels, logits)
        each = gen_ops.relu(1.0 - (2.0 * expected - 1.0) * predicted)
        return compute_weighted_loss(each, weights, prefix, loss_collection, reduction)


def _of_logits(labels: Any, logits: Any) -> List[Tensor]:
    """Both in the dtype of the logits; ValueError as `numbers_of`."""
    if labels is None or logits is None:
        raise ValueError("labels and logits must not be None.")
    predicted = convert_to_tensor(logits)
    expected = math_ops.cast(labels, predicted.dtype)
    expected.shape.assert_is_compatible_with(predicted.shape)
    return [expected, predicted]


def sigmoid_cross_entropy(
    multi_class_labels: TensorLike, logits: TensorLike, weights: TensorLike = 1.0,
    label_smoothing: float = 0, scope: Optional[str] = None,
    loss_collection: Optional[str] = GraphKeys.LOSSES, reduction: str = BY_WEIGHTS,
) -> Tensor:  # fmt: skip
    """The cross entropy of independent classes.

    Args:
        multi_class_labels: 0 or 1 for each class, [batch, classes].
        logits: floats, [batch, classes].
        weights: what each loss counts: one number, [batch, 1] or [batch, classes].
        label_smoothing: how far labels are moved to 1/2, from 0 to 1.
        scope: the prefix of the names of the nodes.
        loss_collection: the collection that the loss is added to, or None.
        reduction: one of `tf.losses.Reduction`.

    Returns:
        The loss as a scalar, or of the shape of the losses with `Reduction.NONE`.

    Raises:
        ValueError: if the shapes do not fit, or the reduction is unknown.
    """
    with get_default_graph().name_scope(scope or "sigmoid_cross_entropy_loss") as prefix:
        expected, predicted = _of_logits(multi_class_labels, logits)
        if label_smoothing:
            expected = expected * (1.0 - label_smoothing) + 0.5 * label_smoothing
        each = cross_entropies.sigmoid_cross_entropy_with_logits(labels=expected, logits=predicted)
        return compute_weighted_loss(each, weights, prefix, loss_collection, reduction)


def softmax_cross_entropy(
    onehot_labels: TensorLike, logits: TensorLike, weights: TensorLike = 1.0,
    label_smoothing: float = 0, scope: Optional[str] = None,
    loss_collection: Optional[str] = GraphKeys.LOSSES, reduction: str = BY_WEIGHTS,
) -> Tensor:  # fmt: skip
    """The cross entropy of exclusive classes, with one-hot labels.

    Args:
        onehot_labels: the probability of each class, [batch, classes].
        logits: floats, [batch, classes].
        weights: what each row counts: one number, or [batch].
        label_smoothing: how far labels are moved to 1 / classes, from 0 to 1.
        scope: the prefix of the names of the nodes.
        loss_collection: the collection that the loss is added to, or None.
        reduction: one of `tf.losses.Reduction`.

    Returns:
        The loss as a scalar, or one of each row, [batch], with `Reduction.NONE`.

    Raises:
        ValueError: if the shapes do not fit, or the reduction is unknown.
    """
    with get_default_graph().name_scope(scope or "softmax_cross_entropy_loss") as prefix:
        expected, predicted = _of_logits(onehot_labels, logits)
        expected = gen_ops.stop_gradient(expected)
        if label_smoothing:
            share = label_smoothing / int(expected.shape[-1])
            expected = expected * (1.0 - label_smoothing) + share
        each = cross_entropies.softmax_cross_entropy_with_logits(labels=expected, logits=predicted)
        return compute_weighted_loss(each, weights, prefix, loss_collection, reduction)


def sparse_softmax_cross_entropy(
    labels: TensorLike, logits: TensorLike, weights: TensorLike = 1.0, scope: Optional[str] = None,
    loss_collection: Optional[str] = GraphKeys.LOSSES, reduction: str = BY_WEIGHTS,
) -> Tensor:  # fmt: skip
    """The cross entropy of exclusive classes, with labels that are indices of classes.

    Args:
        labels: integers from 0 to classes - 1, [batch] or [batch, 1].
        logits: floats, [batch, classes].
        weights: what each row counts: one number, [batch] or [batch, 1].
        scope: the prefix of the names of the nodes.
        loss_collection: the collection that the loss is added to, or None.
        reduction: one of `tf.losses.Reduction`.

    Returns:
        The loss as a scalar, or one of each row, [batch], with `Reduction.NONE`.

    Raises:
        ValueError: if the shapes do not fit, or the reduction is unknown.
    """
    with get_default_graph().name_scope(scope or "sparse_softmax_cross_entropy_loss") as prefix:
        numbers, features = convert_to_tensor(labels), convert_to_tensor(logits)
        rank = features.shape.rank
        if rank is not None and numbers.shape.rank == rank and numbers.shape[-1] == 1:
            numbers = array_ops.squeeze(numbers, [-1])
        if numbers.dtype not in (dtypes.int32, dtypes.int64):
            numbers = math_ops.cast(numbers, dtypes.int64)
        each = cross_entropies.sparse_softmax_cross_entropy_with_logits(
            labels=numbers, logits=features
        )
        if weights is not None:
            weights = of_rank(convert_to_tensor(weights), each)
        return compute_weighted_loss(each, weights, prefix, loss_collection, reduction)
