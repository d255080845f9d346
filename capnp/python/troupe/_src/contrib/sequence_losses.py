"""Losses of sequences of logits."""

from __future__ import annotations

from typing import Any, Callable, Optional, Sequence

from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.nn import cross_entropies
from troupe._src.ops import array_ops, gen_ops, math_ops, reduction_ops
from troupe._src.ops.arithmetic_ops import add_n

# So that a sum of weights that is 0 divides nothing by 0.
_TINY = 1e-12


def sequence_loss(
    logits: Any,
    targets: Any,
    weights: Any,
    average_across_timesteps: bool = True,
    average_across_batch: bool = True,
    sum_over_timesteps: bool = False,
    sum_over_batch: bool = False,
    softmax_loss_function: Optional[Callable[..., Any]] = None,
    name: Optional[str] = None,
) -> Tensor:
    """The weighted cross entropy of a batch of sequences.

    Args:
        logits: [batch, time, classes].
        targets: The classes, [batch, time].
        weights: [batch, time].
        average_across_timesteps: Divide by the weights of the time steps.
        average_across_batch: Divide by those of the sequences.
        sum_over_timesteps: Add up the time steps, and divide by their number of weights not 0.
        sum_over_batch: Add up the sequences, and divide by their number of weights not 0.
        softmax_loss_function: Called with `labels` and `logits` instead of the cross entropy.
        name: The scope of its nodes.

    Returns:
        A scalar where both axes are reduced; [batch], [time] or [batch, time] otherwise.

    Raises:
        ValueError: The ranks are others, or both ways to reduce an axis are given.
    """
    for value, rank, text in (
        (logits, 3, "Logits"),
        (targets, 2, "Targets"),
        (weights, 2, "Weights"),
    ):
        if len(value.shape) != rank:
            raise ValueError(f"{text} must be a {rank}-dimensional tensor, not {value.shape}")
    if average_across_timesteps and sum_over_timesteps or average_across_batch and sum_over_batch:
        raise ValueError("an axis is averaged or added up, not both")
    with name_scope(name, "sequence_loss"):
        sizes = array_ops.shape(logits)
        flat = array_ops.reshape(logits, [-1, sizes[2]])
        flat_targets = array_ops.reshape(targets, [-1])
        loss_of = softmax_loss_function or cross_entropies.sparse_softmax_cross_entropy_with_logits
        flat_weights = array_ops.reshape(weights, [-1])
        crossed = loss_of(labels=flat_targets, logits=flat) * flat_weights
        if average_across_timesteps and average_across_batch:
            return math_ops.reduce_sum(crossed) / (math_ops.reduce_sum(flat_weights) + _TINY)
        if sum_over_timesteps and sum_over_batch:
            return gen_ops.div_no_nan(
                math_ops.reduce_sum(crossed),
                math_ops.cast(reduction_ops.count_nonzero(flat_weights), crossed.dtype),
            )
        found = array_ops.reshape(crossed, sizes[:2])
        for axis, averages, adds in (
            (1, average_across_timesteps, sum_over_timesteps),
            (0, average_across_batch, sum_over_batch),
        ):
            if averages:
                total = math_ops.reduce_sum(weights, axis=axis) + _TINY
                found = math_ops.reduce_sum(found, axis=axis) / total
            elif adds:
                count = reduction_ops.count_nonzero(weights, axis=axis)
                total = math_ops.reduce_sum(found, axis=axis)
                found = gen_ops.div_no_nan(total, math_ops.cast(count, total.dtype))
        return found


def sequence_loss_by_example(
    logits: Sequence[Any],
    targets: Sequence[Any],
    weights: Sequence[Any],
    average_across_timesteps: bool = True,
    softmax_loss_function: Optional[Callable[..., Any]] = None,
    name: Optional[str] = None,
) -> Tensor:
    """The weighted cross entropy of each sequence.

    Args:
        logits: For each time step a tensor, [batch, classes].
        targets: For each time step the classes, [batch].
        weights: For each time step a tensor, [batch].
        average_across_timesteps: Divide by the weights.
        softmax_loss_function: Called with `labels` and `logits` instead of the cross entropy.
        name: The scope of its nodes.

    Returns:
        A tensor, [batch].

    Raises:
        ValueError: The lists have other lengths.
    """
    if not len(logits) == len(targets) == len(weights):
        raise ValueError(
            f"Lengths of logits, weights, and targets must be the same {len(logits)}, "
            f"{len(weights)}, {len(targets)}."
        )
    loss_of = softmax_loss_function or cross_entropies.sparse_softmax_cross_entropy_with_logits
    with name_scope(name, "sequence_loss_by_example"):
        losses = [
            loss_of(labels=array_ops.reshape(target, [-1]), logits=logit) * weight
            for logit, target, weight in zip(logits, targets, weights)
        ]
        total = add_n(losses)
        return total / (add_n(list(weights)) + _TINY) if average_across_timesteps else total


def legacy_sequence_loss(
    logits: Sequence[Any],
    targets: Sequence[Any],
    weights: Sequence[Any],
    average_across_timesteps: bool = True,
    average_across_batch: bool = True,
    softmax_loss_function: Optional[Callable[..., Any]] = None,
    name: Optional[str] = None,
) -> Tensor:
    """The sum over a batch of `sequence_loss_by_example`, or its mean.

    Args:
        logits: For each time step a tensor, [batch, classes].
        targets: For each time step the classes, [batch].
        weights: For each time step a tensor, [batch].
        average_across_timesteps: Divide the loss of each sequence by its weights.
        average_across_batch: Divide the sum by the size of the batch.
        softmax_loss_function: Called with `labels` and `logits` instead of the cross entropy.

    Returns:
        A scalar.

    Raises:
        ValueError: The lists have other lengths.
    """
    with name_scope(name, "sequence_loss"):
        total = math_ops.reduce_sum(
            sequence_loss_by_example(
                logits, targets, weights, average_across_timesteps, softmax_loss_function
            )
        )
        if not average_across_batch:
            return total
        return total / math_ops.cast(array_ops.shape(targets[0])[0], total.dtype)
