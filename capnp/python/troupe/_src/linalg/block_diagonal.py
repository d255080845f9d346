"""An operator whose matrices have those of others on the diagonal, and zeros elsewhere."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Sequence

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.linalg import operator_algebra
from troupe._src.linalg.batch_ops import broadcast_batches, broadcast_shapes, broadcast_sizes
from troupe._src.linalg.linear_operator import LinearOperator
from troupe._src.linalg.operator_algebra import (
    RegisterAdjoint,
    RegisterCholesky,
    RegisterInverse,
    hints_of,
)
from troupe._src.ops import array_ops, creation_ops
from troupe._src.ops.grouping_ops import group
from troupe._src.set_module import set_module
from troupe._src.types.shapes import TensorShape


def checked_operators(operators: Sequence[LinearOperator]) -> List[LinearOperator]:
    """A list of them, which is not empty and has one dtype."""
    if isinstance(operators, LinearOperator):
        raise TypeError(f"Expected a list of operators. Found: {operators}")
    found = list(operators)
    if not found:
        raise ValueError(f"Expected a non-empty list of operators. Found: {found}")
    if any(each.dtype != found[0].dtype for each in found):
        kinds = "   ".join(str((each.name, each.dtype)) for each in found)
        raise TypeError(f"Expected all operators to have the same dtype.  Found {kinds}")
    return found


def hint_of_all(
    operators: Sequence[LinearOperator], hint: str, given: Optional[bool], what: str
) -> Optional[bool]:
    """A hint that is true where it is true of all operators."""
    if not all(getattr(each, f"is_{hint}") for each in operators):
        return given
    if given is False:
        kind = hint.replace("_", "-")
        raise ValueError(f"The {what} of {kind} operators is always {kind}.")
    return True


def parents_of(operators: Sequence[LinearOperator]) -> List[Any]:
    """The tensors that they are made of."""
    return [parent for each in operators for parent in each.graph_parents]


@set_module("troupe.linalg")
class LinearOperatorBlockDiag(LinearOperator):
    """An operator whose matrices have those of others on the diagonal, and zeros elsewhere.

    Args:
        operators: The operators of the blocks, which are square and have one dtype.
        is_non_singular: Whether all have an inverse; known to be, where all blocks have.
        is_self_adjoint: Whether they equal their adjoints, likewise.
        is_positive_definite: Whether they are positive definite, likewise.
        is_square: Must be True.
        name: The name scope of its nodes, by default those of the blocks, with "_ds_" between.

    Raises:
        TypeError: The operators have several dtypes.
        ValueError: There are none, one is not known to be square, or a hint is not what they say.
    """

    def __init__(
        self, operators: Sequence[LinearOperator], is_non_singular: Optional[bool] = None,
        is_self_adjoint: Optional[bool] = None, is_positive_definite: Optional[bool] = None,
        is_square: Optional[bool] = True, name: Optional[str] = None,
    ) -> None:  # fmt: skip
        self._operators = blocks = checked_operators(operators)
        what = "direct sum"
        is_non_singular = hint_of_all(blocks, "non_singular", is_non_singular, what)
        is_self_adjoint = hint_of_all(blocks, "self_adjoint", is_self_adjoint, what)
        is_positive_definite = hint_of_all(
            blocks, "positive_definite", is_positive_definite, what
        )
        if not (is_square and all(each.is_square for each in blocks)):
            raise ValueError("Can only represent a block diagonal of square matrices.")
        super().__init__(
            blocks[0].dtype, parents_of(blocks), is_non_singular, is_self_adjoint,
            is_positive_definite, True, name or "_ds_".join(each.name for each in blocks),
        )  # fmt: skip

    @property
    def operators(self) -> List[LinearOperator]:
        """The operators of the blocks."""
        return self._operators

    def _shape(self) -> TensorShape:
        batch = broadcast_shapes(each.batch_shape for each in self._operators)
        sizes = [each.domain_dimension.value for each in self._operators]
        whole = None if None in sizes else sum(int(size or 0) for size in sizes)
        return batch.concatenate(TensorShape([whole, whole]))

    def _sizes(self) -> List[Any]:
        """How many rows the blocks have, as far as it is known numbers."""
        found: List[Any] = []
        for each in self._operators:
            known = each.domain_dimension.value
            found.append(each.domain_dimension_tensor() if known is None else known)
        return found

    def _shape_tensor(self) -> Tensor:
        batch = broadcast_sizes(each.batch_shape_tensor() for each in self._operators)
        whole = sum(self._sizes())
        return array_ops.concat([batch, array_ops.stack([whole, whole])], 0)

    def _by_blocks(
        self, x: Tensor, is_adjoint: bool, function: Callable[[LinearOperator, Tensor], Tensor]
    ) -> Tensor:
        parts = array_ops.split(x, self._sizes(), axis=-1 if is_adjoint else -2)
        found = [function(each, part) for each, part in zip(self._operators, parts)]
        return array_ops.concat(broadcast_batches(*found), -2)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._by_blocks(
            x, adjoint_arg,
            lambda block, part: block.matmul(part, adjoint=adjoint, adjoint_arg=adjoint_arg),
        )  # fmt: skip

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._by_blocks(
            rhs, adjoint_arg,
            lambda block, part: block.solve(part, adjoint=adjoint, adjoint_arg=adjoint_arg),
        )  # fmt: skip

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

    def _diag_part(self) -> Tensor:
        columns = [array_ops.expand_dims(each.diag_part(), -1) for each in self._operators]
        return array_ops.squeeze(array_ops.concat(broadcast_batches(*columns), -2), [-1])

    def _trace(self) -> Tensor:
        found = self._operators[0].trace()
        for each in self._operators[1:]:
            found = found + each.trace()
        return found

    def _to_dense(self) -> Tensor:
        blocks = broadcast_batches(*(each.to_dense() for each in self._operators))
        sizes = self._sizes()
        rows = []
        for i, block in enumerate(blocks):
            parts = [block]
            if i > 0:
                parts.insert(0, _zeros_beside(block, sum(sizes[:i])))
            if i + 1 < len(blocks):
                parts.append(_zeros_beside(block, sum(sizes[i + 1 :])))
            rows.append(array_ops.concat(parts, -1) if len(parts) > 1 else block)
        dense = array_ops.concat(rows, -2) if len(rows) > 1 else rows[0]
        dense.set_shape(self.shape)
        return dense

    def _assert_non_singular(self) -> Operation:
        return group(*(each.assert_non_singular() for each in self._operators))

    def _assert_self_adjoint(self) -> Operation:
        return group(*(each.assert_self_adjoint() for each in self._operators))

    def _assert_positive_definite(self) -> Operation:
        return group(*(each.assert_positive_definite() for each in self._operators))


def _zeros_beside(block: Tensor, columns: Any) -> Tensor:
    """[..., rows of the block, columns]."""
    rows = block.shape[:-1]
    if rows.is_fully_defined() and isinstance(columns, int):
        return creation_ops.zeros([*rows.as_list(), columns], block.dtype)
    sizes = array_ops.concat([array_ops.shape(block)[:-1], [columns]], 0)
    return creation_ops.zeros(sizes, block.dtype)


@RegisterAdjoint(LinearOperatorBlockDiag)
def _adjoint(operator: LinearOperatorBlockDiag) -> LinearOperator:
    blocks = [each.adjoint() for each in operator.operators]
    return LinearOperatorBlockDiag(blocks, **hints_of(operator))


@RegisterInverse(LinearOperatorBlockDiag)
def _inverse(operator: LinearOperatorBlockDiag) -> LinearOperator:
    blocks = [each.inverse() for each in operator.operators]
    return LinearOperatorBlockDiag(blocks, **hints_of(operator))


@RegisterCholesky(LinearOperatorBlockDiag)
def _cholesky(operator: LinearOperatorBlockDiag) -> LinearOperator:
    # What is true of the whole is true of each block, also where the block does not say so.
    blocks = [operator_algebra.cholesky(each) for each in operator.operators]
    return LinearOperatorBlockDiag(blocks, is_non_singular=True)
