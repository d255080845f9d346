"""Partitioners: functions of a shape and a dtype that say into how many parts each axis is cut."""

from __future__ import annotations

import math
from typing import Any, Callable, List, Optional

from troupe._src.types.dtypes import DType, DTypeLike, as_dtype, string
from troupe._src.types.shapes import ShapeLike, TensorShape, as_shape

Partitioner = Callable[..., List[int]]


def fixed_size_partitioner(num_shards: int, axis: int = 0) -> Partitioner:
    """A partitioner that cuts an axis into that many parts, or as many as the axis has.

    Args:
        num_shards: The number of parts.
        axis: The axis that is cut.

    Returns:
        A function of a shape and a dtype that gives the number of parts along each axis.
    """

    def partitioner(shape: ShapeLike, **_: Any) -> List[int]:
        sizes = _sizes(shape)
        return _parts(sizes, axis, min(num_shards, sizes[axis]))

    return partitioner


def variable_axis_size_partitioner(
    max_shard_bytes: int,
    axis: int = 0,
    bytes_per_string_element: int = 16,
    max_shards: Optional[int] = None,
) -> Partitioner:
    """A partitioner that cuts an axis into parts of at most that size, if rows are not larger.

    Args:
        max_shard_bytes: The greatest size of a part, in bytes.
        axis: The axis that is cut.
        bytes_per_string_element: The size that a string counts as.
        max_shards: The greatest number of parts; None for no limit.

    Returns:
        A function of a shape and a dtype that gives the number of parts along each axis.

    Raises:
        ValueError: A number is not positive.
    """
    if max_shard_bytes < 1 or bytes_per_string_element < 1:
        raise ValueError("Both max_shard_bytes and bytes_per_string_element must be positive.")
    if max_shards and max_shards < 1:
        raise ValueError("max_shards must be positive.")

    def partitioner(shape: ShapeLike, dtype: DTypeLike) -> List[int]:
        if not isinstance(shape, TensorShape):
            raise ValueError(f"shape is not a TensorShape: {shape}")
        if not isinstance(dtype, DType):
            raise ValueError(f"dtype is not a DType: {dtype}")
        sizes = _sizes(shape)
        element = _element_size(dtype, bytes_per_string_element)
        row = math.prod(sizes) / max(sizes[axis], 1) * element
        rows = max(1, math.floor(max_shard_bytes / max(row, 1)))
        count = max(1, math.ceil(sizes[axis] / rows))
        return _parts(sizes, axis, min(max_shards, count) if max_shards else count)

    return partitioner


def min_max_variable_partitioner(
    max_partitions: int = 1,
    axis: int = 0,
    min_slice_size: int = 256 << 10,
    bytes_per_string_element: int = 16,
) -> Partitioner:
    """A partitioner that cuts an axis into at most that many parts of at least that many bytes.

    Args:
        max_partitions: The greatest number of parts.
        axis: The axis that is cut.
        min_slice_size: The least size of a part, in bytes.
        bytes_per_string_element: The size that a string counts as.

    Returns:
        A function of a shape and a dtype that gives the number of parts along each axis.
    """

    def partitioner(shape: ShapeLike, dtype: DTypeLike) -> List[int]:
        sizes = _sizes(shape)
        if axis >= len(sizes):
            raise ValueError(
                f"Can not partition variable along axis {axis} when shape is only {shape}"
            )
        size = math.prod(sizes) * _element_size(as_dtype(dtype), bytes_per_string_element)
        count = min(sizes[axis], max_partitions, math.ceil(size / min_slice_size))
        return _parts(sizes, axis, max(1, count))

    return partitioner


def _sizes(shape: ShapeLike) -> List[int]:
    sizes = as_shape(shape)
    if not sizes.is_fully_defined():
        raise ValueError(f"shape is not fully defined: {sizes}")
    return [int(size) for size in sizes]


def _element_size(dtype: DType, bytes_per_string_element: int) -> int:
    return bytes_per_string_element if dtype == string else dtype.size


def _parts(sizes: List[int], axis: int, count: int) -> List[int]:
    parts = [1] * len(sizes)
    parts[axis] = count
    return parts
