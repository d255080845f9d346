"""Systems and products of matrices that have three diagonals only."""

from __future__ import annotations

from typing import Any, List, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.linalg.diagonal_ops import matrix_diag_part
from troupe._src.ops import array_ops, cast_ops, creation_ops, gen_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types.shapes import TensorShape


def tridiagonal_solve(
    diagonals: Any,
    rhs: TensorLike,
    diagonals_format: str = "compact",
    transpose_rhs: bool = False,
    conjugate_rhs: bool = False,
    name: Optional[str] = None,
    partial_pivoting: bool = True,
) -> Tensor:
    """Solves systems of equations whose matrices have three diagonals.

    Args:
        diagonals: by `diagonals_format`: "compact" [..., 3, size], the upper, the main and the
            lower one; "sequence" a list of those, [..., size] or with one element less; "matrix"
            [..., size, size], of which the rest is ignored.
        rhs: the right sides, [..., size] or [..., size, count], of the same dtype.
        diagonals_format: "compact", "sequence" or "matrix".
        transpose_rhs: whether the right sides are [..., count, size].
        conjugate_rhs: takes the conjugates of the right sides.
        partial_pivoting: exchanges rows where that is more exact.

    Returns:
        A tensor of the shape of the right sides: transposed again, where they are.

    Raises:
        ValueError: if the format is another, or shapes do not go together.
    """
    with get_default_graph().name_scope(name or "tridiagonal_solve"):
        compact = _compact(diagonals, diagonals_format)
        right = convert_to_tensor(rhs, compact.dtype)
        _check_batches(compact.shape, right.shape)
        if conjugate_rhs:
            right = cast_ops.conj(right)
        rank, matrices_rank = right.shape.rank, compact.shape.rank
        is_vector = rank is not None and rank + 1 == matrices_rank
        if is_vector:
            right = array_ops.expand_dims(right, -1)
        elif transpose_rhs:
            right = array_ops.matrix_transpose(right)
        solved = gen_ops.tridiagonal_solve(compact, right, partial_pivoting)
        if is_vector:
            return array_ops.squeeze(solved, [-1])
        return array_ops.matrix_transpose(solved) if transpose_rhs else solved


def tridiagonal_matmul(
    diagonals: Any, rhs: TensorLike, diagonals_format: str = "compact", name: Optional[str] = None
) -> Tensor:
    """The products of matrices that have three diagonals and other matrices.

    Args:
        diagonals: as of `tridiagonal_solve`.
        rhs: [..., size, columns], of the same dtype.
        diagonals_format: "compact", "sequence" or "matrix".

    Returns:
        A tensor of the shape of `rhs`.

    Raises:
        ValueError: if the format is another, or shapes do not go together.
    """
    with get_default_graph().name_scope(name or "tridiagonal_matmul"):
        compact = _compact(diagonals, diagonals_format)
        upper, main, lower = (
            array_ops.expand_dims(each, -2) for each in array_ops.unstack(compact, axis=-2)
        )
        return gen_ops.tridiagonal_mat_mul(upper, main, lower, rhs)


def _check_batches(diagonals: TensorShape, right: TensorShape) -> None:
    if diagonals.rank is None or right.rank is None:
        return
    batch = diagonals[:-2]
    if not batch.is_compatible_with(right[: diagonals.rank - 2]):
        raise ValueError(f"Diagonals {diagonals} and right sides {right} have different batches")


def _compact(diagonals: Any, form: str) -> Tensor:
    if form == "compact":
        return convert_to_tensor(diagonals)
    if form == "matrix":
        matrix = convert_to_tensor(diagonals)
        rows, columns = matrix.shape[-2].value, matrix.shape[-1].value
        if rows and columns and rows != columns:
            raise ValueError(f"A matrix of diagonals must be square, not {matrix.shape}")
        # One row has no other diagonals, whose elements have no effect then.
        others = (0, 0, 0) if 1 in (rows, columns) else (1, 0, -1)
        parts = [matrix_diag_part(matrix, k=k) for k in others]
    elif form == "sequence":
        parts = _of_sequence(diagonals)
    else:
        raise ValueError(f"diagonals_format must be compact, sequence or matrix, not {form!r}")
    upper, main, lower = parts
    size = main.shape[-1].value
    return array_ops.stack(
        [_lengthened(upper, size, [0, 1]), main, _lengthened(lower, size, [1, 0])], axis=-2
    )


def _of_sequence(diagonals: Any) -> List[Tensor]:
    if not isinstance(diagonals, (tuple, list)) or len(diagonals) != 3:
        raise ValueError("Expected diagonals to be a sequence of length 3.")
    parts = [convert_to_tensor(each) for each in diagonals]
    for each in parts:
        if not each.shape[:-1].is_compatible_with(parts[1].shape[:-1]):
            shapes = ", ".join(str(part.shape) for part in parts)
            raise ValueError(f"The diagonals must agree but for the last axis, not {shapes}")
    return parts


def _lengthened(diagonal: Tensor, size: Optional[int], ends: List[int]) -> Tensor:
    """The diagonal with an element more, which no product looks at, if it has one less."""
    length = diagonal.shape[-1].value
    if length is None or length == size:
        return diagonal
    if size is not None and length != size - 1:
        raise ValueError(f"Expected a diagonal of length {size} or {size - 1}, got {length}.")
    rank: Any = diagonal.shape.rank
    return creation_ops.pad(diagonal, [[0, 0]] * (rank - 1) + [ends])
