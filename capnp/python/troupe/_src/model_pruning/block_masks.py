"""Masks of whole blocks of weights."""

from __future__ import annotations

from typing import Any, List

import numpy as np

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.nn.dilated_windows import pool
from troupe._src.ops import array_ops
from troupe._src.ops.grouping_ops import group
from troupe._src.ops.rearrange_ops import repeat
from troupe._src.variables.assign_ops import assign


def pooled_blocks(matrix: Tensor, block: List[int], pooling: str, name: str) -> Tensor:
    """The greatest or the mean element of each block of a matrix.

    Args:
        matrix: The matrix, of a known shape.
        block: The height and width of a block; those at the end may be smaller.
        pooling: "AVG" or "MAX".
        name: The name of the node.

    Returns:
        A matrix with an element for each block.
    """
    height, width = (int(size) for size in matrix.shape)
    image = array_ops.reshape(matrix, [1, height, width, 1])
    pooled = pool(image, block, pooling, "SAME", strides=block, name=name)
    return array_ops.squeeze(pooled, [0, 3])


def expand_blocks(matrix: Tensor, block: List[int], height: int, width: int) -> Tensor:
    """A matrix in which each element of another one is repeated as a block.

    Args:
        matrix: The matrix, with an element for each block.
        block: The height and width of a block.
        height: How many rows are wanted.
        width: How many columns are wanted.

    Returns:
        A matrix of that size.
    """
    rows = repeat(matrix, block[0], axis=0) if block[0] > 1 else matrix
    whole = repeat(rows, block[1], axis=1) if block[1] > 1 else rows
    return whole[:height, :width]


def assign_value(variable: Any, value: Tensor) -> Any:
    """An op that assigns a value to a variable, named after it."""
    return assign(variable, value, name=f"{variable.op.name}_assign")


def assign_parts(variable: Any, value: Tensor) -> Operation:
    """An op that assigns a value to the parts of a partitioned variable.

    Args:
        variable: The variable.
        value: A tensor of its shape.

    Returns:
        The operation.
    """
    parts = list(variable)
    whole = variable.get_shape().as_list()
    sizes = np.array([part.shape.as_list() for part in parts])
    cut = np.flatnonzero(sizes[0] != whole)
    axis = int(cut[0]) if len(cut) else 0
    values = array_ops.split(value, [int(size) for size in sizes[:, axis]], axis=axis)
    return group(*(assign_value(part, each) for part, each in zip(parts, values)))
