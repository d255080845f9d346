"""Functions that create tensors and change their shapes."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence

from troupe._src.graph.elements import Tensor
from troupe._src.graph.indexed_slices import IndexedSlices
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import gen_ops, raw_ops
from troupe._src.ops.convert import constant, convert_to_tensor, to_numpy
from troupe._src.types import dtypes
from troupe._src.types.dimensions import Dimension
from troupe._src.types.dtypes import DTypeLike
from troupe._src.types.shapes import ShapeLike, TensorShape

newaxis = None  # in an index, a new dimension of size 1


def sizes_of(shape: Any) -> Any:
    """A shape as an input of an op."""
    sizes = shape.as_list() if isinstance(shape, TensorShape) else shape
    if not isinstance(sizes, (list, tuple)):
        return convert_to_tensor(sizes, None if isinstance(sizes, Tensor) else dtypes.int32)
    is_wide = dtypes.int64 in [size.dtype for size in sizes if isinstance(size, Tensor)]
    dtype = dtypes.int64 if is_wide else dtypes.int32
    return convert_to_tensor(sizes, dtype) if sizes else constant([], dtype, [0])


def reshape(tensor: TensorLike, shape: ShapeLike, name: Optional[str] = None) -> Tensor:
    """The same elements in another shape; a size of -1 is inferred.

    Args:
        tensor: of any dtype and shape.
        shape: the sizes, also as a tensor of int32 or int64; one may be -1.

    Returns:
        A tensor of that shape, in the same dtype.
    """
    return gen_ops.reshape(tensor, sizes_of(shape), name=name)


def broadcast_to(input: TensorLike, shape: ShapeLike, name: Optional[str] = None) -> Tensor:
    """Repeats the elements along axes of size 1 and along new axes, by NumPy's rules.

    Args:
        input: a tensor of any dtype.
        shape: the sizes, also as a tensor of int32 or int64.

    Returns:
        A tensor of that shape, in the same dtype.
    """
    return gen_ops.broadcast_to(input, sizes_of(shape), name=name)


def shape(input: Any, name: Optional[str] = None, out_type: DTypeLike = dtypes.int32) -> Tensor:
    """The shape as a tensor: a constant where the static shape is fully defined.

    Args:
        input: a tensor of any dtype and shape, also a sparse one.
        out_type: int32 or int64.

    Returns:
        A tensor [rank].
    """
    if _is_sparse(input):
        sizes = convert_to_tensor(input.dense_shape, dtypes.int64)
        return raw_ops.Cast(x=sizes, DstT=out_type, name=name)
    tensor = convert_to_tensor(input)
    if tensor.shape.is_fully_defined():
        return constant(tensor.shape.as_list(), out_type, [len(tensor.shape)], name or "Shape")
    return raw_ops.Shape(input=tensor, out_type=out_type, name=name)


def size(input: Any, name: Optional[str] = None, out_type: DTypeLike = dtypes.int32) -> Tensor:
    """The number of elements, a constant where it is known; those of a sparse tensor's dense form.

    Args:
        input: a tensor of any dtype and shape, also a sparse one.
        out_type: int32 or int64.

    Returns:
        A scalar.
    """
    if _is_sparse(input):
        return raw_ops.Prod(input=shape(input, out_type=out_type), reduction_indices=0, name=name)
    tensor = convert_to_tensor(input)
    if tensor.shape.is_fully_defined():
        return constant(tensor.shape.num_elements(), out_type, [], name or "Size")
    return raw_ops.Size(input=tensor, out_type=out_type, name=name)


def rank(input: Any, name: Optional[str] = None) -> Tensor:
    """The number of axes: a constant where it is known.

    Args:
        input: a tensor of any dtype and shape, also a sparse one.

    Returns:
        An int32 scalar.
    """
    if _is_sparse(input):
        return raw_ops.Size(input=convert_to_tensor(input.dense_shape, dtypes.int64), name=name)
    tensor = convert_to_tensor(input)
    if tensor.shape.rank is not None:
        return constant(tensor.shape.rank, dtypes.int32, [], name or "Rank")
    return raw_ops.Rank(input=tensor, name=name)


def _is_sparse(value: Any) -> bool:
    """Whether it is a SparseTensor or its value, whose modules need this one."""
    return hasattr(value, "dense_shape") and not isinstance(value, IndexedSlices)


def slice(
    input_: TensorLike, begin: TensorLike, size: TensorLike, name: Optional[str] = None
) -> Tensor:
    """The slice that starts at `begin`; a size of -1 extends to the end of the axis.

    Args:
        input_: a tensor of any dtype.
        begin: the first position along each axis, int32 or int64 [rank].
        size: the number of elements along each axis, of the dtype of `begin`, [rank].

    Returns:
        A tensor of the rank and dtype of the input.
    """
    return raw_ops.Slice(input=input_, begin=begin, size=size, name=name)


def expand_dims(
    input: TensorLike,
    axis: Optional[TensorLike] = None,
    name: Optional[str] = None,
    dim: Optional[TensorLike] = None,
) -> Tensor:
    """Adds an axis of size 1.

    Args:
        input: a tensor of any dtype.
        axis: the position of the new axis in the result; negative ones count from its end.
        dim: the former name of `axis`.

    Returns:
        A tensor with one axis more.
    """
    place: Any = dim if axis is None else axis
    return raw_ops.ExpandDims(input=input, dim=place, name=name)


def squeeze(
    input: TensorLike, axis: Any = None, name: Optional[str] = None, squeeze_dims: Any = None
) -> Tensor:
    """Removes axes of size 1: the given ones, or all.

    Args:
        input: a tensor of any dtype.
        axis: a position or a list of them, whose sizes are 1; None for all axes of size 1.
        squeeze_dims: the former name of `axis`.

    Returns:
        A tensor without these axes.
    """
    axes = squeeze_dims if axis is None else axis
    if isinstance(axes, int):
        axes = [axes]
    return raw_ops.Squeeze(input=input, squeeze_dims=axes, name=name)


def transpose(
    a: TensorLike,
    perm: Optional[TensorLike] = None,
    name: str = "transpose",
    conjugate: bool = False,
) -> Tensor:
    """Permutes the axes; reverses them by default.

    Args:
        a: a tensor of any dtype.
        perm: for each axis of the result, that of the input; None to reverse the axes.
        conjugate: whether complex numbers become their conjugates.

    Returns:
        A tensor of the rank and dtype of `a`.
    """
    tensor = convert_to_tensor(a)
    rank = tensor.shape.rank
    if perm is None and rank is None:
        axes = raw_ops.Range(start=0, limit=raw_ops.Rank(input=tensor), delta=1)
        perm = raw_ops.Sub(x=raw_ops.Sub(x=raw_ops.Rank(input=tensor), y=1), y=axes)
    elif perm is None:
        perm = constant(list(range(rank or 0))[::-1], dtypes.int32, [rank or 0])
    permuted = raw_ops.Transpose(x=tensor, perm=perm, name=name)
    return raw_ops.Conj(input=permuted) if conjugate and permuted.dtype.is_complex else permuted


def matrix_transpose(
    a: TensorLike, name: str = "matrix_transpose", conjugate: bool = False
) -> Tensor:
    """Swaps the last two axes.

    Args:
        a: a tensor [..., rows, columns].
        conjugate: whether complex numbers become their conjugates.

    Returns:
        A tensor [..., columns, rows].

    Raises:
        ValueError: if the rank is known to be below 2.
    """
    tensor = convert_to_tensor(a)
    rank = tensor.shape.rank
    if rank is None:
        axes = raw_ops.Range(start=0, limit=raw_ops.Rank(input=tensor), delta=1)
        order = raw_ops.ConcatV2(values=[axes[:-2], axes[-1:], axes[-2:-1]], axis=0)
        return transpose(tensor, order, name, conjugate)
    if rank < 2:
        raise ValueError(f"Argument 'a' should be a (batch) matrix, with rank >= 2.  Found: {rank}")
    return transpose(tensor, [*range(rank - 2), rank - 1, rank - 2], name, conjugate)


def concat(values: Sequence[TensorLike], axis: TensorLike, name: str = "concat") -> Tensor:
    """Concatenates tensors along an axis.

    Args:
        values: a list of tensors of one dtype and rank, with the same sizes along the other axes.
        axis: the axis, negative to count from the last; also a scalar tensor.

    Returns:
        A tensor of their rank.

    Raises:
        ValueError: if there is no tensor, or the axis is no scalar.
    """
    if not isinstance(values, (list, tuple)):
        values = [values]
    if not values:
        raise ValueError("concat needs a tensor at least")
    if len(values) == 1:
        place = convert_to_tensor(axis, dtypes.int32)
        if place.shape.rank not in (None, 0):
            raise ValueError(f"the axis must be a scalar, not of shape {place.shape}")
        return gen_ops.identity(values[0], name=name)
    return raw_ops.ConcatV2(values=list(values), axis=axis, name=name)


def stack(values: Sequence[TensorLike], axis: int = 0, name: str = "stack") -> Tensor:
    """Stacks tensors of the same shape along a new axis.

    Args:
        values: a list of tensors of one dtype.
        axis: the position of the new axis in the result; negative ones count from its end.

    Returns:
        A tensor with one axis more.
    """
    return raw_ops.Pack(values=list(values), axis=axis, name=name)


def unstack(
    value: TensorLike, num: Optional[int] = None, axis: int = 0, name: str = "unstack"
) -> List[Tensor]:
    """The slices along an axis, without that axis.

    Args:
        value: a tensor of rank 1 or more.
        num: the size of the axis, where the static shape does not say it.
        axis: negative to count from the last.

    Returns:
        Tensors with one axis less.

    Raises:
        ValueError: if there is no such axis, or its size is neither known nor given.
    """
    tensor = convert_to_tensor(value)
    if (rank := tensor.shape.rank) is not None and axis not in range(-rank, rank):
        raise ValueError(f"axis = {axis} not in [{-rank}, {rank})")
    num = tensor.shape[axis].value if num is None and rank else num
    if num is not None:
        return raw_ops.Unpack(value=tensor, num=num, axis=axis, name=name)
    raise ValueError(f"Cannot infer num from shape {tensor.shape}")


def split(
    value: TensorLike,
    num_or_size_splits: Any,
    axis: Any = 0,
    num: Optional[int] = None,
    name: str = "split",
) -> List[Tensor]:
    """Splits along an axis: into a number of equal parts, or into parts of the given sizes.

    Args:
        value: a tensor of rank 1 or more.
        num_or_size_splits: the number of parts, or the sizes of all parts, also as a tensor.
        axis: the axis, negative to count from the last.
        num: the number of parts, where the shape of a tensor of sizes does not say it.

    Returns:
        A list of tensors of the rank of `value`.

    Raises:
        ValueError: if the number of parts is not known.
    """
    sizes = convert_to_tensor(num_or_size_splits)
    if isinstance(num_or_size_splits, (int, Dimension)) or sizes.shape.rank == 0:
        return as_list(
            raw_ops.Split(split_dim=axis, value=value, num_split=int(num_or_size_splits), name=name)
        )
    count = sizes.shape[0].value if num is None and sizes.shape.rank is not None else num
    if count is None:
        raise ValueError("Cannot infer num from shape " + str(num_or_size_splits))
    return as_list(
        raw_ops.SplitV(value=value, size_splits=sizes, split_dim=axis, num_split=count, name=name)
    )


def as_list(parts: Any) -> List[Tensor]:
    """The outputs of an op that may have only one."""
    return list(parts) if isinstance(parts, (list, tuple)) else [parts]


def identity(input: TensorLike, name: Optional[str] = None) -> Tensor:
    """A node that returns its input.

    Args:
        input: a tensor.

    Returns:
        A tensor of the same value.
    """
    return gen_ops.identity(input, name=name)


def identity_n(input: Sequence[TensorLike], name: Optional[str] = None) -> List[Tensor]:
    """The tensors themselves, all at once.

    Args:
        input: tensors of any dtypes and shapes.

    Returns:
        As many tensors of the same values; each is there when all of them are.
    """
    return as_list(raw_ops.IdentityN(input=list(input), name=name))


def get_static_value(tensor: TensorLike, partial: bool = False) -> Any:
    """The value, where it is known while the graph is built, else None.

    Args:
        tensor: a tensor, or a value of which one is made.
        partial: has no effect.

    Returns:
        An array or NumPy scalar, or None.
    """
    # A tensor may be that of a function which is not the one that is being made.
    element = tensor if isinstance(tensor, Tensor) else convert_to_tensor(tensor)
    known: Any = element.graph._root.constant_value(element._value())
    return None if known is None else to_numpy(known)
