"""Operators that convolve: their matrices are circulant, in one to three dimensions."""

from __future__ import annotations

from typing import Any, List, Mapping, Optional, Tuple

import numpy as np

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.linalg import matrix_ops
from troupe._src.linalg.linear_operator import LinearOperator
from troupe._src.linalg.operator_algebra import (
    RegisterAdjoint,
    RegisterInverse,
    RegisterMatmul,
    RegisterSolve,
    commuting_hints,
    hints_of,
)
from troupe._src.ops import arithmetic_ops, array_ops, assert_ops, cast_ops, creation_ops, gen_ops
from troupe._src.ops import math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.grouping_ops import no_op
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike
from troupe._src.types.shapes import TensorShape

# The transforms along so many of the last axes, and back.
_TRANSFORMS = {1: gen_ops.fft, 2: gen_ops.fft2_d, 3: gen_ops.fft3_d}
_INVERSES = {1: gen_ops.ifft, 2: gen_ops.ifft2_d, 3: gen_ops.ifft3_d}


def to_complex(x: Tensor) -> Tensor:
    """The same numbers as complex ones, of as many bits where they are float64."""
    if x.dtype.is_complex:
        return x
    is_double = x.dtype.base_dtype == dtypes.float64
    return math_ops.cast(x, dtypes.complex128 if is_double else dtypes.complex64)


class CirculantOperator(LinearOperator):
    """An operator that multiplies the spectra of what it gets: F^-1 S F, by Fourier transforms F.

    Args:
        spectrum: S, [..., sizes of the blocks], whose product is the number of rows.
        block_depth: How many axes the blocks have, from 1 to 3.
        input_output_dtype: The dtype of the elements, whatever that of the spectrum is.
        hints: What is known of it, by the names of the arguments of operators.
        name: The name scope of its nodes.

    Raises:
        ValueError: The spectrum has fewer axes, or hints are wrong.
    """

    def __init__(
        self, spectrum: TensorLike, block_depth: int, input_output_dtype: DTypeLike,
        hints: Mapping[str, Any], name: str,
    ) -> None:  # fmt: skip
        self._block_depth = block_depth
        self._spectrum = convert_to_tensor(spectrum, name="spectrum")
        rank = self._spectrum.shape.rank
        if rank is not None and rank < block_depth:
            raise ValueError(
                f"Argument spectrum must have at least {block_depth} dimensions.  "
                f"Found: {self._spectrum}"
            )
        is_self_adjoint = hints["is_self_adjoint"]
        if not self._spectrum.dtype.is_complex:
            if is_self_adjoint is False:
                raise ValueError("A real spectrum always corresponds to a self-adjoint operator.")
            is_self_adjoint = True
        if hints["is_square"] is False:
            raise ValueError("A [[nested] block] circulant operator is always square.")
        super().__init__(
            input_output_dtype, [self._spectrum], hints["is_non_singular"], is_self_adjoint,
            hints["is_positive_definite"], True, name,
        )  # fmt: skip

    @property
    def block_depth(self) -> int:
        """How many axes of the spectrum are those of the blocks."""
        return self._block_depth

    @property
    def block_shape(self) -> TensorShape:
        """The sizes of these axes, as far as they are known."""
        return self._spectrum.shape[-self._block_depth :]

    def block_shape_tensor(self) -> Tensor:
        """The sizes of these axes, as a tensor."""
        return array_ops.shape(self._spectrum)[-self._block_depth :]

    @property
    def spectrum(self) -> Tensor:
        """The spectrum, whose elements are the eigenvalues."""
        return self._spectrum

    def _transformed(self, x: Tensor) -> Tensor:
        return _TRANSFORMS[self._block_depth](to_complex(x))

    def _back(self, x: Tensor) -> Tensor:
        return _INVERSES[self._block_depth](to_complex(x))

    def convolution_kernel(self, name: str = "convolution_kernel") -> Tensor:
        """What vectors are convolved with, of which the spectrum is the transform."""
        with self._name_scope(name):
            return math_ops.cast(self._back(self._spectrum), self.dtype)

    def _block_axes(self) -> List[int]:
        return list(range(-self._block_depth, 0))

    def _shape(self) -> TensorShape:
        blocks = self.block_shape
        known = blocks.num_elements()
        batch = self._spectrum.shape[: -self._block_depth]
        return batch.concatenate(TensorShape([known, known]))

    def _shape_tensor(self) -> Tensor:
        sizes = array_ops.shape(self._spectrum)
        rows = math_ops.reduce_prod(sizes[-self._block_depth :])
        return array_ops.concat([sizes[: -self._block_depth], array_ops.stack([rows, rows])], 0)

    def assert_hermitian_spectrum(self, name: str = "assert_hermitian_spectrum") -> Operation:
        """An operation that fails where the spectrum is not that of real matrices."""
        with self._name_scope(name):
            epsilon = np.finfo(self.dtype.real_dtype.as_numpy_dtype).eps
            rest = arithmetic_ops.abs(cast_ops.imag(self.convolution_kernel()))
            limit = math_ops.cast(self.domain_dimension_tensor(), rest.dtype) * epsilon
            return assert_ops.assert_less(rest, limit, message="Spectrum was not Hermitian")

    def _assert_non_singular(self) -> Operation:
        return assert_ops.assert_positive(
            arithmetic_ops.abs(self._spectrum),
            message="Singular operator:  Spectrum contained zero values.",
        )

    def _assert_positive_definite(self) -> Operation:
        return assert_ops.assert_positive(
            cast_ops.real(self._spectrum),
            message="Not positive definite:  Real part of spectrum was not all positive.",
        )

    def _assert_self_adjoint(self) -> Operation:
        if not self._spectrum.dtype.is_complex:
            return no_op("assert_self_adjoint")
        imaginary = cast_ops.imag(self._spectrum)
        return assert_ops.assert_equal(
            imaginary, creation_ops.zeros_like(imaginary),
            message="Not self-adjoint:  The spectrum contained non-zero imaginary part.",
        )  # fmt: skip

    def _filtered(self, x: Tensor, adjoint: bool, is_inverse: bool) -> Tensor:
        """The columns of x, with their spectra multiplied or divided."""
        spectrum = to_complex(self._spectrum)
        spectrum = cast_ops.conj(spectrum) if adjoint else spectrum
        spectrum = array_ops.expand_dims(spectrum, -1 - self._block_depth)
        rows = array_ops.matrix_transpose(math_ops.cast(x, spectrum.dtype))
        seen = self._transformed(self._in_blocks(rows))
        found = self._back(seen / spectrum if is_inverse else seen * spectrum)
        return math_ops.cast(array_ops.matrix_transpose(self._flat(found)), self.dtype)

    def _in_blocks(self, rows: Tensor) -> Tensor:
        """[..., sizes of the blocks], of [..., their product]."""
        first, blocks = rows.shape[:-1], self.block_shape
        if first.is_fully_defined() and blocks.is_fully_defined():
            return array_ops.reshape(rows, [*first.as_list(), *blocks.as_list()])
        sizes = [array_ops.shape(rows)[:-1], self.block_shape_tensor()]
        return array_ops.reshape(rows, array_ops.concat(sizes, 0))

    def _flat(self, blocks: Tensor) -> Tensor:
        """[..., the product of the sizes of the blocks], of [..., these sizes]."""
        first, known = blocks.shape[: -self._block_depth], self.domain_dimension.value
        if first.is_fully_defined() and known is not None:
            return array_ops.reshape(blocks, [*first.as_list(), known])
        sizes = array_ops.shape(blocks)[: -self._block_depth]
        rows = self.domain_dimension_tensor()
        return array_ops.reshape(blocks, array_ops.concat([sizes, [rows]], 0))

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        right = matrix_ops.adjoint(x) if adjoint_arg else x
        return self._filtered(right, adjoint, is_inverse=False)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        right = matrix_ops.adjoint(rhs) if adjoint_arg else rhs
        return self._filtered(right, adjoint, is_inverse=True)

    def _determinant(self) -> Tensor:
        found = math_ops.reduce_prod(self._spectrum, self._block_axes())
        return math_ops.cast(found, self.dtype)

    def _log_abs_determinant(self) -> Tensor:
        logarithms = gen_ops.log(arithmetic_ops.abs(self._spectrum))
        return math_ops.cast(math_ops.reduce_sum(logarithms, self._block_axes()), self.dtype)

    def _trace(self) -> Tensor:
        return math_ops.cast(math_ops.reduce_sum(self._spectrum, self._block_axes()), self.dtype)

    def _diag_part(self) -> Tensor:
        rows = math_ops.cast(self.domain_dimension_tensor(), self.dtype)
        ones = creation_ops.ones(self.shape_tensor()[:-1], self.dtype)
        return array_ops.expand_dims(self._trace() / rows, -1) * ones


@set_module("troupe.linalg")
class LinearOperatorCirculant(CirculantOperator):
    """An operator of circulant matrices: each row is the one above, turned by one to the right.

    Args:
        spectrum: The Fourier transform of the first column, [..., rows]; its elements are the
            eigenvalues.
        input_output_dtype: The dtype of arguments and results; imaginary parts are left out, if it
            is a real one.
        is_non_singular: Whether no element of the spectrum is 0.
        is_self_adjoint: Whether all of it is real; so it is for a real dtype.
        is_positive_definite: Whether its real parts are positive.
        is_square: Must not be False.
        name: The name scope of its nodes.

    Raises:
        ValueError: The spectrum is a scalar, or a hint is wrong.
    """

    def __init__(
        self, spectrum: TensorLike, input_output_dtype: DTypeLike = dtypes.complex64,
        is_non_singular: Optional[bool] = None, is_self_adjoint: Optional[bool] = None,
        is_positive_definite: Optional[bool] = None, is_square: Optional[bool] = True,
        name: str = "LinearOperatorCirculant",
    ) -> None:  # fmt: skip
        hints = _hints(is_non_singular, is_self_adjoint, is_positive_definite, is_square)
        super().__init__(spectrum, 1, input_output_dtype, hints, name)


@set_module("troupe.linalg")
class LinearOperatorCirculant2D(CirculantOperator):
    """An operator of matrices of circulant blocks, which are in circulant order themselves.

    Args:
        spectrum: The Fourier transform of the first column, in two dimensions: [..., blocks in a
            row, rows of a block].
        input_output_dtype: The dtype of arguments and results; imaginary parts are left out, if it
            is a real one.
        is_non_singular: Whether no element of the spectrum is 0.
        is_self_adjoint: Whether all of it is real; so it is for a real dtype.
        is_positive_definite: Whether its real parts are positive.
        is_square: Must not be False.
        name: The name scope of its nodes.

    Raises:
        ValueError: The spectrum has less than 2 axes, or a hint is wrong.
    """

    def __init__(
        self, spectrum: TensorLike, input_output_dtype: DTypeLike = dtypes.complex64,
        is_non_singular: Optional[bool] = None, is_self_adjoint: Optional[bool] = None,
        is_positive_definite: Optional[bool] = None, is_square: Optional[bool] = True,
        name: str = "LinearOperatorCirculant2D",
    ) -> None:  # fmt: skip
        hints = _hints(is_non_singular, is_self_adjoint, is_positive_definite, is_square)
        super().__init__(spectrum, 2, input_output_dtype, hints, name)


@set_module("troupe.linalg")
class LinearOperatorCirculant3D(CirculantOperator):
    """An operator of matrices whose blocks are those of `LinearOperatorCirculant2D`.

    Args:
        spectrum: The Fourier transform of the first column, in three dimensions.
        input_output_dtype: The dtype of arguments and results; imaginary parts are left out, if it
            is a real one.
        is_non_singular: Whether no element of the spectrum is 0.
        is_self_adjoint: Whether all of it is real; so it is for a real dtype.
        is_positive_definite: Whether its real parts are positive.
        is_square: Must not be False.
        name: The name scope of its nodes.

    Raises:
        ValueError: The spectrum has less than 3 axes, or a hint is wrong.
    """

    def __init__(
        self, spectrum: TensorLike, input_output_dtype: DTypeLike = dtypes.complex64,
        is_non_singular: Optional[bool] = None, is_self_adjoint: Optional[bool] = None,
        is_positive_definite: Optional[bool] = None, is_square: Optional[bool] = True,
        name: str = "LinearOperatorCirculant3D",
    ) -> None:  # fmt: skip
        hints = _hints(is_non_singular, is_self_adjoint, is_positive_definite, is_square)
        super().__init__(spectrum, 3, input_output_dtype, hints, name)


_CLASSES: Mapping[int, Any] = {
    1: LinearOperatorCirculant,
    2: LinearOperatorCirculant2D,
    3: LinearOperatorCirculant3D,
}


def _hints(
    is_non_singular: Optional[bool], is_self_adjoint: Optional[bool],
    is_positive_definite: Optional[bool], is_square: Optional[bool],
) -> Mapping[str, Optional[bool]]:  # fmt: skip
    return {
        "is_non_singular": is_non_singular, "is_self_adjoint": is_self_adjoint,
        "is_positive_definite": is_positive_definite, "is_square": is_square,
    }  # fmt: skip


def _like(
    operator: CirculantOperator, spectrum: Tensor, hints: Mapping[str, Any]
) -> LinearOperator:
    found: LinearOperator = _CLASSES[operator.block_depth](spectrum, operator.dtype, **hints)
    return found


@RegisterAdjoint(CirculantOperator)
def _adjoint(operator: CirculantOperator) -> LinearOperator:
    return _like(operator, cast_ops.conj(operator.spectrum), hints_of(operator))


@RegisterInverse(CirculantOperator)
def _inverse(operator: CirculantOperator) -> LinearOperator:
    return _like(operator, 1.0 / operator.spectrum, hints_of(operator))


def _spectra(left: CirculantOperator, right: CirculantOperator) -> Tuple[Tensor, Tensor]:
    """The spectra, with one dtype."""
    one, other = left.spectrum, right.spectrum
    if one.dtype.base_dtype == other.dtype.base_dtype:
        return one, other
    if not (one.dtype.is_complex or other.dtype.is_complex):
        return math_ops.cast(one, dtypes.float64), math_ops.cast(other, dtypes.float64)
    is_double = dtypes.float64 in (one.dtype.real_dtype, other.dtype.real_dtype)
    dtype = dtypes.complex128 if is_double else dtypes.complex64
    return math_ops.cast(one, dtype), math_ops.cast(other, dtype)


def _product(left: CirculantOperator, right: CirculantOperator) -> LinearOperator:
    one, other = _spectra(left, right)
    return _like(left, one * other, commuting_hints(left, right))


def _solution(left: CirculantOperator, right: CirculantOperator) -> LinearOperator:
    one, other = _spectra(left, right)
    return _like(left, other / one, commuting_hints(left, right))


for _kind in _CLASSES.values():
    RegisterMatmul(_kind, _kind)(_product)
    RegisterSolve(_kind, _kind)(_solution)
