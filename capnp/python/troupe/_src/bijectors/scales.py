"""Linear operators of the matrices that scale vectors."""

from __future__ import annotations

from typing import Any, List, Optional

from troupe._src.bijectors.checked import checked
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.linalg.diagonal_ops import matrix_set_diag
from troupe._src.linalg.identity_operators import (
    LinearOperatorIdentity,
    LinearOperatorScaledIdentity,
)
from troupe._src.linalg.linear_operator import LinearOperator
from troupe._src.linalg.linear_operators import LinearOperatorDiag, LinearOperatorLowerTriangular
from troupe._src.ops import array_ops, assert_ops, gen_ops
from troupe._src.ops.convert import convert_to_tensor


def make_tril_scale(
    loc: Any = None, scale_tril: Any = None, scale_diag: Any = None,
    scale_identity_multiplier: Any = None, shape_hint: Any = None, validate_args: bool = False,
    assert_positive: bool = False, name: Optional[str] = None,
) -> LinearOperator:  # fmt: skip
    """The sum of a triangle, a diagonal and a multiple of the identity.

    Args:
        loc: [..., rows], which says the number of rows where nothing else does.
        scale_tril: The lower triangle, [..., rows, rows], or None.
        scale_diag: The diagonal, [..., rows], or None.
        scale_identity_multiplier: The multiplier, [...], or None.
        shape_hint: The number of rows, or None.
        validate_args: Whether steps check that the diagonal of the sum has no 0.
        assert_positive: Whether they check that it is positive.
        name: The name scope of the nodes.

    Returns:
        The operator.

    Raises:
        ValueError: Nothing says the number of rows.
    """
    if scale_tril is None:
        return make_diag_scale(
            loc, scale_diag, scale_identity_multiplier, shape_hint, validate_args,
            assert_positive, name,
        )  # fmt: skip
    with name_scope(name, "make_tril_scale"):
        lower = gen_ops.matrix_band_part(convert_to_tensor(scale_tril, name="scale_tril"), -1, 0)
        diagonal = gen_ops.matrix_diag_part(lower)
        for added in (scale_diag, _along_rows(scale_identity_multiplier)):
            diagonal = diagonal if added is None else diagonal + added
        if scale_diag is not None or scale_identity_multiplier is not None:
            lower = matrix_set_diag(lower, diagonal)
        checks = _checks(diagonal, validate_args, assert_positive)
        return LinearOperatorLowerTriangular(
            checked(lower, *checks) if checks else lower, is_non_singular=True,
            is_self_adjoint=False, is_positive_definite=assert_positive,
        )  # fmt: skip


def make_diag_scale(
    loc: Any = None, scale_diag: Any = None, scale_identity_multiplier: Any = None,
    shape_hint: Any = None, validate_args: bool = False, assert_positive: bool = False,
    name: Optional[str] = None,
) -> LinearOperator:  # fmt: skip
    """The sum of a diagonal and a multiple of the identity.

    Args:
        loc: [..., rows], which says the number of rows where nothing else does.
        scale_diag: The diagonal, [..., rows], or None.
        scale_identity_multiplier: The multiplier, [...], or None.
        shape_hint: The number of rows, or None.
        validate_args: Whether steps check that the sum has no 0.
        assert_positive: Whether they check that it is positive.
        name: The name scope of the nodes.

    Returns:
        The operator.

    Raises:
        ValueError: Nothing says the number of rows.
    """
    with name_scope(name, "make_diag_scale"):
        if scale_diag is not None:
            diagonal = convert_to_tensor(scale_diag, name="scale_diag")
            added = _along_rows(scale_identity_multiplier)
            diagonal = diagonal if added is None else diagonal + added
            checks = _checks(diagonal, validate_args, assert_positive)
            return LinearOperatorDiag(
                checked(diagonal, *checks) if checks else diagonal, is_non_singular=True,
                is_self_adjoint=True, is_positive_definite=assert_positive,
            )  # fmt: skip
        like = None if loc is None else convert_to_tensor(loc, name="loc")
        rows = _rows_of(like) if shape_hint is None else shape_hint
        if rows is None:
            raise ValueError(
                "Cannot infer `event_shape` unless `loc` or `shape_hint` is specified."
            )
        if scale_identity_multiplier is None:
            if like is None:
                raise ValueError("Cannot infer the dtype of the identity unless `loc` is given.")
            return LinearOperatorIdentity(rows, dtype=like.dtype.base_dtype)
        number = convert_to_tensor(scale_identity_multiplier, name="scale_identity_multiplier")
        checks = _checks(number, validate_args, assert_positive)
        return LinearOperatorScaledIdentity(
            rows, checked(number, *checks) if checks else number, is_non_singular=True,
            is_self_adjoint=True, is_positive_definite=assert_positive,
        )  # fmt: skip


def _along_rows(multiplier: Any) -> Any:
    if multiplier is None:
        return None
    return array_ops.expand_dims(convert_to_tensor(multiplier, name="multiplier"), -1)


def _rows_of(loc: Optional[Tensor]) -> Any:
    if loc is None:
        return None
    known = loc.shape[-1].value if loc.shape.rank else None
    return array_ops.shape(loc)[-1] if known is None else known


def _checks(diagonal: Tensor, validate_args: bool, assert_positive: bool) -> List[Any]:
    if not validate_args:
        return []
    if assert_positive:
        text = "diagonal part must be positive"
        return [assert_ops.assert_positive(diagonal, message=text)]
    zero = convert_to_tensor(0, diagonal.dtype)
    text = "diagonal part must be non-zero"
    return [assert_ops.assert_none_equal(diagonal, zero, message=text)]
