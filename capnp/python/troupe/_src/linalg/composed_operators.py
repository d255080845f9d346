"""Operators that are made of others."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence

from troupe._src.graph.elements import Tensor
from troupe._src.linalg import matrix_ops
from troupe._src.linalg.batch_ops import broadcast_shapes, broadcast_sizes
from troupe._src.linalg.identity_operators import LinearOperatorIdentity, LinearOperatorZeros
from troupe._src.linalg.linear_operator import LinearOperator
from troupe._src.linalg.operator_algebra import (
    RegisterAdjoint,
    RegisterInverse,
    RegisterMatmul,
    RegisterSolve,
    non_singular_hint,
)
from troupe._src.ops import array_ops, cast_ops
from troupe._src.ops.arithmetic_ops import broadcast_static_shape
from troupe._src.set_module import set_module
from troupe._src.types.shapes import TensorShape


class _OfOne(LinearOperator):
    """An operator made of one, whose hints it has.

    Args:
        operator: The other one.
        kind: What it is, for its name.
        hints: Those that are given; None for those of the other one.
        name: The name scope of its nodes.

    Raises:
        ValueError: A hint is not what the other one says.
    """

    def __init__(
        self, operator: LinearOperator, kind: str, hints: Sequence[Optional[bool]],
        name: Optional[str],
    ) -> None:  # fmt: skip
        texts = ("non_singular", "self_adjoint", "positive_definite", "square")
        found: List[Optional[bool]] = []
        for text, given in zip(texts, hints):
            known = getattr(operator, f"is_{text}")
            if given is not None and known is not None and given is not known:
                raise ValueError(f"The operator was known to have is_{text}={known}, not {given}.")
            found.append(known if given is None else given)
        self._operator = operator
        super().__init__(
            operator.dtype, operator.graph_parents, found[0], found[1], found[2], found[3],
            name or f"{operator.name}_{kind}",
        )  # fmt: skip

    @property
    def operator(self) -> LinearOperator:
        """The other one."""
        return self._operator

    def _shape(self) -> TensorShape:
        shape = self._operator.shape
        if shape.rank is None:
            return shape
        sizes = shape.as_list()
        return TensorShape([*sizes[:-2], sizes[-1], sizes[-2]])

    def _shape_tensor(self) -> Tensor:
        sizes = self._operator.shape_tensor()
        return array_ops.concat([sizes[:-2], sizes[-1:], sizes[-2:-1]], 0)


@set_module("troupe.linalg")
class LinearOperatorAdjoint(_OfOne):
    """The adjoint of an operator.

    Args:
        operator: The other one.
        is_non_singular: Whether all matrices have an inverse; by default what the other says.
        is_self_adjoint: Whether they equal their adjoints, likewise.
        is_positive_definite: Whether they are positive definite, likewise.
        is_square: Whether they are square, likewise.
        name: The name scope of its nodes.

    Raises:
        ValueError: A hint is not what the other one says.
    """

    def __init__(
        self, operator: LinearOperator, is_non_singular: Optional[bool] = None,
        is_self_adjoint: Optional[bool] = None, is_positive_definite: Optional[bool] = None,
        is_square: Optional[bool] = None, name: Optional[str] = None,
    ) -> None:  # fmt: skip
        hints = (is_non_singular, is_self_adjoint, is_positive_definite, is_square)
        super().__init__(operator, "adjoint", hints, name)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        found: Tensor = self._operator.matmul(x, adjoint=not adjoint, adjoint_arg=adjoint_arg)
        return found

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        found: Tensor = self._operator.solve(rhs, adjoint=not adjoint, adjoint_arg=adjoint_arg)
        return found

    def _to_dense(self) -> Tensor:
        return matrix_ops.adjoint(self._operator.to_dense())

    def _determinant(self) -> Tensor:
        return cast_ops.conj(self._operator.determinant())

    def _log_abs_determinant(self) -> Tensor:
        return self._operator.log_abs_determinant()


@set_module("troupe.linalg")
class LinearOperatorInversion(_OfOne):
    """The inverse of an operator.

    Args:
        operator: The other one.
        is_non_singular: Must not be False.
        is_self_adjoint: Whether they equal their adjoints; by default what the other says.
        is_positive_definite: Whether they are positive definite, likewise.
        is_square: Must not be False.
        name: The name scope of its nodes.

    Raises:
        ValueError: One of them is singular, or a hint is not what the other one says.
    """

    def __init__(
        self, operator: LinearOperator, is_non_singular: Optional[bool] = None,
        is_self_adjoint: Optional[bool] = None, is_positive_definite: Optional[bool] = None,
        is_square: Optional[bool] = None, name: Optional[str] = None,
    ) -> None:  # fmt: skip
        if False in (operator.is_non_singular, is_non_singular):
            raise ValueError("operator and supplied hints must have `is_non_singular` True or None")
        hints = (True, is_self_adjoint, is_positive_definite, is_square)
        super().__init__(operator, "inv", hints, name)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        found: Tensor = self._operator.solve(x, adjoint=adjoint, adjoint_arg=adjoint_arg)
        return found

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        found: Tensor = self._operator.matmul(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)
        return found

    def _determinant(self) -> Tensor:
        return 1.0 / self._operator.determinant()

    def _log_abs_determinant(self) -> Tensor:
        return -self._operator.log_abs_determinant()


@set_module("troupe.linalg")
class LinearOperatorComposition(LinearOperator):
    """The product of several operators: the last one gets the argument.

    Args:
        operators: The operators, of one dtype, of which each has as many columns as the next one
            has rows.
        is_non_singular: Whether all have an inverse; by default True where all say so.
        is_self_adjoint: Whether the product equals its adjoint.
        is_positive_definite: Whether it is positive definite.
        is_square: Whether it is square.
        name: The name scope of its nodes, by default those of the operators, with "_o_" between.

    Raises:
        TypeError: They have several dtypes.
        ValueError: There are none, or the sizes or hints do not fit.
    """

    def __init__(
        self, operators: Sequence[LinearOperator], is_non_singular: Optional[bool] = None,
        is_self_adjoint: Optional[bool] = None, is_positive_definite: Optional[bool] = None,
        is_square: Optional[bool] = None, name: Optional[str] = None,
    ) -> None:  # fmt: skip
        self._operators = list(operators)
        if not self._operators:
            raise ValueError("Expected a non-empty list of operators.")
        for one, other in zip(self._operators, self._operators[1:]):
            if one.dtype != other.dtype:
                raise TypeError("Expected all operators to have the same dtype.")
            one.domain_dimension.assert_is_compatible_with(other.range_dimension)
        if all(each.is_non_singular for each in self._operators):
            if is_non_singular is False:
                raise ValueError("The composition of non-singular operators is non-singular.")
            is_non_singular = True
        parents: Any = [parent for each in self._operators for parent in each.graph_parents]
        super().__init__(
            self._operators[0].dtype, parents, is_non_singular, is_self_adjoint,
            is_positive_definite, is_square, name or "_o_".join(x.name for x in self._operators),
        )  # fmt: skip

    @property
    def operators(self) -> Sequence[LinearOperator]:
        """The operators."""
        return self._operators

    def _shape(self) -> TensorShape:
        batch = broadcast_shapes(each.batch_shape for each in self._operators)
        rows, columns = self._operators[0].range_dimension, self._operators[-1].domain_dimension
        return batch.concatenate(TensorShape([rows, columns]))

    def _shape_tensor(self) -> Tensor:
        batch = broadcast_sizes(each.batch_shape_tensor() for each in self._operators)
        first, last = self._operators[0].shape_tensor(), self._operators[-1].shape_tensor()
        return array_ops.concat([batch, first[-2:-1], last[-1:]], 0)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        order = self._operators if adjoint else self._operators[::-1]
        found: Tensor = order[0].matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)
        for each in order[1:]:
            found = each.matmul(found, adjoint=adjoint)
        return found

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        order = self._operators[::-1] if adjoint else self._operators
        found: Tensor = order[0].solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)
        for each in order[1:]:
            found = each.solve(found, adjoint=adjoint)
        return found

    def _determinant(self) -> Tensor:
        found = self._operators[0].determinant()
        for each in self._operators[1:]:
            found = found * each.determinant()
        return found

    def _log_abs_determinant(self) -> Tensor:
        found = self._operators[0].log_abs_determinant()
        for each in self._operators[1:]:
            found = found + each.log_abs_determinant()
        return found


@RegisterAdjoint(LinearOperator)
def _adjoint(operator: LinearOperator) -> LinearOperator:
    return LinearOperatorAdjoint(operator)


@RegisterAdjoint(LinearOperatorAdjoint)
def _adjoint_of_adjoint(operator: LinearOperatorAdjoint) -> LinearOperator:
    return operator.operator


@RegisterInverse(LinearOperator)
def _inverse(operator: LinearOperator) -> LinearOperator:
    return LinearOperatorInversion(operator)


@RegisterInverse(LinearOperatorInversion)
def _inverse_of_inverse(operator: LinearOperatorInversion) -> LinearOperator:
    return operator.operator


def _square_hint(left: LinearOperator, right: LinearOperator) -> Optional[bool]:
    rows, columns = left.range_dimension.value, right.domain_dimension.value
    if rows is not None and columns is not None:
        return bool(rows == columns)
    if left.is_square is None or right.is_square is None:
        return None
    # Of two that are not square, the product may be.
    return True if left.is_square and right.is_square else None


@RegisterMatmul(LinearOperator, LinearOperator)
def _composition(left: LinearOperator, right: LinearOperator) -> LinearOperator:
    is_square = _square_hint(left, right)
    is_non_singular = is_self_adjoint = is_positive_definite = None
    if is_square is False:
        is_non_singular = is_self_adjoint = is_positive_definite = False
    elif is_square and left.is_square:
        is_non_singular = non_singular_hint(left, right)
    return LinearOperatorComposition(
        [left, right], is_non_singular, is_self_adjoint, is_positive_definite, is_square
    )


@RegisterSolve(LinearOperator, LinearOperator)
def _solution(left: LinearOperator, right: LinearOperator) -> LinearOperator:
    return _composition(LinearOperatorInversion(left), right)


@RegisterSolve(LinearOperatorInversion, LinearOperator)
def _solution_of_inverse(left: LinearOperatorInversion, right: LinearOperator) -> LinearOperator:
    found: LinearOperator = left.operator.matmul(right)
    return found


def _has_batch_of(one: LinearOperator, other: LinearOperator) -> bool:
    """Whether the batch of both is known to be that of the first one."""
    batch = broadcast_static_shape(one.batch_shape, other.batch_shape)
    return batch.is_fully_defined() and batch.as_list() == one.batch_shape.as_list()


@RegisterMatmul(LinearOperatorIdentity, LinearOperator)
@RegisterSolve(LinearOperatorIdentity, LinearOperator)
def _after_identity(left: LinearOperatorIdentity, right: LinearOperator) -> LinearOperator:
    return right if _has_batch_of(right, left) else _composition(left, right)


@RegisterMatmul(LinearOperator, LinearOperatorIdentity)
def _before_identity(left: LinearOperator, right: LinearOperatorIdentity) -> LinearOperator:
    return left if _has_batch_of(left, right) else _composition(left, right)


@RegisterMatmul(LinearOperator, LinearOperatorZeros)
def _of_zeros(left: LinearOperator, right: LinearOperatorZeros) -> LinearOperator:
    _need_squares(left, right)
    return right if _has_batch_of(right, left) else _composition(left, right)


@RegisterMatmul(LinearOperatorZeros, LinearOperator)
def _to_zeros(left: LinearOperatorZeros, right: LinearOperator) -> LinearOperator:
    _need_squares(left, right)
    return left if _has_batch_of(left, right) else _composition(left, right)


def _need_squares(left: LinearOperator, right: LinearOperator) -> None:
    if not left.is_square or not right.is_square:
        raise ValueError(
            "Matmul with non-square `LinearOperator`s or non-square `LinearOperatorZeros` not "
            "supported at this time."
        )
