"""Conjugate gradients, for equations and for least squares."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

from troupe._src.control_flow.loops import while_loop
from troupe._src.graph.scopes import name_scope
from troupe._src.linalg.linear_ops import norm
from troupe._src.ops import array_ops, creation_ops, gen_ops
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.solvers.operators import LinearOperator, dot, l2norm_squared


class CGState(NamedTuple):
    """What an iteration has found."""

    i: Any  # how many there were
    x: Any  # the solution
    r: Any  # the residual
    p: Any  # the direction
    gamma: Any  # the squared length of the residual, by the preconditioner


class CGLSState(NamedTuple):
    """What an iteration has found."""

    i: Any  # how many there were
    x: Any  # the solution
    r: Any  # the residual
    p: Any  # the direction
    gamma: Any  # the squared length of the gradient


def _without_column(state: Any) -> Any:
    vectors = {name: array_ops.squeeze(getattr(state, name)) for name in ("x", "r", "p")}
    return state._replace(**vectors)


def conjugate_gradient(
    operator: LinearOperator,
    rhs: Any,
    preconditioner: Optional[LinearOperator] = None,
    x: Any = None,
    tol: Any = 0.0001,
    max_iter: Any = 20,
    name: str = "conjugate_gradient",
) -> CGState:
    """The solution of A x = b, of a symmetric positive definite A.

    Args:
        operator: A.
        rhs: b, [size].
        preconditioner: About the inverse of A.
        x: The first guess, by default zeros.
        tol: How small the residual must become, relative to the first one.
        max_iter: How many iterations there are at most.
        name: Of the operations.

    Returns:
        The solution, with what else the last iteration has found.
    """

    def with_preconditioner(r: Any) -> Any:
        return r if preconditioner is None else preconditioner.apply(r)

    with name_scope(name):
        column = array_ops.expand_dims(rhs, -1)
        if x is None:
            zeros = creation_ops.zeros(operator.shape[1:], column.dtype.base_dtype)
            x, r = array_ops.expand_dims(zeros, -1), column
        else:
            x = array_ops.expand_dims(x, -1)
            r = column - operator.apply(x)
        p = with_preconditioner(r)
        limit = tol * norm(r)

        def goes_on(state: CGState) -> Any:
            return gen_ops.logical_and(state.i < max_iter, norm(state.r) > limit)

        def iterate(state: CGState) -> Any:
            z = operator.apply(state.p)
            alpha = state.gamma / dot(state.p, z)
            r = state.r - alpha * z
            q = with_preconditioner(r)
            gamma = dot(r, q)
            p = q + gamma / state.gamma * state.p
            return [CGState(state.i + 1, state.x + alpha * state.p, r, p, gamma)]

        first = CGState(constant(0), x, r, p, dot(r, p))
        found: CGState = _without_column(_last(while_loop(goes_on, iterate, [first])))
        return found


def _last(found: Any) -> Any:
    """The one loop variable."""
    return found[0] if isinstance(found, list) else found


def cgls(
    operator: LinearOperator, rhs: Any, tol: Any = 1e-06, max_iter: Any = 20, name: str = "cgls"
) -> CGLSState:
    """The x for which A x is nearest to b.

    Args:
        operator: A.
        rhs: b, [rows].
        tol: How small the gradient must become, relative to the first one.
        max_iter: How many iterations there are at most.
        name: Of the operations.

    Returns:
        The solution, with what else the last iteration has found.
    """
    with name_scope(name):
        column = convert_to_tensor(array_ops.expand_dims(rhs, -1))
        p = operator.apply_adjoint(column)
        gamma = l2norm_squared(p)
        limit = tol * tol * gamma
        zeros = creation_ops.zeros(operator.shape[1:], column.dtype.base_dtype)

        def goes_on(state: CGLSState) -> Any:
            return gen_ops.logical_and(state.i < max_iter, state.gamma > limit)

        def iterate(state: CGLSState) -> Any:
            q = operator.apply(state.p)
            alpha = state.gamma / l2norm_squared(q)
            r = state.r - alpha * q
            s = operator.apply_adjoint(r)
            gamma = l2norm_squared(s)
            p = s + gamma / state.gamma * state.p
            return [CGLSState(state.i + 1, state.x + alpha * state.p, r, p, gamma)]

        first = CGLSState(constant(0), array_ops.expand_dims(zeros, -1), column, p, gamma)
        found: CGLSState = _without_column(_last(while_loop(goes_on, iterate, [first])))
        return found
