"""Tensors that are made: placeholders, and tensors of one value."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from troupe._src.graph.elements import Tensor
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import gen_ops, raw_ops
from troupe._src.ops.array_ops import get_static_value, reshape, shape, sizes_of
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike, as_dtype
from troupe._src.types.shapes import ShapeLike, TensorShape, as_shape, unknown_shape


def placeholder(dtype: DTypeLike, shape: ShapeLike = None, name: Optional[str] = None) -> Tensor:
    """A tensor that each step that needs it must feed.

    Args:
        dtype: the dtype of the values.
        shape: what is known of their shape, which feeds are checked against; None for nothing.

    Returns:
        A tensor.
    """
    return raw_ops.Placeholder(dtype=dtype, shape=shape, name=name)


def placeholder_with_default(
    input: TensorLike, shape: ShapeLike, name: Optional[str] = None
) -> Tensor:
    """A tensor with the value of `input`, unless a step feeds another one of that shape.

    Args:
        input: the default value.
        shape: what is known of the shape of all values, also of the default.

    Returns:
        A tensor.
    """
    return raw_ops.PlaceholderWithDefault(input=input, shape=as_shape(shape), name=name)


def zeros(
    shape: ShapeLike, dtype: DTypeLike = dtypes.float32, name: Optional[str] = None
) -> Tensor:
    """A tensor of zeros.

    Args:
        shape: the sizes, also as a tensor of int32 or int64.
        dtype: the dtype; the zero of bools is False, of strings "".

    Returns:
        A tensor of that shape.
    """
    kind = as_dtype(dtype)
    value = constant("" if kind is dtypes.string else False if kind.is_bool else 0, kind)
    return gen_ops.fill(_vector_of_sizes(shape), value, name=name or "zeros")


def _vector_of_sizes(shape: Any) -> Tensor:
    """The sizes of a shape, of which a number is one."""
    is_list = isinstance(shape, (list, tuple))
    shape = [_whole(size) for size in shape] if is_list else _whole(shape)
    sizes = convert_to_tensor(sizes_of(shape))
    return reshape(sizes, [-1]) if sizes.shape.rank == 0 else sizes


def _whole(size: Any) -> Any:
    """A size; a floating point number stands for the integer that it is equal to."""
    if not isinstance(size, (float, np.floating)):
        return size
    if size != int(size):
        raise ValueError(f"Ambiguous dimension: {size}")
    return int(size)


def ones(shape: ShapeLike, dtype: DTypeLike = dtypes.float32, name: Optional[str] = None) -> Tensor:
    """A tensor of ones.

    Args:
        shape: the sizes, also as a tensor of int32 or int64.
        dtype: the dtype, of numbers or bools.

    Returns:
        A tensor of that shape.
    """
    value = constant(True if as_dtype(dtype).is_bool else 1, dtype)
    return gen_ops.fill(_vector_of_sizes(shape), value, name=name or "ones")


def zeros_like(
    tensor: TensorLike,
    dtype: Optional[DTypeLike] = None,
    name: Optional[str] = None,
    optimize: bool = True,
) -> Tensor:
    """Zeros with the shape of a tensor, and its dtype unless one is given.

    Args:
        tensor: a tensor.
        dtype: the dtype of the result, or None.
        optimize: whether a static shape that is fully defined is taken as it is, so that a step
            does not need the tensor.

    Returns:
        A tensor of the shape of the given one.
    """
    like = convert_to_tensor(tensor)
    if optimize and like.shape.is_fully_defined() and like.dtype is not dtypes.variant:
        return zeros(like.shape, dtype or like.dtype, name or "zeros_like")
    if dtype is None or as_dtype(dtype) == like.dtype:
        return raw_ops.ZerosLike(x=like, name=name or "zeros_like")
    return zeros(shape(like), dtype, name or "zeros_like")


def ones_like(
    tensor: TensorLike,
    dtype: Optional[DTypeLike] = None,
    name: Optional[str] = None,
    optimize: bool = True,
) -> Tensor:
    """Ones with the shape of a tensor, and its dtype unless one is given.

    Args:
        tensor: a tensor.
        dtype: the dtype of the result, or None.
        optimize: whether a static shape that is fully defined is taken as it is, so that a step
            does not need the tensor.

    Returns:
        A tensor of the shape of the given one.
    """
    like = convert_to_tensor(tensor)
    if optimize and like.shape.is_fully_defined() and like.dtype is not dtypes.variant:
        return ones(like.shape, dtype or like.dtype, name or "ones_like")
    if dtype is None or as_dtype(dtype) == like.dtype:
        return raw_ops.OnesLike(x=like, name=name or "ones_like")
    return ones(shape(like), dtype, name or "ones_like")


def fill(dims: ShapeLike, value: TensorLike, name: Optional[str] = None) -> Tensor:
    """A tensor with the same value in all elements.

    Args:
        dims: the sizes, also as a tensor of int32 or int64.
        value: a scalar of any dtype.

    Returns:
        A tensor of that shape and dtype.
    """
    return gen_ops.fill(sizes_of(dims), value, name=name)


def one_hot(
    indices: TensorLike,
    depth: TensorLike,
    on_value: Optional[TensorLike] = None,
    off_value: Optional[TensorLike] = None,
    axis: Optional[int] = None,
    dtype: Optional[DTypeLike] = None,
    name: Optional[str] = None,
) -> Tensor:
    """Adds an axis of size `depth`, with `on_value` at each index and `off_value` elsewhere.

    Args:
        indices: int32, int64 or uint8 of any shape; those outside of [0, depth) have no `on_value`.
        depth: the size of the new axis, a scalar.
        on_value: a scalar, by default 1.
        off_value: a scalar, by default 0.
        axis: the position of the new axis, by default the last.
        dtype: the dtype of the result, which that of the values must be; by default that of the
            values, float32 without any.

    Returns:
        A tensor with one axis more than the indices.

    Raises:
        TypeError: if the dtypes differ.
    """
    given = [None if value is None else convert_to_tensor(value) for value in (on_value, off_value)]
    found = next((value.dtype.base_dtype for value in given if value is not None), dtypes.float32)
    wanted = found if dtype is None else as_dtype(dtype)
    for name_of, value in zip(("on_value", "off_value"), given):
        if value is not None and value.dtype.base_dtype != wanted:
            raise TypeError(
                f"dtype {value.dtype.name} of {name_of} does not match dtype {wanted.name} of the "
                "result"
            )
    on, off = (
        convert_to_tensor(value, wanted) if tensor is None else tensor
        for tensor, value in zip(given, (1, 0))
    )
    axis = -1 if axis is None else axis
    return raw_ops.OneHot(
        indices=indices, depth=depth, on_value=on, off_value=off, axis=axis, name=name
    )


def pad(
    tensor: TensorLike,
    paddings: TensorLike,
    mode: str = "CONSTANT",
    name: Optional[str] = None,
    constant_values: TensorLike = 0,
) -> Tensor:
    """Pads before and after, along each axis, with one value or with the tensor's own, mirrored.

    In mode "REFLECT" the elements at the borders are not repeated, in mode "SYMMETRIC" they are.

    Args:
        tensor: of any dtype.
        paddings: the numbers of elements before and after, int32 or int64 [rank, 2].
        mode: "CONSTANT", "REFLECT" or "SYMMETRIC", in any case.
        constant_values: the scalar that is padded with in mode "CONSTANT".

    Returns:
        A tensor of the rank and dtype of the input.

    Raises:
        ValueError: if the mode is another.
    """
    kind = mode.upper()
    if kind in ("REFLECT", "SYMMETRIC"):
        return raw_ops.MirrorPad(input=tensor, paddings=paddings, mode=kind, name=name)
    if kind != "CONSTANT":
        raise ValueError(f"Unknown padding mode: {mode}")
    given = convert_to_tensor(tensor)
    if not isinstance(constant_values, Tensor) and constant_values == 0:
        padded = raw_ops.Pad(input=given, paddings=paddings, name=name)
    else:
        value = convert_to_tensor(constant_values, given.dtype)
        padded = raw_ops.PadV2(input=given, paddings=paddings, constant_values=value, name=name)
    if isinstance(paddings, (list, tuple)) and given.shape.rank == len(paddings):
        sizes = [_padded_size(*each) for each in zip(given.shape.as_list(), paddings)]
        if not padded.shape.is_fully_defined() and any(size is not None for size in sizes):
            padded.set_shape(sizes)
    return padded


def _padded_size(size: Optional[int], padding: Any) -> Optional[int]:
    """The size of an axis where that and both its paddings are known, one by one."""
    parts = padding if isinstance(padding, (list, tuple)) else [padding]
    known = [each if isinstance(each, int) else get_static_value(each) for each in parts]
    if size is None or any(each is None for each in known):
        return None
    return size + sum(int(number) for each in known for number in np.ravel(each))


def sizes_in(vector: Tensor) -> TensorShape:
    """The shape whose sizes are the elements of a vector.

    It is found through the ops that make vectors of sizes: Shape, Cast, Pack, ConcatV2 and slices
    without steps.

    Args:
        vector: integers, of rank 1; -1 stands for an unknown size.

    Returns:
        The shape; its rank is unknown where the length of the vector is.
    """
    known = get_static_value(vector)
    if known is not None:
        return TensorShape([None if size < 0 else int(size) for size in known])
    kind, inputs = vector.op.type, vector.op.inputs
    if kind == "Cast":
        return sizes_in(inputs[0])
    if kind == "Shape":
        return inputs[0].shape
    if kind == "Pack":
        return TensorShape([_size(each) for each in inputs])
    if kind == "ConcatV2":
        found = TensorShape([])
        for each in inputs[:-1]:
            found = found.concatenate(sizes_in(each))
        return found
    if kind == "StridedSlice":
        return _sliced(vector)
    length = vector.shape[0].value if vector.shape.rank else None
    return unknown_shape(length)


def _size(scalar: Tensor) -> Optional[int]:
    known = get_static_value(scalar)
    return None if known is None or known < 0 else int(known)


def _sliced(vector: Tensor) -> TensorShape:
    length = vector.shape[0].value if vector.shape.rank else None
    given = sizes_in(vector.op.inputs[0])
    begin, end, step = (get_static_value(each) for each in vector.op.inputs[1:4])
    masks = {name: vector.op.get_attr(f"{name}_mask") for name in ("begin", "end")}
    if given.rank is None or begin is None or end is None or step is None or step[0] != 1:
        return unknown_shape(length)
    first = None if masks["begin"] else int(begin[0])
    last = None if masks["end"] else int(end[0])
    return TensorShape(given.as_list()[first:last])
