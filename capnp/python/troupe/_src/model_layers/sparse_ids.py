"""Dense tensors as sparse ones, and the ids of what they indicate."""

from __future__ import annotations

from typing import Any, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import (
    arithmetic_ops,
    array_ops,
    gen_ops,
    math_ops,
    rearrange_ops,
    segment_ops,
    selection_ops,
)
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.ops.sparse_tensor import SparseTensor
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DType


def _ignored(dtype: DType, value: Any) -> Tensor:
    """The value that is left out, by default the zero of the dtype."""
    if value is None:
        value = "" if dtype == dtypes.string else dtype.as_numpy_dtype()
    return math_ops.cast(convert_to_tensor(value), dtype)


def dense_to_sparse_tensor(dense_tensor: TensorLike, ignore_value: Any = None) -> SparseTensor:
    """The elements that are not one value, as a sparse tensor.

    Args:
        dense_tensor: A tensor.
        ignore_value: The value that is left out, by default the zero of the dtype: "" of strings.

    Returns:
        A sparse tensor of the same shape.
    """
    with name_scope(None, "DenseToSparseTensor"):
        tensor = convert_to_tensor(dense_tensor)
        is_kept = arithmetic_ops.not_equal(tensor, _ignored(tensor.dtype, ignore_value))
        indices = selection_ops.where(is_kept, name="indices")
        return SparseTensor(
            indices,
            rearrange_ops.gather_nd(tensor, indices, name="values"),
            array_ops.shape(tensor, out_type=dtypes.int64, name="dense_shape"),
        )


def indicators_to_sparse_ids(
    indicators: TensorLike, ignore_value: Any = None, dtype: DType = dtypes.int64
) -> SparseTensor:
    """The places along the last axis where a tensor is not one value, row by row.

    Args:
        indicators: A tensor, [..., classes].
        ignore_value: The value that is left out, by default the zero of the dtype: "" of strings.
        dtype: The dtype of the ids, one of integers.

    Returns:
        A sparse tensor, [..., the most ids of a row].

    Raises:
        ValueError: The dtype is none of integers.
    """
    if not dtype.is_integer:
        raise ValueError(f"Invalid dtype {dtype} not integer.")
    with name_scope(None, "indicators_to_sparse_ids"):
        tensor = convert_to_tensor(indicators, name="indicators")
        is_id = arithmetic_ops.not_equal(tensor, _ignored(tensor.dtype, ignore_value))
        ones = math_ops.cast(is_id, dtypes.int64)
        numbers = segment_ops.cumsum(ones, axis=-1)  # of ids in their rows, from 1
        indices = selection_ops.where(is_id)
        number = rearrange_ops.gather_nd(numbers, indices) - constant(1, dtypes.int64)
        shape = array_ops.shape(tensor, out_type=dtypes.int64)
        most = array_ops.reshape(gen_ops.maximum(math_ops.reduce_max(numbers), 0), [1])
        return SparseTensor(
            array_ops.concat([indices[:, :-1], array_ops.expand_dims(number, 1)], 1),
            math_ops.cast(indices[:, -1], dtype),
            array_ops.concat([shape[:-1], most], 0),
        )


def sparse_row_envelope(
    sparse_input: SparseTensor, row_axis: int = 0, col_axis: int = 1, name: Optional[str] = None
) -> Tensor:
    """How long each row of a sparse tensor is: one more than the last column that has a value.

    Args:
        sparse_input: A sparse tensor of rank 2 or more.
        row_axis: The axis of rows.
        col_axis: The axis of columns.
        name: The scope of the nodes.

    Returns:
        A vector of int64, 0 for a row without values.

    Raises:
        ValueError: The axes are no integers, or the same.
    """
    if not (isinstance(row_axis, int) and isinstance(col_axis, int)):
        raise ValueError("`row_axis` and `col_axis` must be integers.")
    if row_axis == col_axis:
        raise ValueError("Row and column can not be the same axis.")
    with name_scope(name, "sparse_row_envelope"):
        rows, columns = (sparse_input.indices[:, axis] for axis in (row_axis, col_axis))
        count = sparse_input.dense_shape[row_axis]
        lengths = gen_ops.unsorted_segment_max(columns + 1, rows, count)
        return gen_ops.maximum(lengths, constant(0, dtypes.int64))
