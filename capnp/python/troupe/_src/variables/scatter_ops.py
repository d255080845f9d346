"""Updates of parts of variables. Each returns the variable's value after the update."""

from __future__ import annotations

from typing import Any, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import raw_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.variables.ref_variable import reference_of


def _scatter(
    op: str, ref: Any, indices: Any, updates: Any, use_locking: bool, name: Optional[str]
) -> Tensor:
    given = convert_to_tensor(updates, ref.dtype)
    reference = reference_of(ref)
    if reference is not None:
        on_reference = getattr(raw_ops, op)
        result: Tensor = on_reference(reference, indices, given, use_locking, name=name)
        return result
    on_resource = getattr(raw_ops, f"Resource{op}")
    changed: Tensor = ref._read_after(on_resource(ref.handle, indices, given, name=name))
    return changed


def scatter_update(
    ref: Any,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = True,
    name: Optional[str] = None,
) -> Tensor:
    """Replaces the rows at `indices`.

    Args:
        ref: A variable, or a reference to one.
        indices: int32 or int64 of any shape: positions along the first axis.
        updates: Of the dtype of the variable: a row for each index, or one number.
        use_locking: Has no effect: each update is atomic.

    Returns:
        The variable's value after the update; for a reference, a reference.
    """
    return _scatter("ScatterUpdate", ref, indices, updates, use_locking, name)


def scatter_add(
    ref: Any,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = False,
    name: Optional[str] = None,
) -> Tensor:
    """Adds to the rows at `indices`; rows that are named twice get both updates.

    Args:
        ref: A variable, or a reference to one.
        indices: int32 or int64 of any shape: positions along the first axis.
        updates: Of the dtype of the variable: a row for each index, or one number.
        use_locking: Has no effect: each update is atomic.

    Returns:
        The variable's value after the update; for a reference, a reference.
    """
    return _scatter("ScatterAdd", ref, indices, updates, use_locking, name)


def scatter_sub(
    ref: Any,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = False,
    name: Optional[str] = None,
) -> Tensor:
    """Subtracts from the rows at `indices`.

    Args:
        ref: A variable, or a reference to one.
        indices: int32 or int64 of any shape: positions along the first axis.
        updates: Of the dtype of the variable: a row for each index, or one number.
        use_locking: Has no effect: each update is atomic.

    Returns:
        The variable's value after the update; for a reference, a reference.
    """
    return _scatter("ScatterSub", ref, indices, updates, use_locking, name)


def scatter_mul(
    ref: Any,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = False,
    name: Optional[str] = None,
) -> Tensor:
    """Multiplies the rows at `indices`.

    Args:
        ref: A variable, or a reference to one.
        indices: int32 or int64 of any shape: positions along the first axis.
        updates: Of the dtype of the variable: a row for each index, or one number.
        use_locking: Has no effect: each update is atomic.

    Returns:
        The variable's value after the update; for a reference, a reference.
    """
    return _scatter("ScatterMul", ref, indices, updates, use_locking, name)


def scatter_div(
    ref: Any,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = False,
    name: Optional[str] = None,
) -> Tensor:
    """Divides the rows at `indices`.

    Args:
        ref: A variable, or a reference to one.
        indices: int32 or int64 of any shape: positions along the first axis.
        updates: Of the dtype of the variable: a row for each index, or one number.
        use_locking: Has no effect: each update is atomic.

    Returns:
        The variable's value after the update; for a reference, a reference.
    """
    return _scatter("ScatterDiv", ref, indices, updates, use_locking, name)


def scatter_min(
    ref: Any,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = False,
    name: Optional[str] = None,
) -> Tensor:
    """Replaces the rows at `indices` by the lesser of them and the updates, by elements.

    Args:
        ref: A variable, or a reference to one.
        indices: int32 or int64 of any shape: positions along the first axis.
        updates: Of the dtype of the variable: a row for each index, or one number.
        use_locking: Has no effect: each update is atomic.

    Returns:
        The variable's value after the update; for a reference, a reference.
    """
    return _scatter("ScatterMin", ref, indices, updates, use_locking, name)


def scatter_max(
    ref: Any,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = False,
    name: Optional[str] = None,
) -> Tensor:
    """Replaces the rows at `indices` by the greater of them and the updates, by elements.

    Args:
        ref: A variable, or a reference to one.
        indices: int32 or int64 of any shape: positions along the first axis.
        updates: Of the dtype of the variable: a row for each index, or one number.
        use_locking: Has no effect: each update is atomic.

    Returns:
        The variable's value after the update; for a reference, a reference.
    """
    return _scatter("ScatterMax", ref, indices, updates, use_locking, name)


def scatter_nd_update(
    ref: Any,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = True,
    name: Optional[str] = None,
) -> Tensor:
    """Replaces the slices at the positions that the rows of `indices` say.

    Args:
        ref: A variable, or a reference to one.
        indices: int32 or int64, [..., positions].
        updates: Of the dtype of the variable: a slice for each row of the indices.
        use_locking: Has no effect: each update is atomic.

    Returns:
        The variable's value after the update; for a reference, a reference.
    """
    return _scatter("ScatterNdUpdate", ref, indices, updates, use_locking, name)


def scatter_nd_add(
    ref: Any,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = False,
    name: Optional[str] = None,
) -> Tensor:
    """Adds to the slices at the positions that the rows of `indices` say.

    Args:
        ref: A variable, or a reference to one.
        indices: int32 or int64, [..., positions].
        updates: Of the dtype of the variable: a slice for each row of the indices.
        use_locking: Has no effect: each update is atomic.

    Returns:
        The variable's value after the update; for a reference, a reference.
    """
    return _scatter("ScatterNdAdd", ref, indices, updates, use_locking, name)


def scatter_nd_sub(
    ref: Any,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = False,
    name: Optional[str] = None,
) -> Tensor:
    """Subtracts from the slices at the positions that the rows of `indices` say.

    Args:
        ref: A variable, or a reference to one.
        indices: int32 or int64, [..., positions].
        updates: Of the dtype of the variable: a slice for each row of the indices.
        use_locking: Has no effect: each update is atomic.

    Returns:
        The variable's value after the update; for a reference, a reference.
    """
    return _scatter("ScatterNdSub", ref, indices, updates, use_locking, name)


def count_up_to(ref: Any, limit: int, name: Optional[str] = None) -> Tensor:
    """The variable's value before it grew by 1.

    Args:
        ref: A variable of an integer scalar, or a reference to one.
        limit: What it never exceeds; a step that finds it there fails with OutOfRange.

    Returns:
        A scalar of its dtype.
    """
    reference = reference_of(ref)
    if reference is not None:
        return raw_ops.CountUpTo(ref=reference, limit=limit, name=name)
    name = name or "CountUpTo"  # as that of a reference
    return raw_ops.ResourceCountUpTo(resource=ref.handle, limit=limit, T=ref.dtype, name=name)
