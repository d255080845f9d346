"""Metrics of the k best classes of each row: precision, recall and average precision."""

from __future__ import annotations

from typing import Any, Optional, Sequence

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.metrics import label_sets
from troupe._src.metrics.streaming import Metric, collected, metric_variable
from troupe._src.metrics.weights import broadcast_weights
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.order_ops import top_k
from troupe._src.types import dtypes
from troupe._src.variables.assign_ops import assign_add


def _at_k(name: str, k: Optional[int], class_id: Optional[int] = None) -> str:
    whole = f"{name}_at_{'k' if k is None else k}"
    return whole if class_id is None else f"{whole}_class{class_id}"


def recall_at_k(
    labels: Any, predictions: TensorLike, k: int, class_id: Optional[int] = None,
    weights: Optional[TensorLike] = None, metrics_collections: Optional[Sequence[str]] = None,
    updates_collections: Optional[Sequence[str]] = None, name: Optional[str] = None,
) -> Metric:  # fmt: skip
    """How many of the labels are among the k classes with the greatest predictions, as a fraction.

    Args:
        labels: int64, the classes of each row: one, as many for each, or a sparse tensor.
        predictions: a number for each class, along the last dimension.
        k: how many classes are predicted for each row.
        class_id: the only class that counts; by default, all.
        weights: for each row, or one number; 1 by default.
        metrics_collections: where the value is added to.
        updates_collections: where the update is added to.
        name: the scope of the nodes.

    Returns:
        The fraction so far, and the update, whose result is the fraction with this step; NaN while
        there are no labels.

    Raises:
        ValueError: if shapes are known not to fit.
    """
    with get_default_graph().name_scope(name or _at_k("recall", k, class_id)) as scope:
        given = top_k(predictions, k)[1], k, class_id, weights
        return recall_at_top_k(labels, *given, metrics_collections, updates_collections, scope)


def recall_at_top_k(
    labels: Any, predictions_idx: TensorLike, k: Optional[int] = None,
    class_id: Optional[int] = None, weights: Optional[TensorLike] = None,
    metrics_collections: Optional[Sequence[str]] = None,
    updates_collections: Optional[Sequence[str]] = None, name: Optional[str] = None,
) -> Metric:  # fmt: skip
    """`recall_at_k` for given classes.

    Args:
        labels: int64, the classes of each row, [..., classes] or [...] for one: a tensor or a
            SparseTensor.
        predictions_idx: int64, the predicted classes of each row, [..., k].
        k: a part of the name only.
        class_id: the only class that counts; None for all.
        weights: what each row counts, of the shape of the rows, or one number; None for 1.
        metrics_collections: the names of the collections that the value is added to, or None.
        updates_collections: the names of the collections that the update is added to, or None.

    Returns:
        The fraction so far, a float64 scalar; and the update, whose result is the fraction with
        this step; NaN while there are none.

    Raises:
        ValueError: if shapes are known not to fit.
    """
    with get_default_graph().name_scope(name or _at_k("recall", k, class_id)) as scope:
        sets = _sets(labels, predictions_idx), k, class_id, weights
        metric = _fraction(
            _total("true_positive", label_sets.true_positives, *sets),
            _total("false_negative", label_sets.false_negatives, *sets),
            scope,
        )
    return collected(*metric, metrics_collections, updates_collections)


def precision_at_k(
    labels: Any, predictions: TensorLike, k: int, class_id: Optional[int] = None,
    weights: Optional[TensorLike] = None, metrics_collections: Optional[Sequence[str]] = None,
    updates_collections: Optional[Sequence[str]] = None, name: Optional[str] = None,
) -> Metric:  # fmt: skip
    """How many of the k classes with the greatest predictions are labels, as a fraction.

    Args:
        labels: int64, the classes of each row, [..., classes] or [...] for one: a tensor or a
            SparseTensor.
        predictions: a number for each class, [..., classes].
        k: how many classes are predicted for each row.
        class_id: the only class that counts; None for all.
        weights: what each row counts, of the shape of the rows, or one number; None for 1.
        metrics_collections: the names of the collections that the value is added to, or None.
        updates_collections: the names of the collections that the update is added to, or None.

    Returns:
        The fraction so far, a float64 scalar; and the update, whose result is the fraction with
        this step; NaN while there are none.

    Raises:
        ValueError: if shapes are known not to fit.
    """
    with get_default_graph().name_scope(name or _at_k("precision", k, class_id)) as scope:
        given = top_k(predictions, k)[1], k, class_id, weights
        return precision_at_top_k(labels, *given, metrics_collections, updates_collections, scope)


def precision_at_top_k(
    labels: Any, predictions_idx: TensorLike, k: Optional[int] = None,
    class_id: Optional[int] = None, weights: Optional[TensorLike] = None,
    metrics_collections: Optional[Sequence[str]] = None,
    updates_collections: Optional[Sequence[str]] = None, name: Optional[str] = None,
) -> Metric:  # fmt: skip
    """`precision_at_k` for given classes.

    Args:
        labels: int64, the classes of each row, [..., classes] or [...] for one: a tensor or a
            SparseTensor.
        predictions_idx: int64, the predicted classes of each row, [..., k].
        k: a part of the name only.
        class_id: the only class that counts; None for all.
        weights: what each row counts, of the shape of the rows, or one number; None for 1.
        metrics_collections: the names of the collections that the value is added to, or None.
        updates_collections: the names of the collections that the update is added to, or None.

    Returns:
        The fraction so far, a float64 scalar; and the update, whose result is the fraction with
        this step; NaN while there are none.

    Raises:
        ValueError: if shapes are known not to fit.
    """
    with get_default_graph().name_scope(name or _at_k("precision", k, class_id)) as scope:
        sets = _sets(labels, predictions_idx), k, class_id, weights
        metric = _fraction(
            _total("true_positive", label_sets.true_positives, *sets),
            _total("false_positive", label_sets.false_positives, *sets),
            scope,
        )
    return collected(*metric, metrics_collections, updates_collections)


def _sets(labels: Any, predictions_idx: Any) -> Any:
    predicted = math_ops.cast(convert_to_tensor(predictions_idx), dtypes.int64)
    return label_sets.expanded(labels, predicted), predicted


def _total(
    name: str, count: Any, sets: Any, k: Optional[int], class_id: Optional[int], weights: Any
) -> Metric:
    variable: Any = metric_variable([], dtypes.float64, _at_k(name, k, class_id))
    with get_default_graph().name_scope(f"{variable.op.name}/"):
        of_step = math_ops.reduce_sum(count(*sets, class_id, weights))
        return variable, assign_add(variable, of_step, name="update")


def _fraction(part: Metric, rest: Metric, name: str) -> Metric:
    value = math_ops.div(part[0], math_ops.add(part[0], rest[0]), name=name)
    return value, math_ops.div(part[1], math_ops.add(part[1], rest[1]), name="update")


def average_precision_at_k(
    labels: Any, predictions: TensorLike, k: int, weights: Optional[TensorLike] = None,
    metrics_collections: Optional[Sequence[str]] = None,
    updates_collections: Optional[Sequence[str]] = None, name: Optional[str] = None,
) -> Metric:  # fmt: skip
    """The mean over rows of the average precision of the k greatest predictions.

    Args:
        labels: int64, the classes of each row: a tensor or a SparseTensor. Those that are no
            classes do not count.
        predictions: a number for each class, [..., classes].
        k: how many classes are predicted for each row, at least 1.
        weights: what each row counts, of the shape of the rows, or one number; None for 1.
        metrics_collections: the names of the collections that the value is added to, or None.
        updates_collections: the names of the collections that the update is added to, or None.

    Returns:
        The mean so far, a float64 scalar; and the update, whose result is the mean with this step.

    Raises:
        ValueError: if k is below 1, or shapes are known not to fit.
    """
    if k < 1:
        raise ValueError(f"Invalid k={k}.")
    with get_default_graph().name_scope(name or _at_k("average_precision", k)) as scope:
        given = convert_to_tensor(predictions)
        classes = label_sets.within_classes(labels, array_ops.shape(given)[-1])
        metric = _mean_average_precision(classes, top_k(given, k)[1], weights, scope)
    return collected(*metric, metrics_collections, updates_collections)


def average_precision_at_top_k(
    labels: Any, predictions_idx: TensorLike, weights: Optional[TensorLike] = None,
    metrics_collections: Optional[Sequence[str]] = None,
    updates_collections: Optional[Sequence[str]] = None, name: Optional[str] = None,
) -> Metric:  # fmt: skip
    """`average_precision_at_k` for given classes.

    Args:
        labels: int64, the classes of each row: a tensor or a SparseTensor.
        predictions_idx: int64, the predicted classes of each row, the best first, [..., k], of
            which k is known.
        weights: what each row counts, of the shape of the rows, or one number; None for 1.
        metrics_collections: the names of the collections that the value is added to, or None.
        updates_collections: the names of the collections that the update is added to, or None.

    Returns:
        The mean so far, a float64 scalar; and the update, whose result is the mean with this step.

    Raises:
        ValueError: if k is not known, or shapes are known not to fit.
    """
    predicted = convert_to_tensor(predictions_idx)
    k = predicted.shape[-1].value if predicted.shape.rank else None
    with get_default_graph().name_scope(name or _at_k("average_precision", k)) as scope:
        metric = _mean_average_precision(labels, predicted, weights, scope)
    return collected(*metric, metrics_collections, updates_collections)


def _mean_average_precision(classes: Any, top: Tensor, weights: Any, scope: str) -> Metric:
    predicted = math_ops.cast(top, dtypes.int64)
    average = _average_precision(label_sets.expanded(classes, predicted), predicted)
    if weights is None:
        number = math_ops.cast(array_ops.size(average), dtypes.float64)
    else:
        weight = math_ops.cast(convert_to_tensor(weights), dtypes.float64)
        each = broadcast_weights(weight, average)
        average, number = gen_ops.multiply(average, each), math_ops.reduce_sum(each)
    rows, rows_update = _sum("max", number)
    total, total_update = _sum("total", math_ops.reduce_sum(average))
    value = gen_ops.div_no_nan(total, rows, name="mean")
    return value, gen_ops.div_no_nan(total_update, rows_update, name=scope)


def _sum(name: str, of_step: Tensor) -> Metric:
    variable: Any = metric_variable([], dtypes.float64, name)
    return variable, assign_add(variable, of_step, name=f"{name}/update")


def _average_precision(classes: Any, predicted: Tensor) -> Tensor:
    """For each row, the mean over its labels of the precision down to where the label is."""
    k = predicted.shape[-1].value
    if k is None:
        raise ValueError("The last dimension of predictions_idx must be set.")
    each = array_ops.expand_dims(predicted, -1)
    is_label = label_sets.true_positives(label_sets.repeated(classes, k), each)
    found = gen_ops.cumsum(is_label, -1)
    precision = math_ops.div(found, gen_ops.cumsum(creation_ops.ones_like(is_label), -1))
    total = math_ops.reduce_sum(gen_ops.multiply(precision, is_label), axis=[-1])
    return math_ops.div(total, math_ops.cast(label_sets.size_up_to(classes, k), dtypes.float64))


def sparse_precision_at_k(
    labels: Any, predictions: TensorLike, k: int, class_id: Optional[int] = None,
    weights: Optional[TensorLike] = None, metrics_collections: Optional[Sequence[str]] = None,
    updates_collections: Optional[Sequence[str]] = None, name: Optional[str] = None,
) -> Metric:  # fmt: skip
    """The older name of `precision_at_k`.

    Args:
        labels: int64, the classes of each row, [..., classes] or [...] for one: a tensor or a
            SparseTensor.
        predictions: a number for each class, [..., classes].
        k: how many classes are predicted for each row.
        class_id: the only class that counts; None for all.
        weights: what each row counts, of the shape of the rows, or one number; None for 1.
        metrics_collections: the names of the collections that the value is added to, or None.
        updates_collections: the names of the collections that the update is added to, or None.

    Returns:
        The fraction so far, a float64 scalar; and the update, whose result is the fraction with
        this step; NaN while there are none.

    Raises:
        ValueError: if shapes are known not to fit.
    """
    collections = metrics_collections, updates_collections
    return precision_at_k(labels, predictions, k, class_id, weights, *collections, name)


def sparse_average_precision_at_k(
    labels: Any, predictions: TensorLike, k: int, weights: Optional[TensorLike] = None,
    metrics_collections: Optional[Sequence[str]] = None,
    updates_collections: Optional[Sequence[str]] = None, name: Optional[str] = None,
) -> Metric:  # fmt: skip
    """The older name of `average_precision_at_k`.

    Args:
        labels: int64, the classes of each row, [..., classes] or [...] for one: a tensor or a
            SparseTensor.
        predictions: a number for each class, [..., classes].
        k: how many classes are predicted for each row, at least 1.
        weights: what each row counts, of the shape of the rows, or one number; None for 1.
        metrics_collections: the names of the collections that the value is added to, or None.
        updates_collections: the names of the collections that the update is added to, or None.

    Returns:
        The mean so far, a float64 scalar; and the update, whose result is the mean with this step.

    Raises:
        ValueError: if k is below 1, or shapes are known not to fit.
    """
    collections = metrics_collections, updates_collections
    return average_precision_at_k(labels, predictions, k, weights, *collections, name)
