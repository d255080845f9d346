"""Functions of elements: complex parts, division, casts, and some that are made of others."""

from __future__ import annotations

import math
from typing import Any, Optional, Sequence

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.ops import array_ops, gen_ops, math_ops, raw_ops
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.ops.operators import binary
from troupe._src.ops.sparse_tensor import SparseTensor
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DType, DTypeLike, as_dtype
from troupe._src.types.shapes import ShapeLike, TensorShape, as_shape


def _real_dtype(tensor: Tensor) -> DType:
    """The dtype of the parts of complex numbers."""
    return dtypes.float64 if tensor.dtype is dtypes.complex128 else dtypes.float32


def abs(x: Any, name: Optional[str] = None) -> Tensor:
    """The absolute value; of complex numbers, as real ones."""
    if isinstance(x, SparseTensor):
        return x._with_values(abs(x.values, name))  # type: ignore[return-value]
    tensor = convert_to_tensor(x)
    if tensor.dtype.is_complex:
        return raw_ops.ComplexAbs(x=tensor, Tout=_real_dtype(tensor), name=name)
    return raw_ops.Abs(x=tensor, name=name)


def conj(x: Any, name: Optional[str] = None) -> Tensor:
    """The complex conjugate; real numbers are returned as they are."""
    tensor = convert_to_tensor(x)
    if tensor.dtype.is_complex:
        return raw_ops.Conj(input=tensor, name=name)
    if tensor.dtype.is_floating or tensor.dtype.is_integer:
        return tensor
    raise TypeError(f"Expected numeric tensor, got dtype {tensor.dtype!r}")


def real(input: Any, name: Optional[str] = None) -> Tensor:
    """The real part; real numbers are returned as they are."""
    tensor = convert_to_tensor(input)
    if not tensor.dtype.is_complex:
        return tensor
    return raw_ops.Real(input=tensor, Tout=_real_dtype(tensor), name=name)


def imag(input: Any, name: Optional[str] = None) -> Tensor:
    """The imaginary part, which is 0 for real numbers."""
    tensor = convert_to_tensor(input)
    if not tensor.dtype.is_complex:
        return array_ops.zeros_like(tensor)
    return raw_ops.Imag(input=tensor, Tout=_real_dtype(tensor), name=name)


def angle(input: Any, name: Optional[str] = None) -> Tensor:
    """The angle of complex numbers in the plane, in radians: 0 or pi for real ones."""
    tensor = convert_to_tensor(input)
    if tensor.dtype.is_complex:
        return raw_ops.Angle(input=tensor, Tout=_real_dtype(tensor), name=name)
    zeros = array_ops.zeros_like(tensor)
    half_turn = gen_ops.fill(array_ops.shape(tensor), constant(math.pi, tensor.dtype))
    return array_ops.where(gen_ops.less(tensor, zeros), half_turn, zeros)


def complex(real: Any, imag: Any, name: Optional[str] = None) -> Tensor:
    """Complex numbers of those parts, which are both float32 or both float64."""
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


def equal(x: Any, y: Any, name: Optional[str] = None) -> Tensor:
    """True where x == y, by elements."""
    return gen_ops.equal(x, y, name=name)


def not_equal(x: Any, y: Any, name: Optional[str] = None) -> Tensor:
    """True where x != y, by elements."""
    return gen_ops.not_equal(x, y, name=name)


def floordiv(x: Any, y: Any, name: Optional[str] = None) -> Tensor:
    """x / y, rounded down."""
    result: Tensor = binary("floordiv", x, y, name)
    return result


def logical_xor(x: Any, y: Any, name: str = "LogicalXor") -> Tensor:
    """Exclusive or, by elements."""
    either = gen_ops.logical_or(x, y)
    return gen_ops.logical_and(either, gen_ops.logical_not(gen_ops.logical_and(x, y)), name=name)


def add_n(inputs: Any, name: Optional[str] = None) -> Tensor:
    """The sum of tensors of the same shape and dtype."""
    tensors = _list_of_tensors(inputs)
    if len(tensors) == 1:
        return array_ops.identity(tensors[0], name) if name else tensors[0]
    return raw_ops.AddN(inputs=tensors, name=name)


def accumulate_n(
    inputs: Any,
    shape: ShapeLike = None,
    tensor_dtype: Optional[DTypeLike] = None,
    name: Optional[str] = None,
) -> Tensor:
    """The sum of tensors of the same shape and dtype, added as they become available."""
    tensors = _list_of_tensors(inputs)
    if tensor_dtype is not None and as_dtype(tensor_dtype) != tensors[0].dtype:
        raise TypeError(
            f"tensor_dtype is {as_dtype(tensor_dtype).name}, but input is of type "
            f"{tensors[0].dtype.name}"
        )
    merged = as_shape(shape)
    for tensor in tensors:
        merged = merged.merge_with(tensor.shape)
    if len(tensors) == 1:
        return array_ops.identity(tensors[0], name) if name else tensors[0]
    if not merged.is_fully_defined():
        return raw_ops.AddN(inputs=tensors, name=name or "AccumulateNV2")
    return raw_ops.AccumulateNV2(inputs=tensors, shape=merged, name=name)


def _list_of_tensors(inputs: Any) -> Any:
    if not inputs or not isinstance(inputs, (list, tuple)):
        raise ValueError("inputs must be a list of at least one Tensor with the same dtype & shape")
    return [convert_to_tensor(item) for item in inputs]


def log_sigmoid(x: Any, name: Optional[str] = None) -> Tensor:
    """log(sigmoid(x)), computed without overflow."""
    with get_default_graph().name_scope(name or "LogSigmoid"):
        return gen_ops.negative(gen_ops.softplus(gen_ops.negative(x)))


def saturate_cast(value: Any, dtype: DTypeLike, name: Optional[str] = None) -> Tensor:
    """Converts to another dtype; what exceeds its range becomes the nearest of its numbers."""
    tensor, wanted = convert_to_tensor(value), as_dtype(dtype)
    with get_default_graph().name_scope(name or "saturate_cast"):
        if tensor.dtype.min < wanted.min:
            tensor = gen_ops.maximum(tensor, constant(wanted.min, tensor.dtype))
        if tensor.dtype.max > wanted.max:
            tensor = gen_ops.minimum(tensor, constant(wanted.max, tensor.dtype))
        return math_ops.cast(tensor, wanted)


def lbeta(x: Any, name: Optional[str] = None) -> Tensor:
    """log(|Beta(x)|), along the last axis."""
    tensor = convert_to_tensor(x)
    with get_default_graph().name_scope(name or "lbeta"):
        parts = math_ops.reduce_sum(gen_ops.lgamma(tensor), [-1])
        return gen_ops.subtract(parts, gen_ops.lgamma(math_ops.reduce_sum(tensor, [-1])))


def polyval(coeffs: Any, x: Any, name: Optional[str] = None) -> Tensor:
    """The polynomial with those coefficients at x; the first is that of the highest power."""
    if not isinstance(coeffs, list):
        raise ValueError(f"Argument coeffs must be list type found {type(coeffs)}.")
    with get_default_graph().name_scope(name or "polyval"):
        tensor = convert_to_tensor(x)
        if not coeffs:
            return array_ops.zeros_like(tensor, name=name)
        value = convert_to_tensor(coeffs[0], tensor.dtype)
        for coefficient in coeffs[1:]:
            value = convert_to_tensor(coefficient, tensor.dtype) + value * tensor
        return value


def is_non_decreasing(x: Any, name: Optional[str] = None) -> Tensor:
    """True if no element is less than the one before it, in row-major order."""
    with get_default_graph().name_scope(name or "is_non_decreasing"):
        steps = _steps_of(convert_to_tensor(x))
        return math_ops.reduce_all(gen_ops.less_equal(array_ops.zeros_like(steps), steps))


def is_strictly_increasing(x: Any, name: Optional[str] = None) -> Tensor:
    """True if each element is greater than the one before it, in row-major order."""
    with get_default_graph().name_scope(name or "is_strictly_increasing"):
        steps = _steps_of(convert_to_tensor(x))
        return math_ops.reduce_all(gen_ops.less(array_ops.zeros_like(steps), steps))


def _steps_of(tensor: Tensor) -> Tensor:
    """The differences between successive elements; none where there are less than two."""
    flat = array_ops.reshape(tensor, [-1])
    one = constant([1], dtypes.int32)
    size = array_ops.reshape(array_ops.size(flat), [1])
    later = array_ops.slice(flat, gen_ops.minimum(one, size), [-1])
    earlier = array_ops.slice(flat, [0], gen_ops.maximum(size - one, 0))
    return gen_ops.subtract(later, earlier)


def broadcast_static_shape(shape_x: ShapeLike, shape_y: ShapeLike) -> TensorShape:
    """The static shape of what an op with broadcasting makes of two shapes."""
    first, second = as_shape(shape_x), as_shape(shape_y)
    if first.rank is None or second.rank is None:
        return TensorShape(None)
    rank = max(first.rank, second.rank)
    aligned = [[*[1] * (rank - len(each)), *each.as_list()] for each in (first, second)]
    return TensorShape([_broadcast_size(x, y, (first, second)) for x, y in zip(*aligned)])


def _broadcast_size(x: Optional[int], y: Optional[int], shapes: Sequence[Any]) -> Optional[int]:
    if x == 1 or y == 1 or x == y:
        return y if x == 1 else x
    if x is None or y is None:
        return x or y
    raise ValueError(f"Incompatible shapes for broadcasting: {shapes[0]} and {shapes[1]}")


def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> Tensor:
    """The shape, as a tensor, that tensors of both shapes are broadcast to in a step."""
    return raw_ops.BroadcastArgs(s0=convert_to_tensor(shape_x), s1=convert_to_tensor(shape_y))
