"""Means over steps: of values, of each element, and of errors of predictions."""

from __future__ import annotations

from typing import Any, Optional, Sequence

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.metrics.confusion_matrix import remove_squeezable_dimensions
from troupe._src.metrics.streaming import Metric, collected, metric_variable
from troupe._src.metrics.weights import broadcast_weights, matched
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops, selection_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types import dtypes
from troupe._src.variables.assign_ops import assign_add
from troupe._src.variables.variable_store import variable_scope


def safe_ratio(total: Any, count: Any, name: str) -> Tensor:
    """total / count, and 0 where the count is not positive."""
    return gen_ops.div_no_nan(total, gen_ops.maximum(count, 0), name=name)


def mean(
    values: TensorLike, weights: Optional[TensorLike] = None,
    metrics_collections: Optional[Sequence[str]] = None,
    updates_collections: Optional[Sequence[str]] = None, name: Optional[str] = None,
) -> Metric:  # fmt: skip
    """The mean of the values of all steps that ran the update.

    Args:
        values: a tensor of numbers.
        weights: of the same rank, or one number: what each value counts.
        metrics_collections: where the value is added to.
        updates_collections: where the update is added to.
        name: the scope of the variables.

    Returns:
        The mean so far, and the update, whose result is the mean with this step.

    Raises:
        ValueError: if the weights are known not to fit.
    """
    with variable_scope(name, "mean"):
        each = math_ops.cast(convert_to_tensor(values), dtypes.float32)
        total = metric_variable([], dtypes.float32, "total")
        count = metric_variable([], dtypes.float32, "count")
        if weights is None:
            number = math_ops.cast(array_ops.size(each), dtypes.float32)
        else:
            each, weight = _weighted(each, weights)
            number = math_ops.reduce_sum(weight)
        total_update = assign_add(total, math_ops.reduce_sum(each))
        with get_default_graph().control_dependencies([each]):
            count_update = assign_add(count, number)
        value = safe_ratio(total, count, "value")
        update = safe_ratio(total_update, count_update, "update_op")
    return collected(value, update, metrics_collections, updates_collections)


def _weighted(values: Tensor, weights: Any) -> Any:
    each, _, weight = matched(values, None, weights)
    assert weight is not None
    broadcast = broadcast_weights(math_ops.cast(weight, dtypes.float32), each)
    return gen_ops.multiply(each, broadcast), broadcast


def mean_tensor(
    values: TensorLike, weights: Optional[TensorLike] = None,
    metrics_collections: Optional[Sequence[str]] = None,
    updates_collections: Optional[Sequence[str]] = None, name: Optional[str] = None,
) -> Metric:  # fmt: skip
    """The mean over steps of each element.

    Args:
        values: numbers of a shape that is known.
        weights: what each value counts, of the same rank with equal sizes or 1, or one number; None
            for 1.
        metrics_collections: the names of the collections that the value is added to, or None.
        updates_collections: the names of the collections that the update is added to, or None.

    Returns:
        The means so far, float32 of the shape of the values; and the update, whose result are the
        means with this step.

    Raises:
        ValueError: if shapes are known not to fit.
    """
    with variable_scope(name, "mean"):
        each = math_ops.cast(convert_to_tensor(values), dtypes.float32)
        total = metric_variable(each.shape, dtypes.float32, "total_tensor")
        count = metric_variable(each.shape, dtypes.float32, "count_tensor")
        number = creation_ops.ones_like(each)
        if weights is not None:
            each, number = _weighted(each, weights)
        total_update = assign_add(total, each)
        with get_default_graph().control_dependencies([each]):
            count_update = assign_add(count, number)
        value = safe_ratio(total, count, "value")
        update = safe_ratio(total_update, count_update, "update_op")
    return collected(value, update, metrics_collections, updates_collections)


def accuracy(
    labels: TensorLike, predictions: TensorLike, weights: Optional[TensorLike] = None,
    metrics_collections: Optional[Sequence[str]] = None,
    updates_collections: Optional[Sequence[str]] = None, name: Optional[str] = None,
) -> Metric:  # fmt: skip
    """How many of the predictions are equal to their labels, as a fraction.

    Args:
        labels: of any dtype and shape.
        predictions: of that shape; they are cast to the dtype of the labels.
        weights: what each value counts, of the same rank with equal sizes or 1, or one number; None
            for 1.
        metrics_collections: the names of the collections that the value is added to, or None.
        updates_collections: the names of the collections that the update is added to, or None.

    Returns:
        The fraction so far, a float32 scalar; and the update, whose result is the fraction with
        this step.

    Raises:
        ValueError: if shapes are known not to fit.
    """
    predicted, expected, weight = matched(predictions, labels, weights)
    assert expected is not None
    is_right = gen_ops.equal(math_ops.cast(predicted, expected.dtype), expected)
    right = math_ops.cast(is_right, dtypes.float32)
    return mean(right, weight, metrics_collections, updates_collections, name or "accuracy")


def percentage_below(
    values: TensorLike, threshold: TensorLike, weights: Optional[TensorLike] = None,
    metrics_collections: Optional[Sequence[str]] = None,
    updates_collections: Optional[Sequence[str]] = None, name: Optional[str] = None,
) -> Metric:  # fmt: skip
    """How many of the values are below the threshold, as a fraction.

    Args:
        values: numbers of any shape.
        threshold: a scalar of their dtype.
        weights: what each value counts, of the same rank with equal sizes or 1, or one number; None
            for 1.
        metrics_collections: the names of the collections that the value is added to, or None.
        updates_collections: the names of the collections that the update is added to, or None.

    Returns:
        The fraction so far, a float32 scalar; and the update, whose result is the fraction with
        this step.

    Raises:
        ValueError: if shapes are known not to fit.
    """
    below = math_ops.cast(gen_ops.less(values, threshold), dtypes.float32)
    scope = name or "percentage_below_threshold"
    return mean(below, weights, metrics_collections, updates_collections, scope)


def mean_absolute_error(
    labels: TensorLike, predictions: TensorLike, weights: Optional[TensorLike] = None,
    metrics_collections: Optional[Sequence[str]] = None,
    updates_collections: Optional[Sequence[str]] = None, name: Optional[str] = None,
) -> Metric:  # fmt: skip
    """The mean of the absolute differences.

    Args:
        labels: numbers of any shape.
        predictions: numbers of that shape.
        weights: what each value counts, of the same rank with equal sizes or 1, or one number; None
            for 1.
        metrics_collections: the names of the collections that the value is added to, or None.
        updates_collections: the names of the collections that the update is added to, or None.

    Returns:
        The mean so far, a float32 scalar; and the update, whose result is the mean with this step.

    Raises:
        ValueError: if shapes are known not to fit.
    """
    predicted, expected, weight = matched(predictions, labels, weights)
    error = gen_ops.abs(predicted - expected)
    scope = name or "mean_absolute_error"
    return mean(error, weight, metrics_collections, updates_collections, scope)


def mean_squared_error(
    labels: TensorLike, predictions: TensorLike, weights: Optional[TensorLike] = None,
    metrics_collections: Optional[Sequence[str]] = None,
    updates_collections: Optional[Sequence[str]] = None, name: Optional[str] = None,
) -> Metric:  # fmt: skip
    """The mean of the squared differences.

    Args:
        labels: numbers of any shape.
        predictions: numbers of that shape.
        weights: what each value counts, of the same rank with equal sizes or 1, or one number; None
            for 1.
        metrics_collections: the names of the collections that the value is added to, or None.
        updates_collections: the names of the collections that the update is added to, or None.

    Returns:
        The mean so far, a float32 scalar; and the update, whose result is the mean with this step.

    Raises:
        ValueError: if shapes are known not to fit.
    """
    predicted, expected, weight = matched(predictions, labels, weights)
    assert expected is not None  # as labels are given
    error = gen_ops.squared_difference(expected, predicted)
    scope = name or "mean_squared_error"
    return mean(error, weight, metrics_collections, updates_collections, scope)


def root_mean_squared_error(
    labels: TensorLike, predictions: TensorLike, weights: Optional[TensorLike] = None,
    metrics_collections: Optional[Sequence[str]] = None,
    updates_collections: Optional[Sequence[str]] = None, name: Optional[str] = None,
) -> Metric:  # fmt: skip
    """The root of the mean of the squared differences.

    Args:
        labels: numbers of any shape.
        predictions: numbers of that shape.
        weights: what each value counts, of the same rank with equal sizes or 1, or one number; None
            for 1.
        metrics_collections: the names of the collections that the value is added to, or None.
        updates_collections: the names of the collections that the update is added to, or None.

    Returns:
        The root so far, a float32 scalar; and the update, whose result is the root with this step.

    Raises:
        ValueError: if shapes are known not to fit.
    """
    scope = name or "root_mean_squared_error"
    squares, update = mean_squared_error(labels, predictions, weights, None, None, scope)
    roots = gen_ops.sqrt(squares), gen_ops.sqrt(update)
    return collected(*roots, metrics_collections, updates_collections)


def mean_relative_error(
    labels: TensorLike, predictions: TensorLike, normalizer: TensorLike,
    weights: Optional[TensorLike] = None, metrics_collections: Optional[Sequence[str]] = None,
    updates_collections: Optional[Sequence[str]] = None, name: Optional[str] = None,
) -> Metric:  # fmt: skip
    """The mean of the absolute differences divided by the normalizer, 0 where that is 0.

    Args:
        labels: numbers of any shape.
        predictions: numbers of that shape.
        normalizer: numbers of that shape.
        weights: what each value counts, of the same rank with equal sizes or 1, or one number; None
            for 1.
        metrics_collections: the names of the collections that the value is added to, or None.
        updates_collections: the names of the collections that the update is added to, or None.

    Returns:
        The mean so far, a float32 scalar; and the update, whose result is the mean with this step.

    Raises:
        ValueError: if shapes are known not to fit.
    """
    predicted, expected, weight = matched(predictions, labels, weights)
    assert expected is not None
    predicted, divisor = remove_squeezable_dimensions(predicted, normalizer)
    predicted.shape.assert_is_compatible_with(divisor.shape)
    ratio = math_ops.div(gen_ops.abs(expected - predicted), divisor)
    zeros = creation_ops.zeros_like(expected)
    error = selection_ops.where(gen_ops.equal(divisor, 0.0), zeros, ratio)
    scope = name or "mean_relative_error"
    return mean(error, weight, metrics_collections, updates_collections, scope)


def mean_cosine_distance(
    labels: TensorLike, predictions: TensorLike, dim: int, weights: Optional[TensorLike] = None,
    metrics_collections: Optional[Sequence[str]] = None,
    updates_collections: Optional[Sequence[str]] = None, name: Optional[str] = None,
) -> Metric:  # fmt: skip
    """1 less the mean of the products of unit vectors.

    Args:
        labels: unit vectors along `dim`.
        predictions: as many.
        dim: the axis of the vectors' components.
        weights: what each vector counts, with the size 1 along `dim`, or one number; None for 1.
        metrics_collections: the names of the collections that the value is added to, or None.
        updates_collections: the names of the collections that the update is added to, or None.

    Returns:
        The distance so far, a float32 scalar; and the update, whose result is the distance with
        this step.

    Raises:
        ValueError: if shapes are known not to fit.
    """
    predicted, expected, weight = matched(predictions, labels, weights)
    products = math_ops.reduce_sum(predicted * expected, axis=[dim], keepdims=True)
    average, update = mean(products, weight, None, None, name or "mean_cosine_distance")
    distances = gen_ops.subtract(1.0, average), gen_ops.subtract(1.0, update)
    return collected(*distances, metrics_collections, updates_collections)
