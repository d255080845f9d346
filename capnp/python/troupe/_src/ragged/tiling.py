"""Repetitions of ragged tensors."""

from __future__ import annotations

from typing import Any, List, Optional

from troupe._src.framework.static_values import get_static_value
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.ops import array_ops, gen_ops, math_ops, selection_ops
from troupe._src.ops.convert import constant
from troupe._src.ragged import rows
from troupe._src.ragged.gathering import gather
from troupe._src.ragged.parts import RaggedParts
from troupe._src.ragged.tensor import RaggedTensor, convert_to_tensor_or_ragged_tensor


def tile(input: Any, multiples: Any, name: Optional[str] = None) -> Any:
    """Each axis so often in succession."""
    with name_scope(name, "RaggedTile", [input, multiples]):
        ragged = convert_to_tensor_or_ragged_tensor(input, name="input")
        if not isinstance(ragged, RaggedParts):
            return gen_ops.tile(ragged, multiples)
        counts = rows.to_int_tensor(multiples, "multiples", ragged.row_splits.dtype)
        counts.shape.assert_has_rank(1)
        known = get_static_value(counts)
        return _tiled(ragged, counts, None if known is None else known.tolist())


def _tiled(data: Any, counts: Tensor, known: Optional[List[int]]) -> Any:
    """Along all axes, the inner ones first: then those are in each repetition of the outer."""
    if not isinstance(data, RaggedParts):
        return gen_ops.tile(data, counts)
    rest = None if known is None else [1, *known[2:]]
    one = constant([1], counts.dtype)
    inner = data.values
    if rest is None or any(count != 1 for count in rest):
        inner = _tiled(inner, array_ops.concat([one, counts[2:]], axis=0), rest)
    found = data.with_values(inner)
    if known is None or known[1] != 1:
        found = _each_row_repeated(found, counts[1])
    if known is None or known[0] != 1:
        found = _rows_repeated(found, counts[0])
    nrows = data.shape[0].value
    if known is not None and nrows is not None:
        found.row_splits.set_shape([nrows * known[0] + 1])
    return found


def _rows_repeated(data: Any, count: Tensor) -> Any:
    """All rows, so often in succession."""
    nrows = data.nrows()
    return gather(data, gen_ops.floormod(math_ops.range(nrows * count), _at_least_1(nrows)))


def _each_row_repeated(data: Any, count: Tensor) -> Any:
    """The values of each row, so often in succession."""
    lengths = data.row_lengths()
    splits = rows.lengths_to_splits(lengths * count)
    rowids = rows.row_splits_to_segment_ids(splits)
    in_row = math_ops.range(splits[-1]) - selection_ops.gather(splits, rowids)
    starts = selection_ops.gather(data.row_splits, rowids)
    length = selection_ops.gather(lengths, rowids)
    places = starts + gen_ops.floormod(in_row, length)
    return RaggedTensor.from_row_splits(gather(data.values, places), splits, validate=False)


def _at_least_1(count: Tensor) -> Tensor:
    return gen_ops.maximum(count, constant(1, count.dtype))
