"""Updates of parts of variables. Each returns the variable's value after the update."""

from __future__ import annotations

from typing import Any, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import array_ops, creation_ops, math_ops, raw_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.variables.ref_variable import reference_of


def _scatter(
    op: str, ref: Any, indices: Any, updates: Any, use_locking: bool, name: Optional[str]
) -> Tensor:
    if hasattr(ref, "_scatter"):
        of_variable: Tensor = ref._scatter(op, indices, updates, name)
        return of_variable
    given = convert_to_tensor(updates, ref.dtype)
    of_reference: Tensor = getattr(raw_ops, op)(ref, indices, given, use_locking, name=name)
    return of_reference


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


def batch_scatter_update(
    ref: Any,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = True,
    name: Optional[str] = None,
) -> Tensor:
    """Replaces rows of each element of a batch: `ref[i, indices[i, j]] = updates[i, j]`.

    Args:
        ref: A variable, or a reference to one, [batch..., rows, ...].
        indices: int32 or int64, [batch..., count], of a known rank.
        updates: Of the dtype of the variable, [batch..., count, ...].
        use_locking: Has no effect: each update is atomic.

    Returns:
        The variable's value after the update; for a reference, a reference.

    Raises:
        ValueError: The rank of the indices is not known.
    """
    with get_default_graph().name_scope(name or "batch_scatter_update"):
        rows = convert_to_tensor(indices)
        if rows.shape.rank is None:
            raise ValueError("batch_scatter_update needs indices of a known rank")
        sizes = array_ops.unstack(array_ops.shape(rows, out_type=rows.dtype), rows.shape.rank)
        axes = [math_ops.range(size) for size in sizes[:-1]]
        last = rows.shape.rank - 1
        places = [
            array_ops.reshape(axis, [-1] + [1] * (last - i)) + creation_ops.zeros_like(rows)
            for i, axis in enumerate(axes)
        ]
        return scatter_nd_update(ref, array_ops.stack([*places, rows], axis=-1), updates)


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
