"""Counts of pairs of a label and a prediction, and the ranks that such pairs have."""

from __future__ import annotations

from typing import Any, Optional, Tuple

from troupe._src.control_flow.conditional import cond
from troupe._src.control_flow.weights import may_be_squeezed
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops
from troupe._src.ops.assert_ops import assert_less, assert_non_negative
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.sparse_tensor import SparseTensor
from troupe._src.sparse.arithmetic import sparse_add
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike


def remove_squeezable_dimensions(
    labels: TensorLike,
    predictions: TensorLike,
    expected_rank_diff: int = 0,
    name: Optional[str] = None,
) -> Tuple[Tensor, Tensor]:
    """Both, without the last dimension of the one that has one more than expected.

    Args:
        labels: the expected values.
        predictions: the predicted ones.
        expected_rank_diff: how many more dimensions the predictions have than the labels.

    Returns:
        The labels and the predictions.
    """
    with get_default_graph().name_scope(name or "remove_squeezable_dimensions"):
        predicted, expected = convert_to_tensor(predictions), convert_to_tensor(labels)
        predicted_rank, expected_rank = predicted.shape.rank, expected.shape.rank
        if predicted_rank is not None and expected_rank is not None:
            more = predicted_rank - expected_rank - expected_rank_diff
            if more == 1:
                predicted = array_ops.squeeze(predicted, [-1])
            elif more == -1:
                expected = array_ops.squeeze(expected, [-1])
            return expected, predicted
        difference = gen_ops.rank(predicted) - gen_ops.rank(expected)
        return (
            _squeezed_if(gen_ops.equal(difference, expected_rank_diff - 1), expected),
            _squeezed_if(gen_ops.equal(difference, expected_rank_diff + 1), predicted),
        )


def _squeezed_if(condition: Any, tensor: Tensor) -> Tensor:
    """Without the last dimension where the condition holds in a step."""
    if not may_be_squeezed(tensor):
        return tensor
    chosen: Tensor = cond(condition, lambda: array_ops.squeeze(tensor, [-1]), lambda: tensor)
    return chosen


def confusion_matrix(
    labels: TensorLike, predictions: TensorLike, num_classes: Optional[TensorLike] = None,
    dtype: DTypeLike = dtypes.int32, name: Optional[str] = None,
    weights: Optional[TensorLike] = None,
) -> Tensor:  # fmt: skip
    """How often each label, a row, got each prediction, a column.

    Args:
        labels: a vector of classes.
        predictions: a vector of as many.
        num_classes: the size of the matrix; by default, one more than the largest class.
        dtype: that of the result.
        weights: what each pair counts, instead of 1.

    Returns:
        A tensor [num_classes, num_classes]. A step fails with InvalidArgument for a class that is
        negative or not below `num_classes`.

    Raises:
        ValueError: if the shapes are known to differ.
    """
    graph = get_default_graph()
    with graph.name_scope(name or "confusion_matrix"):
        expected, predicted = remove_squeezable_dimensions(labels, predictions)
        expected, predicted = (math_ops.cast(x, dtypes.int64) for x in (expected, predicted))
        kinds = {"labels": expected, "predictions": predicted}
        checks = [
            assert_non_negative(tensor, message=f"`{kind}` contains negative values")
            for kind, tensor in kinds.items()
        ]
        if num_classes is None:
            largest = math_ops.reduce_max(predicted), math_ops.reduce_max(expected)
            count = gen_ops.maximum(*largest) + 1
        else:
            count = math_ops.cast(convert_to_tensor(num_classes), dtypes.int64)
            checks += [
                assert_less(tensor, count, message=f"`{kind}` out of bound")
                for kind, tensor in kinds.items()
            ]
        with graph.control_dependencies(checks):
            if weights is None:
                values = creation_ops.ones_like(predicted, dtype)
            else:
                given = convert_to_tensor(weights)
                predicted.shape.assert_is_compatible_with(given.shape)
                values = math_ops.cast(given, dtype)
            shape = array_ops.stack([count, count])
            pairs = array_ops.stack([expected, predicted], axis=1)
        zeros = creation_ops.zeros(math_ops.cast(shape, dtypes.int32), dtype)
        matrix: Tensor = sparse_add(zeros, SparseTensor(pairs, values, shape))
        return matrix
