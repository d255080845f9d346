"""The shapes of the probabilities of the components of a mixture."""

from __future__ import annotations

from typing import Any

from troupe._src.graph.elements import Tensor
from troupe._src.ops import array_ops, creation_ops
from troupe._src.ops.selection_ops import where_v2


def _batch_rank(distribution: Any) -> Any:
    rank = distribution.batch_shape.rank
    return array_ops.size(distribution.batch_shape_tensor()) if rank is None else rank


def with_event_axes(x: Tensor, mixture: Any, categorical: Any, event_rank: Any) -> Tensor:
    """[samples, batch, components] with axes of size 1 where the mixture has others.

    Those are the axes of the mixture's batch, if the distribution of the components has none, and
    the axes of an event, which are the last.
    """
    own, rank = _batch_rank(categorical), _batch_rank(mixture)
    if isinstance(own, int) and isinstance(rank, int):
        count: Any = rank if own == 0 else rank - own
    else:
        count = where_v2(categorical.is_scalar_batch(), rank, rank - own)
    sizes = array_ops.shape(x)
    batch = creation_ops.ones(array_ops.expand_dims(count, 0), sizes.dtype)
    event = creation_ops.ones(array_ops.expand_dims(event_rank, 0), sizes.dtype)
    return array_ops.reshape(x, array_ops.concat([sizes[:-1], batch, sizes[-1:], event], 0))
