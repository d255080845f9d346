"""Clipping of tensors, by value and by norm."""

from __future__ import annotations

from typing import Any, Sequence

from troupe._src.graph.elements import Tensor
from troupe._src.ops import gen_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor


def clip_by_value(t: Any, clip_value_min: Any, clip_value_max: Any, name: Any = None) -> Tensor:
    """Clips the elements to [clip_value_min, clip_value_max]."""
    return gen_ops.maximum(gen_ops.minimum(t, clip_value_max), clip_value_min, name=name)


def global_norm(t_list: Sequence[Any], name: Any = None) -> Tensor:
    """The square root of the sum of the squares of all elements."""
    halves = [gen_ops.l2_loss(t) for t in t_list if t is not None]
    return gen_ops.sqrt(gen_ops.add_n(halves) * 2.0, name=name)


def clip_by_global_norm(
    t_list: Sequence[Any], clip_norm: Any, use_norm: Any = None, name: Any = None
) -> Any:
    """(tensors, norm): scales all by one factor, so that their global norm is at most clip_norm."""
    norm = use_norm if use_norm is not None else global_norm(t_list)
    scale = clip_norm / gen_ops.maximum(norm, clip_norm)
    return [None if t is None else t * scale for t in t_list], norm


def clip_by_norm(t: Any, clip_norm: Any, axes: Any = None, name: Any = None) -> Tensor:
    """Scales the tensor so that its norm is at most clip_norm."""
    tensor = convert_to_tensor(t)
    norm = gen_ops.sqrt(math_ops.reduce_sum(gen_ops.square(tensor), axes, keepdims=True))
    clipped = tensor * clip_norm / gen_ops.maximum(norm, clip_norm)
    assert isinstance(clipped, Tensor)
    return clipped
