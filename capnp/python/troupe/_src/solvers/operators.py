"""Linear operators as functions of vectors, and lengths of vectors."""

from __future__ import annotations

from typing import Any, Callable, NamedTuple, Tuple

from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.ops.cast_ops import conj
from troupe._src.ops.convert import constant


class LinearOperator(NamedTuple):
    """A matrix, of which only products with columns are known."""

    shape: Any
    dtype: Any
    apply: Callable[[Any], Any]
    apply_adjoint: Callable[[Any], Any]


def _shape_of(matrix: Any) -> Any:
    shape = matrix.shape
    return shape.as_list() if shape.is_fully_defined() else array_ops.shape(matrix)


def create_operator(matrix: Any) -> LinearOperator:
    """The operator of a matrix.

    Args:
        matrix: The matrix.

    Returns:
        The operator.
    """

    def apply(v: Any) -> Any:
        return math_ops.matmul(matrix, v)

    def apply_adjoint(v: Any) -> Any:
        return math_ops.matmul(matrix, v, adjoint_a=True)

    return LinearOperator(_shape_of(matrix), matrix.dtype, apply, apply_adjoint)


def identity_operator(matrix: Any) -> LinearOperator:
    """The operator that changes nothing, of the shape of a matrix.

    Args:
        matrix: The matrix.

    Returns:
        The operator.
    """
    return LinearOperator(_shape_of(matrix), matrix.dtype, lambda v: v, lambda v: v)


def dot(x: Any, y: Any) -> Any:
    """The sum of the products of the elements, with the conjugates of the first ones.

    Args:
        x: A tensor.
        y: Another one of the same shape.

    Returns:
        A scalar.
    """
    return math_ops.reduce_sum(conj(x) * y)


def l2norm_squared(v: Any) -> Any:
    """The sum of the squares of the elements.

    Args:
        v: A tensor.

    Returns:
        A scalar.
    """
    return constant(2, v.dtype.base_dtype) * gen_ops.l2_loss(v)


def l2norm(v: Any) -> Any:
    """The square root of that sum.

    Args:
        v: A tensor.

    Returns:
        A scalar.
    """
    return gen_ops.sqrt(l2norm_squared(v))


def l2normalize(v: Any) -> Tuple[Any, Any]:
    """A tensor divided by its length.

    Args:
        v: The tensor.

    Returns:
        The quotient, and the length.
    """
    norm = l2norm(v)
    return v / norm, norm
