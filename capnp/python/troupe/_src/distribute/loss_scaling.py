"""Losses of a replica, which add up to that of the whole batch."""

from __future__ import annotations

from typing import Any, Optional

from troupe._src.distribute.replica_context import (
    get_strategy,
    has_strategy,
    in_cross_replica_context,
)
from troupe._src.graph.elements import Tensor
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.nn.losses import Reduction, compute_weighted_loss
from troupe._src.ops.array_ops import shape
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.math_ops import cast, reduce_sum


def compute_average_loss(
    per_example_loss: TensorLike,
    sample_weight: Optional[TensorLike] = None,
    global_batch_size: Any = None,
) -> Tensor:
    """The sum of the losses of examples, through the size of the batches of all replicas.

    Args:
        per_example_loss: The losses, of at least one dimension.
        sample_weight: Their weights, which broadcast to them.
        global_batch_size: The size of all batches together; by default that of this one, times the
            number of replicas.

    Returns:
        A scalar.

    Raises:
        ValueError: The losses are one scalar.
        RuntimeError: It is called in the scope of a strategy outside of its replicas, without
            `global_batch_size`.
    """
    losses = convert_to_tensor(per_example_loss)
    if losses.shape.rank == 0:
        raise ValueError("Invalid value passed for `per_example_loss`: a loss for each example")
    dtype = losses.dtype
    if sample_weight is not None:
        weighted = compute_weighted_loss(
            losses, cast(sample_weight, dtype), loss_collection=None, reduction=Reduction.NONE
        )
        losses = cast(weighted, dtype)
    if global_batch_size is None:
        _check_context("compute_average_loss")
        global_batch_size = cast(shape(losses)[0] * get_strategy().num_replicas_in_sync, dtype)
    result: Tensor = reduce_sum(losses) / global_batch_size
    return result


def scale_regularization_loss(regularization_loss: Any) -> Tensor:
    """The sum of regularization losses, through the number of replicas.

    Args:
        regularization_loss: A loss, or a list of them.

    Returns:
        A scalar.

    Raises:
        RuntimeError: It is called in the scope of a strategy outside of its replicas.
    """
    _check_context("scale_regularization_loss")
    result: Tensor = reduce_sum(regularization_loss) / get_strategy().num_replicas_in_sync
    return result


def _check_context(function: str) -> None:
    if has_strategy() and in_cross_replica_context():
        raise RuntimeError(
            f"You are calling `{function}` in cross replica context, while it was expected to be"
            " called in replica context."
        )
