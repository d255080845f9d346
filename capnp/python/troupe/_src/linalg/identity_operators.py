"""Operators of matrices that are known by their sizes: identities, multiples of them, zeros."""

from __future__ import annotations

from typing import Any, Mapping, Optional

from troupe._src.checks.rank_ops import assert_rank
from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.linalg import matrix_ops
from troupe._src.linalg.described_operator import is_variable
from troupe._src.linalg.linear_operator import LinearOperator
from troupe._src.linalg.linear_operators import DiagonalOperator, LinearOperatorDiag
from troupe._src.linalg.operator_algebra import (
    RegisterAdjoint,
    RegisterCholesky,
    RegisterInverse,
    RegisterMatmul,
    RegisterSolve,
    commuting_hints,
    hints_of,
)
from troupe._src.ops import array_ops, assert_ops, cast_ops, creation_ops, gen_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.grouping_ops import no_op
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DType, DTypeLike
from troupe._src.types.errors import InvalidArgumentError
from troupe._src.types.shapes import TensorShape, as_shape


def _dtype_of_empty(value: Any) -> Optional[DType]:
    """The dtype of an empty shape, which is not that of an empty array."""
    return dtypes.int32 if isinstance(value, (list, tuple)) and not value else None


def _known(value: Any, name: str) -> Any:
    """What is known of sizes: a value of NumPy, or None."""
    if value is None:
        return None
    tensor = convert_to_tensor(value, _dtype_of_empty(value), name=name)
    if not tensor.dtype.is_integer:
        raise TypeError(f"{name} must be integer type. Found: {value}")
    return array_ops.get_static_value(tensor)


def _checked(value: Any, name: str, rank: int, is_checked: bool) -> Any:
    """A size or a shape, after checks of what is known, and of the rest in a step if wanted."""
    if is_variable(value):
        raise TypeError(f"Argument {name} cannot be reference type. Found: {type(value)}")
    known = _known(value, name)
    if known is not None:
        if known.ndim != rank:
            raise ValueError(f"Argument {name} must be a {rank}-D Tensor.  Found: {value}")
        if (known < 0).any():
            raise ValueError(f"Argument {name} must be non-negative.  Found: {value}")
    if known is not None or not is_checked:
        return value
    tensor = convert_to_tensor(value, name=name)
    checks = [
        assert_rank(tensor, rank, message=f"Argument {name} must be a {rank}-D Tensor."),
        assert_ops.assert_non_negative(tensor, message=f"Argument {name} must be non-negative."),
    ]
    with get_default_graph().control_dependencies(checks):
        return array_ops.identity(tensor)


def _fitting(operator: LinearOperator, x: Tensor) -> Tensor:
    """x, after a check in a step that it has as many rows as an operator has columns."""
    check = assert_ops.assert_equal(
        array_ops.shape(x)[-2], operator.domain_dimension_tensor(),
        message="Dimensions are not compatible.  shape[-2] of argument to be the same as this "
        "operator",
    )  # fmt: skip
    with get_default_graph().control_dependencies([check]):
        return array_ops.identity(x)


class _Sized(LinearOperator):
    """An operator of a number of rows and columns, and of a batch shape."""

    def _set_sizes(self, rows: Any, columns: Any, batch_shape: Any, is_checked: bool) -> None:
        """Sets the sizes, after checks of what is known, and of the rest in a step if wanted."""
        self._is_checked = is_checked
        self._rows = _checked(rows, "num_rows", 0, is_checked)
        same = columns is rows
        self._columns = self._rows if same else _checked(columns, "num_columns", 0, is_checked)
        self._batch = batch_shape
        if batch_shape is not None:
            self._batch = _checked(batch_shape, "batch_shape", 1, is_checked)

    def _shape(self) -> TensorShape:
        rows, columns = _known(self._rows, "num_rows"), _known(self._columns, "num_columns")
        sizes = TensorShape([None if each is None else int(each) for each in (rows, columns)])
        if self._batch is None:
            return sizes
        known = _known(self._batch, "batch_shape")
        batch = as_shape(None) if known is None else TensorShape(known.tolist())
        return batch.concatenate(sizes)

    def _shape_tensor(self) -> Tensor:
        sizes = array_ops.stack([self._rows, self._columns])
        if self._batch is None:
            return sizes
        return array_ops.concat([convert_to_tensor(self._batch, dtypes.int32), sizes], 0)


@set_module("troupe.linalg")
class LinearOperatorIdentity(_Sized, DiagonalOperator):
    """An operator that gives what it gets.

    Args:
        num_rows: How many rows and columns there are, a scalar.
        batch_shape: The shape of the batch; None for none.
        dtype: The dtype, by default float32.
        is_non_singular: Must not be False, as the next three.
        is_self_adjoint: See `is_non_singular`.
        is_positive_definite: See `is_non_singular`.
        is_square: See `is_non_singular`.
        assert_proper_shapes: Checks in each step what is not known before: sizes, and whether
            arguments fit.
        name: The name scope of its nodes.

    Raises:
        TypeError: Sizes are no integers.
        ValueError: A hint is False, or sizes are negative or have another rank.
    """

    def __init__(
        self, num_rows: TensorLike, batch_shape: Any = None, dtype: Optional[DTypeLike] = None,
        is_non_singular: Optional[bool] = True, is_self_adjoint: Optional[bool] = True,
        is_positive_definite: Optional[bool] = True, is_square: Optional[bool] = True,
        assert_proper_shapes: bool = False, name: str = "LinearOperatorIdentity",
    ) -> None:  # fmt: skip
        for hint, text in (
            (is_self_adjoint, "self adjoint"), (is_square, "square"),
            (is_non_singular, "non-singular"), (is_positive_definite, "positive-definite"),
        ):  # fmt: skip
            if not hint:
                raise ValueError(f"An identity operator is always {text}.")
        super().__init__(dtype or dtypes.float32, [], True, True, True, True, name)
        self._set_sizes(num_rows, num_rows, batch_shape, assert_proper_shapes)

    def _diag_part(self) -> Tensor:
        return creation_ops.ones(self._shape_tensor()[:-1], self.dtype)

    def _spread(self, x: Tensor) -> Tensor:
        """In the batch shape of both."""
        return x if self._batch is None else x + creation_ops.zeros(
            array_ops.concat([self._shape_tensor()[:-2], [1, 1]], 0), self.dtype
        )

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        right = matrix_ops.adjoint(x) if adjoint_arg else x
        return self._spread(_fitting(self, right) if self._is_checked else right)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._matmul(rhs, adjoint_arg=adjoint_arg)

    def _determinant(self) -> Tensor:
        return creation_ops.ones(self._shape_tensor()[:-2], self.dtype)

    def _log_abs_determinant(self) -> Tensor:
        return creation_ops.zeros(self._shape_tensor()[:-2], self.dtype)


@set_module("troupe.linalg")
class LinearOperatorScaledIdentity(DiagonalOperator):
    """An operator that multiplies what it gets by a number.

    Args:
        num_rows: How many rows and columns there are, a scalar.
        multiplier: The number, or a batch of them.
        is_non_singular: Whether it is not 0.
        is_self_adjoint: Whether it is real; so it is for a real dtype.
        is_positive_definite: Whether its real part is positive.
        is_square: Must be True.
        assert_proper_shapes: Checks in each step what is not known before: sizes, and whether
            arguments fit.
        name: The name scope of its nodes.

    Raises:
        TypeError: The size is no integer.
        ValueError: `is_square` is not True, `is_self_adjoint` is False for a real dtype, or the
            size is negative or no scalar.
    """

    def __init__(
        self, num_rows: TensorLike, multiplier: TensorLike,
        is_non_singular: Optional[bool] = None, is_self_adjoint: Optional[bool] = None,
        is_positive_definite: Optional[bool] = None, is_square: Optional[bool] = True,
        assert_proper_shapes: bool = False, name: str = "LinearOperatorScaledIdentity",
    ) -> None:  # fmt: skip
        if not is_square:
            raise ValueError("A ScaledIdentity operator is always square.")
        self._multiplier = convert_to_tensor(multiplier, name="multiplier")
        if not self._multiplier.dtype.is_complex:
            if is_self_adjoint is False:
                raise ValueError("A real diagonal operator is always self adjoint.")
            is_self_adjoint = True
        super().__init__(
            self._multiplier.dtype, [self._multiplier], is_non_singular, is_self_adjoint,
            is_positive_definite, True, name,
        )  # fmt: skip
        self._is_checked = assert_proper_shapes
        self._rows = _checked(num_rows, "num_rows", 0, assert_proper_shapes)

    @property
    def multiplier(self) -> Tensor:
        """The number."""
        return self._multiplier

    def with_multiplier(
        self, multiplier: Tensor, hints: Mapping[str, Any]
    ) -> LinearOperatorScaledIdentity:
        """An operator of as many rows.

        Args:
            multiplier: What it multiplies by.
            hints: What is known of it, by the names of the arguments.

        Returns:
            The operator.
        """
        return LinearOperatorScaledIdentity(self._rows, multiplier, **hints)

    def _shape(self) -> TensorShape:
        known = _known(self._rows, "num_rows")
        rows = None if known is None else int(known)
        return self._multiplier.shape.concatenate(TensorShape([rows, rows]))

    def _shape_tensor(self) -> Tensor:
        sizes = array_ops.stack([self._rows, self._rows])
        return array_ops.concat([array_ops.shape(self._multiplier), sizes], 0)

    def _diag_part(self) -> Tensor:
        ones = creation_ops.ones(self._shape_tensor()[:-1], self.dtype)
        return array_ops.expand_dims(self._multiplier, -1) * ones

    def _factors(self, adjoint: bool) -> Tensor:
        found = cast_ops.conj(self._multiplier) if adjoint else self._multiplier
        return array_ops.expand_dims(array_ops.expand_dims(found, -1), -1)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        right = matrix_ops.adjoint(x) if adjoint_arg else x
        return self._factors(adjoint) * (_fitting(self, right) if self._is_checked else right)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        right = matrix_ops.adjoint(rhs) if adjoint_arg else rhs
        return (_fitting(self, right) if self._is_checked else right) / self._factors(adjoint)


@set_module("troupe.linalg")
class LinearOperatorZeros(_Sized):
    """An operator that gives zeros.

    Args:
        num_rows: How many rows there are, a scalar.
        num_columns: How many columns, by default as many.
        batch_shape: The shape of the batch; None for none.
        dtype: The dtype, by default float32.
        is_non_singular: Must be False.
        is_self_adjoint: Must be False where there are not as many rows as columns, else not.
        is_positive_definite: Must be False.
        is_square: Whether there are as many rows as columns.
        assert_proper_shapes: Checks in each step what is not known before: sizes, and whether
            arguments fit.
        name: The name scope of its nodes.

    Raises:
        TypeError: Sizes are no integers.
        ValueError: A hint is another one, or sizes are negative or have another rank.
    """

    def __init__(
        self, num_rows: TensorLike, num_columns: Optional[TensorLike] = None,
        batch_shape: Any = None, dtype: Optional[DTypeLike] = None,
        is_non_singular: Optional[bool] = False, is_self_adjoint: Optional[bool] = True,
        is_positive_definite: Optional[bool] = False, is_square: Optional[bool] = True,
        assert_proper_shapes: bool = False, name: str = "LinearOperatorZeros",
    ) -> None:  # fmt: skip
        if not is_self_adjoint and is_square:
            raise ValueError("A zero operator is always self adjoint.")
        if is_non_singular:
            raise ValueError("A zero operator is always singular.")
        if is_positive_definite:
            raise ValueError("A zero operator is always not positive-definite.")
        super().__init__(
            dtype or dtypes.float32, [], False, is_self_adjoint, False, is_square, name
        )
        columns = num_rows if num_columns is None else num_columns
        self._set_sizes(num_rows, columns, batch_shape, assert_proper_shapes)

    def _assert_non_singular(self) -> Operation:
        raise InvalidArgumentError(None, None, "Zero operators are always non-invertible.")

    def _assert_positive_definite(self) -> Operation:
        raise InvalidArgumentError(None, None, "Zero operators are always non-positive definite.")

    def _assert_self_adjoint(self) -> Operation:
        return no_op("assert_self_adjoint")

    def _to_dense(self) -> Tensor:
        return creation_ops.zeros(self._shape_tensor(), self.dtype)

    def _determinant(self) -> Tensor:
        return creation_ops.zeros(self._shape_tensor()[:-2], self.dtype)


@RegisterAdjoint(LinearOperatorIdentity)
@RegisterInverse(LinearOperatorIdentity)
@RegisterCholesky(LinearOperatorIdentity)
def _itself(operator: LinearOperatorIdentity) -> LinearOperator:
    return operator


@RegisterAdjoint(LinearOperatorScaledIdentity)
def _adjoint_of_multiple(operator: LinearOperatorScaledIdentity) -> LinearOperator:
    return operator.with_multiplier(cast_ops.conj(operator.multiplier), hints_of(operator))


@RegisterInverse(LinearOperatorScaledIdentity)
def _inverse_of_multiple(operator: LinearOperatorScaledIdentity) -> LinearOperator:
    return operator.with_multiplier(1.0 / operator.multiplier, hints_of(operator))


@RegisterCholesky(LinearOperatorScaledIdentity)
def _cholesky_of_multiple(operator: LinearOperatorScaledIdentity) -> LinearOperator:
    return operator.with_multiplier(gen_ops.sqrt(operator.multiplier), hints_of(operator))


def _column(operator: LinearOperatorScaledIdentity) -> Tensor:
    """The multipliers, for the elements of diagonals."""
    return array_ops.expand_dims(operator.multiplier, -1)


@RegisterMatmul(LinearOperatorDiag, LinearOperatorScaledIdentity)
def _diagonal_by_multiple(
    left: LinearOperatorDiag, right: LinearOperatorScaledIdentity
) -> LinearOperator:
    hints = commuting_hints(left, right)
    return LinearOperatorDiag(left.diag * _column(right), is_square=True, **hints)


@RegisterMatmul(LinearOperatorScaledIdentity, LinearOperatorDiag)
def _multiple_by_diagonal(
    left: LinearOperatorScaledIdentity, right: LinearOperatorDiag
) -> LinearOperator:
    return _diagonal_by_multiple(right, left)


@RegisterSolve(LinearOperatorDiag, LinearOperatorScaledIdentity)
def _multiple_from_diagonal(
    left: LinearOperatorDiag, right: LinearOperatorScaledIdentity
) -> LinearOperator:
    hints = commuting_hints(left, right)
    return LinearOperatorDiag(_column(right) / left.diag, is_square=True, **hints)


@RegisterSolve(LinearOperatorScaledIdentity, LinearOperatorDiag)
def _diagonal_from_multiple(
    left: LinearOperatorScaledIdentity, right: LinearOperatorDiag
) -> LinearOperator:
    hints = commuting_hints(left, right)
    return LinearOperatorDiag(right.diag / _column(left), is_square=True, **hints)
