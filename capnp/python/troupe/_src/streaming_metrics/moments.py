"""Covariances and correlations of predictions and labels over steps."""

from __future__ import annotations

from typing import Any, Optional, Sequence

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.metrics.streaming import Metric, collected, metric_variable
from troupe._src.metrics.weights import broadcast_weights, matched
from troupe._src.ops import array_ops, gen_ops, grouping_ops, math_ops
from troupe._src.ops.selection_ops import where_v2
from troupe._src.types import dtypes
from troupe._src.variables.assign_ops import assign_add
from troupe._src.variables.variable_store import variable_scope


def streaming_covariance(
    predictions: TensorLike, labels: TensorLike, weights: Optional[TensorLike] = None,
    metrics_collections: Optional[Sequence[str]] = None,
    updates_collections: Optional[Sequence[str]] = None, name: Optional[str] = None,
) -> Metric:  # fmt: skip
    """The unbiased covariance of predictions and labels.

    It is `tf.contrib.metrics.streaming_covariance`.

    Args:
        predictions: float32 of any shape.
        labels: as many, float32.
        weights: how often each value counts, of the same rank with equal sizes or 1, or one number;
            None for 1.
        metrics_collections: the names of the collections that the value is added to, or None.
        updates_collections: the names of the collections that the update is added to, or None.

    Returns:
        The covariance so far, a float32 scalar, NaN for at most one pair; and the update, whose
        result is the covariance with this step.

    Raises:
        ValueError: if shapes are known not to fit.
    """
    with variable_scope(name, "covariance"):
        x, y, given = matched(predictions, labels, weights)
        assert y is not None
        weight = None if given is None else broadcast_weights(given, y)
        value, update = _covariance(x, y, weight)
    return collected(value, update, metrics_collections, updates_collections)


def streaming_pearson_correlation(
    predictions: TensorLike, labels: TensorLike, weights: Optional[TensorLike] = None,
    metrics_collections: Optional[Sequence[str]] = None,
    updates_collections: Optional[Sequence[str]] = None, name: Optional[str] = None,
) -> Metric:  # fmt: skip
    """The correlation of predictions and labels: their covariance by their standard deviations.

    It is `tf.contrib.metrics.streaming_pearson_correlation`.

    Args:
        predictions: float32 of any shape.
        labels: as many, float32.
        weights: as of `streaming_covariance`.
        metrics_collections: the names of the collections that the value is added to, or None.
        updates_collections: the names of the collections that the update is added to, or None.

    Returns:
        The correlation so far, a float32 scalar; and the update, whose result is the correlation
        with this step.

    Raises:
        ValueError: if shapes are known not to fit.
    """
    with variable_scope(name, "pearson_r"):
        x, y, given = matched(predictions, labels, weights)
        assert y is not None
        weight = None if given is None else broadcast_weights(given, y)
        covariance = streaming_covariance(x, y, weight, name="covariance")
        of_x = streaming_covariance(x, x, weight, name="variance_predictions")
        of_y = streaming_covariance(y, y, weight, name="variance_labels")
        value, update = (
            each / (gen_ops.sqrt(one) * gen_ops.sqrt(other))
            for each, one, other in zip(covariance, of_x, of_y)
        )
    return collected(value, update, metrics_collections, updates_collections)


def _covariance(x: Tensor, y: Tensor, weight: Optional[Tensor]) -> Metric:
    """The sum of the products of deviations is updated for a batch as a whole.

    Those of the batch around its own means add up with those before it, and with the product of the
    distances of both means, times how many values these are apart from the new means.
    """
    count, mean_x, mean_y, products = (
        metric_variable([], dtypes.float32, name)
        for name in ("count", "mean_prediction", "mean_label", "comoment")
    )
    each = math_ops.cast(array_ops.size(y), dtypes.float32)
    number = each if weight is None else math_ops.reduce_sum(weight)
    batch_x, batch_y = (
        gen_ops.div_no_nan(math_ops.reduce_sum(_weighted(value, weight)), number)
        for value in (x, y)
    )
    of_batch = math_ops.reduce_sum(_weighted((x - batch_x) * (y - batch_y), weight))
    before: Any = grouping_ops.tuple_of([array_ops.identity(v) for v in (count, mean_x, mean_y)])
    with get_default_graph().control_dependencies(before):
        total = assign_add(count, number)
        far_x, far_y = batch_x - before[1], batch_y - before[2]
        share = gen_ops.div_no_nan(number, total)
        moved = [assign_add(mean_x, far_x * share), assign_add(mean_y, far_y * share)]
        added = assign_add(products, of_batch + far_x * far_y * before[0] * share)
    with get_default_graph().control_dependencies(moved):
        update = _unbiased(array_ops.identity(added), total)
    return _unbiased(products, count), update


def _weighted(values: Tensor, weight: Optional[Tensor]) -> Tensor:
    return values if weight is None else gen_ops.multiply(values, weight)


def _unbiased(products: Any, count: Any) -> Tensor:
    is_too_few = gen_ops.less_equal(count, 1.0)
    return where_v2(is_too_few, float("nan"), math_ops.div(products, count - 1.0))
