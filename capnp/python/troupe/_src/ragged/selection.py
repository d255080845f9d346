"""Elements of ragged tensors by masks and conditions."""

from __future__ import annotations

from typing import Any, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import control_dependencies, name_scope
from troupe._src.ops import array_ops, math_ops, order_ops, rearrange_ops, selection_ops
from troupe._src.ops.assert_ops import assert_equal, assert_less
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ragged import rows
from troupe._src.ragged.factories import row_count
from troupe._src.ragged.flat import map_flat_values
from troupe._src.ragged.gathering import gather
from troupe._src.ragged.joining import concat
from troupe._src.ragged.layout import expand_dims
from troupe._src.ragged.parts import RaggedParts
from troupe._src.ragged.tensor import (
    RaggedTensor, convert_to_tensor_or_ragged_tensor, match_row_splits_dtypes,
)  # fmt: skip
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DType


def boolean_mask(data: Any, mask: Any, name: Optional[str] = None) -> Any:
    """What a mask keeps, with the axes that it covers: rows may have different lengths then.

    Args:
        data: A tensor, or a ragged one.
        mask: Bools in the shape of the first axes of the data.
        name: The name scope of the nodes.

    Returns:
        A ragged tensor of the rank of the data; for a mask of rank 1 and a tensor a tensor.

    Raises:
        ValueError: The rank of the mask is 0 or unknown.
    """
    with name_scope(name, "RaggedMask", [data, mask]):
        values = convert_to_tensor_or_ragged_tensor(data, name="data")
        kept = convert_to_tensor_or_ragged_tensor(mask, dtypes.bool_, name="mask")
        dtype, _ = match_row_splits_dtypes(values, kept, return_dtype=True)
        if kept.shape.rank is None:
            raise ValueError("mask.shape.ndims must be known statically.")
        if kept.shape.rank == 0:
            raise ValueError("mask cannot be scalar.")
        return _masked(values, kept, dtype)


def _masked(data: Any, mask: Any, dtype: DType) -> Any:
    rank = mask.shape.rank
    if rank == 1 and not isinstance(data, RaggedParts):
        return rearrange_ops.boolean_mask(data, mask)
    if rank == 1:
        # Of rows.
        places = selection_ops.where(mask)
        return gather(data, array_ops.squeeze(places, axis=[1]))
    if not isinstance(mask, RaggedParts):
        ragged_rank = data.ragged_rank if isinstance(data, RaggedParts) else rank - 1
        mask = RaggedTensor.from_tensor(
            mask, ragged_rank=min(ragged_rank, rank - 1), row_splits_dtype=dtype
        )
    if not isinstance(data, RaggedParts):
        data = RaggedTensor.from_tensor(
            data, ragged_rank=mask.ragged_rank, row_splits_dtype=dtype
        )
    with control_dependencies(rows.check_same_splits([[mask.row_splits], [data.row_splits]])):
        values = _masked(data.values, mask.values, dtype)
        splits = mask.row_splits
        if rank == 2:
            # Of each row as many values are left as are true before its end.
            true = _true_before(mask.values, dtype)
            splits = selection_ops.gather(true, splits)
        return RaggedTensor.from_row_splits(values, splits, validate=False)


def _true_before(mask: Tensor, dtype: DType) -> Tensor:
    """How many of the bools before each, and before the end, are true."""
    return rows.lengths_to_splits(math_ops.cast(mask, dtype))


def where(condition: Any, x: Any = None, y: Any = None, name: Optional[str] = None) -> Any:
    """Elements of x where the condition is true, else of y; without them, where it is true."""
    if (x is None) != (y is None):
        raise ValueError("x and y must be either both None or both non-None")
    with name_scope(name, "RaggedWhere", [condition, x, y]):
        condition = convert_to_tensor_or_ragged_tensor(condition, name="condition")
        if x is None:
            return _places(condition)
        x = convert_to_tensor_or_ragged_tensor(x, name="x")
        y = convert_to_tensor_or_ragged_tensor(y, name="y")
        match_row_splits_dtypes(condition, x, y)
        if all(isinstance(each, RaggedParts) for each in (condition, x, y)):
            return map_flat_values(selection_ops.where, condition, x, y)
        if isinstance(condition, RaggedParts):
            raise ValueError("Input shapes do not match.")
        return _rows_where(condition, x, y)


def _rows_where(condition: Tensor, x: Any, y: Any) -> Any:
    """Rows of one or the other."""
    condition.shape.assert_has_rank(1)
    both = concat([x, y], axis=0)
    dtype = both.row_splits.dtype
    count = row_count(x, dtype)
    places = selection_ops.where(
        condition, math_ops.range(count), count + math_ops.range(row_count(y, dtype))
    )
    return gather(both, places)


def _places(condition: Any) -> Tensor:
    """The indices of true elements, int64 [count, rank]."""
    if not isinstance(condition, RaggedParts):
        return selection_ops.where(condition)
    inner = _places(condition.values)
    splits = math_ops.cast(condition.row_splits, dtypes.int64)
    row = rows.rows_of_places(splits, inner[:, 0], dtypes.int64)
    column = inner[:, 0] - selection_ops.gather(splits, row)
    return array_ops.concat([array_ops.stack([row, column], axis=1), inner[:, 1:]], axis=1)


def stack_dynamic_partitions(
    data: Any, partitions: Any, num_partitions: Any, name: Optional[str] = None
) -> Any:
    """A row for each partition, of what belongs to it, in order.

    Args:
        data: A tensor, or a ragged one.
        partitions: int32 or int64, the partition of each, in the shape of the first axes of the
            data.
        num_partitions: How many there are.
        name: The name scope of the nodes.

    Returns:
        A ragged tensor.

    Raises:
        ValueError: The rank of the partitions is unknown, or their shape does not fit.
    """
    with name_scope(name, "SegmentStack", [data, partitions, num_partitions]):
        values = convert_to_tensor_or_ragged_tensor(data, name="data")
        dtype = values.row_splits.dtype if isinstance(values, RaggedParts) else None
        ids = convert_to_tensor_or_ragged_tensor(
            partitions, preferred_dtype=dtype, name="partitions"
        )
        count = convert_to_tensor(num_partitions, preferred_dtype=ids.dtype, name="num_partitions")
        if dtype is not None and not isinstance(ids, RaggedParts):
            ids = math_ops.cast(ids, dtype)
        rank = ids.shape.rank
        if rank is None:
            raise ValueError("partitions must have known rank.")
        count.shape.assert_has_rank(0)
        ids.shape.assert_is_compatible_with(values.shape[:rank])
        return _partitioned(values, ids, count)


def _partitioned(data: Any, ids: Any, count: Tensor) -> Any:
    rank = ids.shape.rank
    if rank == 0:
        data, ids = expand_dims(data, 0), array_ops.expand_dims(ids, 0)
    elif rank == 1:
        order = order_ops.argsort(ids, stable=True)
        data, ids = gather(data, order), selection_ops.gather(ids, order)
    else:
        dtype = next(
            (each.row_splits.dtype for each in (data, ids) if isinstance(each, RaggedParts)),
            ids.dtype,
        )
        if not isinstance(data, RaggedParts):
            data = RaggedTensor.from_tensor(data, row_splits_dtype=dtype)
        if not isinstance(ids, RaggedParts):
            ids = RaggedTensor.from_tensor(
                ids, ragged_rank=min(data.ragged_rank, rank - 1), row_splits_dtype=dtype
            )
        wrong = "data and partitions have incompatible ragged shapes"
        check = assert_equal(data.row_splits, ids.row_splits, message=wrong)
        with control_dependencies([check]):
            return _partitioned(data.values, ids.values, count)
    count = math_ops.cast(count, ids.dtype)
    wrong = "partitions must be less than num_partitions"
    with control_dependencies([assert_less(ids[-1:], count, message=wrong)]):
        return RaggedTensor.from_value_rowids(data, ids, count, validate=False)
