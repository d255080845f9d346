"""Smooth functions through given points."""

from __future__ import annotations

from typing import Any

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.rearrange_ops import eye

_LEAST = 1e-10  # what squared distances are at least, where a root or logarithm is derived


def interpolate_spline(
    train_points: TensorLike,
    train_values: TensorLike,
    query_points: TensorLike,
    order: int,
    regularization_weight: float = 0.0,
    name: str = "interpolate_spline",
) -> Tensor:
    """A polyharmonic spline through points, at others: `tf.contrib.image.interpolate_spline`.

    It is a linear function, and for each of the points a multiple of phi(distance to it), where phi
    is distance ** order, for even orders times log(distance).

    Args:
        train_points: where the values are given, [batch, points, axes], of which axes are known.
        train_values: the values, [batch, points, values], of which the last are known.
        query_points: where values are wanted, [batch, queries, axes].
        order: 1 or more; 2 makes thin plates.
        regularization_weight: how much smoothness counts against being near to the values; 0 for a
            function through the values.

    Returns:
        A tensor [batch, queries, values].

    Raises:
        ValueError: if the number of axes or of values is not known.
    """
    with get_default_graph().name_scope(name):
        points, values, queries = (
            convert_to_tensor(each) for each in (train_points, train_values, query_points)
        )
        for each, what in ((points, "axes of the points"), (values, "values")):
            if each.shape.rank is None or each.shape[-1].value is None:
                raise ValueError(f"The number of {what} must be known, not the shape {each.shape}")
        multiples, linear = _fitted(points, values, order, regularization_weight)
        near = math_ops.matmul(_phi(_squared_distances(queries, points), order), multiples)
        return near + math_ops.matmul(_with_ones(queries), linear)


def _fitted(points: Tensor, values: Tensor, order: int, weight: float) -> Any:
    """The multiples of phi, and the linear function, which solve a system of equations.

    The function is right at each point, and the multiples are orthogonal to all linear functions.
    """
    count = array_ops.shape(points)[1]
    curved = _phi(_squared_distances(points, points), order)
    if weight > 0:
        curved = curved + weight * eye(count, dtype=points.dtype)
    straight = _with_ones(points)
    transposed = array_ops.matrix_transpose(straight)
    below = creation_ops.zeros_like(math_ops.matmul(transposed, straight))
    matrix = array_ops.concat(
        [array_ops.concat([curved, straight], 2), array_ops.concat([transposed, below], 2)], 1
    )
    zeros = creation_ops.zeros_like(math_ops.matmul(transposed, values))
    solved = gen_ops.matrix_solve(matrix, array_ops.concat([values, zeros], 1))
    return solved[:, :count], solved[:, count:]


def _with_ones(points: Tensor) -> Tensor:
    return array_ops.concat([points, creation_ops.ones_like(points[..., :1])], 2)


def _squared_distances(x: Tensor, y: Tensor) -> Tensor:
    """[batch, points of x, points of y]"""
    apart = array_ops.expand_dims(x, 2) - array_ops.expand_dims(y, 1)
    return math_ops.reduce_sum(gen_ops.square(apart), 3)


def _phi(squares: Tensor, order: int) -> Tensor:
    """phi of the roots of squares. Its derivative is that at a small distance for smaller ones."""
    positive = gen_ops.maximum(squares, math_ops.cast(_LEAST, squares.dtype))
    if order % 2 == 0:
        power = gen_ops.pow(squares, math_ops.cast(order // 2, squares.dtype))
        return 0.5 * power * gen_ops.log(positive)
    return gen_ops.pow(positive, math_ops.cast(0.5 * order, squares.dtype))
