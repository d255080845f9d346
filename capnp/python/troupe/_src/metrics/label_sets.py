"""Sets of classes for each row, dense or sparse, and what two of them have in common."""

from __future__ import annotations

from typing import Any, Optional, Union

from troupe._src.control_flow.conditional import cond
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.control_flow.weights import assert_broadcastable
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops, selection_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.sparse_tensor import SparseTensor, SparseTensorValue
from troupe._src.sparse import sets
from troupe._src.sparse.arrangement import sparse_concat, sparse_reshape, sparse_retain
from troupe._src.types import dtypes

Classes = Union[Tensor, SparseTensor]


def classes_of(labels: Any) -> Classes:
    """Tensors and sparse tensors as they are; others as a tensor."""
    if isinstance(labels, (SparseTensor, SparseTensorValue)):
        return SparseTensor.from_value(labels)
    return convert_to_tensor(labels)


def expanded(labels: Any, predictions: Tensor) -> Classes:
    """Labels of the rank of the predictions: a class a row becomes a set of one.

    ValueError for labels of another rank.
    """
    classes = classes_of(labels)
    rank, wanted = classes.shape.rank, predictions.shape.rank
    if rank is not None and wanted is not None:
        if rank == wanted:
            return classes
        if wanted == rank + 1:
            return _as_sets(classes)
        if not isinstance(classes, SparseTensor):
            raise ValueError(
                f"Unexpected labels shape {classes.shape} for predictions shape "
                f"{predictions.shape}."
            )
    if isinstance(classes, SparseTensor):
        own_rank = array_ops.size(classes.dense_shape)
    else:
        own_rank = gen_ops.rank(classes)
    is_less = gen_ops.equal(gen_ops.rank(predictions), own_rank + 1)
    chosen: Classes = cond(is_less, lambda: _as_sets(classes), lambda: classes)
    return chosen


def _as_sets(classes: Classes) -> Classes:
    if isinstance(classes, SparseTensor):
        shape = array_ops.concat([classes.dense_shape, [1]], 0)
        return sparse_reshape(classes, shape)
    return array_ops.expand_dims(classes, -1)


def within_classes(labels: Any, num_classes: Tensor) -> Classes:
    """-1, which no prediction is, for labels that are not below the number of classes."""
    classes = classes_of(labels)
    values = classes.values if isinstance(classes, SparseTensor) else classes
    limit = math_ops.cast(num_classes, values.dtype)
    nothing = creation_ops.zeros_like(values) - 1
    known = selection_ops.where_v2(gen_ops.greater_equal(values, limit), nothing, values)
    return classes._with_values(known) if isinstance(classes, SparseTensor) else known


def repeated(classes: Classes, times: int) -> Classes:
    """The set of each row so many times, along a new dimension before the last one."""
    if isinstance(classes, SparseTensor):
        shape = classes.dense_shape
        wider = sparse_reshape(classes, array_ops.concat([shape[:-1], [1], shape[-1:]], 0))
        return wider if times == 1 else sparse_concat(-2, [wider] * times)
    ones = creation_ops.ones_like(array_ops.shape(classes))
    multiples = array_ops.concat([ones[:-1], [times], ones[-1:]], 0)
    return gen_ops.tile(array_ops.expand_dims(classes, -2), multiples)


def size_up_to(classes: Classes, limit: int) -> Tensor:
    """How many labels each row has, at most the limit; negative ones are none."""
    if isinstance(classes, SparseTensor):
        return gen_ops.minimum(sets.size(classes), limit)
    is_label = math_ops.cast(gen_ops.greater_equal(classes, 0), classes.dtype)
    return gen_ops.minimum(math_ops.reduce_sum(is_label, axis=-1), limit)


def _only(classes: Classes, chosen: Any) -> SparseTensor:
    """The sets with no class but the chosen one."""
    if isinstance(classes, SparseTensor):
        return sparse_retain(classes, gen_ops.equal(classes.values, chosen))
    shape = array_ops.shape(classes, out_type=dtypes.int64)
    rows = array_ops.concat([shape[:-1], [1]], 0)
    wanted = creation_ops.fill(rows, math_ops.cast(convert_to_tensor(chosen), dtypes.int64))
    found = sets.intersection(wanted, classes)
    return SparseTensor(found.indices, found.values, shape)


def _counted(
    operation: Any, labels: Classes, predictions: Classes, class_id: Any, weights: Any
) -> Tensor:
    """The weighted sizes of the sets that the operation makes of predictions and labels."""
    if class_id is not None:
        labels, predictions = _only(labels, class_id), _only(predictions, class_id)
    counts = math_ops.cast(sets.size(operation(predictions, labels)), dtypes.float64)
    if weights is None:
        return counts
    check = assert_broadcastable(weights, counts)
    with get_default_graph().control_dependencies([check]):
        factors = math_ops.cast(convert_to_tensor(weights), dtypes.float64)
        return gen_ops.multiply(counts, factors)


def true_positives(
    labels: Classes, predictions: Classes, class_id: Any = None, weights: Optional[Any] = None
) -> Tensor:
    """How many of the predicted classes are labels."""
    return _counted(sets.intersection, labels, predictions, class_id, weights)


def false_positives(
    labels: Classes, predictions: Classes, class_id: Any = None, weights: Optional[Any] = None
) -> Tensor:
    """How many of the predicted classes are no labels."""
    return _counted(sets.difference, labels, predictions, class_id, weights)


def false_negatives(
    labels: Classes, predictions: Classes, class_id: Any = None, weights: Optional[Any] = None
) -> Tensor:
    """How many of the labels are not predicted."""

    def missing(predicted: Any, expected: Any) -> Any:
        return sets.difference(predicted, expected, aminusb=False)

    return _counted(missing, labels, predictions, class_id, weights)
