"""Rows by their indices, with a default for those that no batch has."""

from __future__ import annotations

from typing import Any, List, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops, selection_ops
from troupe._src.ops.convert import constant
from troupe._src.ragged.broadcasting import broadcast_to
from troupe._src.ragged.dynamic_shape import RaggedTensorDynamicShape
from troupe._src.ragged.flat import map_flat_values
from troupe._src.ragged.gathering import batch_gather
from troupe._src.ragged.joining import concat
from troupe._src.ragged.layout import expand_dims
from troupe._src.ragged.parts import RaggedParts
from troupe._src.ragged.tensor import (
    convert_to_tensor_or_ragged_tensor, match_row_splits_dtypes,
)  # fmt: skip
from troupe._src.types.dtypes import DType


def batch_gather_with_default(
    params: Any, indices: Any, default_value: Any = "", name: Optional[str] = None
) -> Any:
    """`tf.batch_gather` with a value for indices that no batch has.

    Args:
        params: A tensor, or a ragged one.
        indices: Integers of a rank up to that of `params`.
        default_value: The value: a scalar or a vector.
        name: The name scope of the nodes.

    Returns:
        What is at the indices.

    Raises:
        ValueError: The value has more axes, or a rank is unknown.
    """
    with name_scope(name, "RaggedBatchGatherWithDefault"):
        data = convert_to_tensor_or_ragged_tensor(params, name="params")
        places = convert_to_tensor_or_ragged_tensor(indices, name="indices")
        default = convert_to_tensor_or_ragged_tensor(default_value, data.dtype, name="default")
        dtype, _ = match_row_splits_dtypes(data, places, default, return_dtype=True)
        if default.shape.rank not in (0, 1):
            raise ValueError('"default_value" must be a scalar or vector')
        if places.shape.rank is None or data.shape.rank is None:
            raise ValueError("Indices and params must have a known rank.")
        axis = places.shape.rank - 1
        pad = _pad(data, axis, default, dtype)
        # The default is before what each batch has.
        padded = concat([pad, data], axis=axis)
        counts = _counts(data, axis, dtype)
        counts = math_ops.cast(counts, places.dtype)
        is_out = gen_ops.logical_or(gen_ops.less(places, 0), gen_ops.greater_equal(places, counts))
        zeros = creation_ops.zeros_like(places)
        chosen = map_flat_values(selection_ops.where, is_out, zeros, places + 1)
        return batch_gather(padded, chosen)


def _counts(data: Any, axis: int, dtype: DType) -> Any:
    """How many rows each batch has, in a shape that broadcasts to that of the indices."""
    if isinstance(data, RaggedParts):
        lengths = data.row_lengths(axis)
        return lengths if axis == 0 else expand_dims(lengths, -1)
    return array_ops.shape(data, out_type=dtype)[axis]


def _pad(data: Any, axis: int, default: Tensor, dtype: DType) -> Any:
    """One row more for each batch."""
    if not isinstance(data, RaggedParts):
        sizes = array_ops.shape(data)
        sizes = array_ops.concat([sizes[:axis], [1], sizes[axis + 1 :]], axis=0)
        return array_ops.broadcast_to(default, sizes)
    shape = RaggedTensorDynamicShape.from_tensor(data, dtype)
    outer, inner = list(shape.partitioned_dim_sizes), shape.inner_dim_sizes
    if axis >= len(outer):
        place = axis - len(outer)
        one = constant([1], inner.dtype)
        inner = array_ops.concat([inner[:place], one, inner[place + 1 :]], axis=0)
        return broadcast_to(default, RaggedTensorDynamicShape(outer, inner))
    sizes_of_one: List[Any]
    if axis == 0:
        sizes_of_one = [constant(1, dtype), *[constant([1], dtype)] * (len(outer) - 1)]
    else:
        sizes_of_one = [creation_ops.ones_like(outer[axis])] * (len(outer) - axis)
    return broadcast_to(default, RaggedTensorDynamicShape([*outer[:axis], *sizes_of_one], inner))
