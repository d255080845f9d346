"""Gradients of rows."""

from __future__ import annotations

from typing import Tuple

from troupe._src.graph.elements import Tensor
from troupe._src.ops import array_ops, raw_ops
from troupe._src.ops.math_ops import cast
from troupe._src.types import dtypes


def distinct_rows(values: Tensor, indices: Tensor) -> Tuple[Tensor, Tensor]:
    """Adds up the gradients of rows that are named repeatedly.

    Args:
        values: The gradients, [n, ...].
        indices: The rows that they are for, [n].

    Returns:
        The sums, and the rows that they are for, each named once.
    """
    distinct, positions = raw_ops.Unique(x=indices)
    count = array_ops.shape(distinct)[0]
    summed: Tensor = raw_ops.UnsortedSegmentSum(
        data=values, segment_ids=positions, num_segments=cast(count, dtypes.int32)
    )
    return summed, distinct
