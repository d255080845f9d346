"""Operators that are made of others."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence

from troupe._src.graph.elements import Tensor
from troupe._src.linalg import matrix_ops
from troupe._src.linalg.identity_operators import LinearOperatorIdentity
from troupe._src.linalg.linear_operator import LinearOperator, made_of
from troupe._src.ops import array_ops, cast_ops
from troupe._src.ops.arithmetic_ops import broadcast_dynamic_shape, broadcast_static_shape
from troupe._src.set_module import set_module
from troupe._src.types.shapes import TensorShape


def product_of(left: LinearOperator, right: LinearOperator, name: str) -> LinearOperator:
    """The operator of their products; one that is an identity is left out."""
    left.domain_dimension.assert_is_compatible_with(right.range_dimension)
    for one, other in ((left, right), (right, left)):
        if isinstance(one, LinearOperatorIdentity) and one.batch_shape.rank == 0:
            return other
    return LinearOperatorComposition([left, right], name=f"{left.name}_o_{right.name}_{name}")


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

    def adjoint(self, name: str = "adjoint") -> LinearOperator:
        """The operator that this one is the adjoint of."""
        return self._operator

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
        super().__init__(operator, "inverse", hints, name)

    def inverse(self, name: str = "inverse") -> LinearOperator:
        """The operator that this one is the inverse of."""
        return self._operator

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
        batch = self._operators[0].batch_shape
        for each in self._operators[1:]:
            batch = broadcast_static_shape(batch, each.batch_shape)
        rows, columns = self._operators[0].range_dimension, self._operators[-1].domain_dimension
        return batch.concatenate(TensorShape([rows, columns]))

    def _shape_tensor(self) -> Tensor:
        batch = self._operators[0].batch_shape_tensor()
        for each in self._operators[1:]:
            batch = broadcast_dynamic_shape(batch, each.batch_shape_tensor())
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


made_of.update(
    adjoint=LinearOperatorAdjoint, inverse=LinearOperatorInversion, product=product_of
)
