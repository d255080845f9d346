"""The pixels of images at given places."""

from __future__ import annotations

from typing import Any

from troupe._src.graph.elements import Tensor
from troupe._src.ops import array_ops, math_ops
from troupe._src.ops.clip_ops import clip_by_value
from troupe._src.ops.selection_ops import gather


def pixels_at(images: Tensor, rows: Any, columns: Any) -> Tensor:
    """The pixels at rows and columns, int32 [batch, ...]; of the border for places beyond it.

    Args:
        images: [batch, height, width, channels].
        rows: counted from 0.
        columns: counted from 0.

    Returns:
        [batch, ..., channels], of the dtype of the images.
    """
    batch, height, width, channels = array_ops.unstack(array_ops.shape(images), 4)
    near_rows = clip_by_value(rows, 0, height - 1)
    near_columns = clip_by_value(columns, 0, width - 1)
    flat = array_ops.reshape(images, array_ops.stack([batch * height * width, channels]))
    first = math_ops.range(batch) * height
    ones = array_ops.stack([batch] + [1] * (rows.shape.rank - 1))
    return gather(flat, (array_ops.reshape(first, ones) + near_rows) * width + near_columns)
