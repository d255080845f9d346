"""Arithmetic on tensors."""

from __future__ import annotations

import builtins
from typing import Any, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.ops import gen_ops, raw_ops
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.ops.gen_ops import (
    exp,
    log,
    logical_and,
    logical_not,
    multiply,
    negative,
    sqrt,
    squared_difference,
)
from troupe._src.ops.operators import binary
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike, as_dtype


def add(x: Any, y: Any, name: Optional[str] = None) -> Tensor:
    """x + y by elements, with broadcasting."""
    return _tensor(raw_ops.AddV2(x=x, y=y, name=name or "Add"))


def divide(x: Any, y: Any, name: Optional[str] = None) -> Tensor:
    """x / y by Python's rules: integers are divided as floating-point numbers."""
    return _tensor(binary("truediv", x, y, name))


truediv = divide


def div(x: Any, y: Any, name: Optional[str] = None) -> Tensor:
    """x / y; integers are divided with rounding."""
    return _tensor(raw_ops.Div(x=x, y=y, name=name or "div"))


def scalar_mul(scalar: Any, x: Any, name: Optional[str] = None) -> Tensor:
    """Multiplies a tensor by a scalar."""
    return multiply(scalar, x, name)


def matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    name: Optional[str] = None,
) -> Tensor:
    """The product of two matrices, each transposed first where asked for."""
    return raw_ops.MatMul(a=a, b=b, transpose_a=transpose_a, transpose_b=transpose_b, name=name)


def cast(x: Any, dtype: DTypeLike, name: Optional[str] = None) -> Tensor:
    """Converts the elements to another dtype."""
    wanted = as_dtype(dtype)
    tensor = convert_to_tensor(x)
    if tensor.dtype == wanted:
        return tensor
    return raw_ops.Cast(x=tensor, DstT=wanted, name=name)


def to_float(x: Any, name: str = "ToFloat") -> Tensor:
    return cast(x, dtypes.float32, name)


def to_int32(x: Any, name: str = "ToInt32") -> Tensor:
    return cast(x, dtypes.int32, name)


def to_int64(x: Any, name: str = "ToInt64") -> Tensor:
    return cast(x, dtypes.int64, name)


def logical_or(x: Any, y: Any, name: Optional[str] = None) -> Tensor:
    """x or y, by elements."""
    return logical_not(logical_and(logical_not(x), logical_not(y)), name)


def logical_xor(x: Any, y: Any, name: Optional[str] = None) -> Tensor:
    """Exclusive or, by elements."""
    return logical_and(logical_or(x, y), logical_not(logical_and(x, y)), name)


def range(
    start: Any,
    limit: Any = None,
    delta: Any = 1,
    dtype: Optional[DTypeLike] = None,
    name: str = "range",
) -> Tensor:
    """start, start + delta, ... below limit. A single argument is the limit."""
    if limit is None:
        start, limit = 0, start
    bounds = [convert_to_tensor(value, dtype) for value in (start, limit, delta)]
    order = (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64)
    widest = max(
        (bound.dtype for bound in bounds),
        key=lambda kind: order.index(kind) if kind in order else 0,
    )
    first, last, increment = [cast(bound, widest) for bound in bounds]
    return raw_ops.Range(start=first, limit=last, delta=increment, name=name)


def _reduce(
    op: Any, input_tensor: Any, axis: Any, keepdims: Any, name: Optional[str], keep_dims: Any = None
) -> Tensor:
    tensor = convert_to_tensor(input_tensor)
    if axis is None:
        rank = tensor.shape.rank
        if rank is None:
            axis = range(0, gen_ops.rank(tensor))
        else:
            axis = constant(list(builtins.range(rank)), dtypes.int32)
    keep = bool(keepdims or keep_dims)
    return _tensor(op(input=tensor, reduction_indices=axis, keep_dims=keep, name=name))


def reduce_sum(
    input_tensor: Any,
    axis: Any = None,
    keepdims: Optional[bool] = None,
    name: Optional[str] = None,
    reduction_indices: Any = None,
    keep_dims: Optional[bool] = None,
) -> Tensor:
    """The sum along those axes, by default all."""
    axis = reduction_indices if axis is None else axis
    return _reduce(raw_ops.Sum, input_tensor, axis, keepdims, name, keep_dims)


def reduce_mean(
    input_tensor: Any,
    axis: Any = None,
    keepdims: Optional[bool] = None,
    name: Optional[str] = None,
    reduction_indices: Any = None,
    keep_dims: Optional[bool] = None,
) -> Tensor:
    """The mean along those axes, by default all."""
    axis = reduction_indices if axis is None else axis
    return _reduce(raw_ops.Mean, input_tensor, axis, keepdims, name, keep_dims)


def reduce_max(
    input_tensor: Any,
    axis: Any = None,
    keepdims: Optional[bool] = None,
    name: Optional[str] = None,
    reduction_indices: Any = None,
    keep_dims: Optional[bool] = None,
) -> Tensor:
    """The maximum along those axes, by default all."""
    axis = reduction_indices if axis is None else axis
    return _reduce(raw_ops.Max, input_tensor, axis, keepdims, name, keep_dims)


def reduce_min(
    input_tensor: Any,
    axis: Any = None,
    keepdims: Optional[bool] = None,
    name: Optional[str] = None,
    reduction_indices: Any = None,
    keep_dims: Optional[bool] = None,
) -> Tensor:
    """The minimum along those axes, by default all."""
    axis = reduction_indices if axis is None else axis
    return _reduce(raw_ops.Min, input_tensor, axis, keepdims, name, keep_dims)


def reduce_prod(
    input_tensor: Any,
    axis: Any = None,
    keepdims: Optional[bool] = None,
    name: Optional[str] = None,
    reduction_indices: Any = None,
    keep_dims: Optional[bool] = None,
) -> Tensor:
    """The product along those axes, by default all."""
    axis = reduction_indices if axis is None else axis
    return _reduce(raw_ops.Prod, input_tensor, axis, keepdims, name, keep_dims)


def reduce_all(
    input_tensor: Any,
    axis: Any = None,
    keepdims: Optional[bool] = None,
    name: Optional[str] = None,
    reduction_indices: Any = None,
    keep_dims: Optional[bool] = None,
) -> Tensor:
    """True where all elements along those axes, by default all, are true."""
    axis = reduction_indices if axis is None else axis
    return _reduce(raw_ops.All, input_tensor, axis, keepdims, name, keep_dims)


def reduce_any(
    input_tensor: Any,
    axis: Any = None,
    keepdims: Optional[bool] = None,
    name: Optional[str] = None,
    reduction_indices: Any = None,
    keep_dims: Optional[bool] = None,
) -> Tensor:
    """True where any element along those axes, by default all, is true."""
    axis = reduction_indices if axis is None else axis
    return _reduce(raw_ops.Any, input_tensor, axis, keepdims, name, keep_dims)


def argmax(
    input: Any,
    axis: Any = None,
    name: Optional[str] = None,
    dimension: Any = None,
    output_type: DTypeLike = dtypes.int64,
) -> Tensor:
    """The index of the maximum along an axis, by default 0."""
    axis = dimension if axis is None else axis
    return raw_ops.ArgMax(
        input=input, dimension=axis or 0, output_type=output_type, name=name or "ArgMax"
    )


def argmin(
    input: Any,
    axis: Any = None,
    name: Optional[str] = None,
    dimension: Any = None,
    output_type: DTypeLike = dtypes.int64,
) -> Tensor:
    """The index of the minimum along an axis, by default 0."""
    return argmax(negative(input), axis, name or "ArgMin", dimension, output_type)


def reduce_variance(
    input_tensor: Any, axis: Any = None, keepdims: Optional[bool] = None, name: Optional[str] = None
) -> Tensor:
    """The mean of the squared differences from the mean."""
    tensor = convert_to_tensor(input_tensor)
    squares = squared_difference(tensor, reduce_mean(tensor, axis, keepdims=True))
    return reduce_mean(squares, axis, keepdims, name)


def reduce_std(
    input_tensor: Any, axis: Any = None, keepdims: Optional[bool] = None, name: Optional[str] = None
) -> Tensor:
    """The square root of the variance."""
    return sqrt(reduce_variance(input_tensor, axis, keepdims), name)


def reduce_logsumexp(
    input_tensor: Any, axis: Any = None, keepdims: Optional[bool] = None, name: Optional[str] = None
) -> Tensor:
    """log(sum(exp(x))), computed without overflow."""
    tensor = convert_to_tensor(input_tensor)
    largest = gen_ops.stop_gradient(reduce_max(tensor, axis, keepdims=True))
    scaled = log(reduce_sum(exp(tensor - largest), axis, keepdims))
    return add(scaled, reduce_sum(largest, axis, keepdims), name)


def _tensor(result: Any) -> Tensor:
    assert isinstance(result, Tensor)
    return result
