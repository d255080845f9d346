"""Ranges of numbers as rows."""

from __future__ import annotations

from typing import Any, Optional

from troupe._src.graph.scopes import name_scope
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import math_ops, raw_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ragged.tensor import RaggedTensor
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike, as_dtype

_DTYPES = (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64)


def ragged_range(
    starts: TensorLike,
    limits: Optional[TensorLike] = None,
    deltas: TensorLike = 1,
    dtype: Optional[DTypeLike] = None,
    name: Optional[str] = None,
    row_splits_dtype: DTypeLike = dtypes.int64,
) -> RaggedTensor:
    """Rows of numbers: each from a start on, in steps of a delta, and before a limit.

    Args:
        starts: A vector, or a scalar for all rows; without limits these are the limits, and rows
            start at 0.
        limits: As the starts.
        deltas: As the starts.
        dtype: The dtype of the numbers, by default the widest of the arguments.
        name: The name scope of the nodes.
        row_splits_dtype: int32 or int64.

    Returns:
        A ragged tensor with a row for each range.

    Raises:
        TypeError: An argument has a dtype of which there are no ranges.
    """
    splits_dtype = as_dtype(row_splits_dtype)
    if limits is None:
        starts, limits = 0, starts
    with name_scope(name, "RaggedRange", [starts, limits, deltas]):
        given = [
            convert_to_tensor(value, dtype, name=each)
            for value, each in ((starts, "starts"), (limits, "limits"), (deltas, "deltas"))
        ]
        if dtype is None:
            given = _of_one_dtype(given)
        splits, values = raw_ops.RaggedRange(
            starts=given[0], limits=given[1], deltas=given[2], Tsplits=splits_dtype
        )
        return RaggedTensor.from_row_splits(values, splits, validate=False)


def _of_one_dtype(tensors: Any) -> Any:
    found = [tensor.dtype for tensor in tensors]
    if not set(found) <= set(_DTYPES):
        raise TypeError(f"ranges are of int32, int64, float32 or float64, not of {found}")
    widest = max(found, key=_DTYPES.index)
    return [math_ops.cast(tensor, widest) for tensor in tensors]
