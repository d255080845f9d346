"""Operators whose matrices are given by a tensor: whole ones, triangles and diagonals."""

from __future__ import annotations

from typing import Optional

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.linalg import matrix_ops
from troupe._src.linalg.batch_ops import broadcast_batches, matrix_argument
from troupe._src.linalg.diagonal_ops import matrix_diag, matrix_set_diag
from troupe._src.linalg.linear_operator import LinearOperator
from troupe._src.linalg.operator_algebra import (
    RegisterAdjoint,
    RegisterCholesky,
    RegisterInverse,
    RegisterMatmul,
    RegisterSolve,
    commuting_hints,
    hints_of,
    non_singular_hint,
)
from troupe._src.ops import arithmetic_ops, array_ops, assert_ops, cast_ops, gen_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.set_module import set_module
from troupe._src.types.shapes import TensorShape


@set_module("troupe.linalg")
class LinearOperatorFullMatrix(LinearOperator):
    """An operator of matrices that are given as such.

    Args:
        matrix: [..., rows, columns] of floating point or complex numbers.
        is_non_singular: Whether all have an inverse.
        is_self_adjoint: Whether they equal their adjoints.
        is_positive_definite: Whether they are positive definite.
        is_square: Whether they are square.
        name: The name scope of its nodes.

    Raises:
        TypeError: The dtype is another one.
        ValueError: The rank is less than 2, or hints exclude each other.
    """

    def __init__(
        self, matrix: TensorLike, is_non_singular: Optional[bool] = None,
        is_self_adjoint: Optional[bool] = None, is_positive_definite: Optional[bool] = None,
        is_square: Optional[bool] = None, name: str = "LinearOperatorFullMatrix",
    ) -> None:  # fmt: skip
        self._matrix = matrix_argument(matrix, "matrix")
        super().__init__(
            self._matrix.dtype, [self._matrix], is_non_singular, is_self_adjoint,
            is_positive_definite, is_square, name,
        )  # fmt: skip

    def _shape(self) -> TensorShape:
        return self._matrix.shape

    def _to_dense(self) -> Tensor:
        return self._matrix


@set_module("troupe.linalg")
class LinearOperatorLowerTriangular(LinearOperator):
    """An operator of lower triangular matrices.

    Args:
        tril: [..., rows, rows] of floating point or complex numbers; what is above the diagonal has
            no effect.
        is_non_singular: Whether all have an inverse, as where no element of the diagonal is 0.
        is_self_adjoint: Whether they equal their adjoints, as real diagonal ones do.
        is_positive_definite: Whether they are positive definite.
        is_square: Must not be False.
        name: The name scope of its nodes.

    Raises:
        TypeError: The dtype is another one.
        ValueError: `is_square` is False, or the rank is less than 2.
    """

    def __init__(
        self, tril: TensorLike, is_non_singular: Optional[bool] = None,
        is_self_adjoint: Optional[bool] = None, is_positive_definite: Optional[bool] = None,
        is_square: Optional[bool] = None, name: str = "LinearOperatorLowerTriangular",
    ) -> None:  # fmt: skip
        if is_square is False:
            raise ValueError("Only square lower triangular operators supported at this time.")
        self._given = matrix_argument(tril, "tril")
        super().__init__(
            self._given.dtype, [self._given], is_non_singular, is_self_adjoint,
            is_positive_definite, True, name,
        )  # fmt: skip

    def _shape(self) -> TensorShape:
        return self._given.shape

    def _assert_non_singular(self) -> Operation:
        return assert_ops.assert_positive(
            arithmetic_ops.abs(self._diag_part()),
            message="Singular operator:  Diagonal contained zero values.",
        )

    def _to_dense(self) -> Tensor:
        return gen_ops.matrix_band_part(self._given, -1, 0)

    def _diag_part(self) -> Tensor:
        return gen_ops.matrix_diag_part(self._given)

    def _determinant(self) -> Tensor:
        return math_ops.reduce_prod(self._diag_part(), -1)

    def _log_abs_determinant(self) -> Tensor:
        logarithms = gen_ops.log(arithmetic_ops.abs(self._diag_part()))
        return math_ops.cast(math_ops.reduce_sum(logarithms, -1), self.dtype)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        right = matrix_ops.adjoint(rhs) if adjoint_arg else rhs
        lower, right = broadcast_batches(self._to_dense(), right)
        return gen_ops.matrix_triangular_solve(lower, right, lower=True, adjoint=adjoint)


class DiagonalOperator(LinearOperator):
    """An operator of square matrices that are 0 beside the diagonal."""

    def _diag_part(self) -> Tensor:
        raise NotImplementedError

    def _to_dense(self) -> Tensor:
        return matrix_diag(self._diag_part())

    def _factors(self, adjoint: bool) -> Tensor:
        """What each row is multiplied by, [..., rows or 1, 1]."""
        diagonal = self._diag_part()
        return array_ops.expand_dims(cast_ops.conj(diagonal) if adjoint else diagonal, -1)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._factors(adjoint) * (matrix_ops.adjoint(x) if adjoint_arg else x)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return (matrix_ops.adjoint(rhs) if adjoint_arg else rhs) / self._factors(adjoint)

    def _determinant(self) -> Tensor:
        return math_ops.reduce_prod(self._diag_part(), -1)

    def _log_abs_determinant(self) -> Tensor:
        logarithms = gen_ops.log(arithmetic_ops.abs(self._diag_part()))
        return math_ops.cast(math_ops.reduce_sum(logarithms, -1), self.dtype)

    def _add_to_tensor(self, x: Tensor) -> Tensor:
        sums = gen_ops.matrix_diag_part(x) + self._diag_part()
        known = x.shape[:-1]
        # Where both are broadcast, or may be, the sum has more diagonals than x.
        if known.is_fully_defined() and sums.shape.is_fully_defined() and sums.shape == known:
            return matrix_set_diag(x, sums)
        return self._to_dense() + x

    def _assert_non_singular(self) -> Operation:
        return assert_ops.assert_positive(
            arithmetic_ops.abs(self._diag_part()), message="Singular operator: an element is zero."
        )

    def _assert_positive_definite(self) -> Operation:
        return assert_ops.assert_positive(
            cast_ops.real(self._diag_part()), message="Not positive definite: an element is not."
        )

    def _assert_self_adjoint(self) -> Operation:
        diagonal = self._diag_part()
        return assert_ops.assert_equal(
            diagonal, cast_ops.conj(diagonal),
            message="This diagonal operator contained non-zero imaginary values.",
        )  # fmt: skip


@set_module("troupe.linalg")
class LinearOperatorDiag(DiagonalOperator):
    """An operator of diagonal matrices.

    Args:
        diag: The diagonals, [..., rows], of floating point or complex numbers.
        is_non_singular: Whether no element is 0.
        is_self_adjoint: Whether all are real; so they are for a real dtype.
        is_positive_definite: Whether their real parts are positive.
        is_square: Must not be False.
        name: The name scope of its nodes.

    Raises:
        TypeError: The dtype is another one.
        ValueError: `is_square` is False, or `is_self_adjoint` for a real dtype; or it is a scalar.
    """

    def __init__(
        self, diag: TensorLike, is_non_singular: Optional[bool] = None,
        is_self_adjoint: Optional[bool] = None, is_positive_definite: Optional[bool] = None,
        is_square: Optional[bool] = None, name: str = "LinearOperatorDiag",
    ) -> None:  # fmt: skip
        self._diag = convert_to_tensor(diag, name="diag")
        if not (self._diag.dtype.is_floating or self._diag.dtype.is_complex):
            raise TypeError(f"Argument diag must have a floating dtype: {self._diag.dtype.name}")
        if self._diag.shape.rank == 0:
            raise ValueError(f"Argument diag must have at least 1 dimension: {self._diag}")
        if not self._diag.dtype.is_complex:
            if is_self_adjoint is False:
                raise ValueError("A real diagonal operator is always self adjoint.")
            is_self_adjoint = True
        if is_square is False:
            raise ValueError("Only square diagonal operators currently supported.")
        super().__init__(
            self._diag.dtype, [self._diag], is_non_singular, is_self_adjoint,
            is_positive_definite, True, name,
        )  # fmt: skip

    @property
    def diag(self) -> Tensor:
        """The diagonals."""
        return self._diag

    def _shape(self) -> TensorShape:
        return self._diag.shape.concatenate(self._diag.shape[-1:])

    def _shape_tensor(self) -> Tensor:
        sizes = array_ops.shape(self._diag)
        return array_ops.concat([sizes, sizes[-1:]], 0)

    def _diag_part(self) -> Tensor:
        return self._diag


@RegisterCholesky(LinearOperator)
def _cholesky(operator: LinearOperator) -> LinearOperator:
    lower = gen_ops.cholesky(operator.to_dense())
    return LinearOperatorLowerTriangular(lower, is_non_singular=True, is_square=True)


@RegisterAdjoint(LinearOperatorDiag)
def _adjoint_of_diagonal(operator: LinearOperatorDiag) -> LinearOperator:
    return LinearOperatorDiag(cast_ops.conj(operator.diag), is_square=True, **hints_of(operator))


@RegisterCholesky(LinearOperatorDiag)
def _cholesky_of_diagonal(operator: LinearOperatorDiag) -> LinearOperator:
    return LinearOperatorDiag(
        gen_ops.sqrt(operator.diag), is_non_singular=True, is_self_adjoint=True,
        is_positive_definite=True, is_square=True,
    )  # fmt: skip


@RegisterInverse(LinearOperatorDiag)
def _inverse_of_diagonal(operator: LinearOperatorDiag) -> LinearOperator:
    return LinearOperatorDiag(1.0 / operator.diag, is_square=True, **hints_of(operator))


@RegisterMatmul(LinearOperatorDiag, LinearOperatorDiag)
def _diagonal_by_diagonal(
    left: LinearOperatorDiag, right: LinearOperatorDiag
) -> LinearOperator:
    hints = commuting_hints(left, right)
    return LinearOperatorDiag(left.diag * right.diag, is_square=True, **hints)


@RegisterSolve(LinearOperatorDiag, LinearOperatorDiag)
def _diagonal_from_diagonal(
    left: LinearOperatorDiag, right: LinearOperatorDiag
) -> LinearOperator:
    hints = commuting_hints(left, right)
    return LinearOperatorDiag(right.diag / left.diag, is_square=True, **hints)


def _triangle(
    tril: Tensor, diagonal: LinearOperatorDiag, triangle: LinearOperatorLowerTriangular
) -> LinearOperator:
    # A triangle that is self-adjoint is a diagonal, so its product with one does not depend on
    # the order.
    is_self_adjoint = commuting_hints(diagonal, triangle)["is_self_adjoint"]
    return LinearOperatorLowerTriangular(
        tril, non_singular_hint(diagonal, triangle), is_self_adjoint, is_square=True
    )


@RegisterMatmul(LinearOperatorDiag, LinearOperatorLowerTriangular)
def _diagonal_by_triangle(
    left: LinearOperatorDiag, right: LinearOperatorLowerTriangular
) -> LinearOperator:
    return _triangle(array_ops.expand_dims(left.diag, -1) * right.to_dense(), left, right)


@RegisterMatmul(LinearOperatorLowerTriangular, LinearOperatorDiag)
def _triangle_by_diagonal(
    left: LinearOperatorLowerTriangular, right: LinearOperatorDiag
) -> LinearOperator:
    return _triangle(left.to_dense() * array_ops.expand_dims(right.diag, -2), right, left)


@RegisterSolve(LinearOperatorDiag, LinearOperatorLowerTriangular)
def _triangle_from_diagonal(
    left: LinearOperatorDiag, right: LinearOperatorLowerTriangular
) -> LinearOperator:
    return _triangle(right.to_dense() / array_ops.expand_dims(left.diag, -1), left, right)
