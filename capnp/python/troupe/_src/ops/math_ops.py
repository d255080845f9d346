"""Arithmetic on tensors."""

from __future__ import annotations

import builtins
from typing import Any, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.indexed_slices import IndexedSlices
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import gen_ops, raw_ops
from troupe._src.arguments import either
from troupe._src.ops.convert import constant, convert_to_tensor, is_tensor
from troupe._src.ops.gen_ops import multiply
from troupe._src.ops.operators import binary, is_text, operands
from troupe._src.ops.sparse_tensor import SparseTensor
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike, as_dtype

Axes = Optional[TensorLike]  # an axis, a list of axes, or a tensor of them; None for all


def add(x: TensorLike, y: TensorLike, name: Optional[str] = None) -> Tensor:
    """x + y by elements, with broadcasting.

    Args:
        x: numbers or strings.
        y: of the dtype of `x`, in a shape that broadcasts with that of `x`.

    Returns:
        A tensor in the broadcast shape.
    """
    op = raw_ops.Add if is_text(x) or is_text(y) else raw_ops.AddV2
    total = _tensor(op(x=x, y=y, name=name or "Add"))
    total.op.__dict__["_is_add"] = True  # TensorFlow's op is Add here, and AddV2 by the operator
    return total


def divide(x: TensorLike, y: TensorLike, name: Optional[str] = None) -> Tensor:
    """x / y by Python's rules: integers are divided as floating-point numbers.

    Args:
        x: numbers.
        y: numbers of the dtype of `x`, in a shape that broadcasts with that of `x`.

    Returns:
        A tensor in the broadcast shape: of integers float32 below 32 bits, else float64.
    """
    return _tensor(binary("truediv", x, y, name))


truediv = divide


def div(x: TensorLike, y: TensorLike, name: Optional[str] = None) -> Tensor:
    """x / y; of integers, rounded down.

    Args:
        x: numbers.
        y: numbers of the dtype of `x`, in a shape that broadcasts with that of `x`.

    Returns:
        A tensor in the broadcast shape.
    """
    dividend, divisor = operands(x, y)
    op = raw_ops.FloorDiv if dividend.dtype.is_integer else raw_ops.RealDiv
    return op(x=dividend, y=divisor, name=name or "div")


def scalar_mul(scalar: TensorLike, x: Any, name: Optional[str] = None) -> Any:
    """Multiplies a tensor by a scalar.

    Args:
        scalar: a number or a scalar tensor of the dtype of `x`.
        x: a tensor of numbers, or IndexedSlices of them.

    Returns:
        A tensor of the shape and dtype of `x`, or IndexedSlices.

    Raises:
        ValueError: if the factor is no scalar.
    """
    tensor = x.values if isinstance(x, IndexedSlices) else convert_to_tensor(x)
    factor = convert_to_tensor(scalar, None if is_tensor(scalar) else tensor.dtype)
    if factor.shape.rank not in (None, 0):
        raise ValueError(f"Only scalar multiply works, got shape {factor.shape}")
    product = multiply(factor, tensor, name)
    is_sliced = isinstance(x, IndexedSlices)
    return IndexedSlices(product, x.indices, x.dense_shape) if is_sliced else product


def matmul(
    a: TensorLike,
    b: TensorLike,
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

    Args:
        a: numbers, [..., rows, inner].
        b: of the dtype of `a`, [..., inner, columns]; the first axes of both broadcast.
        transpose_a: whether the last axes of `a` are exchanged before.
        transpose_b: as `transpose_a`.
        adjoint_a: whether `a` is transposed and conjugated before.
        adjoint_b: as `adjoint_a`.
        a_is_sparse: has no effect.
        b_is_sparse: has no effect.

    Returns:
        A tensor [..., rows, columns].

    Raises:
        ValueError: if a matrix is to be transposed and adjoint, or sizes do not fit.
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
    """Converts the elements to another dtype; those of a sparse tensor, to another one.

    Args:
        x: a tensor of numbers or bools, or a SparseTensor of them.
        dtype: the dtype of the result.

    Returns:
        A tensor of the shape of `x`, or a SparseTensor; `x` itself if it has the dtype.
    """
    wanted = as_dtype(dtype)
    if isinstance(x, SparseTensor):
        return x._with_values(cast(x.values, wanted, name))  # type: ignore[return-value]
    tensor = convert_to_tensor(x)
    if tensor.dtype == wanted:
        return tensor
    return raw_ops.Cast(x=tensor, DstT=wanted, name=name)


def range(
    start: TensorLike,
    limit: Optional[TensorLike] = None,
    delta: TensorLike = 1,
    dtype: Optional[DTypeLike] = None,
    name: str = "range",
) -> Tensor:
    """start, start + delta, ... below limit. A single argument is the limit.

    Args:
        start: the first number, a scalar; the limit, where it is the only argument.
        limit: where it ends, which is no part of it.
        delta: the difference of successive numbers, which may be negative.
        dtype: the dtype of the result, by default the widest of the arguments'.

    Returns:
        A tensor of rank 1.
    """
    ends = (0, start, delta) if limit is None else (start, limit, delta)
    bounds = [convert_to_tensor(value, dtype) for value in ends]
    order = {dtypes.int32: 0, dtypes.int64: 1, dtypes.float32: 2, dtypes.float64: 3}
    widest = max((bound.dtype for bound in bounds), key=lambda kind: order.get(kind, 0))
    if any(bound.dtype != widest for bound in bounds):
        # Numbers are constants of that dtype: the runtime infers no shape from what a node casts.
        bounds = [b if is_tensor(v) else convert_to_tensor(v, widest) for v, b in zip(ends, bounds)]
    first, last, increment = (cast(bound, widest) for bound in bounds)
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
    input_tensor: TensorLike, axis: Axes = None, keepdims: Optional[bool] = None,
    name: Optional[str] = None, reduction_indices: Axes = None, keep_dims: Optional[bool] = None,
) -> Tensor:  # fmt: skip
    """The sum along those axes, by default all.

    Args:
        input_tensor: numbers of any shape.
        axis: an axis, a list of axes, or a tensor of them; None for all.
        keepdims: whether the axes stay, with the size 1.
        reduction_indices: the former name of `axis`.
        keep_dims: the former name of `keepdims`.

    Returns:
        A tensor of the shape of the input without the axes.

    Raises:
        ValueError: if both names of an argument are given.
    """
    axis = either("axis", axis, "reduction_indices", reduction_indices)
    return _reduce(raw_ops.Sum, input_tensor, axis, keepdims, name, keep_dims)


def reduce_mean(
    input_tensor: TensorLike, axis: Axes = None, keepdims: Optional[bool] = None,
    name: Optional[str] = None, reduction_indices: Axes = None, keep_dims: Optional[bool] = None,
) -> Tensor:  # fmt: skip
    """The mean along those axes, by default all.

    Args:
        input_tensor: numbers of any shape, whose dtype the mean has, too.
        axis: an axis, a list of axes, or a tensor of them; None for all.
        keepdims: whether the axes stay, with the size 1.
        reduction_indices: the former name of `axis`.
        keep_dims: the former name of `keepdims`.

    Returns:
        A tensor of the shape of the input without the axes.

    Raises:
        ValueError: if both names of an argument are given.
    """
    axis = either("axis", axis, "reduction_indices", reduction_indices)
    return _reduce(raw_ops.Mean, input_tensor, axis, keepdims, name, keep_dims)


def reduce_max(
    input_tensor: TensorLike, axis: Axes = None, keepdims: Optional[bool] = None,
    name: Optional[str] = None, reduction_indices: Axes = None, keep_dims: Optional[bool] = None,
) -> Tensor:  # fmt: skip
    """The maximum along those axes, by default all.

    Args:
        input_tensor: real numbers of any shape.
        axis: an axis, a list of axes, or a tensor of them; None for all.
        keepdims: whether the axes stay, with the size 1.
        reduction_indices: the former name of `axis`.
        keep_dims: the former name of `keepdims`.

    Returns:
        A tensor of the shape of the input without the axes.

    Raises:
        ValueError: if both names of an argument are given.
    """
    axis = either("axis", axis, "reduction_indices", reduction_indices)
    return _reduce(raw_ops.Max, input_tensor, axis, keepdims, name, keep_dims)


def reduce_min(
    input_tensor: TensorLike, axis: Axes = None, keepdims: Optional[bool] = None,
    name: Optional[str] = None, reduction_indices: Axes = None, keep_dims: Optional[bool] = None,
) -> Tensor:  # fmt: skip
    """The minimum along those axes, by default all.

    Args:
        input_tensor: real numbers of any shape.
        axis: an axis, a list of axes, or a tensor of them; None for all.
        keepdims: whether the axes stay, with the size 1.
        reduction_indices: the former name of `axis`.
        keep_dims: the former name of `keepdims`.

    Returns:
        A tensor of the shape of the input without the axes.

    Raises:
        ValueError: if both names of an argument are given.
    """
    axis = either("axis", axis, "reduction_indices", reduction_indices)
    return _reduce(raw_ops.Min, input_tensor, axis, keepdims, name, keep_dims)


def reduce_prod(
    input_tensor: TensorLike, axis: Axes = None, keepdims: Optional[bool] = None,
    name: Optional[str] = None, reduction_indices: Axes = None, keep_dims: Optional[bool] = None,
) -> Tensor:  # fmt: skip
    """The product along those axes, by default all.

    Args:
        input_tensor: numbers of any shape.
        axis: an axis, a list of axes, or a tensor of them; None for all.
        keepdims: whether the axes stay, with the size 1.
        reduction_indices: the former name of `axis`.
        keep_dims: the former name of `keepdims`.

    Returns:
        A tensor of the shape of the input without the axes.

    Raises:
        ValueError: if both names of an argument are given.
    """
    axis = either("axis", axis, "reduction_indices", reduction_indices)
    return _reduce(raw_ops.Prod, input_tensor, axis, keepdims, name, keep_dims)


def reduce_all(
    input_tensor: TensorLike, axis: Axes = None, keepdims: Optional[bool] = None,
    name: Optional[str] = None, reduction_indices: Axes = None, keep_dims: Optional[bool] = None,
) -> Tensor:  # fmt: skip
    """True where all elements along those axes, by default all, are true.

    Args:
        input_tensor: bools of any shape.
        axis: an axis, a list of axes, or a tensor of them; None for all.
        keepdims: whether the axes stay, with the size 1.
        reduction_indices: the former name of `axis`.
        keep_dims: the former name of `keepdims`.

    Returns:
        A tensor of the shape of the input without the axes.

    Raises:
        ValueError: if both names of an argument are given.
    """
    axis = either("axis", axis, "reduction_indices", reduction_indices)
    return _reduce(raw_ops.All, input_tensor, axis, keepdims, name, keep_dims)


def reduce_any(
    input_tensor: TensorLike, axis: Axes = None, keepdims: Optional[bool] = None,
    name: Optional[str] = None, reduction_indices: Axes = None, keep_dims: Optional[bool] = None,
) -> Tensor:  # fmt: skip
    """True where any element along those axes, by default all, is true.

    Args:
        input_tensor: bools of any shape.
        axis: an axis, a list of axes, or a tensor of them; None for all.
        keepdims: whether the axes stay, with the size 1.
        reduction_indices: the former name of `axis`.
        keep_dims: the former name of `keepdims`.

    Returns:
        A tensor of the shape of the input without the axes.

    Raises:
        ValueError: if both names of an argument are given.
    """
    axis = either("axis", axis, "reduction_indices", reduction_indices)
    return _reduce(raw_ops.Any, input_tensor, axis, keepdims, name, keep_dims)


def reduce_euclidean_norm(
    input_tensor: TensorLike,
    axis: Axes = None,
    keepdims: bool = False,
    name: Optional[str] = None,
) -> Tensor:
    """The square root of the sum of the squares.

    Args:
        input_tensor: numbers of any shape.
        axis: an axis, a list of axes, or a tensor of them; None for all.
        keepdims: whether the axes stay, with the size 1.

    Returns:
        A tensor of the shape of the input without the axes.
    """
    return _reduce(raw_ops.EuclideanNorm, input_tensor, axis, keepdims, name)


def _tensor(result: Any) -> Tensor:
    assert isinstance(result, Tensor)
    return result
