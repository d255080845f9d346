"""The rank of events: its checks, and sums of what is computed for smaller events."""

from __future__ import annotations

from typing import Any, List, Optional

import numpy as np

from troupe._src.checks.rank_ops import assert_rank
from troupe._src.graph.elements import Operation, Tensor
from troupe._src.ops import array_ops, assert_ops, creation_ops, math_ops
from troupe._src.ops.arithmetic_ops import broadcast_static_shape
from troupe._src.ops.convert import convert_to_tensor, is_tensor


def static_event_ndims(event_ndims: Any) -> Optional[int]:
    """The number, where it is known while the graph is built."""
    if isinstance(event_ndims, int):
        return event_ndims
    known = array_ops.get_static_value(event_ndims)
    return None if known is None or np.ndim(known) else int(known)


def checks_of(event_ndims: Any, least: int, validate_args: bool) -> List[Operation]:
    """Checks, or what a step has to check, that it is a scalar of at least that many.

    Args:
        event_ndims: The rank of an event.
        least: The rank of the smallest event.
        validate_args: Whether steps check what is not known before.

    Returns:
        What the steps check.

    Raises:
        ValueError: It is no integer scalar, or less.
    """
    rank = convert_to_tensor(event_ndims, name="event_ndims")
    if not rank.dtype.is_integer:
        raise ValueError(f"Expected integer dtype, got dtype {rank.dtype.name}")
    if rank.shape.rank not in (None, 0):
        raise ValueError(f"Expected scalar event_ndims, got shape {rank.shape}")
    known = array_ops.get_static_value(rank)
    if known is not None:
        if least > known:
            raise ValueError(
                f"event_ndims ({known}) must be larger than min_event_ndims ({least})"
            )
        return []
    if not validate_args:
        return []
    found = [assert_ops.assert_greater_equal(rank, least)]
    if rank.shape.rank is None:
        found.append(assert_rank(rank, 0, message="Expected scalar."))
    return found


def reduced(value: Tensor, log_det: Any, least: int, more: Any) -> Tensor:
    """The sums of log determinants over those axes that make the events larger.

    Args:
        value: What they were computed of.
        log_det: For events of the rank `least`; it may lack axes of `value`.
        least: That rank.
        more: How many further axes are part of an event.

    Returns:
        The sums.
    """
    found = convert_to_tensor(log_det)
    if is_tensor(more):
        rank = array_ops.rank(value)
        sizes = array_ops.shape(value)[rank - least - more : rank - least]
        spread = creation_ops.ones(sizes, found.dtype) * found
        return math_ops.reduce_sum(spread, math_ops.range(-more, 0))
    if not more:
        return found
    axes = list(range(-more, 0))
    if value.shape.rank is None:
        rank = array_ops.rank(value)
        sizes = array_ops.shape(value)[rank - least - more : rank - least]
        return math_ops.reduce_sum(creation_ops.ones(sizes, found.dtype) * found, axes)
    end = value.shape.rank - least
    known = value.shape[end - more : end]
    if known.is_fully_defined() and found.shape.rank is not None:
        if found.shape.rank >= more and found.shape[-more:].as_list() == known.as_list():
            return math_ops.reduce_sum(found, axes)
    sizes = array_ops.shape(value)[end - more : end]
    summed = math_ops.reduce_sum(creation_ops.ones(sizes, found.dtype) * found, axes)
    if found.shape.rank is not None:
        summed.set_shape(broadcast_static_shape(found.shape, known)[:-more])
    return summed
