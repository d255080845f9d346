"""The matrices that scale vectors: made of arguments, and applied to rows."""

from __future__ import annotations

from typing import Any, Callable, Optional

from troupe._src.distributions.arguments import checked
from troupe._src.graph.elements import Tensor
from troupe._src.linalg.identity_operators import (
    LinearOperatorIdentity,
    LinearOperatorScaledIdentity,
)
from troupe._src.linalg.linear_operator import LinearOperator
from troupe._src.linalg.linear_operators import DiagonalOperator, LinearOperatorDiag
from troupe._src.ops import array_ops, arithmetic_ops, assert_ops
from troupe._src.ops.convert import convert_to_tensor


def tensor_or_none(value: Any, name: str, dtype: Any = None) -> Optional[Tensor]:
    """The value as a tensor, of a dtype if it has none of its own; None as None."""
    if value is None:
        return None
    return convert_to_tensor(value, preferred_dtype=dtype, name=name)


def diagonal_scale(
    loc: Any, scale_diag: Any, scale_identity_multiplier: Any, validate_args: bool = False,
    is_positive: bool = False,
) -> LinearOperator:  # fmt: skip
    """The operator of a diagonal, of a multiple of 1, or of their sum.

    Args:
        loc: Says how large it is, where there is no diagonal.
        scale_diag: The diagonal, or None.
        scale_identity_multiplier: The multiple, or None.
        validate_args: Whether steps check the elements.
        is_positive: Whether they must be positive, else not 0.

    Raises:
        ValueError: Neither `loc` nor `scale_diag` says how large it is.
    """
    place, diagonal = tensor_or_none(loc, "loc"), tensor_or_none(scale_diag, "scale_diag")
    given = place if diagonal is None else diagonal
    dtype = None if given is None else given.dtype
    multiplier = tensor_or_none(scale_identity_multiplier, "scale_identity_multiplier", dtype)

    def valid(x: Tensor) -> Tensor:
        if not validate_args:
            return x
        text = "diagonal part must be " + ("positive" if is_positive else "non-zero")
        size = x if is_positive else arithmetic_ops.abs(x)
        return checked(x, assert_ops.assert_positive(size, message=text))

    if diagonal is not None:
        if multiplier is not None:
            diagonal = diagonal + array_ops.expand_dims(multiplier, -1)
        return LinearOperatorDiag(
            valid(diagonal), is_non_singular=True, is_self_adjoint=True,
            is_positive_definite=is_positive,
        )  # fmt: skip
    if place is None:
        raise ValueError("Cannot infer `event_shape` unless `loc` or `shape_hint` is specified.")
    rows = size_of_last_axis(place)
    if multiplier is None:
        return LinearOperatorIdentity(
            rows, dtype=place.dtype, is_self_adjoint=True, is_positive_definite=True
        )
    return LinearOperatorScaledIdentity(
        rows, valid(multiplier), is_non_singular=True, is_self_adjoint=True,
        is_positive_definite=is_positive,
    )  # fmt: skip


def size_of_last_axis(tensor: Tensor) -> Any:
    """The size, a number if it is known, and else a tensor of a number."""
    known = None if tensor.shape.rank is None else tensor.shape[-1].value
    return array_ops.shape(tensor)[-1] if known is None else known


def rows_multiplied(scale: LinearOperator, rows: Tensor) -> Tensor:
    """The matrices times each of the vectors along the last axis."""
    if isinstance(scale, DiagonalOperator):
        return rows * scale.diag_part()
    return _by_columns(scale, rows, scale.matmul)


def rows_solved(scale: LinearOperator, rows: Tensor) -> Tensor:
    """The inverses of the matrices times each of the vectors along the last axis."""
    if isinstance(scale, DiagonalOperator):
        return rows / scale.diag_part()
    return _by_columns(scale, rows, scale.solve)


def _by_columns(scale: LinearOperator, rows: Tensor, apply: Callable[[Tensor], Any]) -> Tensor:
    """Makes columns of one matrix of all vectors of a batch member: matrices are not repeated."""
    rank, own = rows.shape.rank, scale.batch_shape.rank
    extra = 0 if rank is None or own is None else max(0, rank - 1 - own)
    if not extra or rank is None:
        found: Tensor = apply(array_ops.expand_dims(rows, -1))
        return array_ops.squeeze(found, [-1])
    # [samples, batch, size] becomes [batch, size, samples], and back.
    sizes = array_ops.shape(rows)
    turned = array_ops.transpose(rows, [*range(extra, rank), *range(extra)])
    flat = array_ops.reshape(turned, array_ops.concat([sizes[extra:], [-1]], 0))
    done: Tensor = apply(flat)
    whole = array_ops.concat([array_ops.shape(done)[:-1], sizes[:extra]], 0)
    back = [*range(rank - extra, rank), *range(rank - extra)]
    result = array_ops.transpose(array_ops.reshape(done, whole), back)
    if rows.shape.is_fully_defined() and scale.batch_shape.is_fully_defined():
        batch = arithmetic_ops.broadcast_static_shape(rows.shape[extra:-1], scale.batch_shape)
        result.set_shape(rows.shape[:extra].concatenate(batch).concatenate(rows.shape[-1:]))
    return result
