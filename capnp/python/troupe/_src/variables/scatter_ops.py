"""Updates of parts of variables. Each returns the variable's value after the update."""

from __future__ import annotations

from typing import Any, Callable, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.ops import raw_ops
from troupe._src.ops.convert import convert_to_tensor


def _scatter(op: Callable[..., Any], ref: Any, indices: Any, updates: Any, name: Any) -> Tensor:
    given = convert_to_tensor(updates, ref.dtype)
    changed: Tensor = ref._read_after(op(ref.handle, indices, given, name=name))
    return changed


def scatter_update(
    ref: Any, indices: Any, updates: Any, use_locking: bool = True, name: Optional[str] = None
) -> Tensor:
    """Replaces the rows at `indices`."""
    return _scatter(raw_ops.ResourceScatterUpdate, ref, indices, updates, name)


def scatter_add(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: Optional[str] = None
) -> Tensor:
    """Adds to the rows at `indices`; rows that are named twice get both updates."""
    return _scatter(raw_ops.ResourceScatterAdd, ref, indices, updates, name)


def scatter_sub(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: Optional[str] = None
) -> Tensor:
    """Subtracts from the rows at `indices`."""
    return _scatter(raw_ops.ResourceScatterSub, ref, indices, updates, name)


def scatter_mul(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: Optional[str] = None
) -> Tensor:
    """Multiplies the rows at `indices`."""
    return _scatter(raw_ops.ResourceScatterMul, ref, indices, updates, name)


def scatter_div(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: Optional[str] = None
) -> Tensor:
    """Divides the rows at `indices`."""
    return _scatter(raw_ops.ResourceScatterDiv, ref, indices, updates, name)


def scatter_min(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: Optional[str] = None
) -> Tensor:
    """The lesser of the rows at `indices` and the updates."""
    return _scatter(raw_ops.ResourceScatterMin, ref, indices, updates, name)


def scatter_max(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: Optional[str] = None
) -> Tensor:
    """The greater of the rows at `indices` and the updates."""
    return _scatter(raw_ops.ResourceScatterMax, ref, indices, updates, name)


def scatter_nd_update(
    ref: Any, indices: Any, updates: Any, use_locking: bool = True, name: Optional[str] = None
) -> Tensor:
    """Replaces the slices at the positions that the rows of `indices` say."""
    return _scatter(raw_ops.ResourceScatterNdUpdate, ref, indices, updates, name)


def scatter_nd_add(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: Optional[str] = None
) -> Tensor:
    """Adds to the slices at the positions that the rows of `indices` say."""
    return _scatter(raw_ops.ResourceScatterNdAdd, ref, indices, updates, name)


def scatter_nd_sub(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: Optional[str] = None
) -> Tensor:
    """Subtracts from the slices at the positions that the rows of `indices` say."""
    return _scatter(raw_ops.ResourceScatterNdSub, ref, indices, updates, name)


def count_up_to(ref: Any, limit: int, name: Optional[str] = None) -> Tensor:
    """The variable's value before it grew by 1; OutOfRange where it is at the limit."""
    return raw_ops.ResourceCountUpTo(resource=ref.handle, limit=limit, T=ref.dtype, name=name)
