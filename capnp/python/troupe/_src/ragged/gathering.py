"""Rows and elements of ragged tensors by their indices."""

from __future__ import annotations

from typing import Any, Optional, Tuple

from troupe._src.graph.scopes import control_dependencies, name_scope
from troupe._src.ops import array_ops, math_ops, raw_ops, rearrange_ops, selection_ops
from troupe._src.ops.assert_ops import assert_equal
from troupe._src.ragged import rows
from troupe._src.ragged.parts import RaggedParts
from troupe._src.ragged.tensor import (
    RaggedTensor, convert_to_tensor_or_ragged_tensor, match_row_splits_dtypes,
)  # fmt: skip



def gather(
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    name: Optional[str] = None,
    axis: Any = None,
    batch_dims: int = 0,
) -> Any:
    """The rows at those indices, which may be ragged themselves."""
    if not isinstance(axis, int) and axis is not None or axis:
        raise ValueError("axis != 0 is not supported for ragged gather yet.")
    if not isinstance(batch_dims, int) or batch_dims != 0:
        raise ValueError("batch_dims != 0 is not supported for ragged gather yet.")
    with name_scope(name, "RaggedGather", [params, indices]):
        params, indices = converted(params, indices)
        if isinstance(indices, RaggedParts):
            return indices.with_values(gather(params, indices.values))
        if not isinstance(params, RaggedParts):
            return selection_ops.gather(params, indices)
        if indices.shape.rank is None:
            raise ValueError("indices.shape.ndims must be known statically")
        count = indices.shape.rank + params.ragged_rank - 1
        *splits, values = raw_ops.RaggedGather(
            params_nested_splits=list(params.nested_row_splits),
            params_dense_values=params.flat_values, indices=indices, OUTPUT_RAGGED_RANK=count,
        )  # fmt: skip
        return RaggedTensor.from_nested_row_splits(values, splits, validate=False)


def converted(params: Any, indices: Any) -> Tuple[Any, Any]:
    """As tensors or ragged tensors, whose splits have one dtype."""
    params = convert_to_tensor_or_ragged_tensor(params, name="params")
    is_ragged = isinstance(params, RaggedParts)
    indices = convert_to_tensor_or_ragged_tensor(
        indices, name="indices", preferred_dtype=params.row_splits.dtype if is_ragged else None
    )
    found: Tuple[Any, Any] = match_row_splits_dtypes(params, indices)
    return found


def batch_gather(params: Any, indices: Any, name: Optional[str] = None) -> Any:
    """In each batch the rows at its indices."""
    with name_scope(name, "RaggedBatchGather", [params, indices]):
        params, indices = converted(params, indices)
        rank = indices.shape.rank
        if rank is None:
            raise ValueError("batch_gather does not allow indices with unknown shape.")
        if rank == 0:
            raise ValueError("indices.rank must be at least 1.")
        if isinstance(indices, RaggedParts):
            return _batches_of_rows(params, indices)
        if not isinstance(params, RaggedParts):
            return rearrange_ops.batch_gather(params, indices)
        if rank == 1:
            return gather(params, indices)
        if rank > 2:
            raise ValueError("batch shape from indices does not match params shape")
        starts = array_ops.expand_dims(params.row_starts(), 1)
        return gather(params.values, math_ops.cast(indices, starts.dtype) + starts)


def _batches_of_rows(params: Any, indices: Any) -> Any:
    wrong = ValueError("batch shape from indices does not match params shape")
    if indices.shape.rank > 2:
        if not isinstance(params, RaggedParts):
            raise wrong
        with control_dependencies([assert_equal(params.row_splits, indices.row_splits)]):
            return indices.with_values(batch_gather(params.values, indices.values))
    if not isinstance(params, RaggedParts):
        if params.shape.rank is not None and params.shape.rank < 2:
            raise wrong
        params = RaggedTensor.from_tensor(params, row_splits_dtype=indices.row_splits.dtype)
    if not params.shape[:1].is_compatible_with(indices.shape[:1]):
        raise wrong
    with control_dependencies([assert_equal(params.nrows(), indices.nrows())]):
        starts = rows.repeat_rows(params.row_starts(), indices.row_lengths())
        places = math_ops.cast(indices.values, starts.dtype) + starts
        return indices.with_values(gather(params.values, places))
