"""Bijectors of lower triangular matrices."""

from __future__ import annotations

import math
from typing import Any, List

from troupe._src.bijectors.bijector import Bijector
from troupe._src.bijectors.checked import checked, square_sizes
from troupe._src.checks.rank_ops import assert_rank_at_least
from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.scopes import control_dependencies
from troupe._src.linalg.diagonal_ops import matrix_diag_part, matrix_set_diag
from troupe._src.ops import arithmetic_ops, array_ops, assert_ops, gen_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.creation_ops import zeros_like
from troupe._src.ops.rearrange_ops import eye
from troupe._src.set_module import set_module


@set_module("troupe.contrib.distributions.bijectors")
class CholeskyOuterProduct(Bijector):
    """y = x x^T, of lower triangular matrices whose diagonals are positive."""

    def __init__(self, validate_args: bool = False, name: str = "cholesky_outer_product") -> None:
        """The bijector.

        Args:
            validate_args: Whether steps check the matrices.
            name: The name scope of its nodes.
        """
        super().__init__(forward_min_event_ndims=2, validate_args=validate_args, name=name)

    def _forward(self, x: Any) -> Any:
        lower = gen_ops.matrix_band_part(self._checked_matrix(x), -1, 0)
        return math_ops.matmul(lower, lower, adjoint_b=True)

    def _inverse(self, y: Any) -> Any:
        return gen_ops.cholesky(y)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        # The derivatives of the lower triangle of y by that of x, row by row, are a triangle, whose
        # diagonal has each x[j, j] once for each row from j on, and a 2 where y[j, j] is.
        matrix = self._checked_matrix(x)
        diagonal = matrix_diag_part(matrix)
        if self.validate_args:
            text = "Input must be positive definite."
            check = assert_ops.assert_positive(diagonal, message=text)
            diagonal = checked(diagonal, check)
        known = matrix.shape.rank and matrix.shape.as_list()[-1]
        rows = array_ops.shape(matrix)[-1] if known is None else convert_to_tensor(known)
        counts = math_ops.cast(math_ops.range(rows, 0, -1), matrix.dtype)
        sums = math_ops.reduce_sum(counts * gen_ops.log(diagonal), -1)
        return sums + math.log(2.0) * math_ops.cast(rows, matrix.dtype)

    def _checked_matrix(self, x: Tensor) -> Tensor:
        if not self.validate_args:
            return x
        text = "Input must be a (batch of) square matrix."
        rank = assert_rank_at_least(x, 2, message="Input must be a (batch of) matrix.")
        with control_dependencies([rank]):
            _, is_square = square_sizes(x, text)
        return checked(x, rank, is_square)


@set_module("troupe.contrib.distributions.bijectors")
class MatrixInverseTriL(Bijector):
    """The inverse matrices of lower triangular ones."""

    def __init__(self, validate_args: bool = False, name: str = "matrix_inverse_tril") -> None:
        """The bijector.

        Args:
            validate_args: Whether steps check the matrices.
            name: The name scope of its nodes.
        """
        super().__init__(forward_min_event_ndims=2, validate_args=validate_args, name=name)

    def _forward(self, x: Any) -> Any:
        with control_dependencies(self._checks(x)):
            sizes = array_ops.shape(x)
            ones = eye(sizes[-1], batch_shape=sizes[:-2], dtype=x.dtype)
            return gen_ops.matrix_triangular_solve(x, ones, lower=True)

    def _inverse(self, y: Any) -> Any:
        return self._forward(y)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        # As in TensorFlow 1.x this is the determinant of the inverse of all square matrices. By the
        # elements of the triangles alone, the factor would be -(rows + 1).
        with control_dependencies(self._checks(x)):
            rows = math_ops.cast(array_ops.shape(x)[-1], x.dtype)
            logarithms = gen_ops.log(arithmetic_ops.abs(matrix_diag_part(x)))
            return -2.0 * rows * math_ops.reduce_sum(logarithms, -1)

    def _checks(self, x: Tensor) -> List[Operation]:
        if not self.validate_args:
            return []
        rank = assert_rank_at_least(x, 2, message="Input must have rank at least 2.")
        with control_dependencies([rank]):
            _, is_square = square_sizes(x, "Input must be a square matrix.")
        diagonal = matrix_diag_part(x)
        upper = gen_ops.matrix_band_part(matrix_set_diag(x, zeros_like(diagonal)), 0, -1)
        return [
            rank,
            is_square,
            assert_ops.assert_equal(
                upper, zeros_like(upper), message="Input must be lower triangular."
            ),
            assert_ops.assert_none_equal(
                diagonal, zeros_like(diagonal),
                message="Input must have all diagonal entries nonzero.",
            ),
        ]  # fmt: skip
