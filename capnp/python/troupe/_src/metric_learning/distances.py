"""Distances of embeddings, and losses of pairs and triplets by their labels."""

from __future__ import annotations

from typing import Tuple

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops, rearrange_ops, selection_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types.dtypes import DType


def pairwise_distance(feature: TensorLike, squared: bool = False) -> Tensor:
    """The distances of all pairs of rows.

    Args:
        feature: Floating point numbers, [rows, any].
        squared: Whether they are squared.

    Returns:
        A tensor, [rows, rows]. Where a distance is 0, gradients are 0, too.
    """
    rows = convert_to_tensor(feature)
    lengths = math_ops.reduce_sum(gen_ops.square(rows), axis=1, keepdims=True)
    products = math_ops.matmul(rows, rows, transpose_b=True)
    # Rounding may make them negative.
    squares = gen_ops.maximum(lengths + array_ops.transpose(lengths) - 2.0 * products, 0.0)
    is_zero = gen_ops.less_equal(squares, 0.0)
    is_one = rearrange_ops.eye(array_ops.shape(rows)[0], dtype=rows.dtype)
    is_zero = gen_ops.logical_or(is_zero, gen_ops.greater(is_one, 0.0))
    zeros = creation_ops.zeros_like(squares)
    if squared:
        return selection_ops.where(is_zero, zeros, squares)
    return selection_ops.where(is_zero, zeros, gen_ops.sqrt(squares))


def contrastive_loss(
    labels: TensorLike,
    embeddings_anchor: TensorLike,
    embeddings_positive: TensorLike,
    margin: float = 1.0,
) -> Tensor:
    """The squared distances of pairs of one class, and how far others are nearer than a margin.

    Args:
        labels: 1 for pairs of one class, 0 for others, [pairs].
        embeddings_anchor: The one of each pair, [pairs, any].
        embeddings_positive: The other one.
        margin: The distance that pairs of two classes must have.

    Returns:
        The mean of the squares, a scalar.
    """
    squares = gen_ops.squared_difference(
        convert_to_tensor(embeddings_anchor), convert_to_tensor(embeddings_positive)
    )
    distances = gen_ops.sqrt(math_ops.reduce_sum(squares, axis=1))
    is_same = math_ops.cast(labels, distances.dtype)
    missing = gen_ops.maximum(margin - distances, 0.0)
    losses = is_same * gen_ops.square(distances) + (1.0 - is_same) * gen_ops.square(missing)
    return math_ops.reduce_mean(losses, name="contrastive_loss")


def triplet_semihard_loss(
    labels: TensorLike, embeddings: TensorLike, margin: float = 1.0
) -> Tensor:
    """How much nearer than a margin the wrong embeddings are than those of one class.

    For each pair of one class, the wrong one is the nearest of those that are farther than the pair
    is; where there is none, it is the farthest one of another class.

    Args:
        labels: Classes, [batch].
        embeddings: Of length 1 each, [batch, any].
        margin: How much greater the squared distance of a wrong one must be.

    Returns:
        The mean over the pairs of one class, a scalar.
    """
    distances = pairwise_distance(embeddings, squared=True)
    is_same, is_pair = _same_classes(labels, distances.dtype)
    is_wrong = gen_ops.logical_not(is_same)
    # Axis 1 is the other of a pair, axis 2 the wrong one.
    wrong, pair = array_ops.expand_dims(distances, 1), array_ops.expand_dims(distances, 2)
    is_farther = gen_ops.logical_and(
        array_ops.expand_dims(is_wrong, 1), gen_ops.greater(wrong, pair)
    )
    greatest = math_ops.reduce_max(distances, axis=1, keepdims=True)
    nearest = math_ops.reduce_min(
        selection_ops.where_v2(is_farther, wrong, array_ops.expand_dims(greatest, 2)), axis=2
    )
    least = math_ops.reduce_min(distances, axis=1, keepdims=True)
    farthest = math_ops.reduce_max(
        selection_ops.where_v2(is_wrong, distances, least), axis=1, keepdims=True
    )
    chosen = selection_ops.where_v2(math_ops.reduce_any(is_farther, axis=2), nearest, farthest)
    losses = gen_ops.maximum((margin + distances - chosen) * is_pair, 0.0)
    return array_ops.identity(
        math_ops.reduce_sum(losses) / math_ops.reduce_sum(is_pair), name="triplet_semihard_loss"
    )


def lifted_struct_loss(labels: TensorLike, embeddings: TensorLike, margin: float = 1.0) -> Tensor:
    """The distances of pairs of one class, and how near all wrong embeddings are to either.

    Args:
        labels: Classes, [batch].
        embeddings: Of any length, [batch, any].
        margin: The distance that wrong ones must have.

    Returns:
        A scalar.
    """
    distances = pairwise_distance(embeddings)
    is_same, is_pair = _same_classes(labels, distances.dtype)
    missing = margin - distances
    # The logarithm of the sum of exp(missing) over all wrong ones, of each row and of each pair.
    lowest = math_ops.reduce_min(missing, axis=1, keepdims=True)
    greatest = gen_ops.stop_gradient(
        math_ops.reduce_max(selection_ops.where_v2(is_same, lowest, missing), axis=1, keepdims=True)
    )
    most = gen_ops.maximum(greatest, array_ops.transpose(greatest))
    is_wrong = math_ops.cast(gen_ops.logical_not(is_same), distances.dtype)
    more = gen_ops.minimum(missing - greatest, 0.0)  # that of wrong ones; others may be huge
    sums = math_ops.reduce_sum(gen_ops.exp(more) * is_wrong, axis=1, keepdims=True)
    of_rows = sums * gen_ops.exp(greatest - most)
    of_columns = array_ops.transpose(sums) * gen_ops.exp(array_ops.transpose(greatest) - most)
    losses = (most + gen_ops.log(of_rows + of_columns) + distances) * is_pair
    total = math_ops.reduce_sum(gen_ops.square(gen_ops.maximum(losses, 0.0)))
    return array_ops.identity(
        0.5 * total / math_ops.reduce_sum(is_pair), name="liftedstruct_loss"
    )


def _same_classes(labels: TensorLike, dtype: DType) -> Tuple[Tensor, Tensor]:
    """Whether rows are of one class, and 1 where they are two such rows."""
    with get_default_graph().name_scope("same_classes"):
        column = array_ops.reshape(labels, [-1, 1])
        is_same = gen_ops.equal(column, array_ops.transpose(column))
        count = array_ops.size(column)
        is_pair = math_ops.cast(is_same, dtype) - rearrange_ops.eye(count, dtype=dtype)
        return is_same, is_pair
