"""What libraries import from the place of TensorFlow's linear operators."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.linalg.batch_ops import broadcast_batches
from troupe._src.linalg.matrix_ops import cholesky_solve
from troupe._src.ops import arithmetic_ops, array_ops, assert_ops, cast_ops, creation_ops, gen_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.grouping_ops import no_op


def _batches(matrix: TensorLike, rhs: TensorLike) -> List[Tensor]:
    first = convert_to_tensor(matrix)
    return broadcast_batches(first, convert_to_tensor(rhs, first.dtype))


def broadcast_matrix_batch_dims(
    batch_matrices: Sequence[TensorLike], name: Optional[str] = None
) -> List[Tensor]:
    """The same matrices in batches of one shape."""
    with get_default_graph().name_scope(name or "broadcast_matrix_batch_dims"):
        found = [convert_to_tensor(each) for each in batch_matrices]
        for each in found:
            if each.shape.rank is not None and each.shape.rank < 2:
                raise ValueError(
                    f"Expected [batch] matrix to have at least two dimensions.  Found: {each}"
                )
        return broadcast_batches(*found) if len(found) > 1 else found


def cholesky_solve_with_broadcast(
    chol: TensorLike, rhs: TensorLike, name: Optional[str] = None
) -> Tensor:
    """`tf.linalg.cholesky_solve` of batches that are broadcast."""
    with get_default_graph().name_scope(name or "CholeskySolveWithBroadcast"):
        lower, right = _batches(chol, rhs)
        return cholesky_solve(lower, right)


def matrix_solve_with_broadcast(
    matrix: TensorLike, rhs: TensorLike, adjoint: bool = False, name: Optional[str] = None
) -> Tensor:
    """`tf.linalg.solve` of batches that are broadcast."""
    with get_default_graph().name_scope(name or "MatrixSolveWithBroadcast"):
        left, right = _batches(matrix, rhs)
        return gen_ops.matrix_solve(left, right, adjoint=adjoint)


def matrix_triangular_solve_with_broadcast(
    matrix: TensorLike,
    rhs: TensorLike,
    lower: bool = True,
    adjoint: bool = False,
    name: Optional[str] = None,
) -> Tensor:
    """`tf.linalg.triangular_solve` of batches that are broadcast."""
    with get_default_graph().name_scope(name or "MatrixTriangularSolve"):
        left, right = _batches(matrix, rhs)
        return gen_ops.matrix_triangular_solve(left, right, lower=lower, adjoint=adjoint)


def assert_no_entries_with_modulus_zero(
    x: TensorLike,
    message: Optional[str] = None,
    name: str = "assert_no_entries_with_modulus_zero",
) -> Operation:
    """An operation that fails where an element is 0."""
    with get_default_graph().name_scope(name):
        return assert_ops.assert_positive(
            arithmetic_ops.abs(convert_to_tensor(x, name="x")), message=message
        )


def assert_zero_imag_part(
    x: TensorLike, message: Optional[str] = None, name: str = "assert_zero_imag_part"
) -> Operation:
    """An operation that fails where an element has an imaginary part."""
    with get_default_graph().name_scope(name):
        value = convert_to_tensor(x, name="x")
        if not value.dtype.is_complex:
            return no_op()
        imaginary = cast_ops.imag(value)
        return assert_ops.assert_equal(
            creation_ops.zeros_like(imaginary), imaginary, message=message
        )


def assert_compatible_matrix_dimensions(operator: Any, x: TensorLike) -> Operation:
    """An operation that fails where an operator has not as many columns as x has rows."""
    return assert_ops.assert_equal(
        array_ops.shape(x)[-2], operator.domain_dimension_tensor(),
        message="Dimensions are not compatible.  shape[-2] of argument to be the same as this "
        "operator",
    )  # fmt: skip


def use_operator_or_provided_hint_unless_contradicting(
    operator: Any, hint_attr_name: str, provided_hint_value: Optional[bool], message: str
) -> Optional[bool]:
    """A hint of an operator, or the given one where that is not known; an error if they differ."""
    known: Optional[bool] = getattr(operator, hint_attr_name)
    hints = (known, provided_hint_value)
    if True in hints and False in hints:
        raise ValueError(message)
    return provided_hint_value if known is None else known
