"""Lanczos' bidiagonalization."""

from __future__ import annotations

from typing import Any, NamedTuple, Tuple

from troupe._src.control_flow.conditional import cond
from troupe._src.control_flow.loops import while_loop
from troupe._src.control_flow.tensor_array import TensorArray
from troupe._src.graph.scopes import name_scope
from troupe._src.ops import array_ops, creation_ops, math_ops
from troupe._src.ops.convert import constant
from troupe._src.random.random_ops import random_uniform
from troupe._src.solvers.operators import LinearOperator, l2norm, l2normalize

# Below which part of its length a vector is orthogonalized once more: rounding has spoilt it.
_LOST = 0.7071


class LanczosBidiagState(NamedTuple):
    """A V = U B, of a bidiagonal B."""

    u: Any  # orthonormal columns, [rows, k + 1]
    v: Any  # orthonormal columns, [columns, k]
    alpha: Any  # the diagonal of B, [k]
    beta: Any  # below it, [k]


def _column(array: Any, index: Any) -> Any:
    return array_ops.expand_dims(array.read(index), -1)


def _orthogonal_to(basis: Any, count: Any, vector: Any) -> Tuple[Any, Any]:
    """The part of a vector that is orthogonal to columns, of length 1, and its length."""

    def once(given: Any) -> Tuple[Any, Any]:
        def subtract(index: Any, rest: Any) -> Any:
            column = _column(basis, index)
            part = math_ops.matmul(column, rest, adjoint_a=True) * column
            difference = rest - part
            difference.set_shape(rest.shape)
            return index + 1, difference

        rest = while_loop(lambda index, _: index < count, subtract, [constant(0), given])[1]
        return l2normalize(rest)

    length = l2norm(vector)
    first, rest_length = once(vector)
    found: Tuple[Any, Any] = cond(
        rest_length < _LOST * length,
        lambda: list(once(vector)),
        lambda: [array_ops.identity(first), array_ops.identity(rest_length)],
    )
    found[0].set_shape(vector.shape)
    return found[0], found[1]


def lanczos_bidiag(
    operator: LinearOperator,
    k: int,
    orthogonalize: bool = True,
    starting_vector: Any = None,
    name: str = "lanczos_bidiag",
) -> LanczosBidiagState:
    """Makes a matrix bidiagonal, as far as k columns tell it.

    Args:
        operator: The matrix.
        k: The number of columns.
        orthogonalize: Whether columns are made orthogonal to all those before.
        starting_vector: The first one, by default random.
        name: Of the operations.

    Returns:
        The bidiagonal matrix, and the columns on both sides of it.
    """

    def normal(vector: Any, basis: Any, count: Any) -> Tuple[Any, Any]:
        return _orthogonal_to(basis, count, vector) if orthogonalize else l2normalize(vector)

    def step(i: Any, us: Any, vs: Any, alphas: Any, betas: Any) -> Any:
        u = _column(us, i)
        r = operator.apply_adjoint(u)
        shape = r.shape
        r = cond(
            i > 0,
            lambda: r - betas.read(i - 1) * _column(vs, i - 1),
            lambda: array_ops.identity(r),
        )
        r.set_shape(shape)
        v, alpha = normal(r, vs, i - 1)
        u, beta = normal(operator.apply(v) - alpha * u, us, i)
        return (
            i + 1, us.write(i + 1, array_ops.squeeze(u)), vs.write(i, array_ops.squeeze(v)),
            alphas.write(i, alpha), betas.write(i, beta),
        )  # fmt: skip

    with name_scope(name):
        dtype = operator.dtype
        if starting_vector is None:
            starting_vector = random_uniform(operator.shape[:1], -1, 1, dtype=dtype)
        first = l2normalize(starting_vector)[0]
        arrays = [
            TensorArray(dtype, size=size, clear_after_read=False) for size in (k + 1, k, k, k)
        ]
        arrays[0] = arrays[0].write(0, array_ops.squeeze(first))
        found = while_loop(lambda i, *_: i < k, step, [constant(0), *arrays])
        u, v, alpha, beta = (array.stack() for array in found[1:])
        return LanczosBidiagState(
            array_ops.matrix_transpose(u), array_ops.matrix_transpose(v), alpha, beta
        )


def bidiag_matmul(
    matrix: Any, alpha: Any, beta: Any, adjoint_b: bool = False, name: str = "bidiag_matmul"
) -> Any:
    """A matrix times a lower bidiagonal one.

    Args:
        matrix: [rows, k + 1]; with `adjoint_b`, [rows, k].
        alpha: The diagonal, [k].
        beta: Below it, [k].
        adjoint_b: Whether that matrix is transposed, without its last row.
        name: Of the operations.

    Returns:
        A tensor, [rows, k].
    """
    with name_scope(name):
        diagonal = array_ops.expand_dims(alpha, 0)
        if not adjoint_b:
            return matrix[:, :-1] * diagonal + matrix[:, 1:] * array_ops.expand_dims(beta, 0)
        moved = matrix[:, :-1] * array_ops.expand_dims(beta[:-1], 0)
        sizes = array_ops.stack([array_ops.shape(matrix)[0], 1])
        zeros = creation_ops.zeros(sizes, matrix.dtype)
        return matrix * diagonal + array_ops.concat([zeros, moved], 1)
