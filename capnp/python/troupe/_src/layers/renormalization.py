"""Corrections by which batches are normalized as by moving averages, and other factors."""

from __future__ import annotations

from typing import Any, Callable, Dict, Mapping, Optional, Tuple

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.ops import array_ops, raw_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.gen_ops import sqrt
from troupe._src.ops.math_ops import cast

_BOUNDS = ("rmax", "rmin", "dmax")

# select(value, otherwise): the one of the two that is of use in the step.
Select = Callable[[Any, Any], Any]


def checked_clipping(clipping: Optional[Mapping[str, Any]]) -> Dict[str, Any]:
    """The bounds of corrections; ValueError for a key that is none of them."""
    bounds = dict(clipping or {})
    if set(bounds) - set(_BOUNDS):
        raise ValueError(f"renorm_clipping {bounds} contains keys not in {list(_BOUNDS)}")
    return bounds


def corrections(
    mean: Tensor, variance: Tensor, averages: Tuple[Any, Any], epsilon: Any, bounds: Dict[str, Any]
) -> Tuple[Tensor, Tensor]:
    """(r, d): a batch normalized by itself, times r plus d, is one normalized by the averages."""
    average_mean, average_stddev = averages
    # Averages begin with what the initializers say, which may be 0.
    divisor = raw_ops.Maximum(x=average_stddev, y=sqrt(convert_to_tensor(epsilon, mean.dtype)))
    r = sqrt(variance + epsilon) / divisor
    d = (mean - average_mean) / divisor
    if bounds.get("rmin") is not None:
        r = raw_ops.Maximum(x=r, y=cast(bounds["rmin"], r.dtype))
    if bounds.get("rmax") is not None:
        r = raw_ops.Minimum(x=r, y=cast(bounds["rmax"], r.dtype))
    if bounds.get("dmax") is not None:
        most = cast(bounds["dmax"], d.dtype)
        d = raw_ops.Minimum(x=raw_ops.Maximum(x=d, y=-most), y=most)
    return r, d


def compose(scale: Any, offset: Any, then_scale: Any, then_offset: Any) -> Tuple[Any, Any]:
    """(scale, offset) of one linear function after another, which may have neither."""
    if then_scale is not None:
        scale, offset = scale * then_scale, offset * then_scale
    if then_offset is not None:
        offset = offset + then_offset
    return scale, offset


def move_average(average: Any, value: Any, rate: Any) -> Tensor:
    """Adds a node that moves an average towards a value, and gives the result."""
    with get_default_graph().name_scope("AssignMovingAvg"):
        return array_ops.identity(average.assign_sub((average - value) * rate))
