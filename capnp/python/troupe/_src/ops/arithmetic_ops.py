"""Functions of elements: comparisons, sums, and some that are made of others."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops, raw_ops, selection_ops
from troupe._src.ops.cast_ops import real_dtype
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.ops.operators import binary
from troupe._src.ops.sparse_tensor import SparseTensor
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike, as_dtype
from troupe._src.types.shapes import ShapeLike, TensorShape, as_shape


def abs(x: Any, name: Optional[str] = None) -> Tensor:
    """The absolute value; of complex numbers, as real ones.

    Args:
        x: numbers of any shape, or a SparseTensor.

    Returns:
        A tensor of the shape of `x`, or a SparseTensor.
    """
    if isinstance(x, SparseTensor):
        return x._with_values(abs(x.values, name))  # type: ignore[return-value]
    tensor = convert_to_tensor(x)
    if tensor.dtype.is_complex:
        return raw_ops.ComplexAbs(x=tensor, Tout=real_dtype(tensor), name=name)
    return raw_ops.Abs(x=tensor, name=name)


def equal(x: TensorLike, y: TensorLike, name: Optional[str] = None) -> Tensor:
    """True where x == y, by elements.

    Args:
        x: a tensor of any dtype.
        y: of the same dtype, in a shape that broadcasts with that of `x`.

    Returns:
        A tensor of bools, in the broadcast shape.
    """
    return gen_ops.equal(x, y, name=name)


def not_equal(x: TensorLike, y: TensorLike, name: Optional[str] = None) -> Tensor:
    """True where x != y, by elements.

    Args:
        x: a tensor of any dtype.
        y: of the same dtype, in a shape that broadcasts with that of `x`.

    Returns:
        A tensor of bools, in the broadcast shape.
    """
    return gen_ops.not_equal(x, y, name=name)


def floordiv(x: TensorLike, y: TensorLike, name: Optional[str] = None) -> Tensor:
    """x / y, rounded down.

    Args:
        x: numbers.
        y: numbers of the dtype of `x`, in a shape that broadcasts with that of `x`.

    Returns:
        A tensor in the broadcast shape.
    """
    result: Tensor = binary("floordiv", x, y, name)
    return result


def logical_xor(x: TensorLike, y: TensorLike, name: str = "LogicalXor") -> Tensor:
    """Exclusive or, by elements.

    Args:
        x: bools.
        y: bools, in a shape that broadcasts with that of `x`.

    Returns:
        A tensor of bools, in the broadcast shape.
    """
    either = gen_ops.logical_or(x, y)
    return gen_ops.logical_and(either, gen_ops.logical_not(gen_ops.logical_and(x, y)), name=name)


def add_n(inputs: Sequence[TensorLike], name: Optional[str] = None) -> Tensor:
    """The sum of tensors of the same shape and dtype.

    Args:
        inputs: a list of at least one.

    Returns:
        A tensor of their shape.

    Raises:
        ValueError: if it is no list, or empty.
    """
    tensors = _list_of_tensors(inputs)
    if len(tensors) == 1:
        return array_ops.identity(tensors[0], name) if name else tensors[0]
    return raw_ops.AddN(inputs=tensors, name=name)


def accumulate_n(
    inputs: Sequence[TensorLike],
    shape: ShapeLike = None,
    tensor_dtype: Optional[DTypeLike] = None,
    name: Optional[str] = None,
) -> Tensor:
    """The sum of tensors of the same shape and dtype, added as they become available.

    Args:
        inputs: a list of at least one.
        shape: the shape of all of them, where it is not known otherwise.
        tensor_dtype: the dtype of all of them, which is checked.

    Returns:
        A tensor of their shape.

    Raises:
        TypeError: if the dtype is another.
        ValueError: if it is no list, empty, or shapes differ.
    """
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


def xlog1py(x: TensorLike, y: TensorLike, name: Optional[str] = None) -> Tensor:
    """x * log1p(y), and 0 where x is 0.

    Args:
        x: floats.
        y: floats of the same dtype, of a shape that can be broadcast with that of `x`.

    Returns:
        A tensor of that dtype.
    """
    with get_default_graph().name_scope(name or "xlog1py"):
        given = convert_to_tensor(x)
        is_zero = gen_ops.equal(given, 0)
        # Without a NaN in the gradient of what is not chosen.
        safe = selection_ops.where_v2(is_zero, creation_ops.zeros([], given.dtype), y)
        return given * gen_ops.log1p(safe)


def reciprocal_no_nan(x: TensorLike, name: Optional[str] = None) -> Tensor:
    """1 / x, and 0 where x is 0.

    Args:
        x: floats or complex numbers of any shape.

    Returns:
        A tensor of the shape and dtype of `x`.
    """
    given = convert_to_tensor(x)
    return gen_ops.div_no_nan(creation_ops.ones([], given.dtype), given, name=name)


def log_sigmoid(x: TensorLike, name: Optional[str] = None) -> Tensor:
    """log(sigmoid(x)), computed without overflow.

    Args:
        x: floats of any shape.

    Returns:
        A tensor of the shape and dtype of `x`.
    """
    with get_default_graph().name_scope(name or "LogSigmoid"):
        return gen_ops.negative(gen_ops.softplus(gen_ops.negative(x)))


def lbeta(x: TensorLike, name: Optional[str] = None) -> Tensor:
    """log(|Beta(x)|), along the last axis.

    Args:
        x: positive floats, [..., parameters].

    Returns:
        A tensor of the shape of `x` without the last axis.
    """
    tensor = convert_to_tensor(x)
    with get_default_graph().name_scope(name or "lbeta"):
        parts = math_ops.reduce_sum(gen_ops.lgamma(tensor), [-1])
        return gen_ops.subtract(parts, gen_ops.lgamma(math_ops.reduce_sum(tensor, [-1])))


def polyval(coeffs: List[Any], x: TensorLike, name: Optional[str] = None) -> Tensor:
    """The polynomial with those coefficients at x; the first is that of the highest power.

    Args:
        coeffs: a list of numbers or tensors that broadcast with `x`.
        x: numbers of any shape.

    Returns:
        A tensor of the shape of `x`; zeros where there are no coefficients.

    Raises:
        ValueError: if the coefficients are no list.
    """
    if not isinstance(coeffs, list):
        raise ValueError(f"Argument coeffs must be list type found {type(coeffs)}.")
    with get_default_graph().name_scope(name or "polyval"):
        tensor = convert_to_tensor(x)
        if not coeffs:
            return creation_ops.zeros_like(tensor, name=name)
        value = convert_to_tensor(coeffs[0], tensor.dtype)
        for coefficient in coeffs[1:]:
            value = convert_to_tensor(coefficient, tensor.dtype) + value * tensor
        return value


def is_non_decreasing(x: TensorLike, name: Optional[str] = None) -> Tensor:
    """True if no element is less than the one before it, in row-major order.

    Args:
        x: numbers of any shape.

    Returns:
        A scalar of bool; true for less than two elements.
    """
    with get_default_graph().name_scope(name or "is_non_decreasing"):
        steps = _steps_of(convert_to_tensor(x))
        return math_ops.reduce_all(gen_ops.less_equal(creation_ops.zeros_like(steps), steps))


def is_strictly_increasing(x: TensorLike, name: Optional[str] = None) -> Tensor:
    """True if each element is greater than the one before it, in row-major order.

    Args:
        x: numbers of any shape.

    Returns:
        A scalar of bool; true for less than two elements.
    """
    with get_default_graph().name_scope(name or "is_strictly_increasing"):
        steps = _steps_of(convert_to_tensor(x))
        return math_ops.reduce_all(gen_ops.less(creation_ops.zeros_like(steps), steps))


def _steps_of(tensor: Tensor) -> Tensor:
    """The differences between successive elements; none where there are less than two."""
    flat = array_ops.reshape(tensor, [-1])
    one = constant([1], dtypes.int32)
    size = array_ops.reshape(array_ops.size(flat), [1])
    later = array_ops.slice(flat, gen_ops.minimum(one, size), [-1])
    earlier = array_ops.slice(flat, [0], gen_ops.maximum(size - one, 0))
    return gen_ops.subtract(later, earlier)


def broadcast_static_shape(shape_x: ShapeLike, shape_y: ShapeLike) -> TensorShape:
    """The static shape of what an op with broadcasting makes of two shapes.

    Args:
        shape_x: a shape, which may be partly unknown.
        shape_y: another one.

    Returns:
        A TensorShape, unknown where a size cannot be inferred.

    Raises:
        ValueError: if the shapes do not broadcast.
    """
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


def broadcast_dynamic_shape(shape_x: TensorLike, shape_y: TensorLike) -> Tensor:
    """The shape, as a tensor, that tensors of both shapes are broadcast to in a step.

    Args:
        shape_x: sizes, int32 or int64 [rank of x].
        shape_y: sizes of the same dtype, [rank of y].

    Returns:
        Sizes of that dtype, [the greater rank].
    """
    return raw_ops.BroadcastArgs(s0=convert_to_tensor(shape_x), s1=convert_to_tensor(shape_y))


def bessel_i0(x: TensorLike, name: Optional[str] = None) -> Tensor:
    """The modified Bessel function of order 0.

    Args:
        x: floating point numbers.

    Returns:
        A tensor of the shape of `x`.
    """
    with get_default_graph().name_scope(name or "bessel_i0"):
        value = convert_to_tensor(x)
        return gen_ops.exp(abs(value)) * gen_ops.bessel_i0e(value)


def bessel_i1(x: TensorLike, name: Optional[str] = None) -> Tensor:
    """The modified Bessel function of order 1.

    Args:
        x: floating point numbers.

    Returns:
        A tensor of the shape of `x`.
    """
    with get_default_graph().name_scope(name or "bessel_i1"):
        value = convert_to_tensor(x)
        return gen_ops.exp(abs(value)) * gen_ops.bessel_i1e(value)
