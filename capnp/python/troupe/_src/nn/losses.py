"""Losses, kept in the collection LOSSES until get_total_loss adds them up."""

from __future__ import annotations

from typing import Any, List, Optional

import numpy as np

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.nn import nn_ops
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.ops.arguments import either
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.set_module import set_module
from troupe._src.types import dtypes


@set_module("troupe.losses")
class Reduction:
    """How the losses of a batch are reduced to one."""

    NONE = "none"
    SUM = "weighted_sum"
    MEAN = "weighted_mean"
    SUM_OVER_BATCH_SIZE = "weighted_sum_over_batch_size"
    SUM_BY_NONZERO_WEIGHTS = SUM_OVER_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights"

    @classmethod
    def all(cls) -> List[str]:
        return [cls.NONE, cls.SUM, cls.MEAN, cls.SUM_OVER_BATCH_SIZE, cls.SUM_BY_NONZERO_WEIGHTS]


_BY_WEIGHTS = Reduction.SUM_BY_NONZERO_WEIGHTS


def compute_weighted_loss(
    losses: Any,
    weights: Any = 1.0,
    scope: Optional[str] = None,
    loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = _BY_WEIGHTS,
) -> Tensor:
    """The weighted losses, reduced; 0 where all weights are zero."""
    if reduction not in Reduction.all():
        raise ValueError(f"Invalid Reduction Key {reduction}.")
    graph = get_default_graph()
    with graph.name_scope(scope or "weighted_loss"):
        each = convert_to_tensor(losses)
        weight = math_ops.cast(convert_to_tensor(weights), each.dtype)
        _check_broadcastable(weight, each)
        weighted = each * weight
        loss = _reduce(weighted, weight, reduction)
    graph.add_to_collections([loss_collection] if loss_collection else [], loss)
    return loss


def _reduce(weighted: Tensor, weight: Tensor, reduction: str) -> Tensor:
    if reduction == Reduction.NONE:
        return weighted
    total = math_ops.reduce_sum(weighted)
    if reduction == Reduction.SUM:
        return total
    each = weight + array_ops.zeros_like(weighted)
    if reduction == Reduction.MEAN:
        count = math_ops.reduce_sum(each)
    elif reduction == Reduction.SUM_OVER_BATCH_SIZE:
        count = math_ops.reduce_sum(array_ops.ones_like(weighted))
    else:
        count = math_ops.reduce_sum(math_ops.cast(gen_ops.not_equal(each, 0.0), weighted.dtype))
    is_zero = math_ops.cast(gen_ops.equal(count, 0.0), weighted.dtype)
    return math_ops.divide(total, count + is_zero)


def _check_broadcastable(weights: Tensor, losses: Tensor) -> None:
    """ValueError for weights that are neither one number nor of the rank of the losses."""
    sizes, wanted = weights.shape, losses.shape
    if sizes.rank in (None, 0) or wanted.rank is None:
        return
    fits = sizes.rank == wanted.rank and all(
        size == 1 or None in (size, other) or size == other
        for size, other in zip(sizes.as_list(), wanted.as_list())
    )
    if not fits:
        raise ValueError(
            f"weights can not be broadcast to values. weights.shape={sizes}. values.shape={wanted}."
        )


def _same_dtype(labels: Any, predictions: Any) -> List[Tensor]:
    if labels is None or predictions is None:
        raise ValueError("labels and predictions must not be None.")
    predicted = convert_to_tensor(predictions)
    expected = math_ops.cast(convert_to_tensor(labels), predicted.dtype)
    if not expected.shape.is_compatible_with(predicted.shape):
        raise ValueError(f"Shapes {expected.shape} and {predicted.shape} are incompatible")
    return [expected, predicted]


def mean_squared_error(
    labels: Any, predictions: Any, weights: Any = 1.0, scope: Optional[str] = None,
    loss_collection: Any = GraphKeys.LOSSES, reduction: str = _BY_WEIGHTS,
) -> Tensor:  # fmt: skip
    """The mean of the squared differences."""
    expected, predicted = _same_dtype(labels, predictions)
    each = gen_ops.squared_difference(predicted, expected)
    return compute_weighted_loss(each, weights, scope, loss_collection, reduction)


def absolute_difference(
    labels: Any, predictions: Any, weights: Any = 1.0, scope: Optional[str] = None,
    loss_collection: Any = GraphKeys.LOSSES, reduction: str = _BY_WEIGHTS,
) -> Tensor:  # fmt: skip
    """The mean of the absolute differences."""
    expected, predicted = _same_dtype(labels, predictions)
    each = gen_ops.abs(predicted - expected)
    return compute_weighted_loss(each, weights, scope, loss_collection, reduction)


def huber_loss(
    labels: Any, predictions: Any, weights: Any = 1.0, delta: float = 1.0,
    scope: Optional[str] = None, loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = _BY_WEIGHTS,
) -> Tensor:  # fmt: skip
    """Quadratic for differences up to delta, linear beyond."""
    expected, predicted = _same_dtype(labels, predictions)
    error = gen_ops.abs(predicted - expected)
    quadratic = gen_ops.minimum(error, delta)
    each = 0.5 * quadratic * quadratic + delta * (error - quadratic)
    return compute_weighted_loss(each, weights, scope, loss_collection, reduction)


def log_loss(
    labels: Any, predictions: Any, weights: Any = 1.0, epsilon: float = 1e-7,
    scope: Optional[str] = None, loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = _BY_WEIGHTS,
) -> Tensor:  # fmt: skip
    """The cross entropy of predictions that are probabilities."""
    expected, predicted = _same_dtype(labels, predictions)
    positive = expected * gen_ops.log(predicted + epsilon)
    negative = (1.0 - expected) * gen_ops.log(1.0 - predicted + epsilon)
    return compute_weighted_loss(-positive - negative, weights, scope, loss_collection, reduction)


def hinge_loss(
    labels: Any, logits: Any, weights: Any = 1.0, scope: Optional[str] = None,
    loss_collection: Any = GraphKeys.LOSSES, reduction: str = _BY_WEIGHTS,
) -> Tensor:  # fmt: skip
    """max(0, 1 - (2 * labels - 1) * logits), for labels 0 and 1."""
    expected, predicted = _same_dtype(labels, logits)
    each = gen_ops.relu(1.0 - (2.0 * expected - 1.0) * predicted)
    return compute_weighted_loss(each, weights, scope, loss_collection, reduction)


def sigmoid_cross_entropy(
    multi_class_labels: Any, logits: Any, weights: Any = 1.0, label_smoothing: float = 0,
    scope: Optional[str] = None, loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = _BY_WEIGHTS,
) -> Tensor:  # fmt: skip
    """The cross entropy of independent classes."""
    expected, predicted = _same_dtype(multi_class_labels, logits)
    if label_smoothing:
        expected = expected * (1.0 - label_smoothing) + 0.5 * label_smoothing
    each = nn_ops.sigmoid_cross_entropy_with_logits(labels=expected, logits=predicted)
    return compute_weighted_loss(each, weights, scope, loss_collection, reduction)


def softmax_cross_entropy(
    onehot_labels: Any, logits: Any, weights: Any = 1.0, label_smoothing: float = 0,
    scope: Optional[str] = None, loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = _BY_WEIGHTS,
) -> Tensor:  # fmt: skip
    """The cross entropy of exclusive classes, with one-hot labels."""
    expected, predicted = _same_dtype(onehot_labels, logits)
    expected = gen_ops.stop_gradient(expected)
    if label_smoothing:
        expected = expected * (1.0 - label_smoothing) + label_smoothing / int(expected.shape[-1])
    each = nn_ops.softmax_cross_entropy_with_logits(labels=expected, logits=predicted)
    return compute_weighted_loss(each, weights, scope, loss_collection, reduction)


def sparse_softmax_cross_entropy(
    labels: Any, logits: Any, weights: Any = 1.0, scope: Optional[str] = None,
    loss_collection: Any = GraphKeys.LOSSES, reduction: str = _BY_WEIGHTS,
) -> Tensor:  # fmt: skip
    """The same, with labels that are indices of classes."""
    numbers, features = convert_to_tensor(labels), convert_to_tensor(logits)
    rank = features.shape.rank
    if rank is not None and numbers.shape.rank == rank and numbers.shape[-1] == 1:
        numbers = array_ops.squeeze(numbers, [-1])
        weights = _squeezed(weights, rank)
    if numbers.dtype not in (dtypes.int32, dtypes.int64):
        numbers = math_ops.cast(numbers, dtypes.int64)
    each = nn_ops.sparse_softmax_cross_entropy_with_logits(labels=numbers, logits=features)
    return compute_weighted_loss(each, weights, scope, loss_collection, reduction)


def _squeezed(weights: Any, rank: int) -> Any:
    """The weights without a last axis of size 1 that the labels have too."""
    weight = convert_to_tensor(weights)
    has_axis = weight.shape.rank == rank and weight.shape[-1] == 1
    return array_ops.squeeze(weight, [-1]) if has_axis else weight


def cosine_distance(
    labels: Any, predictions: Any, axis: Optional[int] = None, weights: Any = 1.0,
    scope: Optional[str] = None, loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = _BY_WEIGHTS, dim: Optional[int] = None,
) -> Tensor:  # fmt: skip
    """1 - the cosine of the angle along an axis, of vectors that have length 1 already."""
    axis = either("axis", axis, "dim", dim)
    if axis is None:
        raise ValueError("You must specify 'axis'.")
    expected, predicted = _same_dtype(labels, predictions)
    each = 1.0 - math_ops.reduce_sum(predicted * expected, [axis], keepdims=True)
    return compute_weighted_loss(each, weights, scope, loss_collection, reduction)


def mean_pairwise_squared_error(
    labels: Any, predictions: Any, weights: Any = 1.0, scope: Optional[str] = None,
    loss_collection: Any = GraphKeys.LOSSES,
) -> Tensor:  # fmt: skip
    """The squared differences between the errors of all pairs of elements of a sample.

    Each sample, along the first axis, counts with the mean of its pairs.
    """
    expected, predicted = _same_dtype(labels, predictions)
    graph = get_default_graph()
    with graph.name_scope(scope or "mean_pairwise_squared_error"):
        errors = predicted - expected
        weight = math_ops.cast(convert_to_tensor(weights), errors.dtype)
        _check_broadcastable(weight, errors)
        axes = math_ops.range(1, gen_ops.rank(errors))
        if errors.shape.rank is not None:
            axes = convert_to_tensor(np.arange(1, errors.shape.rank, dtype=np.int32))
        each = weight + array_ops.zeros_like(errors)
        present = math_ops.cast(gen_ops.not_equal(each, array_ops.zeros_like(each)), errors.dtype)
        count = math_ops.reduce_sum(present, axes, keepdims=True)
        squares = math_ops.reduce_sum(gen_ops.square(errors), axes, keepdims=True)
        total = math_ops.reduce_sum(errors, axes, keepdims=True)
        others = gen_ops.maximum(count - 1.0, 0.0)
        pairs = gen_ops.maximum(count * (count - 1.0), 0.0)
        sample = gen_ops.div_no_nan(squares, others) - gen_ops.div_no_nan(total * total, pairs)
        loss = math_ops.reduce_sum(2.0 * sample * weight)
        graph.add_to_collections([loss_collection] if loss_collection else [], loss)
        return loss


def add_loss(loss: Any, loss_collection: Any = GraphKeys.LOSSES) -> None:
    """Adds a loss to the collection."""
    get_default_graph().add_to_collection(loss_collection, loss)


def get_losses(scope: Optional[str] = None, loss_collection: Any = GraphKeys.LOSSES) -> List[Any]:
    """The losses of a collection, of those whose names begin with `scope`."""
    return get_default_graph().get_collection(loss_collection, scope)


def get_regularization_losses(scope: Optional[str] = None) -> List[Any]:
    """The losses of regularizers, of those whose names begin with `scope`."""
    return get_losses(scope, GraphKeys.REGULARIZATION_LOSSES)


def get_regularization_loss(
    scope: Optional[str] = None, name: str = "total_regularization_loss"
) -> Tensor:
    """The sum of the losses that regularizers of variables have added."""
    losses = get_regularization_losses(scope)
    return gen_ops.add_n(losses, name=name) if losses else convert_to_tensor(0.0)


def get_total_loss(
    add_regularization_losses: bool = True, name: str = "total_loss", scope: Optional[str] = None
) -> Tensor:
    """The sum of all losses of the default graph."""
    losses = get_losses(scope)
    if add_regularization_losses:
        losses += get_regularization_losses(scope)
    return gen_ops.add_n(losses, name=name)
