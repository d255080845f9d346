"""Bijectors of vectors onto triangular matrices, and of the diagonals of matrices."""

from __future__ import annotations

from typing import Any, Optional

from troupe._src.bijectors.affine_scalar import AffineScalar
from troupe._src.bijectors.bijector import Bijector
from troupe._src.bijectors.checked import checked
from troupe._src.bijectors.composed import Chain
from troupe._src.bijectors.sigmoids import Softplus
from troupe._src.graph.elements import Tensor
from troupe._src.linalg.diagonal_ops import matrix_diag_part, matrix_set_diag
from troupe._src.linalg.triangular_ops import (
    fill_triangular,
    fill_triangular_inverse,
    triangle_rows,
    triangle_rows_tensor,
)
from troupe._src.ops import array_ops, assert_ops
from troupe._src.ops.creation_ops import zeros_like
from troupe._src.set_module import set_module
from troupe._src.types.shapes import TensorShape


@set_module("troupe.contrib.distributions.bijectors")
class FillTriangular(Bijector):
    """`fill_triangular` of vectors: triangular matrices of their elements."""

    def __init__(
        self, upper: bool = False, validate_args: bool = False, name: str = "fill_triangular"
    ) -> None:
        """The bijector.

        Args:
            upper: Makes upper triangular matrices.
            validate_args: Whether steps check sizes that are not known before.
            name: The name scope of its nodes.
        """
        self._upper = upper
        super().__init__(
            validate_args=validate_args, forward_min_event_ndims=1, inverse_min_event_ndims=2,
            name=name,
        )  # fmt: skip

    def _forward(self, x: Any) -> Any:
        return fill_triangular(x, upper=self._upper)

    def _inverse(self, y: Any) -> Any:
        return fill_triangular_inverse(y, upper=self._upper)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return zeros_like(x[..., 0])

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        return zeros_like(y[..., 0, 0])

    def _forward_event_shape(self, input_shape: TensorShape) -> Any:
        size = input_shape.with_rank_at_least(1)[-1].value
        rows = None if size is None else triangle_rows(size)
        return input_shape[:-1].concatenate([rows, rows])

    def _inverse_event_shape(self, output_shape: TensorShape) -> Any:
        shape = output_shape.with_rank_at_least(2)
        rows, columns = shape[-2].value, shape[-1].value
        if rows is None or columns is None:
            return shape[:-2].concatenate([None])
        if rows != columns:
            raise ValueError(f"Matrix must be square. (saw [{rows}, {columns}])")
        return shape[:-2].concatenate([rows * (rows + 1) // 2])

    def _forward_event_shape_tensor(self, input_shape: Tensor) -> Any:
        size = input_shape[-1]
        rows = triangle_rows_tensor(size)
        if self.validate_args:
            text = "Vector length is not a triangular number"
            rows = checked(
                rows, assert_ops.assert_equal(rows * (rows + 1) // 2, size, message=text)
            )
        return array_ops.concat([input_shape[:-1], [rows, rows]], 0)

    def _inverse_event_shape_tensor(self, output_shape: Tensor) -> Any:
        rows = output_shape[-1]
        if self.validate_args:
            text = "Matrix must be square."
            rows = checked(rows, assert_ops.assert_equal(rows, output_shape[-2], message=text))
        return array_ops.concat([output_shape[:-2], [rows * (rows + 1) // 2]], 0)


@set_module("troupe.contrib.distributions.bijectors")
class TransformDiagonal(Bijector):
    """A bijector of the diagonals of matrices."""

    def __init__(
        self,
        diag_bijector: Bijector,
        validate_args: bool = False,
        name: str = "transform_diagonal",
    ) -> None:
        """The bijector.

        Args:
            diag_bijector: The one of the diagonals, which are its events or a row of them.
            validate_args: Has no effect: the other one checks.
            name: The name scope of its nodes.
        """
        self._diag_bijector = diag_bijector
        super().__init__(
            validate_args=validate_args, forward_min_event_ndims=2, inverse_min_event_ndims=2,
            name=name,
        )  # fmt: skip

    def _forward(self, x: Any) -> Any:
        return matrix_set_diag(x, self._diag_bijector.forward(matrix_diag_part(x)))

    def _inverse(self, y: Any) -> Any:
        return matrix_set_diag(y, self._diag_bijector.inverse(matrix_diag_part(y)))

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        diagonal = matrix_diag_part(x)
        return self._diag_bijector.forward_log_det_jacobian(diagonal, event_ndims=1)

    def _inverse_log_det_jacobian(self, y: Any) -> Any:
        diagonal = matrix_diag_part(y)
        return self._diag_bijector.inverse_log_det_jacobian(diagonal, event_ndims=1)


@set_module("troupe.contrib.distributions.bijectors")
class ScaleTriL(Chain):
    """Lower triangular matrices with positive diagonals, of vectors."""

    def __init__(
        self,
        diag_bijector: Optional[Bijector] = None,
        diag_shift: Any = 1e-5,
        validate_args: bool = False,
        name: str = "scale_tril",
    ) -> None:
        """The bijector.

        Args:
            diag_bijector: What makes the diagonals positive; by default `Softplus`.
            diag_shift: What is added to them then, or None.
            validate_args: Whether steps check the values.
            name: The name scope of its nodes.
        """
        diagonal = diag_bijector or Softplus()
        if diag_shift is not None:
            diagonal = Chain([AffineScalar(shift=diag_shift), diagonal])
        super().__init__(
            [TransformDiagonal(diagonal), FillTriangular()], validate_args=validate_args, name=name
        )
