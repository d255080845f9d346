"""Reductions that are made of others, and the places of extremes."""

from __future__ import annotations

from typing import Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import gen_ops, raw_ops
from troupe._src.arguments import either
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.ops.gen_ops import exp, log, sqrt, squared_difference
from troupe._src.ops.math_ops import Axes, add, cast, reduce_max, reduce_mean, reduce_sum
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike


def argmax(
    input: TensorLike,
    axis: Optional[TensorLike] = None,
    name: Optional[str] = None,
    dimension: Optional[TensorLike] = None,
    output_type: DTypeLike = dtypes.int64,
) -> Tensor:
    """The index of the maximum along an axis, by default 0.

    Args:
        input: real numbers of any shape.
        axis: the axis, negative to count from the last.
        dimension: the former name of `axis`.
        output_type: int64 or int32.

    Returns:
        A tensor of the shape of the input without the axis: of equal ones, the first.

    Raises:
        ValueError: if both names of an argument are given.
    """
    axis = either("axis", axis, "dimension", dimension)
    return raw_ops.ArgMax(
        input=input, dimension=axis or 0, output_type=output_type, name=name or "ArgMax"
    )


def argmin(
    input: TensorLike,
    axis: Optional[TensorLike] = None,
    name: Optional[str] = None,
    dimension: Optional[TensorLike] = None,
    output_type: DTypeLike = dtypes.int64,
) -> Tensor:
    """The index of the minimum along an axis, by default 0.

    Args:
        input: real numbers of any shape.
        axis: the axis, negative to count from the last.
        dimension: the former name of `axis`.
        output_type: int64 or int32.

    Returns:
        A tensor of the shape of the input without the axis: of equal ones, the first.

    Raises:
        ValueError: if both names of an argument are given.
    """
    axis = either("axis", axis, "dimension", dimension)
    return raw_ops.ArgMin(
        input=input, dimension=axis or 0, output_type=output_type, name=name or "ArgMin"
    )


def reduce_variance(
    input_tensor: TensorLike,
    axis: Axes = None,
    keepdims: bool = False,
    name: Optional[str] = None,
) -> Tensor:
    """The mean of the squared differences from the mean.

    Args:
        input_tensor: floats of any shape.
        axis: an axis, a list of axes, or a tensor of them; None for all.
        keepdims: whether the axes stay, with the size 1.

    Returns:
        A tensor of the shape of the input without the axes.
    """
    tensor = convert_to_tensor(input_tensor)
    squares = squared_difference(tensor, reduce_mean(tensor, axis, keepdims=True))
    return reduce_mean(squares, axis, keepdims, name)


def reduce_std(
    input_tensor: TensorLike,
    axis: Axes = None,
    keepdims: bool = False,
    name: Optional[str] = None,
) -> Tensor:
    """The square root of the variance.

    Args:
        input_tensor: floats of any shape.
        axis: an axis, a list of axes, or a tensor of them; None for all.
        keepdims: whether the axes stay, with the size 1.

    Returns:
        A tensor of the shape of the input without the axes.
    """
    return sqrt(reduce_variance(input_tensor, axis, keepdims), name)


def reduce_logsumexp(
    input_tensor: TensorLike,
    axis: Axes = None,
    keepdims: Optional[bool] = None,
    name: Optional[str] = None,
    reduction_indices: Axes = None,
    keep_dims: Optional[bool] = None,
) -> Tensor:
    """log(sum(exp(x))), computed without overflow.

    Args:
        input_tensor: floats of any shape.
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


def count_nonzero(
    input_tensor: Optional[TensorLike] = None,
    axis: Axes = None,
    keepdims: Optional[bool] = None,
    dtype: DTypeLike = dtypes.int64,
    name: Optional[str] = None,
    reduction_indices: Axes = None,
    keep_dims: Optional[bool] = None,
    input: Optional[TensorLike] = None,
) -> Tensor:
    """The number of elements that are not zero (or not empty strings) along those axes.

    Args:
        input_tensor: numbers, bools or strings of any shape.
        axis: an axis, a list of axes, or a tensor of them; None for all.
        keepdims: whether the axes stay, with the size 1.
        dtype: the dtype of the counts.
        reduction_indices: the former name of `axis`.
        keep_dims: the former name of `keepdims`.
        input: another name of `input_tensor`.

    Returns:
        A tensor of the shape of the input without the axes.

    Raises:
        ValueError: if both names of an argument are given.
    """
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
    input: TensorLike,
    dimension: TensorLike,
    output_type: DTypeLike = dtypes.int64,
    name: Optional[str] = None,
) -> Tensor:
    """`argmax` with the argument order of older programs.

    Args:
        input: real numbers of any shape.
        dimension: the axis, negative to count from the last.
        output_type: int64 or int32.

    Returns:
        A tensor of the shape of the input without the axis.
    """
    return argmax(input, dimension, name, output_type=output_type)


def arg_min(
    input: TensorLike,
    dimension: TensorLike,
    output_type: DTypeLike = dtypes.int64,
    name: Optional[str] = None,
) -> Tensor:
    """`argmin` with the argument order of older programs.

    Args:
        input: real numbers of any shape.
        dimension: the axis, negative to count from the last.
        output_type: int64 or int32.

    Returns:
        A tensor of the shape of the input without the axis.
    """
    return argmin(input, dimension, name, output_type=output_type)
