"""An operator of reflections."""

from __future__ import annotations

from typing import Optional

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.linalg import matrix_ops
from troupe._src.linalg.batch_ops import broadcast_batches
from troupe._src.linalg.diagonal_ops import matrix_set_diag
from troupe._src.linalg.linear_operator import LinearOperator
from troupe._src.linalg.linear_ops import norm
from troupe._src.linalg.operator_algebra import RegisterAdjoint, RegisterInverse
from troupe._src.ops import array_ops, cast_ops, creation_ops, gen_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.grouping_ops import no_op
from troupe._src.set_module import set_module
from troupe._src.types.errors import InvalidArgumentError
from troupe._src.types.shapes import TensorShape


@set_module("troupe.linalg")
class LinearOperatorHouseholder(LinearOperator):
    """An operator that reflects vectors at the plane through 0 that is orthogonal to one.

    Args:
        reflection_axis: The vectors that are orthogonal to the planes, [..., rows], of floating
            point or complex numbers, and of any length but 0.
        is_non_singular: Whether all have an inverse, as all have.
        is_self_adjoint: Must not be False.
        is_positive_definite: Must not be True.
        is_square: Must not be False.
        name: The name scope of its nodes.

    Raises:
        ValueError: A hint is another one, or the axis is a scalar.
    """

    def __init__(
        self, reflection_axis: TensorLike, is_non_singular: Optional[bool] = None,
        is_self_adjoint: Optional[bool] = None, is_positive_definite: Optional[bool] = None,
        is_square: Optional[bool] = None, name: str = "LinearOperatorHouseholder",
    ) -> None:  # fmt: skip
        self._axis = convert_to_tensor(reflection_axis, name="reflection_axis")
        if self._axis.shape.rank == 0:
            raise ValueError(
                f"Argument reflection_axis must have at least 1 dimension.  Found: {self._axis}"
            )
        if is_self_adjoint is False:
            raise ValueError("A Householder operator is always self adjoint.")
        if is_positive_definite:
            raise ValueError("A Householder operator is always non-positive definite.")
        if is_square is False:
            raise ValueError("A Householder operator is always square.")
        super().__init__(self._axis.dtype, [self._axis], is_non_singular, True, False, True, name)

    @property
    def reflection_axis(self) -> Tensor:
        """The vectors that are orthogonal to the planes."""
        return self._axis

    def _shape(self) -> TensorShape:
        return self._axis.shape.concatenate(self._axis.shape[-1:])

    def _shape_tensor(self) -> Tensor:
        sizes = array_ops.shape(self._axis)
        return array_ops.concat([sizes, sizes[-1:]], 0)

    def _assert_non_singular(self) -> Operation:
        return no_op("assert_non_singular")

    def _assert_positive_definite(self) -> Operation:
        raise InvalidArgumentError(
            None, None, "Householder operators are always non-positive definite."
        )

    def _assert_self_adjoint(self) -> Operation:
        return no_op("assert_self_adjoint")

    def _unit(self) -> Tensor:
        """The axis with length 1, [..., rows]."""
        return self._axis / math_ops.cast(norm(self._axis, axis=-1, keepdims=True), self.dtype)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        right = matrix_ops.adjoint(x) if adjoint_arg else x
        unit, right = broadcast_batches(array_ops.expand_dims(self._unit(), -1), right)
        return right - 2 * unit * math_ops.matmul(unit, right, adjoint_a=True)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._matmul(rhs, adjoint, adjoint_arg)  # twice reflected is not at all

    def _ones(self) -> Tensor:
        return creation_ops.ones(self.batch_shape_tensor(), self.dtype)

    def _trace(self) -> Tensor:
        return math_ops.cast(self.domain_dimension_tensor() - 2, self.dtype) * self._ones()

    def _determinant(self) -> Tensor:
        return -self._ones()

    def _log_abs_determinant(self) -> Tensor:
        return creation_ops.zeros_like(self._ones())

    def _to_dense(self) -> Tensor:
        unit = array_ops.expand_dims(self._unit(), -1)
        rest = -2 * math_ops.matmul(unit, unit, adjoint_b=True)
        return matrix_set_diag(rest, 1 + gen_ops.matrix_diag_part(rest))

    def _diag_part(self) -> Tensor:
        unit = self._unit()
        return 1 - 2 * unit * cast_ops.conj(unit)


@RegisterAdjoint(LinearOperatorHouseholder)
@RegisterInverse(LinearOperatorHouseholder)
def _itself(operator: LinearOperatorHouseholder) -> LinearOperator:
    return operator
