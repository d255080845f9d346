"""The losses that a graph keeps, and their sum."""

from __future__ import annotations

from typing import Any, List, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.ops import gen_ops
from troupe._src.ops.convert import convert_to_tensor


def add_loss(loss: Tensor, loss_collection: Optional[str] = GraphKeys.LOSSES) -> None:
    """Adds a loss to the collection.

    Args:
        loss: a tensor.
        loss_collection: the name of the collection, or None for none.
    """
    if loss_collection:
        get_default_graph().add_to_collection(loss_collection, loss)


def get_losses(scope: Optional[str] = None, loss_collection: str = GraphKeys.LOSSES) -> List[Any]:
    """The losses of a collection, of those whose names begin with `scope`.

    Args:
        scope: a prefix of names, or None for all.
        loss_collection: the name of the collection.

    Returns:
        A list of tensors, in the order in which they were added.
    """
    return get_default_graph().get_collection(loss_collection, scope)


def get_regularization_losses(scope: Optional[str] = None) -> List[Any]:
    """The losses of regularizers, of those whose names begin with `scope`.

    Args:
        scope: a prefix of names, or None for all.

    Returns:
        A list of scalars.
    """
    return get_losses(scope, GraphKeys.REGULARIZATION_LOSSES)


def get_regularization_loss(
    scope: Optional[str] = None, name: str = "total_regularization_loss"
) -> Tensor:
    """The sum of the losses that regularizers of variables have added.

    Args:
        scope: a prefix of the names of those that count, or None for all.

    Returns:
        A scalar; 0.0 where there are none.
    """
    losses = get_regularization_losses(scope)
    return gen_ops.add_n(losses, name=name) if losses else convert_to_tensor(0.0)


def get_total_loss(
    add_regularization_losses: bool = True, name: str = "total_loss", scope: Optional[str] = None
) -> Tensor:
    """The sum of all losses of the default graph.

    Args:
        add_regularization_losses: whether those of regularizers are part of the sum.
        scope: a prefix of the names of those that count, or None for all.

    Returns:
        A scalar.

    Raises:
        ValueError: if there are none.
    """
    losses = get_losses(scope)
    if add_regularization_losses:
        losses += get_regularization_losses(scope)
    return gen_ops.add_n(losses, name=name)
