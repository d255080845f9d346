"""Checks of dtypes and static shapes, while the graph is built."""

from __future__ import annotations

from typing import Any, Optional, Sequence

from troupe._src.graph.elements import Operation, Tensor, flatten
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import grouping_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DType, DTypeLike, as_dtype


def assert_type(
    tensor: TensorLike,
    tf_type: DTypeLike,
    message: Optional[str] = None,
    name: Optional[str] = None,
) -> Operation:
    """TypeError where the tensor has another dtype.

    Args:
        tensor: a tensor.
        tf_type: the dtype that it must have.
        message: the beginning of the error's text.

    Returns:
        An operation that does nothing.

    Raises:
        TypeError: if the dtype is another.
    """
    checked, wanted = convert_to_tensor(tensor), as_dtype(tf_type)
    if checked.dtype != wanted:
        raise TypeError(f"{_prefix(message)}{checked.name} must be of type {wanted!r}")
    return grouping_ops.no_op(name=name or "statically_determined_correct_type")


def assert_integer(
    x: TensorLike, message: Optional[str] = None, name: Optional[str] = None
) -> Operation:
    """TypeError where the dtype is none of integers.

    Args:
        x: a tensor.
        message: the beginning of the error's text.

    Returns:
        An operation that does nothing.

    Raises:
        TypeError: if the dtype is none of integers.
    """
    tensor = convert_to_tensor(x)
    if not tensor.dtype.is_integer:
        raise TypeError(
            f'{_prefix(message)}Expected "x" to be integer type.  Found: {tensor.dtype!r}'
        )
    return grouping_ops.no_op(name=name or "statically_determined_was_integer")


def assert_scalar(
    tensor: TensorLike, name: Optional[str] = None, message: Optional[str] = None
) -> Tensor:
    """The tensor; ValueError where its static rank is not 0.

    Args:
        tensor: a tensor.
        message: the beginning of the error's text.

    Returns:
        The tensor.

    Raises:
        ValueError: if the rank is known, and not 0.
    """
    checked = convert_to_tensor(tensor)
    if checked.shape.rank not in (None, 0):
        raise ValueError(
            f"{_prefix(message)}Expected scalar shape for {checked.name}, saw shape: "
            f"{checked.shape}."
        )
    return checked


def assert_proper_iterable(values: Any) -> None:
    """TypeError for what is no list of tensors: a tensor, an array, or text.

    Args:
        values: a list, or another iterable of tensors.

    Raises:
        TypeError: if it is something else.
    """
    if isinstance(values, (Tensor, str, bytes)) or hasattr(values, "__array__"):
        raise TypeError(f"Expected argument 'values' to be a 'proper' iterable.  Found: {values!r}")
    if not hasattr(values, "__iter__"):
        raise TypeError(f"Expected argument 'values' to be iterable.  Found: {type(values)}")


def assert_same_float_dtype(
    tensors: Optional[Sequence[Any]] = None, dtype: Optional[DTypeLike] = None
) -> DType:
    """The one dtype of floating-point numbers of all tensors, by default float32.

    Args:
        tensors: a list of tensors and None, also nested.
        dtype: the dtype that they must have; None for that of the first.

    Returns:
        The dtype.

    Raises:
        ValueError: if they differ, or the dtype is none of floats.
    """
    found = None if dtype is None else as_dtype(dtype)
    for tensor in flatten(list(tensors or [])):
        if tensor is None:
            continue
        if found is not None and tensor.dtype != found:
            raise ValueError(
                f"Tensor conversion requested dtype {found.name} for Tensor with dtype "
                f"{tensor.dtype.name}: {tensor!r}"
            )
        found = tensor.dtype
    found = found or dtypes.float32
    if not found.is_floating:
        raise ValueError(f"Expected floating point type, got {found.name}.")
    return found


def _prefix(message: Optional[str]) -> str:
    return f"{message}  " if message else ""
