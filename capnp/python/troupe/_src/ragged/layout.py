"""The axes of ragged tensors."""

from __future__ import annotations

from typing import Any, List, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import control_dependencies, name_scope
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops
from troupe._src.ops.assert_ops import Assert
from troupe._src.ops.convert import constant
from troupe._src.ragged import rows
from troupe._src.ragged.parts import RaggedParts
from troupe._src.ragged.tensor import RaggedTensor, convert_to_tensor_or_ragged_tensor
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike


def expand_dims(
    input: Any, axis: Any = None, name: Optional[str] = None, dim: Any = None
) -> Any:
    """With an axis of size 1 more."""
    place = dim if axis is None else axis
    with name_scope(name, "RaggedExpandDims", [input]):
        ragged = convert_to_tensor_or_ragged_tensor(input, name="input")
        if not isinstance(ragged, RaggedParts):
            return array_ops.expand_dims(ragged, place)
        rank = ragged.shape.rank
        place = rows.positive_axis(place, None if rank is None else rank + 1)
        if place > 1:
            return ragged.with_values(expand_dims(ragged.values, place - 1))
        count = ragged.nrows()
        splits = (
            array_ops.stack([constant(0, count.dtype), count])
            if place == 0
            else math_ops.range(count + 1)
        )
        return RaggedTensor.from_row_splits(ragged, splits, validate=False)


def size(input: Any, name: Optional[str] = None, out_type: DTypeLike = dtypes.int32) -> Tensor:
    """The number of values."""
    flat = convert_to_tensor_or_ragged_tensor(input).flat_values
    return array_ops.size(flat, out_type=out_type, name=name)


def rank(input: Any, name: Optional[str] = None) -> Any:
    """The number of axes."""
    ragged = convert_to_tensor_or_ragged_tensor(input)
    with name_scope(name, "RaggedRank", [input]):
        return array_ops.rank(ragged.flat_values) + ragged.ragged_rank


def one_hot(
    indices: Any,
    depth: Any,
    on_value: Any = None,
    off_value: Any = None,
    axis: Any = None,
    dtype: Optional[DTypeLike] = None,
    name: Optional[str] = None,
) -> Any:
    """With an axis more, which is `on_value` at the index."""
    with name_scope(name, "RaggedOneHot", [indices]):
        ragged = convert_to_tensor_or_ragged_tensor(indices, name="indices")
        if axis is not None:
            # As in TensorFlow: an axis of the innermost values, that of the last one being -1.
            axis = rows.positive_axis(axis, ragged.shape.rank)
            if axis < ragged.ragged_rank:
                raise ValueError("axis may not be less than indices.ragged_rank.")
        return ragged.with_flat_values(
            creation_ops.one_hot(ragged.flat_values, depth, on_value, off_value, axis, dtype)
        )


def squeeze(
    input: Any, axis: Any = None, name: Optional[str] = None, squeeze_dims: Any = None
) -> Any:
    """Without axes of size 1; steps fail where rows have another length."""
    axis = squeeze_dims if axis is None else axis
    with name_scope(name, "RaggedSqueeze", [input]):
        ragged = convert_to_tensor_or_ragged_tensor(input)
        if not isinstance(ragged, RaggedParts):
            return array_ops.squeeze(ragged, axis)
        if axis is None:
            raise ValueError("Ragged.squeeze must have an axis argument.")
        axes = [axis] if isinstance(axis, int) else axis
        if not isinstance(axes, (list, tuple)) or not all(isinstance(each, int) for each in axes):
            raise TypeError("Axis must be a list or tuple of integers.")
        gone = {rows.positive_axis(each, ragged.shape.rank) for each in axes}
        splits = list(ragged.nested_row_splits)
        with control_dependencies(_check_sizes(splits, gone)):
            values = array_ops.identity(ragged.flat_values)
        inner = [each - len(splits) for each in gone if each > len(splits)]
        if inner:
            values = array_ops.squeeze(values, inner)
        kept = [each for place, each in enumerate(splits) if place + 1 not in gone]
        if 0 in gone:
            if kept:
                # Without the first axis rows are those of the only row.
                kept = kept[1:]
            else:
                values = array_ops.squeeze(values, [0])
        return RaggedTensor.from_nested_row_splits(values, kept, validate=False)


def _check_sizes(splits: List[Tensor], axes: Any) -> List[Any]:
    checks = []
    for axis in sorted(each for each in axes if each <= len(splits)):
        if axis == 0:
            holds = gen_ops.equal(array_ops.size(splits[0]), 2)
        else:
            lengths = rows.splits_to_lengths(splits[axis - 1])
            holds = math_ops.reduce_all(gen_ops.equal(lengths, constant(1, lengths.dtype)))
        checks.append(Assert(holds, [f"the given axis (axis = {axis}) is not squeezable!"]))
    return checks
