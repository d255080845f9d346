"""Matrices of diagonals, and diagonals of matrices."""

from __future__ import annotations

from typing import Any, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import gen_ops
from troupe._src.ops.convert import constant, convert_to_tensor


def matrix_diag(
    diagonal: TensorLike,
    name: Optional[str] = "diag",
    k: Any = 0,
    num_rows: TensorLike = -1,
    num_cols: TensorLike = -1,
    padding_value: Any = 0,
) -> Tensor:
    """Matrices with the given diagonals.

    Args:
        diagonal: [..., length]; of several diagonals [..., diagonals, longest length], from the
            upper to the lower one, of which the shorter ones begin at the left.
        k: which diagonal: 0 the main one, above it if positive; of several, the lowest and the
            highest.
        num_rows: the number of rows, -1 for the least that is enough.
        num_cols: the number of columns, likewise.
        padding_value: the elements that are on none of the diagonals.

    Returns:
        [..., num_rows, num_cols].
    """
    values = convert_to_tensor(diagonal)
    if _is_main(k) and _is_number(num_rows, -1) and _is_number(num_cols, -1):
        if _is_number(padding_value, 0):
            return gen_ops.matrix_diag(values, name=name)
    padding = _padding(padding_value, values)
    return gen_ops.matrix_diag_v2(values, k, num_rows, num_cols, padding, name=name)


def matrix_diag_part(
    input: TensorLike,  # noqa: A002
    name: Optional[str] = "diag_part",
    k: Any = 0,
    padding_value: Any = 0,
) -> Tensor:
    """The diagonals of the matrices.

    Args:
        input: [..., rows, columns].
        k: which diagonal: 0 the main one, above it if positive; of several, the lowest and the
            highest.
        padding_value: what the shorter ones of several diagonals are filled up with.

    Returns:
        [..., length]; of several diagonals [..., diagonals, longest length], from the upper to the
        lower one, of which the shorter ones begin at the left.
    """
    values = convert_to_tensor(input)
    if _is_main(k):
        return gen_ops.matrix_diag_part(values, name=name)
    return gen_ops.matrix_diag_part_v2(values, k, _padding(padding_value, values), name=name)


def matrix_set_diag(
    input: TensorLike,  # noqa: A002
    diagonal: TensorLike,
    name: Optional[str] = "set_diag",
    k: Any = 0,
) -> Tensor:
    """The matrices with other values on some of their diagonals.

    Args:
        input: [..., rows, columns].
        diagonal: the values, in the form that `matrix_diag_part` gives.
        k: which diagonal: 0 the main one, above it if positive; of several, the lowest and the
            highest.

    Returns:
        A tensor of the shape of `input`.
    """
    if _is_main(k):
        return gen_ops.matrix_set_diag(input, diagonal, name=name)
    return gen_ops.matrix_set_diag_v2(input, diagonal, k, name=name)


def _is_number(value: Any, number: int) -> bool:
    return isinstance(value, (int, float)) and value == number


def _is_main(k: Any) -> bool:
    return _is_number(k, 0)


def _padding(value: Any, values: Tensor) -> Any:
    if isinstance(value, (int, float)):
        return constant(values.dtype.as_numpy_dtype(value), values.dtype)
    return value
