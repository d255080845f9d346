"""The nearest multipliers and stochastic matrices."""

from __future__ import annotations

from typing import Any, Optional, Tuple

from troupe._src.control_flow.loops import while_loop
from troupe._src.graph.elements import Tensor
from troupe._src.linalg.linear_ops import norm
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops
from troupe._src.ops.arithmetic_ops import not_equal
from troupe._src.ops.convert import constant


def nearest_multipliers(multipliers: Tensor, radius: float) -> Tensor:
    """The nearest vector without negative elements whose sum is at most `radius`.

    Args:
        multipliers: Floats, [n], of a known size.
        radius: The greatest sum.

    Returns:
        A vector of that size.

    Raises:
        ValueError: There are no floats, or their number is not known.
    """
    _check(multipliers, "multipliers", 1)

    def scale(values: Tensor, active: Tensor) -> Tensor:
        rest = (radius - math_ops.reduce_sum(values)) / gen_ops.maximum(
            1.0, math_ops.reduce_sum(active)
        )
        return gen_ops.minimum(0.0, rest)

    return _projected(multipliers, scale)


def nearest_stochastic_matrix(matrix: Tensor) -> Tensor:
    """The nearest square matrix without negative elements, the sum of whose columns are 1.

    Args:
        matrix: Floats, [n, n], of a known size.

    Returns:
        A matrix of that size.

    Raises:
        ValueError: There are no floats, or the matrix is not known to be square.
    """
    _check(matrix, "matrix", 2)
    rows, columns = matrix.shape.as_list()
    if rows != columns:
        raise ValueError(f"matrix must be square (instead has shape ({rows},{columns}))")

    def scale(values: Tensor, active: Tensor) -> Tensor:
        rest = 1.0 - math_ops.reduce_sum(values, axis=0, keepdims=True)
        count = math_ops.reduce_sum(active, axis=0, keepdims=True)
        return rest / gen_ops.maximum(1.0, count)

    return _projected(matrix, scale)


def nearest_log_stochastic_matrix(log_matrix: Tensor) -> Tensor:
    """The logarithm of a matrix whose columns are divided by their sums.

    Args:
        log_matrix: The logarithm of a matrix, [n, n].

    Returns:
        A matrix of that size.
    """
    # The greatest element becomes 1, so that the exponential is finite.
    scaled = log_matrix - math_ops.reduce_max(log_matrix, axis=0, keepdims=True)
    sums = math_ops.reduce_sum(gen_ops.exp(scaled), axis=0, keepdims=True)
    return scaled - gen_ops.log(sums)


def maximal_eigenvector(
    matrix: Tensor, epsilon: float = 1e-6, maximum_iterations: int = 100
) -> Tensor:
    """The eigenvector of the greatest eigenvalue, by repeated multiplication.

    Args:
        matrix: Floats, [n, n].
        epsilon: With which change of the vector it ends.
        maximum_iterations: After how many iterations it ends.

    Returns:
        A vector, [n], of the norm 1.

    Raises:
        ValueError: There are no floats, or a number is not positive.
    """
    if not matrix.dtype.is_floating:
        raise ValueError("multipliers must have a floating-point dtype")
    if epsilon <= 0.0:
        raise ValueError("epsilon must be strictly positive")
    if maximum_iterations <= 0:
        raise ValueError("maximum_iterations must be strictly positive")

    def goes_on(i: Tensor, vector: Tensor, before: Tensor) -> Tensor:
        changes = gen_ops.greater(norm(vector - before), epsilon)
        return gen_ops.logical_and(gen_ops.less(i, maximum_iterations), changes)

    def multiply(i: Tensor, vector: Tensor, _: Tensor) -> Tuple[Tensor, Tensor, Tensor]:
        product = math_ops.matmul(matrix, array_ops.expand_dims(vector, 1))[:, 0]
        return i + 1, product / norm(product), vector

    ones = creation_ops.ones_like(matrix[:, 0])
    first = ones / norm(ones)
    begin = multiply(constant(0), first, first)
    found: Tensor = while_loop(goes_on, multiply, begin, name="power_method")[1]
    return found


def _projected(values: Tensor, scale: Any) -> Tensor:
    """Adds to the elements that are not yet zero until none of them becomes negative."""
    size = int(values.shape[0])

    def goes_on(i: Tensor, _: Tensor, active: Tensor, before: Tensor) -> Tensor:
        changes = math_ops.reduce_any(not_equal(active, before))
        return gen_ops.logical_and(gen_ops.less(i, size), changes)

    def move(
        i: Tensor, now: Tensor, active: Tensor, _: Optional[Tensor]
    ) -> Tuple[Tensor, Tensor, Tensor, Tensor]:
        moved = now + scale(now, active) * active
        still = math_ops.cast(gen_ops.greater(moved, 0.0), moved.dtype)
        return i + 1, moved * still, still, active

    begin = move(constant(0), values, creation_ops.ones_like(values), None)
    found: Tensor = while_loop(goes_on, move, begin, name="euclidean_projection")[1]
    return found


def _check(values: Tensor, name: str, rank: int) -> None:
    if not values.dtype.is_floating:
        raise ValueError("multipliers must have a floating-point dtype")
    if values.shape.rank is None:
        raise ValueError(f"{name} must have known shape")
    if values.shape.rank != rank:
        raise ValueError(f"{name} must have {rank} axes, not {values.shape.rank}")
    if values.shape[0].value is None:
        raise ValueError(f"{name} must have fully-known shape")
