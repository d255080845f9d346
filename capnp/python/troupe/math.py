"""Arithmetic on tensors."""

from __future__ import annotations

from typing import Any, Optional

from troupe import _dtypes, _gen_ops, raw_ops
from troupe._convert import constant, convert_to_tensor
from troupe._dtypes import DTypeLike, as_dtype
from troupe._elements import Tensor
from troupe._gen_ops import (
    abs,
    add_n,
    conj,
    equal,
    exp,
    greater,
    greater_equal,
    less,
    less_equal,
    log,
    logical_and,
    logical_not,
    maximum,
    minimum,
    multiply,
    negative,
    not_equal,
    pow,
    reciprocal,
    rsqrt,
    sigmoid,
    sign,
    sqrt,
    square,
    squared_difference,
    subtract,
    tanh,
)
from troupe._operators import binary


def add(x: Any, y: Any, name: Optional[str] = None) -> Tensor:
    """x + y, element-wise, with broadcasting."""
    return _tensor(raw_ops.AddV2(x=x, y=y, name=name or "Add"))


def divide(x: Any, y: Any, name: Optional[str] = None) -> Tensor:
    """x / y as Python divides: integers give fractions."""
    return _tensor(binary("truediv", x, y, name))


truediv = divide


def div(x: Any, y: Any, name: Optional[str] = None) -> Tensor:
    """x / y, rounded where these are integers."""
    return _tensor(raw_ops.Div(x=x, y=y, name=name or "div"))


def scalar_mul(scalar: Any, x: Any, name: Optional[str] = None) -> Tensor:
    """A number times a tensor."""
    return multiply(scalar, x, name)


def matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    name: Optional[str] = None,
) -> Tensor:
    """The product of two matrices, either of which may be transposed first."""
    return raw_ops.MatMul(a=a, b=b, transpose_a=transpose_a, transpose_b=transpose_b, name=name)


def cast(x: Any, dtype: DTypeLike, name: Optional[str] = None) -> Tensor:
    """The elements as another dtype."""
    wanted = as_dtype(dtype)
    tensor = convert_to_tensor(x)
    if tensor.dtype == wanted:
        return tensor
    return raw_ops.Cast(x=tensor, DstT=wanted, name=name)


def to_float(x: Any, name: str = "ToFloat") -> Tensor:
    return cast(x, _dtypes.float32, name)


def to_int32(x: Any, name: str = "ToInt32") -> Tensor:
    return cast(x, _dtypes.int32, name)


def to_int64(x: Any, name: str = "ToInt64") -> Tensor:
    return cast(x, _dtypes.int64, name)


def logical_or(x: Any, y: Any, name: Optional[str] = None) -> Tensor:
    """True where either is."""
    return logical_not(logical_and(logical_not(x), logical_not(y)), name)


def logical_xor(x: Any, y: Any, name: Optional[str] = None) -> Tensor:
    """True where just one is."""
    return logical_and(logical_or(x, y), logical_not(logical_and(x, y)), name)


def range(
    start: Any,
    limit: Any = None,
    delta: Any = 1,
    dtype: Optional[DTypeLike] = None,
    name: str = "range",
) -> Tensor:
    """start, start + delta, ... up to but without limit; one argument is the limit."""
    if limit is None:
        start, limit = 0, start
    parts = [convert_to_tensor(part, dtype) for part in (start, limit, delta)]
    kinds = [part.dtype for part in parts]
    order = (_dtypes.int32, _dtypes.int64, _dtypes.float32, _dtypes.float64)
    widest = max(kinds, key=lambda kind: order.index(kind) if kind in order else 0)
    first, last, step = [cast(part, widest) for part in parts]
    return raw_ops.Range(start=first, limit=last, delta=step, name=name)


def _reduced(
    op: Any, input_tensor: Any, axis: Any, keepdims: Any, name: Optional[str], keep_dims: Any = None
) -> Tensor:
    tensor = convert_to_tensor(input_tensor)
    if axis is None:
        rank = tensor.shape.rank
        if rank is None:
            axis = range(0, _gen_ops.rank(tensor))
        else:
            axis = constant(list(_builtin_range(rank)), _dtypes.int32)
    keep = bool(keepdims or keep_dims)
    return _tensor(op(input=tensor, reduction_indices=axis, keep_dims=keep, name=name))


def _builtin_range(count: int) -> Any:
    import builtins

    return builtins.range(count)


def reduce_sum(
    input_tensor: Any,
    axis: Any = None,
    keepdims: Optional[bool] = None,
    name: Optional[str] = None,
    reduction_indices: Any = None,
    keep_dims: Optional[bool] = None,
) -> Tensor:
    """The sum over those axes, or over all."""
    axis = reduction_indices if axis is None else axis
    return _reduced(raw_ops.Sum, input_tensor, axis, keepdims, name, keep_dims)


def reduce_mean(
    input_tensor: Any,
    axis: Any = None,
    keepdims: Optional[bool] = None,
    name: Optional[str] = None,
    reduction_indices: Any = None,
    keep_dims: Optional[bool] = None,
) -> Tensor:
    """The mean over those axes, or over all."""
    axis = reduction_indices if axis is None else axis
    return _reduced(raw_ops.Mean, input_tensor, axis, keepdims, name, keep_dims)


def reduce_max(
    input_tensor: Any,
    axis: Any = None,
    keepdims: Optional[bool] = None,
    name: Optional[str] = None,
    reduction_indices: Any = None,
    keep_dims: Optional[bool] = None,
) -> Tensor:
    """The greatest over those axes, or over all."""
    axis = reduction_indices if axis is None else axis
    return _reduced(raw_ops.Max, input_tensor, axis, keepdims, name, keep_dims)


def reduce_min(
    input_tensor: Any,
    axis: Any = None,
    keepdims: Optional[bool] = None,
    name: Optional[str] = None,
    reduction_indices: Any = None,
    keep_dims: Optional[bool] = None,
) -> Tensor:
    """The least over those axes, or over all."""
    axis = reduction_indices if axis is None else axis
    return _reduced(raw_ops.Min, input_tensor, axis, keepdims, name, keep_dims)


def reduce_prod(
    input_tensor: Any,
    axis: Any = None,
    keepdims: Optional[bool] = None,
    name: Optional[str] = None,
    reduction_indices: Any = None,
    keep_dims: Optional[bool] = None,
) -> Tensor:
    """The product over those axes, or over all."""
    axis = reduction_indices if axis is None else axis
    return _reduced(raw_ops.Prod, input_tensor, axis, keepdims, name, keep_dims)


def reduce_all(
    input_tensor: Any,
    axis: Any = None,
    keepdims: Optional[bool] = None,
    name: Optional[str] = None,
    reduction_indices: Any = None,
    keep_dims: Optional[bool] = None,
) -> Tensor:
    """True where all are, over those axes, or over all."""
    axis = reduction_indices if axis is None else axis
    return _reduced(raw_ops.All, input_tensor, axis, keepdims, name, keep_dims)


def reduce_any(
    input_tensor: Any,
    axis: Any = None,
    keepdims: Optional[bool] = None,
    name: Optional[str] = None,
    reduction_indices: Any = None,
    keep_dims: Optional[bool] = None,
) -> Tensor:
    """True where one is, over those axes, or over all."""
    axis = reduction_indices if axis is None else axis
    return _reduced(raw_ops.Any, input_tensor, axis, keepdims, name, keep_dims)


def argmax(
    input: Any,
    axis: Any = None,
    name: Optional[str] = None,
    dimension: Any = None,
    output_type: DTypeLike = _dtypes.int64,
) -> Tensor:
    """The position of the greatest along an axis, 0 if none is named."""
    axis = dimension if axis is None else axis
    return raw_ops.ArgMax(
        input=input, dimension=axis or 0, output_type=output_type, name=name or "ArgMax"
    )


def argmin(
    input: Any,
    axis: Any = None,
    name: Optional[str] = None,
    dimension: Any = None,
    output_type: DTypeLike = _dtypes.int64,
) -> Tensor:
    """The position of the least along an axis, 0 if none is named."""
    return argmax(negative(input), axis, name or "ArgMin", dimension, output_type)


def reduce_variance(
    input_tensor: Any, axis: Any = None, keepdims: Optional[bool] = None, name: Optional[str] = None
) -> Tensor:
    """The mean of the squares of the distances from the mean."""
    tensor = convert_to_tensor(input_tensor)
    distance = squared_difference(tensor, reduce_mean(tensor, axis, keepdims=True))
    return reduce_mean(distance, axis, keepdims, name)


def reduce_std(
    input_tensor: Any, axis: Any = None, keepdims: Optional[bool] = None, name: Optional[str] = None
) -> Tensor:
    """The square root of the variance."""
    return sqrt(reduce_variance(input_tensor, axis, keepdims), name)


def reduce_logsumexp(
    input_tensor: Any, axis: Any = None, keepdims: Optional[bool] = None, name: Optional[str] = None
) -> Tensor:
    """log(sum(exp(x))), which does not overflow."""
    tensor = convert_to_tensor(input_tensor)
    greatest = _gen_ops.stop_gradient(reduce_max(tensor, axis, keepdims=True))
    rest = log(reduce_sum(exp(tensor - greatest), axis, keepdims))
    return add(rest, reduce_sum(greatest, axis, keepdims), name)


def _tensor(answer: Any) -> Tensor:
    assert isinstance(answer, Tensor)
    return answer


__all__ = [
    "abs",
    "add",
    "add_n",
    "argmax",
    "argmin",
    "conj",
    "divide",
    "equal",
    "exp",
    "greater",
    "greater_equal",
    "less",
    "less_equal",
    "log",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "multiply",
    "negative",
    "not_equal",
    "pow",
    "reciprocal",
    "reduce_all",
    "reduce_any",
    "reduce_logsumexp",
    "reduce_max",
    "reduce_mean",
    "reduce_min",
    "reduce_prod",
    "reduce_std",
    "reduce_sum",
    "reduce_variance",
    "rsqrt",
    "scalar_mul",
    "sigmoid",
    "sign",
    "sqrt",
    "square",
    "squared_difference",
    "subtract",
    "tanh",
    "truediv",
]
