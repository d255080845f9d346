"""Operators of matrices that are known by their sizes: identities, multiples of them, zeros."""

from __future__ import annotations

from typing import Any, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.linalg import matrix_ops
from troupe._src.linalg.linear_operator import LinearOperator
from troupe._src.linalg.linear_operators import DiagonalOperator
from troupe._src.ops import array_ops, creation_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike
from troupe._src.types.shapes import TensorShape, as_shape


def _known(value: Any, name: str) -> Any:
    """What is known of sizes: a value of NumPy, or None."""
    if value is None:
        return None
    tensor = convert_to_tensor(value, name=name)
    if not tensor.dtype.is_integer:
        raise TypeError(f"{name} must be integer type. Found: {value}")
    return array_ops.get_static_value(tensor)


class _Sized(LinearOperator):
    """An operator of a number of rows and columns, and of a batch shape."""

    def _set_sizes(self, rows: Any, columns: Any, batch_shape: Any) -> None:
        self._rows, self._columns, self._batch = rows, columns, batch_shape
        for name, value in (("num_rows", rows), ("num_columns", columns)):
            known = _known(value, name)
            if known is not None and (known.ndim != 0 or known < 0):
                raise ValueError(f"{name} must be a non-negative scalar. Found: {value}")
        known = _known(batch_shape, "batch_shape")
        if known is not None and known.ndim != 1:
            raise ValueError(f"batch_shape must be a 1-D tensor. Found: {batch_shape}")

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
        assert_proper_shapes: Has no effect: sizes that do not fit are errors of the ops.
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
        self._set_sizes(num_rows, num_rows, batch_shape)

    def _diag_part(self) -> Tensor:
        return creation_ops.ones(self._shape_tensor()[:-1], self.dtype)

    def _spread(self, x: Tensor) -> Tensor:
        """In the batch shape of both."""
        return x if self._batch is None else x + creation_ops.zeros(
            array_ops.concat([self._shape_tensor()[:-2], [1, 1]], 0), self.dtype
        )

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._spread(matrix_ops.adjoint(x) if adjoint_arg else x)

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
        assert_proper_shapes: Has no effect: sizes that do not fit are errors of the ops.
        name: The name scope of its nodes.

    Raises:
        TypeError: The size is no integer.
        ValueError: `is_square` is not True, or the size is negative or no scalar.
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
            is_self_adjoint = True
        super().__init__(
            self._multiplier.dtype, [self._multiplier], is_non_singular, is_self_adjoint,
            is_positive_definite, True, name,
        )  # fmt: skip
        known = _known(num_rows, "num_rows")
        if known is not None and (known.ndim != 0 or known < 0):
            raise ValueError(f"num_rows must be a non-negative scalar. Found: {num_rows!r}")
        self._rows = num_rows

    @property
    def multiplier(self) -> Tensor:
        """The number."""
        return self._multiplier

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
        return super()._factors(adjoint)[..., :1, :]


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
        assert_proper_shapes: Has no effect: sizes that do not fit are errors of the ops.
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
        self._set_sizes(num_rows, num_rows if num_columns is None else num_columns, batch_shape)

    def _to_dense(self) -> Tensor:
        return creation_ops.zeros(self._shape_tensor(), self.dtype)

    def _determinant(self) -> Tensor:
        return creation_ops.zeros(self._shape_tensor()[:-2], self.dtype)
