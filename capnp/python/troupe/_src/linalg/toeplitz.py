"""An operator whose matrices have the same numbers along each diagonal."""

from __future__ import annotations

from typing import Optional

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.linalg import matrix_ops
from troupe._src.linalg.batch_ops import static_or_shape
from troupe._src.linalg.circulant import LinearOperatorCirculant, to_complex
from troupe._src.linalg.linear_operator import LinearOperator
from troupe._src.ops import array_ops, assert_ops, cast_ops, creation_ops, gen_ops, math_ops
from troupe._src.ops.arithmetic_ops import broadcast_dynamic_shape, broadcast_static_shape
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.rearrange_ops import reverse
from troupe._src.set_module import set_module
from troupe._src.types.shapes import TensorShape


@set_module("troupe.linalg")
class LinearOperatorToeplitz(LinearOperator):
    """An operator whose matrices have the same numbers along each diagonal.

    Products are those of a circulant matrix that is twice as large, by Fourier transforms.

    Args:
        col: The first columns, [..., rows].
        row: The first rows, [..., rows], whose first elements are those of `col`.
        is_non_singular: Whether all have an inverse.
        is_self_adjoint: Whether they equal their adjoints.
        is_positive_definite: Whether they are positive definite.
        is_square: Must not be False.
        name: The name scope of its nodes.

    Raises:
        ValueError: One is a scalar, they have different sizes, or `is_square` is False.
    """

    def __init__(
        self, col: TensorLike, row: TensorLike, is_non_singular: Optional[bool] = None,
        is_self_adjoint: Optional[bool] = None, is_positive_definite: Optional[bool] = None,
        is_square: Optional[bool] = None, name: str = "LinearOperatorToeplitz",
    ) -> None:  # fmt: skip
        self._row = convert_to_tensor(row, name="row")
        self._col = convert_to_tensor(col, self._row.dtype, name="col")
        for text, each in (("row", self._row), ("col", self._col)):
            if each.shape.rank == 0:
                raise ValueError(f"Argument {text} must have at least 1 dimension.  Found: {each}")
        if not self._row.shape[-1:].is_compatible_with(self._col.shape[-1:]):
            raise ValueError(
                "Expected square matrix, got row and col with mismatched dimensions."
            )
        if is_square is False:
            raise ValueError("Only square Toeplitz operators currently supported.")
        super().__init__(
            self._row.dtype, [self._row, self._col], is_non_singular, is_self_adjoint,
            is_positive_definite, True, name,
        )  # fmt: skip
        with get_default_graph().name_scope(name):
            self._circulant = self._embedding()

    def _embedding(self) -> LinearOperatorCirculant:
        """The circulant operator of twice as many rows, whose first ones have these matrices."""
        sizes = static_or_shape(self.shape[:-1], lambda: self._shape_tensor()[:-1])
        col = array_ops.broadcast_to(self._col, sizes)
        row = array_ops.broadcast_to(self._row, sizes)
        rest = reverse(row[..., 1:], axis=[-1])
        column = array_ops.concat([col, creation_ops.zeros_like(col[..., :1]), rest], -1)
        return LinearOperatorCirculant(
            gen_ops.fft(to_complex(column)), input_output_dtype=self.dtype
        )

    @property
    def col(self) -> Tensor:
        """The first columns."""
        return self._col

    @property
    def row(self) -> Tensor:
        """The first rows."""
        return self._row

    def _shape(self) -> TensorShape:
        shape = broadcast_static_shape(self._row.shape, self._col.shape)
        return shape.concatenate(shape[-1:])

    def _shape_tensor(self) -> Tensor:
        sizes = broadcast_dynamic_shape(array_ops.shape(self._row), array_ops.shape(self._col))
        return array_ops.concat([sizes, sizes[-1:]], 0)

    def _assert_self_adjoint(self) -> Operation:
        return assert_ops.assert_equal(
            self._row, cast_ops.conj(self._col),
            message="row and col are not the same, and so this operator is not self-adjoint.",
        )  # fmt: skip

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        right = matrix_ops.adjoint(x) if adjoint_arg else x
        padded = array_ops.concat([right, creation_ops.zeros_like(right)], -2)
        found = self._circulant.matmul(padded, adjoint=adjoint)
        known = self.domain_dimension.value
        rows = self.domain_dimension_tensor() if known is None else known
        first: Tensor = found[..., :rows, :]
        return first

    def _trace(self) -> Tensor:
        rows = math_ops.cast(self.domain_dimension_tensor(), self.dtype)
        return rows * self._col[..., 0] * creation_ops.ones(self.batch_shape_tensor(), self.dtype)

    def _diag_part(self) -> Tensor:
        return self._col[..., :1] * creation_ops.ones(self.shape_tensor()[:-1], self.dtype)
