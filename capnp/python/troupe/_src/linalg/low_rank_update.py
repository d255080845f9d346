"""An operator plus a product of thin matrices."""

from __future__ import annotations

from typing import Any, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.linalg.batch_ops import broadcast_batches, matrix_argument
from troupe._src.linalg import matrix_ops
from troupe._src.linalg.identity_operators import LinearOperatorIdentity
from troupe._src.linalg.linear_operator import LinearOperator
from troupe._src.linalg.linear_operators import LinearOperatorDiag
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.ops.arithmetic_ops import broadcast_dynamic_shape, broadcast_static_shape
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.set_module import set_module
from troupe._src.types.shapes import TensorShape


@set_module("troupe.linalg")
class LinearOperatorLowRankUpdate(LinearOperator):
    """The operator L + U D V*, of a diagonal D that is small.

    Solving takes a solution by L and a system as small as D, by Woodbury's identity.

    Args:
        base_operator: L, [..., rows, columns].
        u: [..., rows, rank].
        diag_update: The diagonals of D, [..., rank], by default 1.
        v: [..., columns, rank], by default U.
        is_diag_update_positive: Whether all of `diag_update` is positive.
        is_non_singular: Whether all have an inverse.
        is_self_adjoint: Whether they equal their adjoints; known to be, where L is and V is U.
        is_positive_definite: Whether they are positive definite; known to be, where L is, V is U
            and the update is positive.
        is_square: Whether they are square.
        name: The name scope of its nodes.

    Raises:
        TypeError: The dtypes are not floating point or complex numbers, or differ.
        ValueError: Hints exclude each other, or sizes do not fit.
    """

    def __init__(
        self, base_operator: LinearOperator, u: TensorLike, diag_update: Any = None,
        v: Any = None, is_diag_update_positive: Optional[bool] = None,
        is_non_singular: Optional[bool] = None, is_self_adjoint: Optional[bool] = None,
        is_positive_definite: Optional[bool] = None, is_square: Optional[bool] = None,
        name: str = "LinearOperatorLowRankUpdate",
    ) -> None:  # fmt: skip
        self._base = base_operator
        self._u = matrix_argument(u, "u")
        self._v = self._u if v is None else matrix_argument(v, "v")
        self._given_diagonal = (
            None if diag_update is None else convert_to_tensor(diag_update, name="diag_update")
        )
        is_positive = diag_update is None or bool(is_diag_update_positive)
        is_symmetric = v is None
        if is_symmetric and base_operator.is_self_adjoint and is_self_adjoint is None:
            is_self_adjoint = True
        if is_symmetric and base_operator.is_positive_definite and is_positive:
            if is_positive_definite is None:
                is_positive_definite = True
            if is_non_singular is None:
                is_non_singular = True
        parents = [*base_operator.graph_parents, self._u]
        parents += [] if v is None else [self._v]
        parents += [] if self._given_diagonal is None else [self._given_diagonal]
        for each in parents:
            if each.dtype.base_dtype != base_operator.dtype:
                raise TypeError(f"Expected dtype {base_operator.dtype.name}, found {each}")
        self._check_sizes_of_parts()
        square = base_operator.is_square if is_square is None else is_square
        super().__init__(
            base_operator.dtype, parents, is_non_singular, is_self_adjoint, is_positive_definite,
            square, name,
        )  # fmt: skip
        self._use_cholesky = bool(
            is_symmetric and is_positive and base_operator.is_self_adjoint
            and base_operator.is_positive_definite
        )  # fmt: skip
        self._is_positive = is_positive

    def _check_sizes_of_parts(self) -> None:
        """Raises where sizes are known not to fit."""
        u, v = self._u.shape.with_rank_at_least(2), self._v.shape.with_rank_at_least(2)
        base = self._base.shape.with_rank_at_least(2)
        base[-2].assert_is_compatible_with(u[-2])
        base[-1].assert_is_compatible_with(v[-2])
        u[-1].assert_is_compatible_with(v[-1])
        if self._given_diagonal is not None:
            diagonal = self._given_diagonal.shape.with_rank_at_least(1)
            u[-1].assert_is_compatible_with(diagonal[-1])
        self._shape()

    @property
    def u(self) -> Tensor:
        """U, [..., rows, rank]."""
        return self._u

    @property
    def v(self) -> Tensor:
        """V, [..., columns, rank]."""
        return self._v

    @property
    def is_diag_update_positive(self) -> bool:
        """Whether the diagonals of D are known to be positive."""
        return self._is_positive

    @property
    def base_operator(self) -> LinearOperator:
        """L."""
        return self._base

    @property
    def diag_update(self) -> Optional[Tensor]:
        """The diagonals of D, or None for 1."""
        return self._given_diagonal

    @property
    def diag_operator(self) -> LinearOperator:
        """D, as an operator."""
        if self._given_diagonal is not None:
            return LinearOperatorDiag(
                self._given_diagonal, is_positive_definite=self._is_positive or None
            )
        known = self._u.shape[-1].value
        rank = array_ops.shape(self._u)[-1] if known is None else known
        return LinearOperatorIdentity(rank, dtype=self.dtype)

    def _shape(self) -> TensorShape:
        batch = broadcast_static_shape(self._base.batch_shape, self._u.shape[:-2])
        batch = broadcast_static_shape(batch, self._v.shape[:-2])
        if self._given_diagonal is not None:
            batch = broadcast_static_shape(batch, self._given_diagonal.shape[:-1])
        return batch.concatenate(self._base.shape[-2:])

    def _shape_tensor(self) -> Tensor:
        batch = self._base.batch_shape_tensor()
        for each in (self._u, self._v):
            batch = broadcast_dynamic_shape(batch, array_ops.shape(each)[:-2])
        if self._given_diagonal is not None:
            batch = broadcast_dynamic_shape(batch, array_ops.shape(self._given_diagonal)[:-1])
        return array_ops.concat([batch, self._base.shape_tensor()[-2:]], 0)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        right = matrix_ops.adjoint(x) if adjoint_arg else x
        first, second = (self._u, self._v) if adjoint else (self._v, self._u)
        inner = _product(first, right, adjoint_a=True)
        scaled = self.diag_operator.matmul(inner, adjoint=adjoint)
        found: Tensor = self._base.matmul(right, adjoint=adjoint)
        return found + _product(second, scaled)

    def _small(self) -> Tensor:
        """D^-1 + V* L^-1 U."""
        inner = _product(self._v, self._base.solve(self._u), adjoint_a=True)
        if self._given_diagonal is None:
            return self.diag_operator.add_to_tensor(inner)
        return LinearOperatorDiag(1.0 / self._given_diagonal).add_to_tensor(inner)

    def _determinant(self) -> Tensor:
        small = gen_ops.matrix_determinant(self._small())
        return small * self.diag_operator.determinant() * self._base.determinant()

    def _log_abs_determinant(self) -> Tensor:
        small = self._small()
        if self._use_cholesky:
            diagonal = gen_ops.matrix_diag_part(gen_ops.cholesky(small))
            found = 2 * math_ops.reduce_sum(gen_ops.log(diagonal), -1)
        else:
            found = gen_ops.log_matrix_determinant(small)[1]
            if not self.dtype.is_complex:
                found = math_ops.cast(found, self.dtype)
        total: Tensor = found + self.diag_operator.log_abs_determinant()
        of_base: Tensor = self._base.log_abs_determinant()
        return total + of_base

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        right = matrix_ops.adjoint(rhs) if adjoint_arg else rhs
        first, second = (self._u, self._v) if adjoint else (self._v, self._u)
        of_base: Tensor = self._base.solve(right, adjoint=adjoint)
        inner = _product(first, of_base, adjoint_a=True)
        small, inner = broadcast_batches(self._small(), inner)
        if self._use_cholesky:
            found = matrix_ops.cholesky_solve(gen_ops.cholesky(small), inner)
        else:
            found = gen_ops.matrix_solve(small, inner, adjoint=adjoint)
        rest: Tensor = self._base.solve(_product(second, found), adjoint=adjoint)
        return of_base - rest


def _product(left: Tensor, right: Tensor, adjoint_a: bool = False) -> Tensor:
    left, right = broadcast_batches(left, right)
    return math_ops.matmul(left, right, adjoint_a=adjoint_a)
