"""Sets along the last axis of tensors."""

from __future__ import annotations

from typing import Any, Dict

from troupe._src.graph.elements import Tensor
from troupe._src.ops import raw_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.sparse_tensor import SparseTensor, SparseTensorValue


def size(a: SparseTensor, validate_indices: bool = True) -> Tensor:
    """How many different values each set of a sparse tensor has.

    Args:
        a: sets along the last axis, of integers or strings.
        validate_indices: whether a step checks that indices are in order and in range.

    Returns:
        An int32 tensor of the first axes of `a`.

    Raises:
        TypeError: if it is no SparseTensor.
    """
    sets = _converted(a)
    if not isinstance(sets, SparseTensor):
        raise TypeError(f"Expected `SparseTensor`, got {a}.")
    return raw_ops.SetSize(
        set_indices=sets.indices,
        set_values=sets.values,
        set_shape=sets.dense_shape,
        validate_indices=validate_indices,
    )


def intersection(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """The values that are in both of two sets.

    Args:
        a: sets along the last axis, a tensor or a SparseTensor, of integers or strings.
        b: sets of the same dtype and the same first axes.
        validate_indices: whether a step checks that indices are in order and in range.

    Returns:
        A SparseTensor: the values in order along the last axis, behind the first axes of `a`.
    """
    return _operate(a, b, "intersection", validate_indices)


def difference(a: Any, b: Any, aminusb: bool = True, validate_indices: bool = True) -> SparseTensor:
    """The values of a that are not in b, or without aminusb those of b that are not in a.

    Args:
        a: sets along the last axis, a tensor or a SparseTensor, of integers or strings.
        b: sets of the same dtype and the same first axes.
        aminusb: whether `b` is taken away from `a`, or `a` from `b`.
        validate_indices: whether a step checks that indices are in order and in range.

    Returns:
        A SparseTensor: the values in order along the last axis, behind the first axes of `a`.
    """
    return _operate(a, b, "a-b" if aminusb else "b-a", validate_indices)


def union(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """The values that are in one of two sets or in both.

    Args:
        a: sets along the last axis, a tensor or a SparseTensor, of integers or strings.
        b: sets of the same dtype and the same first axes.
        validate_indices: whether a step checks that indices are in order and in range.

    Returns:
        A SparseTensor: the values in order along the last axis, behind the first axes of `a`.
    """
    return _operate(a, b, "union", validate_indices)


def _converted(value: Any) -> Any:
    if isinstance(value, (SparseTensor, SparseTensorValue)):
        return SparseTensor.from_value(value)
    return convert_to_tensor(value)


def _operate(a: Any, b: Any, operation: str, validate_indices: bool) -> SparseTensor:
    set1, set2 = _converted(a), _converted(b)
    if isinstance(set1, SparseTensor) and not isinstance(set2, SparseTensor):
        # There is no op for that order.
        set1, set2 = set2, set1
        operation = {"a-b": "b-a", "b-a": "a-b"}.get(operation, operation)
    options: Dict[str, Any] = {"set_operation": operation, "validate_indices": validate_indices}
    if not isinstance(set2, SparseTensor):
        found = raw_ops.DenseToDenseSetOperation(set1=set1, set2=set2, **options)
        return SparseTensor(*found)
    options.update(set2_indices=set2.indices, set2_values=set2.values, set2_shape=set2.dense_shape)
    if not isinstance(set1, SparseTensor):
        return SparseTensor(*raw_ops.DenseToSparseSetOperation(set1=set1, **options))
    return SparseTensor(
        *raw_ops.SparseToSparseSetOperation(
            set1_indices=set1.indices,
            set1_values=set1.values,
            set1_shape=set1.dense_shape,
            **options,
        )
    )
