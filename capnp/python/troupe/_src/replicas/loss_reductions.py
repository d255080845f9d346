"""How the losses of replicas become one."""

from __future__ import annotations

from typing import Any, Optional

from troupe._src.graph.graph import get_default_graph
from troupe._src.replicas.contexts import current, strategy_of_many
from troupe._src.replicas.reduce_op import ReduceOp

_KEY = "last_loss_reduction"
_SCALED = "is_loss_scaled_by_optimizer"


def note_loss_reduction(reduction: str) -> None:
    """Remembers how the latest loss of the default graph became a scalar.

    Args:
        reduction: A name of `tf.losses.Reduction`, or of `tf.keras.losses.Reduction`.
    """
    get_default_graph()._state[_KEY] = reduction


def get_loss_reduction() -> ReduceOp:
    """How losses of replicas become one, as `tf.distribute.get_loss_reduction` of TensorFlow.

    Returns:
        MEAN in the training of an estimator, unless its latest loss is a sum; else SUM.
    """
    found = current()
    if found is None or not getattr(found.strategy, "_scales_losses", False):
        return ReduceOp.SUM
    is_sum = get_default_graph()._state.get(_KEY) in ("sum", "weighted_sum")
    return ReduceOp.SUM if is_sum else ReduceOp.MEAN


def scaled_loss(loss: Any, is_mean: Optional[bool] = None) -> Any:
    """The part of a replica in a loss that is the mean of theirs, as optimizers derive it.

    Args:
        loss: That of the replica.
        is_mean: Whether that of all is the mean; by default in the training of an estimator, unless
            its loss is a sum.

    Returns:
        A tensor; the loss itself where there is one replica, or that of all is a sum.
    """
    strategy = strategy_of_many()
    is_mean = get_loss_reduction() is ReduceOp.MEAN if is_mean is None else is_mean
    is_scaled = strategy is not None and is_mean
    get_default_graph()._state[_SCALED] = is_scaled
    if not is_scaled:
        return loss
    return loss * (1.0 / strategy.num_replicas_in_sync)


def is_loss_scaled() -> bool:
    """Whether the latest optimizer of the default graph has derived a part of a mean."""
    return bool(get_default_graph()._state.get(_SCALED))
