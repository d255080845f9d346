"""Arithmetic on tensors."""

from __future__ import annotations

import builtins
from typing import Any, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.ops import gen_ops, raw_ops
from troupe._src.ops.arguments import either
from troupe._src.ops.convert import constant, convert_to_tensor, is_tensor
from troupe._src.ops.gen_ops import (
    exp,
    log,
    multiply,
    sqrt,
    squared_difference,
)
from troupe._src.ops.operators import binary, operands
from troupe._src.ops.sparse_tensor import SparseTensor
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
    """x / y; of integers, rounded down."""
    dividend, divisor = operands(x, y)
    op = raw_ops.FloorDiv if dividend.dtype.is_integer else raw_ops.RealDiv
    return op(x=dividend, y=divisor, name=name or "div")


def scalar_mul(scalar: Any, x: Any, name: Optional[str] = None) -> Tensor:
    """Multiplies a tensor by a scalar."""
    tensor = convert_to_tensor(x)
    factor = convert_to_tensor(scalar, None if is_tensor(scalar) else tensor.dtype)
    if factor.shape.rank not in (None, 0):
        raise ValueError(f"Only scalar multiply works, got shape {factor.shape}")
    return multiply(factor, tensor, name)


def matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: Optional[str] = None,
) -> Tensor:
    """The product of two matrices or batches of them, each transposed or adjoint if asked for.

    That many elements are zero makes no difference.
    """
    if (transpose_a and adjoint_a) or (transpose_b and adjoint_b):
        raise ValueError("Only one of transpose and adjoint can be True.")
    a = convert_to_tensor(a)
    b = convert_to_tensor(b, None if is_tensor(b) else a.dtype)
    if any(each.shape.rank is None or each.shape.rank > 2 for each in (a, b)):
        # The op for batches knows adjoints only: one of conjugates is the transpose.
        return raw_ops.BatchMatMulV2(
            x=_conj(a) if transpose_a else a,
            y=_conj(b) if transpose_b else b,
            adj_x=transpose_a or adjoint_a,
            adj_y=transpose_b or adjoint_b,
            name=name or "MatMul",
        )
    return raw_ops.MatMul(
        a=_conj(a) if adjoint_a else a,
        b=_conj(b) if adjoint_b else b,
        transpose_a=transpose_a or adjoint_a,
        transpose_b=transpose_b or adjoint_b,
        name=name,
    )


def _conj(value: Any) -> Tensor:
    tensor = convert_to_tensor(value)
    return raw_ops.Conj(input=tensor) if tensor.dtype.is_complex else tensor


def cast(x: Any, dtype: DTypeLike, name: Optional[str] = None) -> Tensor:
    """Converts the elements to another dtype; those of a sparse tensor, to another one."""
    wanted = as_dtype(dtype)
    if isinstance(x, SparseTensor):
        return x._with_values(cast(x.values, wanted, name))  # type: ignore[return-value]
    tensor = convert_to_tensor(x)
    if tensor.dtype == wanted:
        return tensor
    return raw_ops.Cast(x=tensor, DstT=wanted, name=name)


def to_float(x: Any, name: str = "ToFloat") -> Tensor:
    """The elements as float32."""
    return cast(x, dtypes.float32, name)


def to_double(x: Any, name: str = "ToDouble") -> Tensor:
    """The elements as float64."""
    return cast(x, dtypes.float64, name)


def to_bfloat16(x: Any, name: str = "ToBFloat16") -> Tensor:
    """The elements as bfloat16."""
    return cast(x, dtypes.bfloat16, name)


def to_complex64(x: Any, name: str = "ToComplex64") -> Tensor:
    """The elements as complex64."""
    return cast(x, dtypes.complex64, name)


def to_complex128(x: Any, name: str = "ToComplex128") -> Tensor:
    """The elements as complex128."""
    return cast(x, dtypes.complex128, name)


def to_int32(x: Any, name: str = "ToInt32") -> Tensor:
    """The elements as int32."""
    return cast(x, dtypes.int32, name)


def to_int64(x: Any, name: str = "ToInt64") -> Tensor:
    """The elements as int64."""
    return cast(x, dtypes.int64, name)


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
    wanted = dtypes.bool_ if op in (raw_ops.All, raw_ops.Any) else None
    tensor = convert_to_tensor(input_tensor, preferred_dtype=wanted)
    is_scalar = False
    if axis is None:
        rank = tensor.shape.rank
        if rank is None:
            axis = range(0, gen_ops.rank(tensor))
        else:
            axis = constant(list(builtins.range(rank)), dtypes.int32)
        is_scalar = True
    keep = bool(either("keepdims", keepdims, "keep_dims", keep_dims))
    result = _tensor(op(input=tensor, reduction_indices=axis, keep_dims=keep, name=name))
    if is_scalar and not keep:
        result.set_shape([])
    return result


def reduce_sum(
    input_tensor: Any,
    axis: Any = None,
    keepdims: Optional[bool] = None,
    name: Optional[str] = None,
    reduction_indices: Any = None,
    keep_dims: Optional[bool] = None,
) -> Tensor:
    """The sum along those axes, by default all."""
    axis = either("axis", axis, "reduction_indices", reduction_indices)
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
    axis = either("axis", axis, "reduction_indices", reduction_indices)
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
    axis = either("axis", axis, "reduction_indices", reduction_indices)
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
    axis = either("axis", axis, "reduction_indices", reduction_indices)
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
    axis = either("axis", axis, "reduction_indices", reduction_indices)
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
    axis = either("axis", axis, "reduction_indices", reduction_indices)
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
    axis = either("axis", axis, "reduction_indices", reduction_indices)
    return _reduce(raw_ops.Any, input_tensor, axis, keepdims, name, keep_dims)


def argmax(
    input: Any,
    axis: Any = None,
    name: Optional[str] = None,
    dimension: Any = None,
    output_type: DTypeLike = dtypes.int64,
) -> Tensor:
    """The index of the maximum along an axis, by default 0."""
    axis = either("axis", axis, "dimension", dimension)
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
    axis = either("axis", axis, "dimension", dimension)
    return raw_ops.ArgMin(
        input=input, dimension=axis or 0, output_type=output_type, name=name or "ArgMin"
    )


def reduce_variance(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: Optional[str] = None
) -> Tensor:
    """The mean of the squared differences from the mean."""
    tensor = convert_to_tensor(input_tensor)
    squares = squared_difference(tensor, reduce_mean(tensor, axis, keepdims=True))
    return reduce_mean(squares, axis, keepdims, name)


def reduce_std(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: Optional[str] = None
) -> Tensor:
    """The square root of the variance."""
    return sqrt(reduce_variance(input_tensor, axis, keepdims), name)


def reduce_logsumexp(
    input_tensor: Any,
    axis: Any = None,
    keepdims: Optional[bool] = None,
    name: Optional[str] = None,
    reduction_indices: Any = None,
    keep_dims: Optional[bool] = None,
) -> Tensor:
    """log(sum(exp(x))), computed without overflow."""
    axis = either("axis", axis, "reduction_indices", reduction_indices)
    keep = bool(either("keepdims", keepdims, "keep_dims", keep_dims))
    with get_default_graph().name_scope(name or "ReduceLogSumExp"):
        tensor = convert_to_tensor(input_tensor)
        found = reduce_max(tensor, axis, keepdims=True)
        # Infinite elements would make the difference from the largest a NaN.
        finite = raw_ops.Select(
            condition=gen_ops.is_finite(found), t=found, e=raw_ops.ZerosLike(x=found)
        )
        largest = gen_ops.stop_gradient(finite)
        scaled = log(reduce_sum(exp(tensor - largest), axis, keep))
        if not keep:
            largest = gen_ops.reshape(largest, raw_ops.Shape(input=scaled))
        return add(scaled, largest)


def reduce_euclidean_norm(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: Optional[str] = None
) -> Tensor:
    """The square root of the sum of the squares."""
    return _reduce(raw_ops.EuclideanNorm, input_tensor, axis, keepdims, name)


def count_nonzero(
    input_tensor: Any = None,
    axis: Any = None,
    keepdims: Optional[bool] = None,
    dtype: DTypeLike = dtypes.int64,
    name: Optional[str] = None,
    reduction_indices: Any = None,
    keep_dims: Optional[bool] = None,
    input: Any = None,
) -> Tensor:
    """The number of elements that are not zero (or not empty strings) along those axes."""
    keepdims = either("keepdims", keepdims, "keep_dims", keep_dims)
    axis = either("axis", axis, "reduction_indices", reduction_indices)
    with get_default_graph().name_scope(name or "count_nonzero"):
        tensor = convert_to_tensor(either("input", input, "input_tensor", input_tensor))
        if tensor.dtype is dtypes.string:
            tensor = raw_ops.StringLength(input=tensor)
        zero = constant(False if tensor.dtype.is_bool else 0, tensor.dtype)
        others = raw_ops.NotEqual(x=tensor, y=zero)
        return cast(reduce_sum(cast(others, dtypes.int64), axis, keepdims), dtype)


def arg_max(
    input: Any, dimension: Any, output_type: DTypeLike = dtypes.int64, name: Optional[str] = None
) -> Tensor:
    """`argmax` with the argument order of older programs."""
    return argmax(input, dimension, name, output_type=output_type)


def arg_min(
    input: Any, dimension: Any, output_type: DTypeLike = dtypes.int64, name: Optional[str] = None
) -> Tensor:
    """`argmin` with the argument order of older programs."""
    return argmin(input, dimension, name, output_type=output_type)


def _tensor(result: Any) -> Tensor:
    assert isinstance(result, Tensor)
    return result
