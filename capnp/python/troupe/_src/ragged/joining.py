"""Ragged tensors one behind the other."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence

from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import control_dependencies, name_scope
from troupe._src.ops import array_ops, math_ops
from troupe._src.ops.assert_ops import assert_equal
from troupe._src.ops.convert import constant
from troupe._src.ragged import rows
from troupe._src.ragged.factories import row_count
from troupe._src.ragged.gathering import gather
from troupe._src.ragged.layout import expand_dims
from troupe._src.ragged.parts import RaggedParts
from troupe._src.ragged.tensor import (
    RaggedTensor, convert_to_tensor_or_ragged_tensor, match_row_splits_dtypes,
)  # fmt: skip
from troupe._src.types.dtypes import DType


def concat(values: Any, axis: Any, name: Optional[str] = None) -> Any:
    """Along an axis that they have; rows along it may be ragged in the result."""
    values = values if isinstance(values, (list, tuple)) else [values]
    with name_scope(name, "RaggedConcat", values):
        return _joined(values, axis, stacks=False)


def stack(values: Any, axis: int = 0, name: Optional[str] = None) -> Any:
    """Tensors along a new axis, which need not have the same shape.

    Args:
        values: Tensors of one rank and dtype, or ragged ones.
        axis: The place of the new axis in the result.
        name: The name scope of the nodes.

    Returns:
        A ragged tensor of one rank more.

    Raises:
        ValueError: There are none, the ranks differ, or there is no such axis.
    """
    values = values if isinstance(values, (list, tuple)) else [values]
    with name_scope(name, "RaggedConcat", values):
        return _joined(values, axis, stacks=True)


def _joined(values: Sequence[Any], axis: Any, stacks: bool) -> Any:
    if not values:
        raise ValueError("rt_inputs may not be empty.")
    found = [convert_to_tensor_or_ragged_tensor(each, name="rt_input") for each in values]
    dtype, _ = match_row_splits_dtypes(*found, return_dtype=True)
    if len(found) == 1:
        return expand_dims(found[0], axis=axis) if stacks else found[0]
    ndims = found[0].shape.rank
    for each in found[1:]:
        if ndims is None:
            ndims = each.shape.rank
        elif each.shape.rank is not None:
            each.shape.assert_has_rank(ndims)
    out_ndims = None if ndims is None else ndims + stacks
    axis = rows.positive_axis(axis, out_ndims)
    if not any(isinstance(each, RaggedParts) for each in found):
        # Along the last axes nothing becomes ragged, unless rows that are stacked differ.
        if out_ndims is not None and ndims is not None and axis in (out_ndims - 1, ndims - 1):
            if not stacks:
                return array_ops.concat(found, axis)
            if all(each.shape.is_compatible_with(found[0].shape) for each in found):
                return array_ops.stack(found, axis)
            if ndims == 1:
                lengths = array_ops.stack([row_count(each, dtype) for each in found])
                flat = array_ops.concat(found, axis=0)
                return RaggedTensor.from_row_lengths(flat, lengths, validate=False)
    ranks = [each.ragged_rank if isinstance(each, RaggedParts) else 1 for each in found]
    found = [_of_rank(each, max(ranks), dtype) for each in found]
    if axis == 0:
        return _along_first(found, stacks)
    if axis == 1:
        return _along_second(found, stacks)
    with control_dependencies(rows.check_same_splits([[each.row_splits] for each in found])):
        inner = _joined([each.values for each in found], axis - 1, stacks)
        return RaggedTensor.from_row_splits(inner, found[0].row_splits, validate=False)


def _of_rank(value: Any, ragged_rank: int, dtype: DType) -> Any:
    """With as many ragged axes."""
    if ragged_rank == 0:
        return value
    if not isinstance(value, RaggedParts):
        return RaggedTensor.from_tensor(value, ragged_rank=ragged_rank, row_splits_dtype=dtype)
    if value.ragged_rank == ragged_rank:
        return value
    return value.with_values(_of_rank(value.values, ragged_rank - 1, dtype))


def _along_first(values: Sequence[Any], stacks: bool) -> Any:
    flat = array_ops.concat([each.flat_values for each in values], axis=0)
    splits = [
        _joined_splits(level) for level in zip(*(each.nested_row_splits for each in values))
    ]
    if stacks:
        counts = array_ops.stack([each.nrows() for each in values])
        splits.insert(0, rows.lengths_to_splits(counts))
    return RaggedTensor.from_nested_row_splits(flat, splits, validate=False)


def _joined_splits(splits: Sequence[Tensor]) -> Tensor:
    """Those of rows one behind the other."""
    pieces: List[Tensor] = [splits[0]]
    end = splits[0][-1]
    for each in splits[1:]:
        pieces.append(each[1:] + end)
        end = end + each[-1]
    return array_ops.concat(pieces, axis=0)


def _along_second(values: Sequence[Any], stacks: bool) -> Any:
    """Each row of the first, behind it that of the second, and so on."""
    count = len(values)
    nrows = values[0].nrows()
    checks = [
        assert_equal(each.nrows(), nrows, message="Input tensors have incompatible shapes.")
        for each in values[1:]
    ]
    with control_dependencies(checks):
        all_rows = _along_first(values, stacks=False)
        # Row r of value v is at v * nrows + r; wanted are those of one r in succession.
        numbers = array_ops.reshape(math_ops.range(nrows * count), [count, -1])
        order = array_ops.reshape(array_ops.transpose(numbers), [-1])
        found = gather(all_rows, order)
        if stacks:
            splits = math_ops.range(
                constant(0, nrows.dtype), nrows * count + 1, constant(count, nrows.dtype)
            )
        else:
            found, splits = found.values, found.row_splits[::count]
        known = [each.shape[0].value for each in values]
        if any(size is not None for size in known):
            size = next(size for size in known if size is not None)
            splits.set_shape([size + 1])
        return RaggedTensor.from_row_splits(found, splits, validate=False)
