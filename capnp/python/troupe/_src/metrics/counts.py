"""Counts of right and wrong decisions over steps, and precision and recall."""

from __future__ import annotations

from typing import Any, Optional, Sequence

from troupe._src.checks.rank_ops import assert_rank_in
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.metrics.streaming import Metric, collected, metric_variable
from troupe._src.metrics.weights import matched
from troupe._src.ops import array_ops, gen_ops, math_ops, selection_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types import dtypes
from troupe._src.variables.assign_ops import assign_add
from troupe._src.variables.variable_store import variable_scope


def true_positives(
    labels: TensorLike, predictions: TensorLike, weights: Optional[TensorLike] = None,
    metrics_collections: Optional[Sequence[str]] = None,
    updates_collections: Optional[Sequence[str]] = None, name: Optional[str] = None,
) -> Metric:  # fmt: skip
    """The sum of the weights where label and prediction are true.

    Args:
        labels: numbers or booleans; those that are not 0 are true.
        predictions: as many, read in the same way.
        weights: of the same rank, or one number; 1 by default.
        metrics_collections: where the value is added to.
        updates_collections: where the update is added to.
        name: the scope of the variable.

    Returns:
        The sum so far, and the update, whose result is the sum with this step.

    Raises:
        ValueError: if shapes are known not to fit.
    """
    with variable_scope(name, "true_positives"):
        metric = _count(True, True, labels, predictions, weights)
    return collected(*metric, metrics_collections, updates_collections)


def true_negatives(
    labels: TensorLike, predictions: TensorLike, weights: Optional[TensorLike] = None,
    metrics_collections: Optional[Sequence[str]] = None,
    updates_collections: Optional[Sequence[str]] = None, name: Optional[str] = None,
) -> Metric:  # fmt: skip
    """The sum of the weights where label and prediction are false.

    Args:
        labels: numbers or booleans of any shape; those that are not 0 are true.
        predictions: as many, read in the same way.
        weights: what each value counts, of the same rank with equal sizes or 1, or one number; None
            for 1.
        metrics_collections: the names of the collections that the value is added to, or None.
        updates_collections: the names of the collections that the update is added to, or None.

    Returns:
        The sum so far, a float32 scalar; and the update, whose result is the sum with this step.

    Raises:
        ValueError: if shapes are known not to fit.
    """
    with variable_scope(name, "true_negatives"):
        metric = _count(False, False, labels, predictions, weights)
    return collected(*metric, metrics_collections, updates_collections)


def false_positives(
    labels: TensorLike, predictions: TensorLike, weights: Optional[TensorLike] = None,
    metrics_collections: Optional[Sequence[str]] = None,
    updates_collections: Optional[Sequence[str]] = None, name: Optional[str] = None,
) -> Metric:  # fmt: skip
    """The sum of the weights where only the prediction is true.

    Args:
        labels: numbers or booleans of any shape; those that are not 0 are true.
        predictions: as many, read in the same way.
        weights: what each value counts, of the same rank with equal sizes or 1, or one number; None
            for 1.
        metrics_collections: the names of the collections that the value is added to, or None.
        updates_collections: the names of the collections that the update is added to, or None.

    Returns:
        The sum so far, a float32 scalar; and the update, whose result is the sum with this step.

    Raises:
        ValueError: if shapes are known not to fit.
    """
    with variable_scope(name, "false_positives"):
        metric = _count(False, True, labels, predictions, weights)
    return collected(*metric, metrics_collections, updates_collections)


def false_negatives(
    labels: TensorLike, predictions: TensorLike, weights: Optional[TensorLike] = None,
    metrics_collections: Optional[Sequence[str]] = None,
    updates_collections: Optional[Sequence[str]] = None, name: Optional[str] = None,
) -> Metric:  # fmt: skip
    """The sum of the weights where only the label is true.

    Args:
        labels: numbers or booleans of any shape; those that are not 0 are true.
        predictions: as many, read in the same way.
        weights: what each value counts, of the same rank with equal sizes or 1, or one number; None
            for 1.
        metrics_collections: the names of the collections that the value is added to, or None.
        updates_collections: the names of the collections that the update is added to, or None.

    Returns:
        The sum so far, a float32 scalar; and the update, whose result is the sum with this step.

    Raises:
        ValueError: if shapes are known not to fit.
    """
    with variable_scope(name, "false_negatives"):
        metric = _count(True, False, labels, predictions, weights)
    return collected(*metric, metrics_collections, updates_collections)


def precision(
    labels: TensorLike, predictions: TensorLike, weights: Optional[TensorLike] = None,
    metrics_collections: Optional[Sequence[str]] = None,
    updates_collections: Optional[Sequence[str]] = None, name: Optional[str] = None,
) -> Metric:  # fmt: skip
    """How many of the true predictions are right, as a fraction, or 0 if there are none.

    Args:
        labels: numbers or booleans of any shape; those that are not 0 are true.
        predictions: as many, read in the same way.
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
    with variable_scope(name, "precision"):
        given = _as_booleans(labels, predictions, weights)
        right, right_update = true_positives(*given)
        wrong, wrong_update = false_positives(*given)
        value = _fraction(right, wrong, "value")
        update = _fraction(right_update, wrong_update, "update_op")
    return collected(value, update, metrics_collections, updates_collections)


def recall(
    labels: TensorLike, predictions: TensorLike, weights: Optional[TensorLike] = None,
    metrics_collections: Optional[Sequence[str]] = None,
    updates_collections: Optional[Sequence[str]] = None, name: Optional[str] = None,
) -> Metric:  # fmt: skip
    """How many of the true labels are predicted, as a fraction, or 0 if there are none.

    Args:
        labels: numbers or booleans of any shape; those that are not 0 are true.
        predictions: as many, read in the same way.
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
    with variable_scope(name, "recall"):
        given = _as_booleans(labels, predictions, weights)
        found, found_update = true_positives(*given)
        missed, missed_update = false_negatives(*given)
        value = _fraction(found, missed, "value")
        update = _fraction(found_update, missed_update, "update_op")
    return collected(value, update, metrics_collections, updates_collections)


def _as_booleans(labels: Any, predictions: Any, weights: Any) -> Any:
    predicted = math_ops.cast(convert_to_tensor(predictions), dtypes.bool_)
    expected = math_ops.cast(convert_to_tensor(labels), dtypes.bool_)
    predicted, expected, weight = matched(predicted, expected, weights)  # type: ignore[assignment]
    return expected, predicted, weight


def _count(label: bool, prediction: bool, labels: Any, predictions: Any, weights: Any) -> Metric:
    expected, predicted, weight = _as_booleans(labels, predictions, weights)
    chosen = gen_ops.logical_and(
        gen_ops.equal(expected, label), gen_ops.equal(predicted, prediction)
    )
    count = metric_variable([], dtypes.float32, "count")
    each = math_ops.cast(chosen, dtypes.float32)
    if weight is not None:
        check = assert_rank_in(weight, (0, gen_ops.rank(each)))
        with get_default_graph().control_dependencies([check]):
            each = gen_ops.multiply(each, math_ops.cast(weight, dtypes.float32))
    value = array_ops.identity(count)
    return value, assign_add(count, math_ops.reduce_sum(each))


def _fraction(part: Tensor, rest: Tensor, name: str) -> Tensor:
    total = part + rest
    return selection_ops.where_v2(gen_ops.greater(total, 0), math_ops.div(part, total), 0.0, name)
