"""Conversions between dtypes, and the parts of complex numbers."""

from __future__ import annotations

import math
from typing import Any, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops, raw_ops, selection_ops
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DType, DTypeLike, as_dtype


def real_dtype(tensor: Tensor) -> DType:
    """The dtype of the parts of complex numbers."""
    return dtypes.float64 if tensor.dtype is dtypes.complex128 else dtypes.float32


def to_float(x: Any, name: str = "ToFloat") -> Tensor:
    """The elements as float32.

    Args:
        x: a tensor of any dtype, or a SparseTensor.

    Returns:
        A tensor of the shape of `x`, or a SparseTensor.
    """
    return math_ops.cast(x, dtypes.float32, name)


def to_double(x: Any, name: str = "ToDouble") -> Tensor:
    """The elements as float64.

    Args:
        x: a tensor of any dtype, or a SparseTensor.

    Returns:
        A tensor of the shape of `x`, or a SparseTensor.
    """
    return math_ops.cast(x, dtypes.float64, name)


def to_bfloat16(x: Any, name: str = "ToBFloat16") -> Tensor:
    """The elements as bfloat16.

    Args:
        x: a tensor of any dtype, or a SparseTensor.

    Returns:
        A tensor of the shape of `x`, or a SparseTensor.
    """
    return math_ops.cast(x, dtypes.bfloat16, name)


def to_complex64(x: Any, name: str = "ToComplex64") -> Tensor:
    """The elements as complex64.

    Args:
        x: a tensor of any dtype, or a SparseTensor.

    Returns:
        A tensor of the shape of `x`, or a SparseTensor.
    """
    return math_ops.cast(x, dtypes.complex64, name)


def to_complex128(x: Any, name: str = "ToComplex128") -> Tensor:
    """The elements as complex128.

    Args:
        x: a tensor of any dtype, or a SparseTensor.

    Returns:
        A tensor of the shape of `x`, or a SparseTensor.
    """
    return math_ops.cast(x, dtypes.complex128, name)


def to_int32(x: Any, name: str = "ToInt32") -> Tensor:
    """The elements as int32.

    Args:
        x: a tensor of any dtype, or a SparseTensor.

    Returns:
        A tensor of the shape of `x`, or a SparseTensor.
    """
    return math_ops.cast(x, dtypes.int32, name)


def to_int64(x: Any, name: str = "ToInt64") -> Tensor:
    """The elements as int64.

    Args:
        x: a tensor of any dtype, or a SparseTensor.

    Returns:
        A tensor of the shape of `x`, or a SparseTensor.
    """
    return math_ops.cast(x, dtypes.int64, name)


def conj(x: TensorLike, name: Optional[str] = None) -> Tensor:
    """The complex conjugate; real numbers are returned as they are.

    Args:
        x: numbers of any shape.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        TypeError: if the dtype is none of numbers.
    """
    tensor = convert_to_tensor(x)
    if tensor.dtype.is_complex:
        return raw_ops.Conj(input=tensor, name=name)
    if tensor.dtype.is_floating or tensor.dtype.is_integer:
        return tensor
    raise TypeError(f"Expected numeric tensor, got dtype {tensor.dtype!r}")


def real(input: TensorLike, name: Optional[str] = None) -> Tensor:
    """The real part; real numbers are returned as they are.

    Args:
        input: numbers of any shape.

    Returns:
        A tensor of the shape of `input`: float32 for complex64, float64 for complex128.
    """
    tensor = convert_to_tensor(input)
    if not tensor.dtype.is_complex:
        return tensor
    return raw_ops.Real(input=tensor, Tout=real_dtype(tensor), name=name)


def imag(input: TensorLike, name: Optional[str] = None) -> Tensor:
    """The imaginary part, which is 0 for real numbers.

    Args:
        input: numbers of any shape.

    Returns:
        A tensor of the shape of `input`: float32 for complex64, float64 for complex128.
    """
    tensor = convert_to_tensor(input)
    if not tensor.dtype.is_complex:
        return creation_ops.zeros_like(tensor)
    return raw_ops.Imag(input=tensor, Tout=real_dtype(tensor), name=name)


def angle(input: TensorLike, name: Optional[str] = None) -> Tensor:
    """The angle of complex numbers in the plane, in radians: 0 or pi for real ones.

    Args:
        input: numbers of any shape.

    Returns:
        A tensor of the shape of `input`: float32 for complex64, float64 for complex128.
    """
    tensor = convert_to_tensor(input)
    if tensor.dtype.is_complex:
        return raw_ops.Angle(input=tensor, Tout=real_dtype(tensor), name=name)
    zeros = creation_ops.zeros_like(tensor)
    half_turn = gen_ops.fill(array_ops.shape(tensor), constant(math.pi, tensor.dtype))
    return selection_ops.where(gen_ops.less(tensor, zeros), half_turn, zeros)


def complex(real: TensorLike, imag: TensorLike, name: Optional[str] = None) -> Tensor:
    """Complex numbers of those parts, which are both float32 or both float64.

    Args:
        real: floats.
        imag: floats of the same dtype, in a shape that broadcasts with that of `real`.

    Returns:
        A tensor in the broadcast shape: complex64 of float32, complex128 of float64.

    Raises:
        TypeError: if the dtypes are others.
    """
    first, second = convert_to_tensor(real), convert_to_tensor(imag)
    wanted = {
        (dtypes.float32, dtypes.float32): dtypes.complex64,
        (dtypes.float64, dtypes.float64): dtypes.complex128,
    }.get((first.dtype, second.dtype))
    if wanted is None:
        raise TypeError(
            f"real and imag have incorrect types: {first.dtype.name} {second.dtype.name}"
        )
    return raw_ops.Complex(real=first, imag=second, Tout=wanted, name=name or "Complex")


def saturate_cast(value: TensorLike, dtype: DTypeLike, name: Optional[str] = None) -> Tensor:
    """Converts to another dtype; what exceeds its range becomes the nearest of its numbers.

    Args:
        value: real numbers of any shape.
        dtype: the dtype of the result.

    Returns:
        A tensor of the shape of `value`.
    """
    tensor, wanted = convert_to_tensor(value), as_dtype(dtype)
    with get_default_graph().name_scope(name or "saturate_cast"):
        if tensor.dtype.min < wanted.min:
            tensor = gen_ops.maximum(tensor, constant(wanted.min, tensor.dtype))
        if tensor.dtype.max > wanted.max:
            tensor = gen_ops.minimum(tensor, constant(wanted.max, tensor.dtype))
        return math_ops.cast(tensor, wanted)
