"""The training steps and the summaries of heads of `tf.estimator`."""

from __future__ import annotations

from typing import Any, Callable, Optional, Sequence

from troupe._src.replicas.contexts import current
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.keras_optimizers.optimizer_v2 import Optimizer
from troupe._src.nn.losses import Reduction, compute_weighted_loss
from troupe._src.ops.arithmetic_ops import add_n
from troupe._src.ops.grouping_ops import group
from troupe._src.summary.summary_ops import scalar

# The reductions of `tf.keras.losses`, and those of `tf.losses` that are the same.
REDUCTIONS = {
    "auto": Reduction.SUM_OVER_BATCH_SIZE,
    "sum": Reduction.SUM,
    "sum_over_batch_size": Reduction.SUM_OVER_BATCH_SIZE,
}


def check_reduction(reduction: str) -> None:
    """ValueError for a reduction that gives no scalar."""
    if reduction not in REDUCTIONS:
        raise ValueError(
            f"Invalid loss_reduction: {reduction}. Valid options are: {sorted(REDUCTIONS)}."
        )


def regularized_loss(
    losses: Tensor, weights: Any, reduction: str, regularization_losses: Any
) -> Tensor:
    """The weighted losses as one scalar, with others added to it."""
    loss = compute_weighted_loss(
        losses, weights, loss_collection=None, reduction=REDUCTIONS[reduction]
    )
    return with_regularization(loss, regularization_losses)


def with_regularization(loss: Tensor, regularization_losses: Any) -> Tensor:
    """The loss with others added to it, if there are any."""
    if regularization_losses is None:
        return loss
    total: Tensor = loss + add_n(regularization_losses)
    return total


def _check_list(name: str, given: Any) -> None:
    if not isinstance(given, (list, tuple)):
        raise ValueError(f"{name} should be a list or a tuple. Given type: {type(given)}.")


def _scaled(loss: Tensor, reduction: str) -> Tensor:
    """The part of one of several replicas in a loss that is a mean."""
    found = current()
    count = 1 if found is None else found.strategy.num_replicas_in_sync
    if count == 1 or reduction != "sum_over_batch_size":
        return loss
    part: Tensor = loss * (1.0 / count)
    return part


def train_op_of(
    loss: Tensor,
    reduction: str,
    optimizer: Any,
    trainable_variables: Optional[Sequence[Any]],
    train_op_fn: Optional[Callable[[Tensor], Any]],
    update_ops: Optional[Sequence[Any]],
) -> Any:
    """The op of a training step.

    Args:
        loss: The loss.
        reduction: How it was reduced.
        optimizer: An optimizer of `tf.keras`, or None.
        trainable_variables: The variables that it trains.
        train_op_fn: A function of the loss in its place.
        update_ops: What is run besides.

    Raises:
        ValueError: There are none or two of the optimizer and the function, the optimizer is
            another one, or it has no list of variables.
    """
    if update_ops is not None:
        _check_list("update_ops", update_ops)
    graph = get_default_graph()
    with graph.name_scope(None), graph.name_scope("training"):
        if optimizer is not None:
            if train_op_fn is not None:
                raise ValueError("train_op_fn and optimizer cannot both be set.")
            if not isinstance(optimizer, Optimizer):
                raise ValueError(
                    "The given optimizer is not a tf.keras.optimizers.Optimizer instance. Given: "
                    f"{optimizer}"
                )
            if trainable_variables is None:
                raise ValueError("trainable_variables cannot be None. Given None")
            _check_list("trainable_variables", trainable_variables)
            train_op = optimizer.get_updates(_scaled(loss, reduction), trainable_variables)[0]
        elif train_op_fn is None:
            raise ValueError("train_op_fn and optimizer cannot both be None.")
        else:
            train_op = train_op_fn(loss)
        return train_op if update_ops is None else group(train_op, *update_ops)


def summarize_losses(
    loss: Tensor, regularization_losses: Any, key_of: Callable[[str], str]
) -> None:
    """Summaries of the loss, and of what is added to it."""
    with get_default_graph().name_scope(None):
        scalar(key_of("loss"), loss)
        if regularization_losses is not None:
            scalar(key_of("regularization_loss"), add_n(regularization_losses))
