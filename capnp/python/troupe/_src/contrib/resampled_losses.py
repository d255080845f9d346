"""Softmax losses over samples of the classes, of one true class or of a second choice."""

from __future__ import annotations

from typing import Any, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.nn.candidate_samplers import learned_unigram_candidate_sampler
from troupe._src.nn.cross_entropies import sparse_softmax_cross_entropy_with_logits
from troupe._src.nn.embedding_ops import embedding_lookup, tables_of
from troupe._src.nn.sampled_losses import Sample, sampled_logits, sampled_softmax_loss
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.order_ops import top_k
from troupe._src.ops.reduction_ops import reduce_logsumexp
from troupe._src.ops.selection_ops import gather
from troupe._src.types import dtypes


def sampled_sparse_softmax_loss(
    weights: Any,
    biases: Any,
    labels: TensorLike,
    inputs: TensorLike,
    num_sampled: int,
    num_classes: int,
    sampled_values: Any = None,
    remove_accidental_hits: bool = True,
    partition_strategy: str = "mod",
    name: str = "sampled_sparse_softmax_loss",
) -> Tensor:
    """The softmax loss over the one true class of each row and a sample of the others.

    Args:
        weights: A table [num_classes, dim], or a list of its parts.
        biases: A table [num_classes], or a list of its parts.
        labels: int64 indices of the true classes, [batch, 1].
        inputs: The rows, [batch, dim].
        num_sampled: The number of classes to draw for a step.
        num_classes: The number of all classes.
        sampled_values: The result of a candidate sampler; None for
            `tf.nn.log_uniform_candidate_sampler`.
        remove_accidental_hits: Whether a sampled class that is the true one of a row does not count
            there.
        partition_strategy: "mod" or "div": which rows each part of a table has.

    Returns:
        The loss of each row, [batch].
    """
    with get_default_graph().name_scope(name):
        sample = Sample(num_sampled, num_classes, 1, sampled_values, None)
        logits, _ = sampled_logits(
            weights, biases, labels, inputs, sample, remove_accidental_hits, partition_strategy
        )
        first = creation_ops.zeros(array_ops.shape(logits)[:1], dtypes.int64)
        return sparse_softmax_cross_entropy_with_logits(labels=first, logits=logits)


def rank_sampled_softmax_loss(
    weights: Any,
    biases: Any,
    labels: TensorLike,
    inputs: TensorLike,
    num_sampled: int,
    num_resampled: int,
    num_classes: int,
    num_true: int,
    sampled_values: Any,
    resampling_temperature: TensorLike,
    remove_accidental_hits: bool,
    partition_strategy: str,
    name: Optional[str] = None,
) -> Tensor:
    """The softmax loss over the true classes and those of a sample that are the most probable.

    Of the sample those classes stay that have the greatest logarithm of the sum over the rows of
    exp(logit / temperature) (TAPAS, Bai et al., 2017).

    Args:
        weights: A table [num_classes, dim], or a list of its parts.
        biases: A table [num_classes], or a list of its parts.
        labels: int64 indices of the true classes, [batch, num_true].
        inputs: The rows, [batch, dim].
        num_sampled: The number of classes to draw for a step.
        num_resampled: How many of them stay: less.
        num_classes: The number of all classes.
        num_true: The number of true classes in each row.
        sampled_values: The result of a candidate sampler; None for
            `tf.nn.learned_unigram_candidate_sampler`.
        resampling_temperature: A scalar.
        remove_accidental_hits: Whether sampled classes that are true ones of a row do not count
            there.
        partition_strategy: "mod" or "div": which rows each part of a table has.

    Returns:
        The loss of each row, [batch].

    Raises:
        ValueError: A number of classes, or the partition strategy, does not fit.
    """
    if num_sampled > num_classes:
        raise ValueError(
            f"num_sampled ({num_sampled}) cannot be greater than num_classes ({num_classes})"
        )
    if num_sampled <= num_resampled:
        raise ValueError(
            f"num_resampled ({num_resampled}) must be less than num_sampled ({num_sampled})"
        )
    if partition_strategy not in ("div", "mod"):
        raise ValueError(f"unsupported partition_strategy ({partition_strategy})")
    with get_default_graph().name_scope(name or "rank_sampled_softmax_loss"):
        drawn = sampled_values or learned_unigram_candidate_sampler(
            labels, num_true, num_sampled, True, num_classes
        )
        classes, true_counts, counts = map(gen_ops.stop_gradient, drawn)
        classes = math_ops.cast(classes, dtypes.int64)
        rows = embedding_lookup(tables_of(weights), classes, partition_strategy)
        bias = embedding_lookup(tables_of(biases), classes, partition_strategy)
        scaled = convert_to_tensor(inputs) / resampling_temperature
        logits = reduce_logsumexp(math_ops.matmul(rows, scaled, transpose_b=True), 1)
        logits = logits + array_ops.reshape(bias, [-1]) / resampling_temperature
        best = top_k(logits, num_resampled, sorted=False).indices
        return sampled_softmax_loss(
            weights, biases, labels, inputs, num_resampled, num_classes, num_true,
            (gather(classes, best), true_counts, gather(counts, best)),
            remove_accidental_hits, partition_strategy,
        )  # fmt: skip
