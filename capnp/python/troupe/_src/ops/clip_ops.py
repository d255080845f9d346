"""Clipping of tensors, by value and by norm."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence, Tuple

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.indexed_slices import IndexedSlices
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops, selection_ops
from troupe._src.ops.convert import convert_to_tensor


def clip_by_value(
    t: Any,
    clip_value_min: TensorLike,
    clip_value_max: TensorLike,
    name: Optional[str] = None,
) -> Any:
    """Clips the elements to [clip_value_min, clip_value_max].

    Args:
        t: numbers of any shape, or IndexedSlices of them.
        clip_value_min: the least number, in a shape that broadcasts to that of `t`.
        clip_value_max: the greatest number, likewise.

    Returns:
        A tensor of the shape of `t`, or IndexedSlices.

    Raises:
        ValueError: if the limits have a greater shape.
    """
    with get_default_graph().name_scope(name or "clip_by_value") as scope:
        tensor = t.values if isinstance(t, IndexedSlices) else convert_to_tensor(t)
        below = gen_ops.minimum(tensor, clip_value_max)
        clipped = gen_ops.maximum(below, clip_value_min, name=scope)
        for each in (below, clipped):
            if not tensor.shape.is_compatible_with(each.shape):
                raise ValueError(f"Shapes {tensor.shape} and {each.shape} are incompatible")
        if isinstance(t, IndexedSlices):
            return IndexedSlices(clipped, t.indices, t.dense_shape)
        return clipped


def global_norm(t_list: Sequence[Any], name: Optional[str] = None) -> Tensor:
    """The square root of the sum of the squares of all elements.

    Args:
        t_list: a list of tensors, IndexedSlices and None, which is skipped.

    Returns:
        A scalar.

    Raises:
        TypeError: if it is no list, or has no tensor.
    """
    _check_list(t_list)
    with get_default_graph().name_scope(name or "global_norm"):
        halves = [gen_ops.l2_loss(_values_of(t)) for t in t_list if t is not None]
        return gen_ops.sqrt(math_ops.reduce_sum(array_ops.stack(halves)) * 2.0, name="global_norm")


def clip_by_global_norm(
    t_list: Sequence[Any],
    clip_norm: TensorLike,
    use_norm: Optional[TensorLike] = None,
    name: Optional[str] = None,
) -> Tuple[List[Any], Tensor]:
    """(tensors, norm): scales all by one factor, so that their global norm is at most clip_norm.

    Where that norm is not finite, all of them become NaN.

    Args:
        t_list: a list of tensors, IndexedSlices and None, which is skipped.
        clip_norm: the greatest norm, a scalar.
        use_norm: the global norm, where it is known already.

    Returns:
        A list of the kinds of `t_list`, and the norm before, a scalar.

    Raises:
        TypeError: if it is no list, or has no tensor.
    """
    _check_list(t_list)
    norm = use_norm if use_norm is not None else global_norm(t_list, name)
    with get_default_graph().name_scope(name or "clip_by_global_norm"):
        norm = convert_to_tensor(norm)
        limit = convert_to_tensor(clip_norm, norm.dtype)
        scale = limit * gen_ops.minimum(1.0 / norm, 1.0 / limit)
        scale = scale + (norm - norm)
        return [None if t is None else _scaled(t, scale) for t in t_list], norm


def _values_of(t: Any) -> Any:
    return t.values if isinstance(t, IndexedSlices) else t


def _scaled(t: Any, scale: Tensor) -> Any:
    values = convert_to_tensor(_values_of(t))
    scaled = values * math_ops.cast(scale, values.dtype)
    is_sparse = isinstance(t, IndexedSlices)
    return IndexedSlices(scaled, t.indices, t.dense_shape) if is_sparse else scaled


def _check_list(t_list: Any) -> None:
    if not isinstance(t_list, (list, tuple)) or all(t is None for t in t_list):
        raise TypeError("t_list should be a sequence of tensors")


def clip_by_norm(
    t: Any,
    clip_norm: TensorLike,
    axes: Optional[TensorLike] = None,
    name: Optional[str] = None,
) -> Any:
    """Scales the tensor so that its norm, by default along all axes, is at most clip_norm.

    Args:
        t: floats of any shape, or IndexedSlices of them.
        clip_norm: the greatest norm, a scalar.
        axes: a list of the axes that norms are computed over; None for all.

    Returns:
        A tensor of the shape of `t`, or IndexedSlices.

    Raises:
        ValueError: if `clip_norm` has a greater shape.
    """
    with get_default_graph().name_scope(name or "clip_by_norm") as scope:
        tensor = t.values if isinstance(t, IndexedSlices) else convert_to_tensor(t)
        squares = math_ops.reduce_sum(gen_ops.square(tensor), axes, keepdims=True)
        # The gradient of a square root is infinite at 0.
        is_positive = gen_ops.greater(squares, creation_ops.zeros_like(squares))
        safe = selection_ops.where(is_positive, squares, creation_ops.ones_like(squares))
        norm = selection_ops.where(is_positive, gen_ops.sqrt(safe), squares)
        scaled = tensor * clip_norm
        if not tensor.shape.is_compatible_with(scaled.shape):
            raise ValueError(f"Shapes {tensor.shape} and {scaled.shape} are incompatible")
        clipped = array_ops.identity(scaled / gen_ops.maximum(norm, clip_norm), name=scope)
        if isinstance(t, IndexedSlices):
            return IndexedSlices(clipped, t.indices, t.dense_shape)
        return clipped


def clip_by_average_norm(
    t: TensorLike, clip_norm: TensorLike, name: Optional[str] = None
) -> Tensor:
    """Scales the tensor so that its norm divided by its number of elements is at most clip_norm.

    Args:
        t: floats of any shape.
        clip_norm: the greatest average norm, a scalar.

    Returns:
        A tensor of the shape of `t`.
    """
    with get_default_graph().name_scope(name or "clip_by_average_norm") as scope:
        tensor = convert_to_tensor(t)
        count = math_ops.cast(array_ops.size(tensor), tensor.dtype)
        squares = math_ops.reduce_sum(gen_ops.square(tensor))
        inverse = count * gen_ops.rsqrt(squares)
        limit = convert_to_tensor(clip_norm, tensor.dtype)
        factor = limit * gen_ops.minimum(inverse, 1.0 / limit)
        return gen_ops.multiply(tensor, factor, name=scope)
