"""Functions of matrices, of the ops that decompose them and solve their systems."""

from __future__ import annotations

from typing import Optional, Tuple

import numpy as np

from troupe._src.checks.rank_ops import assert_rank_at_least
from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.gradient_functions import RegisterGradient
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import array_ops, cast_ops, creation_ops, gen_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor, is_tensor
from troupe._src.ops.rearrange_ops import svd
from troupe._src.ops.selection_ops import where_v2
from troupe._src.set_module import set_module
from troupe._src.types import dtypes


def adjoint(matrix: TensorLike, name: Optional[str] = None) -> Tensor:
    """The conjugates of the transposed matrices.

    Args:
        matrix: [..., rows, columns].

    Returns:
        [..., columns, rows].
    """
    with get_default_graph().name_scope(name or "adjoint"):
        return array_ops.matrix_transpose(convert_to_tensor(matrix), conjugate=True)


def trace(x: TensorLike, name: Optional[str] = None) -> Tensor:
    """The sums of the main diagonals of the matrices.

    Args:
        x: [..., rows, columns] of numbers.

    Returns:
        A tensor of the shape without the last two axes.
    """
    with get_default_graph().name_scope(name or "Trace") as scope:
        diagonal = gen_ops.matrix_diag_part(convert_to_tensor(x))
        return math_ops.reduce_sum(diagonal, -1, name=scope)


def matvec(
    a: TensorLike,
    b: TensorLike,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: Optional[str] = None,
) -> Tensor:
    """The products of matrices and vectors.

    Args:
        a: The matrices, [..., rows, columns].
        b: The vectors, [..., columns], of the same dtype.
        transpose_a: Transposes the matrices first.
        adjoint_a: Takes the conjugates of the transposed matrices; not together with `transpose_a`.
        a_is_sparse: Most elements of `a` are zero, which changes nothing but speed.
        b_is_sparse: Most elements of `b` are zero, likewise.

    Returns:
        [..., rows].

    Raises:
        ValueError: Both ways to transpose are given, or sizes do not fit.
    """
    with get_default_graph().name_scope(name or "MatVec"):
        matrix = convert_to_tensor(a)
        vector = convert_to_tensor(b, None if is_tensor(b) else matrix.dtype)
        column = array_ops.expand_dims(vector, -1)
        product = math_ops.matmul(
            matrix, column, transpose_a=transpose_a, adjoint_a=adjoint_a,
            a_is_sparse=a_is_sparse, b_is_sparse=b_is_sparse,
        )  # fmt: skip
        return array_ops.squeeze(product, [-1])


def cholesky_solve(chol: TensorLike, rhs: TensorLike, name: Optional[str] = None) -> Tensor:
    """The x of A x = rhs, by the Cholesky decomposition of A.

    Args:
        chol: The decompositions, lower triangular: [..., rows, rows].
        rhs: [..., rows, columns], of the same dtype.

    Returns:
        [..., rows, columns].
    """
    with get_default_graph().name_scope(name or "cholesky_solve"):
        lower = convert_to_tensor(chol)
        half = gen_ops.matrix_triangular_solve(lower, rhs, lower=True, adjoint=False)
        return gen_ops.matrix_triangular_solve(lower, half, lower=True, adjoint=True)


def matrix_solve_ls(
    matrix: TensorLike,
    rhs: TensorLike,
    l2_regularizer: TensorLike = 0.0,
    fast: bool = True,
    name: Optional[str] = None,
) -> Tensor:
    """The x for which matrix * x is nearest to rhs.

    Args:
        matrix: [..., rows, columns] of floating point or complex numbers.
        rhs: [..., rows, right sides], of the same dtype.
        l2_regularizer: The penalty on the squares of x, a scalar.
        fast: By the Cholesky decomposition, which loses digits where matrices are nearly singular;
            otherwise by an orthogonal one, which takes no penalty.

    Returns:
        [..., columns, right sides].
    """
    values = convert_to_tensor(matrix)
    return gen_ops.matrix_solve_ls(values, rhs, l2_regularizer, fast=fast, name=name)


def self_adjoint_eig(tensor: TensorLike, name: Optional[str] = None) -> Tuple[Tensor, Tensor]:
    """The eigenvalues, ascending, and eigenvectors of self-adjoint matrices.

    Args:
        tensor: The matrices, [..., rows, rows], of which the lower triangles are read.

    Returns:
        (values, ascending: [..., rows]; vectors, as columns: [..., rows, rows]).
    """
    values, vectors = gen_ops.self_adjoint_eig_v2(tensor, compute_v=True, name=name)
    return values, vectors


def self_adjoint_eigvals(tensor: TensorLike, name: Optional[str] = None) -> Tensor:
    """The eigenvalues of self-adjoint matrices, ascending.

    Args:
        tensor: The matrices, [..., rows, rows], of which the lower triangles are read.

    Returns:
        [..., rows].
    """
    values, _ = gen_ops.self_adjoint_eig_v2(tensor, compute_v=False, name=name)
    found: Tensor = values
    return found


def logdet(matrix: TensorLike, name: Optional[str] = None) -> Tensor:
    """The logarithms of the determinants of positive definite matrices.

    Args:
        matrix: [..., rows, rows] of floating point or complex numbers.

    Returns:
        A tensor of real numbers, of the shape without the last two axes.
    """
    with get_default_graph().name_scope(name or "logdet"):
        diagonal = gen_ops.matrix_diag_part(gen_ops.cholesky(matrix))
        return 2.0 * math_ops.reduce_sum(gen_ops.log(cast_ops.real(diagonal)), -1)


def pinv(
    a: TensorLike,
    rcond: Optional[TensorLike] = None,
    validate_args: bool = False,
    name: Optional[str] = None,
) -> Tensor:
    """The pseudo-inverses of Moore and Penrose, by the singular value decomposition.

    As `tf.linalg.pinv`.

    Args:
        a: The matrices, [..., rows, columns] of floating point numbers.
        rcond: Singular values that are not greater than this part of the greatest one count as
            zero, [...]; by default 10 max(rows, columns) times the precision of the dtype.
        validate_args: Whether each step checks the rank, where it is not known before.

    Returns:
        [..., columns, rows].

    Raises:
        TypeError: The matrices are not of floating point numbers.
        ValueError: There are fewer than two axes.
    """
    with get_default_graph().name_scope(name or "pinv"):
        matrix = _checked_matrix(a, "pinv", validate_args)
        dtype = matrix.dtype
        if rcond is None:
            rcond = 10 * _precision(matrix)
        values, left, right = svd(matrix)
        least = convert_to_tensor(rcond, dtype) * math_ops.reduce_max(values, axis=-1)
        is_used = gen_ops.greater(values, array_ops.expand_dims(least, -1))
        # Their inverses are zero, and have no gradient that is not a number.
        values = where_v2(is_used, values, convert_to_tensor(np.inf, dtype))
        scaled = right / array_ops.expand_dims(values, -2)
        inverse = math_ops.matmul(scaled, left, adjoint_b=True)
        if matrix.shape.rank is not None:
            *batch, rows, columns = matrix.shape
            inverse.set_shape([*batch, columns, rows])
        return inverse


def matrix_rank(
    a: TensorLike,
    tol: Optional[TensorLike] = None,
    validate_args: bool = False,
    name: Optional[str] = None,
) -> Tensor:
    """How many singular values of matrices are not zero.

    As `tf.linalg.matrix_rank`.

    Args:
        a: The matrices, [..., rows, columns] of floating point numbers.
        tol: Singular values that are not greater count as zero; it broadcasts with them, and is by
            default max(rows, columns) times the precision of the dtype times the greatest one.
        validate_args: Whether each step checks the rank, where it is not known before.

    Returns:
        int32, [...].

    Raises:
        TypeError: The matrices are not of floating point numbers.
        ValueError: There are fewer than two axes.
    """
    with get_default_graph().name_scope(name or "matrix_rank"):
        matrix = _checked_matrix(a, "matrix_rank", validate_args)
        values = svd(matrix, compute_uv=False)
        if tol is None:
            tol = _precision(matrix) * math_ops.reduce_max(values, axis=-1, keepdims=True)
        is_used = gen_ops.greater(values, convert_to_tensor(tol, matrix.dtype))
        return math_ops.reduce_sum(math_ops.cast(is_used, dtypes.int32), axis=-1)


def _checked_matrix(value: TensorLike, user: str, validate_args: bool) -> Tensor:
    """Matrices of floating point numbers, whose rank steps check where it is not known."""
    matrix = convert_to_tensor(value)
    dtype, shape = matrix.dtype, matrix.shape
    if not dtype.is_floating:
        raise TypeError(f"{user} takes matrices of floating point numbers, but got {dtype.name}")
    if shape.rank is not None and shape.rank < 2:
        raise ValueError(f"{user} takes at least two axes, but got the shape {shape}")
    if shape.rank is not None or not validate_args:
        return matrix
    with get_default_graph().control_dependencies([assert_rank_at_least(matrix, 2)]):
        return array_ops.identity(matrix)


def _precision(matrix: Tensor) -> Tensor:
    """Of singular values, as a part of the greatest one."""
    larger = math_ops.reduce_max(array_ops.shape(matrix)[-2:])
    epsilon = np.finfo(matrix.dtype.as_numpy_dtype).eps
    precision: Tensor = math_ops.cast(larger, matrix.dtype) * epsilon
    return precision


@set_module("troupe.linalg")
def expm(input: TensorLike, name: Optional[str] = None) -> Tensor:
    """The sums of all powers x^k / k! of matrices. TensorFlow: `linalg.expm`.

    Args:
        input: [..., n, n] of floating or complex numbers.
        name: The name of the node.

    Returns:
        A tensor of that shape and dtype.

    Raises:
        ValueError: The matrices are not square.
    """
    return gen_ops.matrix_exponential(input, name=name)


@RegisterGradient("MatrixExponential")
def _matrix_exponential_gradient(op: Operation, gradient: Tensor) -> Tensor:
    # The derivative at a matrix, in a direction, is the upper right block of the exponential of
    # [[matrix, direction], [0, matrix]]; its adjoint is that at the adjoint matrix.
    matrix = array_ops.matrix_transpose(op.inputs[0], conjugate=True)
    upper = array_ops.concat([matrix, gradient], -1)
    lower = array_ops.concat([creation_ops.zeros_like(matrix), matrix], -1)
    blocks = gen_ops.matrix_exponential(array_ops.concat([upper, lower], -2))
    size = array_ops.shape(matrix)[-1]
    result = blocks[..., :size, size:]
    result.set_shape(matrix.shape)
    return result
