"""Powers of symmetric matrices, by iterations of products."""

from __future__ import annotations

from typing import Any, Tuple

from troupe._src.control_flow.loops import while_loop
from troupe._src.graph.elements import Tensor
from troupe._src.linalg.linear_ops import norm
from troupe._src.ops import gen_ops, math_ops
from troupe._src.ops.convert import constant
from troupe._src.ops.rearrange_ops import eye


def matrix_square_root(
    matrix: Tensor, size: int, iter_count: int = 100, ridge_epsilon: float = 1e-4
) -> Tensor:
    """The square root of a positive semidefinite matrix (Higham, Stable iterations, 1997).

    Args:
        matrix: The matrix, [size, size].
        size: The number of its rows.
        iter_count: After how many iterations it ends, unless the error grows before.
        ridge_epsilon: Is added to the diagonal.

    Returns:
        The root, [size, size].
    """
    unit = eye(size)
    damped = matrix + ridge_epsilon * unit
    scale = gen_ops.sqrt(math_ops.reduce_sum(damped * damped))

    def is_better(i: Tensor, *state: Tensor) -> Tensor:
        return gen_ops.logical_and(gen_ops.less(i, iter_count), gen_ops.less(state[4], state[5]))

    def improve(i: Tensor, *state: Tensor) -> Tuple[Any, ...]:
        root, _, inverse, _, error, _ = state
        factor = 0.5 * (3.0 * unit - math_ops.matmul(inverse, root))
        next_root = math_ops.matmul(root, factor)
        next_inverse = math_ops.matmul(factor, inverse)
        scaled = next_root * gen_ops.sqrt(scale)
        rest = damped - math_ops.matmul(scaled, scaled)
        next_error = gen_ops.sqrt(math_ops.reduce_sum(rest * rest)) / scale
        return i + 1, next_root, root, next_inverse, inverse, next_error, error

    first = damped / scale
    begin = [constant(0), first, first, unit, unit, scale, scale + 1.0]
    last_but_one: Tensor = while_loop(is_better, improve, begin)[2]
    return last_but_one * gen_ops.sqrt(scale)


def matrix_inverse_pth_root(
    matrix: Tensor,
    size: int,
    alpha: float,
    iter_count: int = 100,
    epsilon: float = 1e-6,
    ridge_epsilon: float = 1e-6,
) -> Tensor:
    """A negative power of a positive definite matrix (Guo and Higham, Schur-Newton, 2006).

    Args:
        matrix: The matrix, [size, size].
        size: The number of its rows.
        alpha: The exponent, -1 / p for a positive integer p.
        iter_count: After how many iterations it ends.
        epsilon: The greatest error with which it ends before.
        ridge_epsilon: Is added to the diagonal.

    Returns:
        The power, [size, size].
    """
    if size == 1:
        return gen_ops.pow(matrix + ridge_epsilon, alpha)
    unit = eye(size)
    damped = matrix + ridge_epsilon * unit

    def is_off(i: Tensor, now: Tensor, _: Tensor) -> Tensor:
        error = math_ops.reduce_max(gen_ops.abs(now - unit))
        return gen_ops.logical_and(gen_ops.less(i, iter_count), gen_ops.greater(error, epsilon))

    def improve(i: Tensor, now: Tensor, found: Tensor) -> Tuple[Any, ...]:
        factor = (1 - alpha) * unit + alpha * now
        power = _integer_power(factor, -1.0 / alpha)
        return i + 1, math_ops.matmul(power, now), math_ops.matmul(found, factor)

    scale = (1 - 1 / alpha) / (2 * norm(damped))
    begin = [constant(0), damped * scale, unit * gen_ops.pow(scale, -alpha)]
    result: Tensor = while_loop(is_off, improve, begin)[2]
    return result


def _integer_power(matrix: Tensor, exponent: float) -> Tensor:
    rest = int(exponent)
    if rest != exponent or rest <= 0:
        raise ValueError(f"The exponent must be a positive integer, not {exponent}")
    power = None
    while rest > 0:
        if rest % 2 == 1:
            power = matrix if power is None else math_ops.matmul(matrix, power)
        rest //= 2
        if rest:
            matrix = math_ops.matmul(matrix, matrix)
    assert power is not None
    return power
