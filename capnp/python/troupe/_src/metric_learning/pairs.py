"""Losses of pairs of embeddings, each of which is told from all other pairs."""

from __future__ import annotations

from typing import Any, Sequence

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.nn.cross_entropies import softmax_cross_entropy_with_logits
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.ops.assert_ops import Print
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.sparse_tensor import SparseTensor
from troupe._src.sparse.conversions import sparse_tensor_to_dense
from troupe._src.types import dtypes


def npairs_loss(
    labels: TensorLike, embeddings_anchor: TensorLike, embeddings_positive: TensorLike,
    reg_lambda: float = 0.002, print_losses: bool = False,
) -> Tensor:  # fmt: skip
    """How well each embedding finds its own among the other ones of all pairs.

    Args:
        labels: Classes, [pairs].
        embeddings_anchor: The one of each pair, [pairs, any].
        embeddings_positive: The other one, of the same class.
        reg_lambda: What the squared lengths of embeddings are multiplied by.
        print_losses: Whether steps print both parts of the loss.

    Returns:
        The mean cross entropy and the part of the lengths, a scalar.
    """
    column = array_ops.reshape(labels, [-1, 1])
    is_same = math_ops.cast(gen_ops.equal(column, array_ops.transpose(column)), dtypes.float32)
    return _loss(is_same, embeddings_anchor, embeddings_positive, reg_lambda, print_losses)


def npairs_loss_multilabel(
    sparse_labels: Sequence[SparseTensor], embeddings_anchor: TensorLike,
    embeddings_positive: TensorLike, reg_lambda: float = 0.002, print_losses: bool = False,
) -> Tensor:  # fmt: skip
    """`npairs_loss` of pairs that may have several classes each.

    Args:
        sparse_labels: The classes of each pair: a list of sparse tensors, [classes], with ones.
        embeddings_anchor: The one of each pair, [pairs, any].
        embeddings_positive: The other one, of the same classes.
        reg_lambda: What the squared lengths of embeddings are multiplied by.
        print_losses: Whether steps print both parts of the loss.

    Returns:
        The mean cross entropy, where pairs are alike by how many classes they share, and the part
        of the lengths, a scalar.

    Raises:
        TypeError: Labels are no sparse tensors.
    """
    if not all(isinstance(each, SparseTensor) for each in sparse_labels):
        raise TypeError(f"sparse_labels must be a list of SparseTensors, but got {sparse_labels}")
    with get_default_graph().name_scope("NpairsLossMultiLabel"):
        rows = [
            math_ops.cast(sparse_tensor_to_dense(each, validate_indices=False), dtypes.float32)
            for each in sparse_labels
        ]
        classes = array_ops.stack(rows)
        shared = math_ops.matmul(classes, classes, transpose_b=True)
        return _loss(shared, embeddings_anchor, embeddings_positive, reg_lambda, print_losses)


def _loss(
    shared: Tensor, anchors: Any, positives: Any, reg_lambda: float, print_losses: bool
) -> Tensor:
    """The loss where pairs are to be found as often as they share classes."""
    one, other = convert_to_tensor(anchors), convert_to_tensor(positives)
    lengths = [
        math_ops.reduce_mean(math_ops.reduce_sum(gen_ops.square(each), axis=1))
        for each in (one, other)
    ]
    of_lengths = gen_ops.multiply(
        convert_to_tensor(0.25 * reg_lambda, one.dtype), lengths[0] + lengths[1], name="l2loss"
    )
    similarities = math_ops.matmul(one, other, transpose_b=True)
    shared = math_ops.cast(shared, one.dtype)
    wanted = shared / math_ops.reduce_sum(shared, axis=1, keepdims=True)
    losses = softmax_cross_entropy_with_logits(labels=wanted, logits=similarities)
    entropy = math_ops.reduce_mean(losses, name="xentropy")
    if print_losses:
        entropy = Print(entropy, ["cross entropy:", entropy, "l2loss:", of_lengths])
    return of_lengths + entropy
