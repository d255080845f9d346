"""Triangular and banded matrices from vectors, and back."""

from __future__ import annotations

import math
from typing import Any, Callable, List, Optional, Tuple

from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.linalg.diagonal_ops import matrix_diag, matrix_diag_part, matrix_set_diag
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.creation_ops import zeros
from troupe._src.ops.rearrange_ops import reverse
from troupe._src.set_module import set_module
from troupe._src.types import dtypes


def triangle_rows(size: int) -> int:
    """The number of rows of the triangular matrix that has so many elements.

    Args:
        size: How many elements the triangle has.

    Returns:
        How many rows there are.

    Raises:
        ValueError: No triangle has that many.
    """
    rows = (math.isqrt(8 * size + 1) - 1) // 2
    if rows * (rows + 1) // 2 != size:
        raise ValueError(
            f"Vector length is not a triangular number: {size} does not correspond to a "
            "triangular matrix."
        )
    return rows


def triangle_rows_tensor(size: Tensor) -> Tensor:
    """Likewise, of a tensor; without a check."""
    root = gen_ops.sqrt(8.0 * math_ops.cast(size, dtypes.float64) + 1.0)
    return math_ops.cast((root - 1.0) / 2.0, size.dtype)


def _sizes(x: Tensor, axes: int) -> Tuple[Any, List[Any]]:
    """The sizes of the batch, and those of the last axes, numbers where they are known."""
    known = x.shape.with_rank_at_least(axes)
    sizes = array_ops.shape(x)
    last: List[Any] = []
    for axis in range(-axes, 0):
        size = None if known.rank is None else known.as_list()[axis]
        last.append(sizes[axis] if size is None else size)
    return sizes[:-axes], last


@set_module("troupe.contrib.distributions")
def fill_triangular(x: TensorLike, upper: bool = False, name: Optional[str] = None) -> Tensor:
    """Triangular matrices of the elements of vectors.

    The elements go round the triangle: a lower one has, from its last row on, the first ones
    backwards in the last row; so [1, 2, 3, 4, 5, 6] makes [[4, 0, 0], [6, 5, 0], [3, 2, 1]], and an
    upper one [[1, 2, 3], [0, 5, 6], [0, 0, 4]].

    Args:
        x: [..., rows * (rows + 1) / 2].
        upper: Makes upper triangular matrices.

    Returns:
        [..., rows, rows].

    Raises:
        ValueError: No triangle has so many elements.
    """
    with name_scope(name, "fill_triangular"):
        vector = convert_to_tensor(x, name="x")
        batch, (size,) = _sizes(vector, 1)
        is_known = isinstance(size, int)
        rows = triangle_rows(size) if is_known else triangle_rows_tensor(size)
        # Both halves of the square have the elements, the second one in the opposite order.
        square = array_ops.concat([vector[..., rows:], _reversed(vector)], -1)
        if upper:
            square = _reversed(square)
        matrix = array_ops.reshape(square, array_ops.concat([batch, [rows, rows]], 0))
        found = gen_ops.matrix_band_part(matrix, 0 if upper else -1, -1 if upper else 0)
        side = rows if is_known else None
        found.set_shape(vector.shape.with_rank_at_least(1)[:-1].concatenate([side, side]))
        return found


@set_module("troupe.contrib.distributions")
def fill_triangular_inverse(
    x: TensorLike, upper: bool = False, name: Optional[str] = None
) -> Tensor:
    """The vectors of which `fill_triangular` makes the matrices.

    Args:
        x: [..., rows, rows]; what is outside of the triangle has no effect.
        upper: Takes upper triangular matrices.

    Returns:
        [..., rows * (rows + 1) / 2].
    """
    with name_scope(name, "fill_triangular_inverse"):
        matrix = convert_to_tensor(x, name="x")
        batch, (_, rows) = _sizes(matrix, 2)
        is_known = isinstance(rows, int)
        size = rows * (rows + 1) // 2
        triangle = gen_ops.matrix_band_part(matrix, 0 if upper else -1, -1 if upper else 0)
        square = array_ops.reshape(triangle, array_ops.concat([batch, [rows * rows]], 0))
        first, other = square, _reversed(square)
        if not upper:
            first, other = other, first
        # An element is in one half or in the other one, where this half has a 0.
        rest = first[..., rows:size] + other[..., : size - rows]
        found = array_ops.concat([first[..., :rows], rest], -1)
        shape = matrix.shape.with_rank_at_least(2)[:-2]
        found.set_shape(shape.concatenate([size if is_known else None]))
        return found


def _reversed(x: Tensor) -> Tensor:
    """In the opposite order along the last axis."""
    return reverse(x, [-1])


@set_module("troupe.contrib.distributions")
def matrix_diag_transform(
    matrix: TensorLike,
    transform: Optional[Callable[[Any], Any]] = None,
    name: Optional[str] = None,
) -> Tensor:
    """Matrices whose diagonals are functions of those of others.

    Args:
        matrix: [..., rows, rows].
        transform: A function of the diagonals, [..., rows]; None for no change.

    Returns:
        Matrices of the same shape.
    """
    with name_scope(name, "matrix_diag_transform"):
        tensor = convert_to_tensor(matrix, name="matrix")
        if transform is None:
            return tensor
        return matrix_set_diag(tensor, transform(matrix_diag_part(tensor)))


@set_module("troupe.contrib.distributions")
def tridiag(
    below: Optional[TensorLike] = None,
    diag: Optional[TensorLike] = None,
    above: Optional[TensorLike] = None,
    name: Optional[str] = None,
) -> Tensor:
    """Matrices that have numbers on and beside their diagonals only.

    Args:
        below: The elements below the diagonals, [..., rows - 1]; by default 0.
        diag: The diagonals, [..., rows]; by default 0.
        above: The elements above the diagonals, [..., rows - 1]; by default 0.

    Returns:
        [..., rows, rows].

    Raises:
        ValueError: None of them is given.
    """
    with name_scope(name, "tridiag"):
        parts = []
        if below is not None:
            parts.append(matrix_diag(_between_zeros(below))[..., :-1, 1:])
        if diag is not None:
            parts.append(matrix_diag(convert_to_tensor(diag, name="diag")))
        if above is not None:
            parts.append(matrix_diag(_between_zeros(above))[..., 1:, :-1])
        if not parts:
            raise ValueError("Must specify at least one of `below`, `diag`, `above`.")
        total = parts[0]
        for part in parts[1:]:
            total = total + part
        return total


def _between_zeros(vector: TensorLike) -> Tensor:
    tensor = convert_to_tensor(vector)
    sizes = array_ops.concat([array_ops.shape(tensor)[:-1], [1]], 0)
    zero = zeros(sizes, tensor.dtype)
    return array_ops.concat([zero, tensor, zero], -1)
