"""Functions of ragged tensors that have no public names, as TensorFlow's source has them."""

from __future__ import annotations

from typing import Any, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.ops import creation_ops, gen_ops, math_ops, raw_ops, rearrange_ops
from troupe._src.ops.convert import constant as _constant
from troupe._src.ragged import reducing
from troupe._src.ragged.broadcasting import broadcast_dynamic_shape, broadcast_to
from troupe._src.ragged.dynamic_shape import RaggedTensorDynamicShape
from troupe._src.ragged.elements import gather_nd as _gather_nd
from troupe._src.ragged.gathering import batch_gather
from troupe._src.ragged.gathering import gather as _gather
from troupe._src.ragged.joining import concat, stack
from troupe._src.ragged.layout import squeeze
from troupe._src.ragged_functions.defaults import batch_gather_with_default
from troupe._src.ragged_functions.mapping import map_fn
from troupe._src.ragged.ranges import ragged_range as range
from troupe._src.ragged.rows import (
    check_same_splits, lengths_to_splits, positive_axis, repeat_ranges, to_int_tensor,
)  # fmt: skip
from troupe._src.ragged.tensor import (
    RaggedTensor, RaggedTensorType, convert_to_tensor_or_ragged_tensor, is_ragged,
    match_row_splits_dtypes,
)  # fmt: skip
from troupe._src.ragged.tiling import tile
from troupe._src.ragged.value import RaggedTensorValue
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike
from troupe._src.types.shapes import as_shape

assert_splits_match = check_same_splits
get_positive_axis = positive_axis
convert_to_int_tensor = to_int_tensor
repeat = rearrange_ops.repeat


def gather(
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    axis: Any = 0,
    batch_dims: int = 0,
    name: Optional[str] = None,
) -> Any:
    """`tf.gather` of a ragged tensor."""
    return _gather(params, indices, validate_indices, name, axis, batch_dims)


def gather_nd(params: Any, indices: Any, batch_dims: int = 0, name: Optional[str] = None) -> Any:
    """`tf.gather_nd` of a ragged tensor."""
    return _gather_nd(params, indices, name, batch_dims)


def segment_sum(data: Any, segment_ids: Any, num_segments: Any, name: Optional[str] = None) -> Any:
    """`tf.unsorted_segment_sum` of a ragged tensor."""
    return reducing.segments(
        gen_ops.unsorted_segment_sum, data, segment_ids, num_segments, name
    )


def segment_prod(
    data: Any, segment_ids: Any, num_segments: Any, name: Optional[str] = None
) -> Any:
    """`tf.unsorted_segment_prod` of a ragged tensor."""
    return reducing.segments(
        gen_ops.unsorted_segment_prod, data, segment_ids, num_segments, name
    )


def segment_min(data: Any, segment_ids: Any, num_segments: Any, name: Optional[str] = None) -> Any:
    """`tf.unsorted_segment_min` of a ragged tensor."""
    return reducing.segments(
        gen_ops.unsorted_segment_min, data, segment_ids, num_segments, name
    )


def segment_max(data: Any, segment_ids: Any, num_segments: Any, name: Optional[str] = None) -> Any:
    """`tf.unsorted_segment_max` of a ragged tensor."""
    return reducing.segments(
        gen_ops.unsorted_segment_max, data, segment_ids, num_segments, name
    )


segment_mean = reducing.segment_mean
segment_sqrt_n = reducing.segment_sqrt_n


def from_tensor(
    tensor: Any,
    lengths: Any = None,
    padding: Any = None,
    ragged_rank: int = 1,
    row_splits_dtype: DTypeLike = dtypes.int64,
    name: Optional[str] = None,
) -> Any:
    """`RaggedTensor.from_tensor`, or a ragged tensor itself."""
    if is_ragged(tensor):
        return tensor
    return RaggedTensor.from_tensor(tensor, lengths, padding, ragged_rank, name, row_splits_dtype)


def to_tensor(rt_input: Any, default_value: Any = None, name: Optional[str] = None) -> Any:
    """`RaggedTensor.to_tensor`, or a tensor itself."""
    return rt_input.to_tensor(default_value, name) if is_ragged(rt_input) else rt_input


def to_sparse(rt_input: Any, name: Optional[str] = None) -> Any:
    """`RaggedTensor.to_sparse`."""
    return rt_input.to_sparse(name)


def from_sparse(st_input: Any, name: Optional[str] = None) -> RaggedTensor:
    """`RaggedTensor.from_sparse`."""
    return RaggedTensor.from_sparse(st_input, name)


def ragged_to_dense(rt_input: Any, default_value: Any = None, shape: Any = None) -> Tensor:
    """As `RaggedTensor.to_tensor` by one op, which has no gradient.

    Args:
        rt_input: A ragged tensor.
        default_value: What is behind the ends of rows.
        shape: The shape of the result, in which sizes that are None are as large as it takes.

    Returns:
        A tensor.
    """
    values = rt_input.flat_values
    if default_value is None:
        default_value = creation_ops.zeros((), values.dtype)
    splits = list(rt_input.nested_row_splits)
    result: Tensor = raw_ops.RaggedTensorToTensor(
        shape=_sizes(shape, splits[0].dtype), values=values, default_value=default_value,
        row_partition_tensors=splits, row_partition_types=["ROW_SPLITS"] * len(splits),
    )  # fmt: skip
    return result


def _sizes(shape: Any, dtype: Any) -> Tensor:
    if isinstance(shape, Tensor):
        return shape if shape.dtype in (dtypes.int32, dtypes.int64) else math_ops.cast(shape, dtype)
    known = as_shape(shape)
    if known.rank is None:
        return _constant(-1, dtype)
    return _constant([-1 if size is None else size for size in known.as_list()], dtype)


__all__ = [
    "RaggedTensor", "RaggedTensorDynamicShape", "RaggedTensorType", "RaggedTensorValue",
    "assert_splits_match", "batch_gather", "batch_gather_with_default",
    "broadcast_dynamic_shape", "broadcast_to", "concat",
    "convert_to_int_tensor", "convert_to_tensor_or_ragged_tensor", "from_sparse", "from_tensor",
    "gather", "gather_nd", "get_positive_axis", "is_ragged", "lengths_to_splits", "map_fn",
    "match_row_splits_dtypes", "ragged_to_dense", "range", "repeat", "repeat_ranges", "segment_max",
    "segment_mean", "segment_min", "segment_prod", "segment_sqrt_n", "segment_sum", "squeeze",
    "stack", "tile", "to_sparse", "to_tensor",
]  # fmt: skip
