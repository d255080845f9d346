"""Sums of linear operators, as ones of the simplest classes that have them."""

from __future__ import annotations

from typing import Any, List, Mapping, Optional, Sequence, Set, Tuple

from troupe._src.graph.graph import get_default_graph
from troupe._src.linalg.batch_ops import broadcast_shapes
from troupe._src.linalg.identity_operators import (
    LinearOperatorIdentity,
    LinearOperatorScaledIdentity,
)
from troupe._src.linalg.linear_operator import LinearOperator
from troupe._src.linalg.linear_operators import (
    LinearOperatorDiag,
    LinearOperatorFullMatrix,
    LinearOperatorLowerTriangular,
)
from troupe._src.ops import creation_ops
from troupe._src.set_module import set_module

_IDENTITIES = (LinearOperatorIdentity, LinearOperatorScaledIdentity)
_DIAGONALS = (*_IDENTITIES, LinearOperatorDiag)
_Kinds = Mapping[str, Any]


class Hints:
    """What is known of a sum of two operators.

    Args:
        is_non_singular: Whether all its matrices have an inverse.
        is_positive_definite: Whether they are positive definite.
        is_self_adjoint: Whether they equal their adjoints.
    """

    def __init__(
        self,
        is_non_singular: Optional[bool] = None,
        is_positive_definite: Optional[bool] = None,
        is_self_adjoint: Optional[bool] = None,
    ) -> None:
        self.is_non_singular = is_non_singular
        self.is_positive_definite = is_positive_definite
        self.is_self_adjoint = is_self_adjoint


class Adder:
    """Adds two operators, where their classes let it."""

    @property
    def name(self) -> str:
        """The name scope of its nodes."""
        return type(self).__name__

    def can_add(self, op1: LinearOperator, op2: LinearOperator) -> bool:
        """Whether it adds operators of these classes."""
        raise NotImplementedError

    def _add(
        self, op1: LinearOperator, op2: LinearOperator, operator_name: str, hints: _Kinds
    ) -> LinearOperator:
        raise NotImplementedError

    def add(
        self,
        op1: LinearOperator,
        op2: LinearOperator,
        operator_name: Optional[str],
        hints: Optional[Hints] = None,
    ) -> LinearOperator:
        """The sum of two operators.

        Args:
            op1: One operator.
            op2: The other one, with as many rows and columns and the same dtype.
            operator_name: The name of the sum, by default of the names of both.
            hints: What is known of the sum; what is None there is what both operators say.

        Returns:
            The sum.
        """
        found = {
            key: getattr(hints, key, None)
            for key in ("is_non_singular", "is_self_adjoint", "is_positive_definite")
        }
        for key in ("is_self_adjoint", "is_positive_definite"):
            if found[key] is None and getattr(op1, key) and getattr(op2, key):
                found[key] = True
        if operator_name is None:
            operator_name = f"Add/{op1.name}__{op2.name}/"
        with get_default_graph().name_scope(self.name.lstrip("_")):
            return self._add(op1, op2, operator_name, found)


class AddAndReturnScaledIdentity(Adder):
    """Adds identities and their multiples."""

    def can_add(self, op1: LinearOperator, op2: LinearOperator) -> bool:
        return isinstance(op1, _IDENTITIES) and isinstance(op2, _IDENTITIES)

    def _add(
        self, op1: LinearOperator, op2: LinearOperator, operator_name: str, hints: _Kinds
    ) -> LinearOperator:
        multiplier = _multiplier(op1) + _multiplier(op2)
        rows = op1.range_dimension_tensor()
        return LinearOperatorScaledIdentity(rows, multiplier, name=operator_name, **hints)


class AddAndReturnDiag(Adder):
    """Adds diagonals."""

    def can_add(self, op1: LinearOperator, op2: LinearOperator) -> bool:
        return isinstance(op1, _DIAGONALS) and isinstance(op2, _DIAGONALS)

    def _add(
        self, op1: LinearOperator, op2: LinearOperator, operator_name: str, hints: _Kinds
    ) -> LinearOperator:
        diagonal = op1.diag_part() + op2.diag_part()
        return LinearOperatorDiag(diagonal, name=operator_name, **hints)


class AddAndReturnTriL(Adder):
    """Adds lower triangles and diagonals."""

    def can_add(self, op1: LinearOperator, op2: LinearOperator) -> bool:
        kinds = (*_DIAGONALS, LinearOperatorLowerTriangular)
        return isinstance(op1, kinds) and isinstance(op2, kinds)

    def _add(
        self, op1: LinearOperator, op2: LinearOperator, operator_name: str, hints: _Kinds
    ) -> LinearOperator:
        return LinearOperatorLowerTriangular(_dense_sum(op1, op2), name=operator_name, **hints)


class AddAndReturnMatrix(Adder):
    """Adds any operators, as whole matrices."""

    def can_add(self, op1: LinearOperator, op2: LinearOperator) -> bool:
        return isinstance(op1, LinearOperator) and isinstance(op2, LinearOperator)

    def _add(
        self, op1: LinearOperator, op2: LinearOperator, operator_name: str, hints: _Kinds
    ) -> LinearOperator:
        return LinearOperatorFullMatrix(_dense_sum(op1, op2), name=operator_name, **hints)


def _multiplier(operator: LinearOperator) -> Any:
    if isinstance(operator, LinearOperatorScaledIdentity):
        return operator.multiplier
    return creation_ops.ones(operator.batch_shape_tensor(), operator.dtype)


def _dense_sum(op1: LinearOperator, op2: LinearOperator) -> Any:
    """The sum as matrices; a diagonal is added to the other ones."""
    if isinstance(op1, _DIAGONALS):
        return op1.add_to_tensor(op2.to_dense())
    return op2.add_to_tensor(op1.to_dense())


_TIERS = (
    (AddAndReturnScaledIdentity(),), (AddAndReturnDiag(),), (AddAndReturnTriL(),),
    (AddAndReturnMatrix(),),
)  # fmt: skip


@set_module("troupe.contrib.linalg")
def add_operators(
    operators: Sequence[LinearOperator],
    operator_name: Optional[str] = None,
    addition_tiers: Optional[Sequence[Sequence[Any]]] = None,
    name: Optional[str] = None,
) -> List[LinearOperator]:
    """As few operators as it can be made, which have the same sum.

    Args:
        operators: The operators, of one dtype and size.
        operator_name: The name of a sum, by default of the names of the two operators.
        addition_tiers: Lists of what adds two operators; all that those of one list add is added
            before the next list. By default identities, diagonals, triangles, and then everything.

    Returns:
        The operators, by default one.

    Raises:
        TypeError: One is no operator.
        ValueError: There are none, or the shapes do not fit.
    """
    waiting = list(reversed(list(operators)))
    if not waiting:
        raise ValueError("Argument 'operators' must contain at least one operator.  Found: []")
    if not all(isinstance(each, LinearOperator) for each in waiting):
        raise TypeError(
            f"Argument 'operators' must contain only LinearOperator instances.  Found: {waiting}"
        )
    _check_shapes(waiting)
    with get_default_graph().name_scope(name or "add_operators"):
        for tier in _TIERS if addition_tiers is None else addition_tiers:
            tried, waiting = waiting, []
            while tried:
                one = tried.pop()
                other, adder = _pop_partner(one, tried, tier)
                if adder is None:
                    waiting.append(one)
                else:
                    tried.append(adder.add(one, other, operator_name))
        return waiting


def _pop_partner(
    one: LinearOperator, others: List[LinearOperator], adders: Sequence[Any]
) -> Tuple[Any, Any]:
    """The last of the others that an adder adds to one, and this adder; or None."""
    for i in reversed(range(len(others))):
        for adder in adders:
            if adder.can_add(one, others[i]):
                return others.pop(i), adder
    return None, None


def _check_shapes(operators: Sequence[LinearOperator]) -> None:
    for what in ("domain", "range"):
        sizes = [(each.name, getattr(each, f"{what}_dimension").value) for each in operators]
        known: Set[int] = {size for _, size in sizes if size is not None}
        if len(known) > 1:
            raise ValueError(f"Operators must have the same {what} dimension. Found: {sizes}")
    broadcast_shapes(each.batch_shape for each in operators)
