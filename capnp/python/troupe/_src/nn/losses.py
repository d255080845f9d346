"""Losses, kept in the collection LOSSES until get_total_loss adds them up."""

from __future__ import annotations

from typing import Any, List, Optional

import numpy as np

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.control_flow.weights import assert_broadcastable
from troupe._src.ops import creation_ops, gen_ops, math_ops
from troupe._src.arguments import either
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.replicas.loss_reductions import note_loss_reduction
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
        """The names of all reductions."""
        return [cls.NONE, cls.SUM, cls.MEAN, cls.SUM_OVER_BATCH_SIZE, cls.SUM_BY_NONZERO_WEIGHTS]

    @classmethod
    def validate(cls, key: str) -> None:
        """Checks a name.

        Args:
            key: The name.

        Raises:
            ValueError: It is that of no reduction.
        """
        if key not in cls.all():
            raise ValueError(f"Invalid Reduction Key {key}.")


BY_WEIGHTS = Reduction.SUM_BY_NONZERO_WEIGHTS


def compute_weighted_loss(
    losses: TensorLike,
    weights: TensorLike = 1.0,
    scope: Optional[str] = None,
    loss_collection: Optional[str] = GraphKeys.LOSSES,
    reduction: str = BY_WEIGHTS,
) -> Tensor:
    """The weighted losses, reduced; 0 where all weights are zero.

    Args:
        losses: a tensor of floats of any shape.
        weights: what each loss counts: one number, or a tensor of the losses' rank whose sizes are
            theirs or 1.
        scope: the prefix of the names of the nodes.
        loss_collection: the collection that the loss is added to, or None.
        reduction: one of `tf.losses.Reduction`: how the weighted losses become one number.

    Returns:
        The loss, in the dtype of `losses`: a scalar, or of their shape with `Reduction.NONE`.

    Raises:
        ValueError: if the weights do not broadcast to the losses, or the reduction is unknown.
    """
    Reduction.validate(reduction)
    note_loss_reduction(reduction)
    graph = get_default_graph()
    with graph.name_scope(scope or "weighted_loss"):
        each = convert_to_tensor(losses)
        with graph.control_dependencies(checked_weights(weights, each)):
            weight = math_ops.cast(weights, dtypes.float32)
            numbers = math_ops.cast(each, dtypes.float32)
            loss = math_ops.cast(_reduce(numbers * weight, weight, reduction), each.dtype)
    graph.add_to_collections([loss_collection] if loss_collection else [], loss)
    return loss


def _reduce(weighted: Tensor, weight: Tensor, reduction: str) -> Tensor:
    if reduction == Reduction.NONE:
        return weighted
    total = math_ops.reduce_sum(weighted)
    if reduction == Reduction.SUM:
        return total
    each = weight + creation_ops.zeros_like(weighted)
    if reduction == Reduction.MEAN:
        count = math_ops.reduce_sum(each)
    elif reduction == Reduction.SUM_OVER_BATCH_SIZE:
        count = math_ops.reduce_sum(creation_ops.ones_like(weighted))
    else:
        count = math_ops.reduce_sum(math_ops.cast(gen_ops.not_equal(each, 0.0), weighted.dtype))
    return gen_ops.div_no_nan(total, count, name="value")


def checked_weights(weights: Any, losses: Tensor) -> List[Operation]:
    """The checks of a step that the weights fit; ValueError where it is known that they do not."""
    if weights is None:
        raise ValueError("weights must not be None.")
    check = assert_broadcastable(weights, losses)
    return [] if check.type == "NoOp" else [check]


def numbers_of(labels: Any, predictions: Any) -> List[Tensor]:
    """Both as float32; ValueError where one is None, or the shapes are known to differ."""
    if labels is None or predictions is None:
        raise ValueError("labels and predictions must not be None.")
    expected, predicted = (math_ops.cast(each, dtypes.float32) for each in (labels, predictions))
    if not expected.shape.is_compatible_with(predicted.shape):
        raise ValueError(f"Shapes {expected.shape} and {predicted.shape} are incompatible")
    return [expected, predicted]


def mean_squared_error(
    labels: TensorLike, predictions: TensorLike, weights: TensorLike = 1.0,
    scope: Optional[str] = None, loss_collection: Optional[str] = GraphKeys.LOSSES,
    reduction: str = BY_WEIGHTS,
) -> Tensor:  # fmt: skip
    """The mean of the squared differences.

    Args:
        labels: the true values, of the shape of the predictions.
        predictions: numbers of any shape, computed with as float32.
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
    with get_default_graph().name_scope(scope or "mean_squared_error") as prefix:
        expected, predicted = numbers_of(labels, predictions)
        each = gen_ops.squared_difference(predicted, expected)
        return compute_weighted_loss(each, weights, prefix, loss_collection, reduction)


def absolute_difference(
    labels: TensorLike, predictions: TensorLike, weights: TensorLike = 1.0,
    scope: Optional[str] = None, loss_collection: Optional[str] = GraphKeys.LOSSES,
    reduction: str = BY_WEIGHTS,
) -> Tensor:  # fmt: skip
    """The mean of the absolute differences.

    Args:
        labels: the true values, of the shape of the predictions.
        predictions: numbers of any shape, computed with as float32.
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
    with get_default_graph().name_scope(scope or "absolute_difference") as prefix:
        expected, predicted = numbers_of(labels, predictions)
        each = gen_ops.abs(predicted - expected)
        return compute_weighted_loss(each, weights, prefix, loss_collection, reduction)


def huber_loss(
    labels: TensorLike, predictions: TensorLike, weights: TensorLike = 1.0, delta: float = 1.0,
    scope: Optional[str] = None, loss_collection: Optional[str] = GraphKeys.LOSSES,
    reduction: str = BY_WEIGHTS,
) -> Tensor:  # fmt: skip
    """Quadratic for differences up to delta, linear beyond.

    Args:
        labels: the true values, of the shape of the predictions.
        predictions: numbers of any shape, computed with as float32.
        weights: what each loss counts: one number, or a tensor of the losses' rank whose sizes are
            theirs or 1.
        delta: the difference at which the loss becomes linear.
        scope: the prefix of the names of the nodes.
        loss_collection: the collection that the loss is added to, or None.
        reduction: one of `tf.losses.Reduction`.

    Returns:
        The loss as a scalar, or of the shape of the losses with `Reduction.NONE`.

    Raises:
        ValueError: if the shapes do not fit, or the reduction is unknown.
    """
    with get_default_graph().name_scope(scope or "huber_loss") as prefix:
        expected, predicted = numbers_of(labels, predictions)
        error = gen_ops.abs(predicted - expected)
        quadratic = gen_ops.minimum(error, delta)
        each = 0.5 * quadratic * quadratic + delta * (error - quadratic)
        return compute_weighted_loss(each, weights, prefix, loss_collection, reduction)


def cosine_distance(
    labels: TensorLike, predictions: TensorLike, axis: Optional[int] = None,
    weights: TensorLike = 1.0, scope: Optional[str] = None,
    loss_collection: Optional[str] = GraphKeys.LOSSES, reduction: str = BY_WEIGHTS,
    dim: Optional[int] = None,
) -> Tensor:  # fmt: skip
    """1 - the cosine of the angle along an axis, of vectors that have length 1 already.

    Args:
        labels: unit vectors along `axis`, of the shape of the predictions.
        predictions: unit vectors along `axis`.
        axis: the axis of the vectors' components.
        weights: what each loss counts: one number, or a tensor of the losses' rank whose sizes are
            theirs or 1.
        scope: the prefix of the names of the nodes.
        loss_collection: the collection that the loss is added to, or None.
        reduction: one of `tf.losses.Reduction`: how the weighted losses become one number.
        dim: the former name of `axis`.

    Returns:
        The loss as a scalar, or of the shape of the losses with `Reduction.NONE`.

    Raises:
        ValueError: if there is no axis, both names of it are given, or the shapes do not fit.
    """
    axis = either("axis", axis, "dim", dim)
    if axis is None:
        raise ValueError("You must specify 'axis'.")
    with get_default_graph().name_scope(scope or "cosine_distance_loss") as prefix:
        expected, predicted = numbers_of(labels, predictions)
        each = 1.0 - math_ops.reduce_sum(predicted * expected, [axis], keepdims=True)
        return compute_weighted_loss(each, weights, prefix, loss_collection, reduction)


def mean_pairwise_squared_error(
    labels: TensorLike, predictions: TensorLike, weights: TensorLike = 1.0,
    scope: Optional[str] = None, loss_collection: Optional[str] = GraphKeys.LOSSES,
) -> Tensor:  # fmt: skip
    """The squared differences between the errors of all pairs of elements of a sample.

    Each sample, along the first axis, counts with the mean of its pairs.

    Args:
        labels: the true values, of the shape of the predictions.
        predictions: floats of shape [samples, ...].
        weights: what each sample counts: one number, or a tensor whose sizes are those of the
            predictions or 1.
        scope: the prefix of the names of the nodes.
        loss_collection: the collection that the loss is added to, or None.

    Returns:
        The sum over the samples, as a scalar.

    Raises:
        ValueError: if the shapes do not fit, or the reduction is unknown.
    """
    expected, predicted = numbers_of(labels, predictions)
    graph = get_default_graph()
    with graph.name_scope(scope or "mean_pairwise_squared_error"):
        errors = predicted - expected
        checks = checked_weights(weights, errors)
        weight = math_ops.cast(weights, errors.dtype)
        axes = math_ops.range(1, gen_ops.rank(errors))
        if errors.shape.rank is not None:
            axes = convert_to_tensor(np.arange(1, errors.shape.rank, dtype=np.int32))
        each = weight + creation_ops.zeros_like(errors)
        is_present = gen_ops.not_equal(each, creation_ops.zeros_like(each))
        present = math_ops.cast(is_present, errors.dtype)
        count = math_ops.reduce_sum(present, axes, keepdims=True)
        squares = math_ops.reduce_sum(gen_ops.square(errors), axes, keepdims=True)
        total = math_ops.reduce_sum(errors, axes, keepdims=True)
        others = gen_ops.maximum(count - 1.0, 0.0)
        pairs = gen_ops.maximum(count * (count - 1.0), 0.0)
        sample = gen_ops.div_no_nan(squares, others) - gen_ops.div_no_nan(total * total, pairs)
        with graph.control_dependencies(checks):
            loss = math_ops.reduce_sum(2.0 * sample * weight, name="value")
        graph.add_to_collections([loss_collection] if loss_collection else [], loss)
        return loss
