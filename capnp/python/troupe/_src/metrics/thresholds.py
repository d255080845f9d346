"""Counts of right and wrong decisions for each of several thresholds."""

from __future__ import annotations

from typing import Any, Dict, Optional, Sequence, Tuple

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.metrics.streaming import Metric, collected, metric_variable
from troupe._src.metrics.weights import broadcast_weights, matched
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.ops.assert_ops import assert_greater_equal, assert_less_equal
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.types import dtypes
from troupe._src.variables.assign_ops import assign_add
from troupe._src.variables.variable_store import variable_scope

# The name of the variable, and the label and the decision that it counts.
_KINDS = {
    "tp": ("true_positives", True, True),
    "fn": ("false_negatives", True, False),
    "tn": ("true_negatives", False, False),
    "fp": ("false_positives", False, True),
}
EPSILON = 1e-7  # where thresholds are equal to a prediction, and where counts are 0
Counts = Dict[str, Any]


def confusion_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Sequence[float],
    weights: Any = None,
    kinds: Sequence[str] = tuple(_KINDS),
) -> Tuple[Counts, Counts]:
    """The counts of each kind so far and with this step, each a vector of the thresholds' length.

    A step fails with InvalidArgument for predictions that are not in [0, 1].
    """
    predicted, expected, weight = _in_range(predictions, labels, weights)
    limits = constant([[float(threshold)] for threshold in thresholds], dtypes.float32)
    is_positive = gen_ops.greater(array_ops.reshape(predicted, [1, -1]), limits)
    is_true = array_ops.reshape(expected, [1, -1])
    if weight is not None:
        each = broadcast_weights(math_ops.cast(weight, dtypes.float32), predicted)
        weight = array_ops.reshape(each, [1, -1])
    values, updates = {}, {}
    for kind in kinds:
        name, label, decision = _KINDS[kind]
        variable = metric_variable([len(thresholds)], dtypes.float32, name)
        chosen = gen_ops.logical_and(
            is_true if label else gen_ops.logical_not(is_true),
            is_positive if decision else gen_ops.logical_not(is_positive),
        )
        counted = math_ops.cast(chosen, dtypes.float32)
        if weight is not None:
            counted = counted * weight
        values[kind] = variable
        updates[kind] = assign_add(variable, math_ops.reduce_sum(counted, 1))
    return values, updates


def _in_range(predictions: Any, labels: Any, weights: Any) -> Any:
    given = convert_to_tensor(predictions)
    message = "predictions must be in [0, 1]"
    checks = [
        check(given, math_ops.cast(bound, given.dtype), message=message)
        for check, bound in ((assert_greater_equal, 0.0), (assert_less_equal, 1.0))
    ]
    with get_default_graph().control_dependencies(checks):
        predicted = array_ops.identity(math_ops.cast(given, dtypes.float32))
    expected = math_ops.cast(convert_to_tensor(labels), dtypes.bool_)
    return matched(predicted, expected, weights)


def true_positives_at_thresholds(
    labels: TensorLike, predictions: TensorLike, thresholds: Sequence[float],
    weights: Optional[TensorLike] = None, metrics_collections: Optional[Sequence[str]] = None,
    updates_collections: Optional[Sequence[str]] = None, name: Optional[str] = None,
) -> Metric:  # fmt: skip
    """The sums of the weights where the label is true and the prediction above each threshold.

    Args:
        labels: numbers or booleans; those that are not 0 are true.
        predictions: as many numbers in [0, 1].
        thresholds: numbers in [0, 1].
        weights: of the same rank, or one number; 1 by default.
        metrics_collections: where the value is added to.
        updates_collections: where the update is added to.
        name: the scope of the variable.

    Returns:
        The sums so far, and the update, whose results are the sums with this step.

    Raises:
        ValueError: if shapes are known not to fit.
    """
    with variable_scope(name, "true_positives"):
        metric = _one_kind("tp", labels, predictions, thresholds, weights)
    return collected(*metric, metrics_collections, updates_collections)


def true_negatives_at_thresholds(
    labels: TensorLike, predictions: TensorLike, thresholds: Sequence[float],
    weights: Optional[TensorLike] = None, metrics_collections: Optional[Sequence[str]] = None,
    updates_collections: Optional[Sequence[str]] = None, name: Optional[str] = None,
) -> Metric:  # fmt: skip
    """The sums of the weights where the label is false and the prediction not above each threshold.

    Args:
        labels: numbers or booleans of any shape; those that are not 0 are true.
        predictions: as many numbers in [0, 1]; a step fails for others.
        thresholds: numbers in [0, 1].
        weights: what each value counts, of the same rank with equal sizes or 1, or one number; None
            for 1.
        metrics_collections: the names of the collections that the value is added to, or None.
        updates_collections: the names of the collections that the update is added to, or None.

    Returns:
        The sums so far, float32 [thresholds]; and the update, whose results are the sums with this
        step.

    Raises:
        ValueError: if shapes are known not to fit.
    """
    with variable_scope(name, "true_negatives"):
        metric = _one_kind("tn", labels, predictions, thresholds, weights)
    return collected(*metric, metrics_collections, updates_collections)


def false_positives_at_thresholds(
    labels: TensorLike, predictions: TensorLike, thresholds: Sequence[float],
    weights: Optional[TensorLike] = None, metrics_collections: Optional[Sequence[str]] = None,
    updates_collections: Optional[Sequence[str]] = None, name: Optional[str] = None,
) -> Metric:  # fmt: skip
    """The sums of the weights where the label is false and the prediction above each threshold.

    Args:
        labels: numbers or booleans of any shape; those that are not 0 are true.
        predictions: as many numbers in [0, 1]; a step fails for others.
        thresholds: numbers in [0, 1].
        weights: what each value counts, of the same rank with equal sizes or 1, or one number; None
            for 1.
        metrics_collections: the names of the collections that the value is added to, or None.
        updates_collections: the names of the collections that the update is added to, or None.

    Returns:
        The sums so far, float32 [thresholds]; and the update, whose results are the sums with this
        step.

    Raises:
        ValueError: if shapes are known not to fit.
    """
    with variable_scope(name, "false_positives"):
        metric = _one_kind("fp", labels, predictions, thresholds, weights)
    return collected(*metric, metrics_collections, updates_collections)


def false_negatives_at_thresholds(
    labels: TensorLike, predictions: TensorLike, thresholds: Sequence[float],
    weights: Optional[TensorLike] = None, metrics_collections: Optional[Sequence[str]] = None,
    updates_collections: Optional[Sequence[str]] = None, name: Optional[str] = None,
) -> Metric:  # fmt: skip
    """The sums of the weights where the label is true and the prediction not above each threshold.

    Args:
        labels: numbers or booleans of any shape; those that are not 0 are true.
        predictions: as many numbers in [0, 1]; a step fails for others.
        thresholds: numbers in [0, 1].
        weights: what each value counts, of the same rank with equal sizes or 1, or one number; None
            for 1.
        metrics_collections: the names of the collections that the value is added to, or None.
        updates_collections: the names of the collections that the update is added to, or None.

    Returns:
        The sums so far, float32 [thresholds]; and the update, whose results are the sums with this
        step.

    Raises:
        ValueError: if shapes are known not to fit.
    """
    with variable_scope(name, "false_negatives"):
        metric = _one_kind("fn", labels, predictions, thresholds, weights)
    return collected(*metric, metrics_collections, updates_collections)


def _one_kind(
    kind: str, labels: Any, predictions: Any, thresholds: Sequence[float], weights: Any
) -> Metric:
    values, updates = confusion_at_thresholds(labels, predictions, thresholds, weights, (kind,))
    return array_ops.identity(values[kind]), updates[kind]


def precision_at_thresholds(
    labels: TensorLike, predictions: TensorLike, thresholds: Sequence[float],
    weights: Optional[TensorLike] = None, metrics_collections: Optional[Sequence[str]] = None,
    updates_collections: Optional[Sequence[str]] = None, name: Optional[str] = None,
) -> Metric:  # fmt: skip
    """How many of the predictions above each threshold are right, as a fraction.

    Args:
        labels: numbers or booleans of any shape; those that are not 0 are true.
        predictions: as many numbers in [0, 1]; a step fails for others.
        thresholds: numbers in [0, 1].
        weights: what each value counts, of the same rank with equal sizes or 1, or one number; None
            for 1.
        metrics_collections: the names of the collections that the value is added to, or None.
        updates_collections: the names of the collections that the update is added to, or None.

    Returns:
        The fractions so far, float32 [thresholds]; and the update, whose results are those with
        this step.

    Raises:
        ValueError: if shapes are known not to fit.
    """
    with variable_scope(name, "precision_at_thresholds"):
        given = labels, predictions, thresholds, weights, ("tp", "fp")
        values, updates = confusion_at_thresholds(*given)
        value = _fractions(values["tp"], values["fp"], "precision_value")
        update = _fractions(updates["tp"], updates["fp"], "precision_update_op")
    return collected(value, update, metrics_collections, updates_collections)


def recall_at_thresholds(
    labels: TensorLike, predictions: TensorLike, thresholds: Sequence[float],
    weights: Optional[TensorLike] = None, metrics_collections: Optional[Sequence[str]] = None,
    updates_collections: Optional[Sequence[str]] = None, name: Optional[str] = None,
) -> Metric:  # fmt: skip
    """How many of the true labels have predictions above each threshold, as a fraction.

    Args:
        labels: numbers or booleans of any shape; those that are not 0 are true.
        predictions: as many numbers in [0, 1]; a step fails for others.
        thresholds: numbers in [0, 1].
        weights: what each value counts, of the same rank with equal sizes or 1, or one number; None
            for 1.
        metrics_collections: the names of the collections that the value is added to, or None.
        updates_collections: the names of the collections that the update is added to, or None.

    Returns:
        The fractions so far, float32 [thresholds]; and the update, whose results are those with
        this step.

    Raises:
        ValueError: if shapes are known not to fit.
    """
    with variable_scope(name, "recall_at_thresholds"):
        given = labels, predictions, thresholds, weights, ("tp", "fn")
        values, updates = confusion_at_thresholds(*given)
        value = _fractions(values["tp"], values["fn"], "recall_value")
        update = _fractions(updates["tp"], updates["fn"], "recall_update_op")
    return collected(value, update, metrics_collections, updates_collections)


def _fractions(part: Any, rest: Any, name: str) -> Tensor:
    return math_ops.div(part, EPSILON + part + rest, name=name)
