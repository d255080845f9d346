"""Shapes that tensors are, as far as they are known without a step, and sizes of tensors."""

from __future__ import annotations

from typing import Any, List, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.ops import array_ops, raw_ops
from troupe._src.ops.array_ops import get_static_value
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.sparse_tensor import SparseTensor, SparseTensorValue
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike
from troupe._src.types.shapes import TensorShape

_SPARSE = (SparseTensor, SparseTensorValue)


def constant_value_as_shape(tensor: Any) -> TensorShape:
    """The shape that a tensor is, without the sizes that only a step computes.

    Args:
        tensor: A vector of sizes, or the number -1 for an unknown shape.

    Returns:
        The shape.

    Raises:
        ValueError: It is another number, or has more axes.
    """
    tensor = convert_to_tensor(tensor)
    value = get_static_value(tensor)
    if tensor.shape.rank == 0:
        if value is None or value != -1:
            raise ValueError(
                f"Received a scalar value '{value}' as shape; require a statically known scalar "
                "with value '-1' to describe an unknown shape."
            )
        return TensorShape(None)
    shape = tensor.shape.with_rank(1)
    if value is not None:
        return TensorShape([None if size < 0 else int(size) for size in value])
    return _of_node(tensor, shape.as_list()[0])


def shape_internal(
    input: Any,
    name: Optional[str] = None,
    optimize: bool = True,
    out_type: DTypeLike = dtypes.int32,
) -> Tensor:
    """The shape of a tensor, as of `tf.shape`.

    Args:
        input: A tensor, also a sparse one.
        name: The name of the operation.
        optimize: Whether it is a constant where the static shape is fully defined.
        out_type: int32 or int64.

    Returns:
        A tensor [rank].
    """
    if optimize or isinstance(input, _SPARSE):
        return array_ops.shape(input, name, out_type)
    return raw_ops.Shape(input=input, out_type=out_type, name=name)


def size_internal(
    input: Any,
    name: Optional[str] = None,
    optimize: bool = True,
    out_type: DTypeLike = dtypes.int32,
) -> Tensor:
    """The number of elements of a tensor, as of `tf.size`.

    Args:
        input: A tensor, also a sparse one.
        name: The name of the operation.
        optimize: Whether it is a constant where it is known.
        out_type: int32 or int64.

    Returns:
        A scalar.
    """
    if optimize or isinstance(input, _SPARSE):
        return array_ops.size(input, name, out_type)
    return raw_ops.Size(input=input, out_type=out_type, name=name)


def rank_internal(input: Any, name: Optional[str] = None, optimize: bool = True) -> Tensor:
    """The number of axes of a tensor, as of `tf.rank`.

    Args:
        input: A tensor, also a sparse one.
        name: The name of the operation.
        optimize: Whether it is a constant where it is known.

    Returns:
        An int32 scalar.
    """
    if optimize or isinstance(input, _SPARSE):
        return array_ops.rank(input, name)
    return raw_ops.Rank(input=input, name=name)


def _of_node(tensor: Tensor, length: Any) -> TensorShape:
    op = tensor.op
    if op.type == "Shape":
        return op.inputs[0].shape
    if op.type == "Pack":
        values: List[Any] = [get_static_value(each) for each in op.inputs]
        return TensorShape([None if v is None or v < 0 else int(v) for v in values])
    if op.type in ("Cast", "Identity"):
        return constant_value_as_shape(op.inputs[0])
    if op.type == "ConcatV2":
        whole = TensorShape([])
        for part in op.inputs[:-1]:
            whole = whole.concatenate(constant_value_as_shape(part))
        return whole
    if op.type == "StridedSlice":
        sliced = _of_slice(tensor)
        if sliced is not None:
            return sliced
    return TensorShape(None if length is None else [None] * length)


def _of_slice(tensor: Tensor) -> Optional[TensorShape]:
    """Of a slice of a shape; None where it is not known which."""
    op = tensor.op
    masks = ("ellipsis_mask", "new_axis_mask", "shrink_axis_mask")
    bounds = [get_static_value(each) for each in op.inputs[1:]]
    if any(op.get_attr(mask) for mask in masks) or any(bound is None for bound in bounds):
        return None
    begin, end, step = (int(bound[0]) for bound in bounds)
    whole = constant_value_as_shape(op.inputs[0])
    if whole.rank is None:
        return None
    first = None if op.get_attr("begin_mask") else begin
    last = None if op.get_attr("end_mask") else end
    return TensorShape(whole.as_list()[first:last:step])
