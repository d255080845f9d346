"""The Kronecker product of operators."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Sequence

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.linalg import matrix_ops
from troupe._src.linalg.batch_ops import broadcast_shapes, broadcast_sizes
from troupe._src.linalg.block_diagonal import checked_operators, hint_of_all, parents_of
from troupe._src.linalg.linear_operator import LinearOperator
from troupe._src.linalg.linear_operators import LinearOperatorLowerTriangular
from troupe._src.linalg.operator_algebra import (
    RegisterAdjoint,
    RegisterCholesky,
    RegisterInverse,
    hints_of,
)
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.ops.grouping_ops import group
from troupe._src.set_module import set_module
from troupe._src.types.dimensions import Dimension
from troupe._src.types.errors import InvalidArgumentError
from troupe._src.types.shapes import TensorShape


@set_module("troupe.linalg")
class LinearOperatorKronecker(LinearOperator):
    """The Kronecker product of operators, none of which is computed as a whole.

    Args:
        operators: The factors, of one dtype.
        is_non_singular: Whether all have an inverse; known to be, where all factors have.
        is_self_adjoint: Whether they equal their adjoints, likewise.
        is_positive_definite: Whether they are positive definite, likewise.
        is_square: Whether they are square.
        name: The name scope of its nodes, by default those of the factors, with "_x_" between.

    Raises:
        TypeError: The operators have several dtypes.
        ValueError: There are none, or a hint is not what they say.
    """

    def __init__(
        self, operators: Sequence[LinearOperator], is_non_singular: Optional[bool] = None,
        is_self_adjoint: Optional[bool] = None, is_positive_definite: Optional[bool] = None,
        is_square: Optional[bool] = None, name: Optional[str] = None,
    ) -> None:  # fmt: skip
        self._operators = factors = checked_operators(operators)
        what = "Kronecker product"
        is_non_singular = hint_of_all(factors, "non_singular", is_non_singular, what)
        is_self_adjoint = hint_of_all(factors, "self_adjoint", is_self_adjoint, what)
        if is_self_adjoint or len(factors) == 1:
            # Products of eigenvalues with positive real parts may have others, unless all are real.
            is_positive_definite = hint_of_all(
                factors, "positive_definite", is_positive_definite, what
            )
        super().__init__(
            factors[0].dtype, parents_of(factors), is_non_singular, is_self_adjoint,
            is_positive_definite, is_square, name or "_x_".join(each.name for each in factors),
        )  # fmt: skip

    @property
    def operators(self) -> List[LinearOperator]:
        """The factors."""
        return self._operators

    def _shape(self) -> TensorShape:
        batch = broadcast_shapes(each.batch_shape for each in self._operators)
        rows = _known_product([each.range_dimension for each in self._operators])
        columns = _known_product([each.domain_dimension for each in self._operators])
        return batch.concatenate(TensorShape([rows, columns]))

    def _shape_tensor(self) -> Tensor:
        batch = broadcast_sizes(each.batch_shape_tensor() for each in self._operators)
        rows = _product([_rows(each) for each in self._operators])
        columns = _product([_columns(each) for each in self._operators])
        return array_ops.concat([batch, array_ops.stack([rows, columns])], 0)

    def _by_factors(
        self, x: Tensor, adjoint: bool, function: Callable[[LinearOperator, Tensor], Tensor]
    ) -> Tensor:
        """Applies a function of each factor along its part of the rows of x.

        A row has an index for each factor. The rows are those of one factor at a time, all other
        indices being columns: after a factor, the next index comes to the front of the columns,
        and the one that is done to their end.
        """
        given, made = (_rows, _columns) if adjoint else (_columns, _rows)
        sides = _size(x, -1)
        left = [given(each) for each in self._operators]
        done: List[Any] = []
        for i, each in enumerate(self._operators):
            columns = _product([*left[i + 1 :], sides, *done])
            x = array_ops.matrix_transpose(x) if done else x
            x = function(each, _reshaped(x, left[i], columns))
            done.append(made(each))
        # [..., the last index, sides and all other indices]
        x = _reshaped(x, _product([done[-1], sides]), _product(done[:-1]))
        return _reshaped(array_ops.matrix_transpose(x), _product(done), sides)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        right = matrix_ops.adjoint(x) if adjoint_arg else x
        return self._by_factors(right, adjoint, lambda each, y: each.matmul(y, adjoint=adjoint))

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        right = matrix_ops.adjoint(rhs) if adjoint_arg else rhs
        if not all(each.is_square for each in self._operators):
            return super()._solve(right, adjoint=adjoint)
        return self._by_factors(right, adjoint, lambda each, y: each.solve(y, adjoint=adjoint))

    def _copies(self, index: int) -> Tensor:
        """How often the eigenvalues of a factor count among those of the whole."""
        rest = [_columns(each) for i, each in enumerate(self._operators) if i != index]
        return math_ops.cast(_product(rest), self.dtype)

    def _determinant(self) -> Tensor:
        if not all(each.is_square for each in self._operators):
            return super()._determinant()
        factors = enumerate(self._operators)
        return _product_of([each.determinant() ** self._copies(i) for i, each in factors])

    def _log_abs_determinant(self) -> Tensor:
        if not all(each.is_square for each in self._operators):
            return super()._log_abs_determinant()
        found = self._operators[0].log_abs_determinant() * self._copies(0)
        for i, each in enumerate(self._operators[1:], 1):
            found = found + each.log_abs_determinant() * self._copies(i)
        return found

    def _trace(self) -> Tensor:
        if not all(each.is_square for each in self._operators):
            return super()._trace()
        return _product_of([each.trace() for each in self._operators])

    def _diag_part(self) -> Tensor:
        if not all(each.is_square for each in self._operators):
            return super()._diag_part()
        found = self._operators[0].diag_part()
        for each in self._operators[1:]:
            right = array_ops.expand_dims(each.diag_part(), -2)
            pairs = array_ops.expand_dims(found, -1) * right
            rows = _size(pairs, -2) * _size(pairs, -1)
            found = array_ops.squeeze(_reshaped(pairs, rows, 1), [-1])
        found.set_shape(self.shape[:-1])
        return found

    def _to_dense(self) -> Tensor:
        found = self._operators[0].to_dense()
        for each in self._operators[1:]:
            right = each.to_dense()
            rows = _size(found, -2) * _size(right, -2)
            columns = _size(found, -1) * _size(right, -1)
            # [..., rows of both, columns of both]
            left = array_ops.expand_dims(array_ops.expand_dims(found, -1), -3)
            right = array_ops.expand_dims(array_ops.expand_dims(right, -2), -4)
            found = _reshaped(left * right, rows, columns, axes=4)
        found.set_shape(self.shape)
        return found

    def _need_squares(self, what: str) -> None:
        if not all(each.is_square for each in self._operators):
            raise InvalidArgumentError(
                None, None, f"All Kronecker factors must be square for the product to be {what}."
            )

    def _assert_non_singular(self) -> Operation:
        self._need_squares("invertible")
        return group(*(each.assert_non_singular() for each in self._operators))

    def _assert_self_adjoint(self) -> Operation:
        self._need_squares("self adjoint")
        return group(*(each.assert_self_adjoint() for each in self._operators))


def _size(x: Tensor, axis: int) -> Any:
    """The size of an axis, a number where it is known."""
    known = None if x.shape.rank is None else x.shape.as_list()[axis]
    return array_ops.shape(x)[axis] if known is None else known


def _rows(operator: LinearOperator) -> Any:
    known = operator.range_dimension.value
    return operator.range_dimension_tensor() if known is None else known


def _columns(operator: LinearOperator) -> Any:
    known = operator.domain_dimension.value
    return operator.domain_dimension_tensor() if known is None else known


def _product(sizes: Sequence[Any]) -> Any:
    """The product of sizes, a number where all are known."""
    found: Any = 1
    for each in sizes:
        found = found * each
    return found


def _product_of(values: Sequence[Tensor]) -> Tensor:
    found = values[0]
    for each in values[1:]:
        found = found * each
    return found


def _known_product(sizes: Sequence[Dimension]) -> Optional[int]:
    values = [each.value for each in sizes]
    return None if None in values else int(_product(values))


def _reshaped(x: Tensor, rows: Any, columns: Any, axes: int = 2) -> Tensor:
    """[..., rows, columns], instead of that many last axes."""
    batch = x.shape[:-axes]
    if batch.is_fully_defined() and isinstance(rows, int) and isinstance(columns, int):
        return array_ops.reshape(x, [*batch.as_list(), rows, columns])
    return array_ops.reshape(x, array_ops.concat([array_ops.shape(x)[:-axes], [rows, columns]], 0))


@RegisterAdjoint(LinearOperatorKronecker)
def _adjoint(operator: LinearOperatorKronecker) -> LinearOperator:
    factors = [each.adjoint() for each in operator.operators]
    return LinearOperatorKronecker(factors, is_square=operator.is_square, **hints_of(operator))


@RegisterInverse(LinearOperatorKronecker)
def _inverse(operator: LinearOperatorKronecker) -> LinearOperator:
    # The whole has an inverse where all factors are square and have one.
    factors = [each.inverse() for each in operator.operators]
    return LinearOperatorKronecker(factors, is_square=True, **hints_of(operator))


@RegisterCholesky(LinearOperatorKronecker)
def _cholesky(operator: LinearOperatorKronecker) -> LinearOperator:
    if not all(each.is_self_adjoint and each.is_positive_definite for each in operator.operators):
        # Two negative factors have a positive product, but no triangles of their own.
        lower = gen_ops.cholesky(operator.to_dense())
        return LinearOperatorLowerTriangular(lower, is_non_singular=True, is_square=True)
    factors = [each.cholesky() for each in operator.operators]
    return LinearOperatorKronecker(factors, is_non_singular=True, is_square=True)
