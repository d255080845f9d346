"""Matrices that are known by what they do, not by their elements: the base class."""

from __future__ import annotations

from typing import Any

import numpy as np

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.linalg import matrix_ops, operator_algebra
from troupe._src.linalg.batch_ops import broadcast_batches, static_or_shape
from troupe._src.linalg.described_operator import DescribedOperator
from troupe._src.ops import array_ops, assert_ops, gen_ops, math_ops, rearrange_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.set_module import set_module
from troupe._src.types.dimensions import Dimension


@set_module("troupe.linalg")
class LinearOperator(DescribedOperator):
    """A batch of matrices [..., rows, columns], which may be given by fewer numbers than those.

    A class of a program defines `_shape`, and `_to_dense` or `_matmul`, and more where there is a
    faster way; with a shape that is not known and no `_to_dense`, `_shape_tensor` as well. Each
    hint is True, False, or None where it is not known.

    Args:
        dtype: The dtype of the elements.
        graph_parents: The tensors that it is made of.
        is_non_singular: Whether all matrices have an inverse.
        is_self_adjoint: Whether they equal their adjoints.
        is_positive_definite: Whether x* A x has a positive real part for all x but 0.
        is_square: Whether there are as many rows as columns.
        name: The name scope of its nodes.

    Raises:
        ValueError: The hints exclude each other.
    """

    def _shape_tensor(self) -> Tensor:
        if type(self)._to_dense is LinearOperator._to_dense:
            raise NotImplementedError("_shape_tensor is not implemented.")
        return array_ops.shape(self._to_dense())

    def _assert_non_singular(self) -> Operation:
        if self._can_use_cholesky():
            return self._assert_positive_definite()
        values = rearrange_ops.svd(self._to_dense(), compute_uv=False)
        ratio = math_ops.reduce_max(values, -1) / math_ops.reduce_min(values, -1)
        limit = 1.0 / np.finfo(self.dtype.real_dtype.as_numpy_dtype).eps
        return assert_ops.assert_less(
            ratio, math_ops.cast(limit, ratio.dtype),
            message="Singular matrix up to precision epsilon.",
        )  # fmt: skip

    def assert_non_singular(self, name: str = "assert_non_singular") -> Operation:
        """An operation that fails where a matrix has no inverse."""
        with self._name_scope(name):
            return self._assert_non_singular()

    def _assert_positive_definite(self) -> Operation:
        if not self.is_self_adjoint:
            raise NotImplementedError("assert_positive_definite is not implemented.")
        diagonal = gen_ops.matrix_diag_part(gen_ops.cholesky(self._to_dense()))
        return assert_ops.assert_positive(diagonal, message="Matrix was not positive definite.")

    def assert_positive_definite(self, name: str = "assert_positive_definite") -> Operation:
        """An operation that fails where a matrix is not positive definite."""
        with self._name_scope(name):
            return self._assert_positive_definite()

    def _assert_self_adjoint(self) -> Operation:
        dense = self._to_dense()
        return assert_ops.assert_equal(
            dense, matrix_ops.adjoint(dense), message="Matrix was not equal to its adjoint."
        )

    def assert_self_adjoint(self, name: str = "assert_self_adjoint") -> Operation:
        """An operation that fails where a matrix does not equal its adjoint."""
        with self._name_scope(name):
            return self._assert_self_adjoint()

    def _to_dense(self) -> Tensor:
        if type(self)._matmul is LinearOperator._matmul:
            raise NotImplementedError("_to_dense is not implemented.")
        known = self.domain_dimension.value
        columns = self._shape_tensor()[-1] if known is None else known
        batch = static_or_shape(self.batch_shape, lambda: self._shape_tensor()[:-2])
        return self._matmul(rearrange_ops.eye(columns, batch_shape=batch, dtype=self.dtype))

    def to_dense(self, name: str = "to_dense") -> Tensor:
        """The matrices, [..., rows, columns]."""
        with self._name_scope(name):
            return self._to_dense()

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        dense, right = broadcast_batches(self._to_dense(), x)
        return math_ops.matmul(dense, right, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _argument(self, x: Any, name: str) -> Tensor:
        value = convert_to_tensor(x, name=name)
        if value.dtype.base_dtype != self.dtype:
            raise TypeError(
                f"Input had dtype {value.dtype.name} but expected {self.dtype.name}."
            )
        return value

    def _check_sizes(self, own: Dimension, given: Tensor, axis: int) -> None:
        if given.shape.rank is not None:
            own.assert_is_compatible_with(given.shape.as_list()[axis])

    def _check_fits(self, other: LinearOperator, name: str) -> None:
        own, given = self.domain_dimension.value, other.range_dimension.value
        if None not in (own, given) and own != given:
            raise ValueError(
                f"Operators are incompatible. Expected `{name}` to have dimension {own} but got "
                f"{given}."
            )

    def matmul(
        self, x: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "matmul"
    ) -> Any:
        """The products A X.

        Args:
            x: [..., columns, right sides], or another operator.
            adjoint: Takes the adjoint of A.
            adjoint_arg: Takes the adjoint of X.

        Returns:
            [..., rows, right sides]; an operator, if `x` is one.

        Raises:
            ValueError: Sizes do not fit.
        """
        if isinstance(x, LinearOperator):
            left, right = self.adjoint() if adjoint else self, x.adjoint() if adjoint_arg else x
            left._check_fits(right, "x")
            with self._name_scope(name):
                return operator_algebra.matmul(left, right)
        with self._name_scope(name):
            value = self._argument(x, "x")
            inner = self.range_dimension if adjoint else self.domain_dimension
            self._check_sizes(inner, value, -1 if adjoint_arg else -2)
            return self._matmul(value, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def matvec(self, x: TensorLike, adjoint: bool = False, name: str = "matvec") -> Tensor:
        """The products A x.

        Args:
            x: [..., columns].
            adjoint: Takes the adjoint of A.

        Returns:
            [..., rows].

        Raises:
            ValueError: Sizes do not fit.
        """
        with self._name_scope(name):
            value = self._argument(x, "x")
            self._check_sizes(self.range_dimension if adjoint else self.domain_dimension, value, -1)
            return array_ops.squeeze(
                self._matmul(array_ops.expand_dims(value, -1), adjoint=adjoint), [-1]
            )

    def _can_use_cholesky(self) -> bool:
        return bool(self.is_self_adjoint and self.is_positive_definite)

    def _determinant(self) -> Tensor:
        return gen_ops.matrix_determinant(self._to_dense())

    def determinant(self, name: str = "det") -> Tensor:
        """The determinants, of the shape of the batch.

        Raises:
            NotImplementedError: The matrices are not square.
        """
        self._need_square("determinant")
        with self._name_scope(name):
            return self._determinant()

    def _log_abs_determinant(self) -> Tensor:
        if self._can_use_cholesky():
            diagonal = gen_ops.matrix_diag_part(gen_ops.cholesky(self._to_dense()))
            return 2 * math_ops.reduce_sum(gen_ops.log(diagonal), -1)
        return gen_ops.log_matrix_determinant(self._to_dense())[1]

    def log_abs_determinant(self, name: str = "log_abs_det") -> Tensor:
        """The logarithms of the magnitudes of the determinants, of the shape of the batch.

        Raises:
            NotImplementedError: The matrices are not square.
        """
        self._need_square("log_abs_determinant")
        with self._name_scope(name):
            return self._log_abs_determinant()

    def _need_square(self, what: str) -> None:
        if self.is_square is False:
            raise NotImplementedError(
                f"{what} not implemented for an operator that is expected to not be square."
            )

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        right = matrix_ops.adjoint(rhs) if adjoint_arg else rhs
        dense, right = broadcast_batches(self._to_dense(), right)
        if self._can_use_cholesky():
            return matrix_ops.cholesky_solve(gen_ops.cholesky(dense), right)
        return gen_ops.matrix_solve(dense, right, adjoint=adjoint)

    def _need_solvable(self) -> None:
        if self.is_non_singular is False:
            raise NotImplementedError(
                "Exact solve not implemented for an operator that is expected to be singular."
            )
        if self.is_square is False:
            raise NotImplementedError(
                "Exact solve not implemented for an operator that is expected to not be square."
            )

    def solve(
        self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "solve"
    ) -> Any:
        """The X of A X = rhs.

        Args:
            rhs: [..., rows, right sides], or another operator.
            adjoint: Takes the adjoint of A.
            adjoint_arg: Takes the adjoint of the right sides.

        Returns:
            [..., rows, right sides]; an operator, if `rhs` is one.

        Raises:
            NotImplementedError: A is said to be singular, or not to be square.
        """
        self._need_solvable()
        if isinstance(rhs, LinearOperator):
            left = self.adjoint() if adjoint else self
            right = rhs.adjoint() if adjoint_arg else rhs
            left._check_fits(right, "rhs")
            with self._name_scope(name):
                return operator_algebra.solve(left, right)
        with self._name_scope(name):
            value = self._argument(rhs, "rhs")
            self._check_sizes(self.range_dimension, value, -1 if adjoint_arg else -2)
            return self._solve(value, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def solvevec(self, rhs: TensorLike, adjoint: bool = False, name: str = "solve") -> Tensor:
        """The x of A x = rhs.

        Args:
            rhs: [..., rows].
            adjoint: Takes the adjoint of A.

        Returns:
            [..., rows].

        Raises:
            NotImplementedError: A is said to be singular, or not to be square.
        """
        self._need_solvable()
        with self._name_scope(name):
            value = self._argument(rhs, "rhs")
            self._check_sizes(self.range_dimension, value, -1)
            return array_ops.squeeze(
                self._solve(array_ops.expand_dims(value, -1), adjoint=adjoint), [-1]
            )

    @property
    def H(self) -> LinearOperator:
        """The adjoint operator."""
        return self.adjoint()

    def adjoint(self, name: str = "adjoint") -> LinearOperator:
        """The adjoint operator, or this one if it is self-adjoint."""
        if self.is_self_adjoint:
            return self
        with self._name_scope(name):
            adjoint: LinearOperator = operator_algebra.adjoint(self)
            return adjoint

    def inverse(self, name: str = "inverse") -> LinearOperator:
        """The operator that solves the systems of this one.

        Raises:
            ValueError: It is said to be singular, or not to be square.
        """
        for hint, text in ((self.is_square, "non square"), (self.is_non_singular, "singular")):
            if hint is False:
                raise ValueError(
                    f"Cannot take the Inverse: This operator represents a {text} matrix."
                )
        with self._name_scope(name):
            inverse: LinearOperator = operator_algebra.inverse(self)
            return inverse

    def cholesky(self, name: str = "cholesky") -> LinearOperator:
        """The lower triangular L of A = L L*.

        Raises:
            ValueError: The operator is not said to be self-adjoint and positive definite.
        """
        if not self._can_use_cholesky():
            raise ValueError(
                "Cannot take the Cholesky decomposition: "
                "Not a positive definite self adjoint matrix."
            )
        with self._name_scope(name):
            lower: LinearOperator = operator_algebra.cholesky(self)
            return lower

    def _diag_part(self) -> Tensor:
        return gen_ops.matrix_diag_part(self._to_dense())

    def diag_part(self, name: str = "diag_part") -> Tensor:
        """The main diagonals, [..., the smaller of rows and columns]."""
        with self._name_scope(name):
            return self._diag_part()

    def _trace(self) -> Tensor:
        return math_ops.reduce_sum(self._diag_part(), -1)

    def trace(self, name: str = "trace") -> Tensor:
        """The sums of the main diagonals."""
        with self._name_scope(name):
            return self._trace()

    def _add_to_tensor(self, x: Tensor) -> Tensor:
        return self._to_dense() + x

    def add_to_tensor(self, x: TensorLike, name: str = "add_to_tensor") -> Tensor:
        """A + x.

        Args:
            x: [..., rows, columns].

        Returns:
            The sum, a tensor.
        """
        with self._name_scope(name):
            return self._add_to_tensor(self._argument(x, "x"))
