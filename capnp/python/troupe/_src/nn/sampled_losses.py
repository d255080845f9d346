"""Losses of classifiers with many classes, of which each step looks at a sample."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.nn.candidate_samplers import (
    compute_accidental_hits,
    log_uniform_candidate_sampler,
)
from troupe._src.nn.cross_entropies import (
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits_v2,
)
from troupe._src.nn.embedding_ops import embedding_lookup, tables_of
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops, raw_ops
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.types import dtypes


def nce_loss(
    weights: Any,
    biases: Any,
    labels: TensorLike,
    inputs: TensorLike,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = False,
    partition_strategy: str = "mod",
    name: str = "nce_loss",
) -> Tensor:
    """The loss of noise-contrastive estimation, for each row of the inputs.

    Each class is a binary problem: is it a true one of the row, or from the sample? `weights`,
    [num_classes, dim], may be partitioned. `sampled_values` are those of a candidate sampler, by
    default of `tf.nn.log_uniform_candidate_sampler`.

    Args:
        weights: a table [num_classes, dim], or a list of its parts.
        biases: a table [num_classes], or a list of its parts.
        labels: int64 indices of the true classes, [batch, num_true].
        inputs: the rows, [batch, dim].
        num_sampled: the number of classes to draw for a step.
        num_classes: the number of all classes.
        num_true: the number of true classes in each row.
        sampled_values: the result of a candidate sampler; None for
            `tf.nn.log_uniform_candidate_sampler`.
        remove_accidental_hits: whether sampled classes that are true ones of a row do not count
            there.
        partition_strategy: "mod" or "div": which rows each part of a table has.

    Returns:
        The loss of each row, [batch].
    """
    with get_default_graph().name_scope(name):
        sample = Sample(num_sampled, num_classes, num_true, sampled_values, None)
        logits, targets = sampled_logits(
            weights, biases, labels, inputs, sample, remove_accidental_hits, partition_strategy
        )
        losses = sigmoid_cross_entropy_with_logits(labels=targets, logits=logits)
        return math_ops.reduce_sum(losses, 1)


def sampled_softmax_loss(
    weights: Any,
    biases: Any,
    labels: TensorLike,
    inputs: TensorLike,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = True,
    partition_strategy: str = "mod",
    name: str = "sampled_softmax_loss",
    seed: Optional[int] = None,
) -> Tensor:
    """The softmax loss over the true classes of each row and a sample of the others.

    Args:
        weights: a table [num_classes, dim], or a list of its parts.
        biases: a table [num_classes], or a list of its parts.
        labels: int64 indices of the true classes, [batch, num_true].
        inputs: the rows, [batch, dim].
        num_sampled: the number of classes to draw for a step.
        num_classes: the number of all classes.
        num_true: the number of true classes in each row.
        sampled_values: the result of a candidate sampler; None for
            `tf.nn.log_uniform_candidate_sampler`.
        remove_accidental_hits: whether sampled classes that are true ones of a row do not count
            there.
        partition_strategy: "mod" or "div": which rows each part of a table has.
        seed: makes the draws repeatable.

    Returns:
        The loss of each row, [batch].
    """
    with get_default_graph().name_scope(name):
        sample = Sample(num_sampled, num_classes, num_true, sampled_values, seed)
        logits, targets = sampled_logits(
            weights, biases, labels, inputs, sample, remove_accidental_hits, partition_strategy
        )
        return softmax_cross_entropy_with_logits_v2(
            labels=gen_ops.stop_gradient(targets), logits=logits
        )


class Sample(NamedTuple):
    """The classes that a step looks at."""

    num_sampled: int
    num_classes: int
    num_true: int
    values: Any  # of a candidate sampler, or None
    seed: Optional[int]

    def drawn(self, labels: Tensor) -> Any:
        """(sampled classes, expected counts of the true ones, and of the sampled ones)."""
        values = self.values
        if values is None:
            values = log_uniform_candidate_sampler(
                labels, self.num_true, self.num_sampled, True, self.num_classes, self.seed
            )
        classes, *counts = [gen_ops.stop_gradient(value) for value in values]
        return math_ops.cast(classes, dtypes.int64), counts[0], counts[1]


def sampled_logits(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    sample: Sample,
    remove_accidental_hits: bool,
    strategy: str,
) -> Any:
    """(logits, labels) of the true classes, [batch, num_true], and the sampled ones beside them.

    From each logit the logarithm of its class's expected count is subtracted.
    """
    rows = convert_to_tensor(inputs)
    classes = math_ops.cast(convert_to_tensor(labels), dtypes.int64)
    flat = array_ops.reshape(classes, [-1])
    sampled, true_counts, sampled_counts = sample.drawn(classes)
    # One lookup for both, because a partitioned table takes a request of each partition.
    ids, count = array_ops.concat([flat, sampled], 0), array_ops.shape(flat)
    w = math_ops.cast(embedding_lookup(tables_of(weights), ids, strategy), rows.dtype)
    b = math_ops.cast(embedding_lookup(tables_of(biases), ids, strategy), rows.dtype)
    true_w, sampled_w = w[: count[0]], w[count[0] :]
    true_b, sampled_b = b[: count[0]], b[count[0] :]
    of_each = array_ops.concat([constant([-1, sample.num_true]), array_ops.shape(true_w)[1:]], 0)
    products = array_ops.expand_dims(rows, 1) * array_ops.reshape(true_w, of_each)
    true_logits = math_ops.reduce_sum(products, 2)
    true_logits = true_logits + array_ops.reshape(true_b, [-1, sample.num_true])
    others = math_ops.matmul(rows, sampled_w, transpose_b=True) + sampled_b
    if remove_accidental_hits:
        others = others + _hits(classes, sampled, sample, others)
    true_logits = true_logits - gen_ops.log(math_ops.cast(true_counts, rows.dtype))
    others = others - gen_ops.log(math_ops.cast(sampled_counts, rows.dtype))
    targets = [
        creation_ops.ones_like(true_logits) / sample.num_true,
        creation_ops.zeros_like(others),
    ]
    return array_ops.concat([true_logits, others], 1), array_ops.concat(targets, 1)


def _hits(classes: Tensor, sampled: Tensor, sample: Sample, logits: Tensor) -> Tensor:
    """What makes the logits of sampled classes, which are true ones of a row, lowest there."""
    row, position, weights = compute_accidental_hits(classes, sampled, sample.num_true)
    places = array_ops.stack([row, math_ops.cast(position, dtypes.int32)], 1)
    return raw_ops.SparseToDense(
        sparse_indices=places,
        output_shape=array_ops.shape(logits),
        sparse_values=math_ops.cast(weights, logits.dtype),
        default_value=constant(0, logits.dtype),
        validate_indices=False,
    )
