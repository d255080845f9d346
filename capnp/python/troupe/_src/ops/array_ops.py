"""Functions that create tensors and change their shapes."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence

from troupe._src.graph.elements import Operation, Tensor, flatten
from troupe._src.graph.graph import get_default_graph
from troupe._src.ops import gen_ops, raw_ops
from troupe._src.ops.convert import constant, convert_to_tensor, to_numpy
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike, as_dtype
from troupe._src.types.shapes import Dimension, ShapeLike, TensorShape, as_shape

# In an index, a new dimension of size 1.
newaxis = None


def placeholder(dtype: DTypeLike, shape: ShapeLike = None, name: Optional[str] = None) -> Tensor:
    """A tensor that each step that needs it must feed."""
    return raw_ops.Placeholder(dtype=dtype, shape=shape, name=name)


def no_op(name: Optional[str] = None) -> Operation:
    """A node that does nothing, for control dependencies."""
    return raw_ops.NoOp(name=name)


def group(*inputs: Any, name: str = "group_deps") -> Operation:
    """A node that does nothing and runs after all of `inputs`, which may be nested lists."""
    graph = get_default_graph()
    with graph.control_dependencies([item for item in flatten(inputs) if item is not None]):
        return graph._add("NoOp", [], {}, name)


def placeholder_with_default(input: Any, shape: ShapeLike, name: Optional[str] = None) -> Tensor:
    """A tensor with the value of `input`, unless a step feeds another one of that shape."""
    return raw_ops.PlaceholderWithDefault(input=input, shape=as_shape(shape), name=name)


def sizes_of(shape: Any) -> Any:
    """A shape as an input of an op."""
    if isinstance(shape, TensorShape):
        return constant(shape.as_list(), dtypes.int32)
    if isinstance(shape, (list, tuple)) and not shape:
        return constant([], dtypes.int32, [0])
    return convert_to_tensor(shape, None if isinstance(shape, Tensor) else dtypes.int32)


def zeros(shape: Any, dtype: DTypeLike = dtypes.float32, name: Optional[str] = None) -> Tensor:
    """A tensor of zeros."""
    kind = as_dtype(dtype)
    value = constant("" if kind is dtypes.string else False if kind.is_bool else 0, kind)
    return gen_ops.fill(_vector_of_sizes(shape), value, name=name or "zeros")


def _vector_of_sizes(shape: Any) -> Tensor:
    """The sizes of a shape, of which a number is one."""
    sizes = convert_to_tensor(sizes_of(shape))
    return reshape(sizes, [-1]) if sizes.shape.rank == 0 else sizes


def ones(shape: Any, dtype: DTypeLike = dtypes.float32, name: Optional[str] = None) -> Tensor:
    """A tensor of ones."""
    value = constant(True if as_dtype(dtype).is_bool else 1, dtype)
    return gen_ops.fill(_vector_of_sizes(shape), value, name=name or "ones")


def zeros_like(
    tensor: Any,
    dtype: Optional[DTypeLike] = None,
    name: Optional[str] = None,
    optimize: bool = True,
) -> Tensor:
    """Zeros with the shape of a tensor, and its dtype unless one is given."""
    like = convert_to_tensor(tensor)
    if dtype is None or as_dtype(dtype) == like.dtype:
        return raw_ops.ZerosLike(x=like, name=name)
    return zeros(shape(like), dtype, name or "zeros_like")


def ones_like(
    tensor: Any,
    dtype: Optional[DTypeLike] = None,
    name: Optional[str] = None,
    optimize: bool = True,
) -> Tensor:
    """Ones with the shape of a tensor, and its dtype unless one is given."""
    like = convert_to_tensor(tensor)
    if dtype is None or as_dtype(dtype) == like.dtype:
        return raw_ops.OnesLike(x=like, name=name)
    return ones(shape(like), dtype, name or "ones_like")


def fill(dims: Any, value: Any, name: Optional[str] = None) -> Tensor:
    """A tensor with the same value in all elements."""
    return gen_ops.fill(sizes_of(dims), value, name=name)


def reshape(tensor: Any, shape: Any, name: Optional[str] = None) -> Tensor:
    """The same elements in another shape; a size of -1 is inferred."""
    return gen_ops.reshape(tensor, sizes_of(shape), name=name)


def broadcast_to(input: Any, shape: Any, name: Optional[str] = None) -> Tensor:
    """Repeats the elements along axes of size 1 and along new axes, by NumPy's rules."""
    return gen_ops.broadcast_to(input, sizes_of(shape), name=name)


def shape(input: Any, name: Optional[str] = None, out_type: DTypeLike = dtypes.int32) -> Tensor:
    """The shape as a tensor: a constant where the static shape is fully defined."""
    tensor = convert_to_tensor(input)
    if tensor.shape.is_fully_defined():
        return constant(tensor.shape.as_list(), out_type, [len(tensor.shape)], name or "Shape")
    return raw_ops.Shape(input=tensor, out_type=out_type, name=name)


def size(input: Any, name: Optional[str] = None, out_type: DTypeLike = dtypes.int32) -> Tensor:
    """The number of elements."""
    return raw_ops.Size(input=input, out_type=out_type, name=name)


def slice(input_: Any, begin: Any, size: Any, name: Optional[str] = None) -> Tensor:
    """The slice that starts at `begin`; a size of -1 extends to the end of the axis."""
    return raw_ops.Slice(input=input_, begin=begin, size=size, name=name)


def expand_dims(
    input: Any, axis: Any = None, name: Optional[str] = None, dim: Any = None
) -> Tensor:
    """Adds an axis of size 1."""
    return raw_ops.ExpandDims(input=input, dim=dim if axis is None else axis, name=name)


def squeeze(
    input: Any, axis: Any = None, name: Optional[str] = None, squeeze_dims: Any = None
) -> Tensor:
    """Removes axes of size 1: the given ones, or all."""
    axes = squeeze_dims if axis is None else axis
    if isinstance(axes, int):
        axes = [axes]
    return raw_ops.Squeeze(input=input, squeeze_dims=axes, name=name)


def transpose(a: Any, perm: Any = None, name: str = "transpose", conjugate: bool = False) -> Tensor:
    """Permutes the axes; reverses them by default."""
    tensor = convert_to_tensor(a)
    rank = tensor.shape.rank
    if perm is None and rank is None:
        axes = raw_ops.Range(start=0, limit=raw_ops.Rank(input=tensor), delta=1)
        perm = raw_ops.Sub(x=raw_ops.Sub(x=raw_ops.Rank(input=tensor), y=1), y=axes)
    elif perm is None:
        perm = constant(list(range(rank or 0))[::-1], dtypes.int32, [rank or 0])
    permuted = raw_ops.Transpose(x=tensor, perm=perm, name=name)
    return raw_ops.Conj(input=permuted) if conjugate and permuted.dtype.is_complex else permuted


def matrix_transpose(a: Any, name: str = "matrix_transpose", conjugate: bool = False) -> Tensor:
    """Swaps the last two axes."""
    tensor = convert_to_tensor(a)
    rank = tensor.shape.rank
    if rank is None:
        axes = raw_ops.Range(start=0, limit=raw_ops.Rank(input=tensor), delta=1)
        order = raw_ops.ConcatV2(values=[axes[:-2], axes[-1:], axes[-2:-1]], axis=0)
        return transpose(tensor, order, name, conjugate)
    if rank < 2:
        raise ValueError(f"Argument 'a' should be a (batch) matrix, with rank >= 2.  Found: {rank}")
    return transpose(tensor, [*range(rank - 2), rank - 1, rank - 2], name, conjugate)


def concat(values: Sequence[Any], axis: Any, name: str = "concat") -> Tensor:
    """Concatenates tensors along an axis."""
    if not isinstance(values, (list, tuple)):
        values = [values]
    if len(values) == 1:
        return gen_ops.identity(values[0], name=name)
    return raw_ops.ConcatV2(values=list(values), axis=axis, name=name)


def stack(values: Sequence[Any], axis: int = 0, name: str = "stack") -> Tensor:
    """Stacks tensors of the same shape along a new axis."""
    return raw_ops.Pack(values=list(values), axis=axis, name=name)


def unstack(
    value: Any, num: Optional[int] = None, axis: int = 0, name: str = "unstack"
) -> List[Tensor]:
    """The slices along an axis, without that axis."""
    tensor = convert_to_tensor(value)
    if num is None:
        num = tensor.shape[axis].value
    if num is None:
        raise ValueError(f"Cannot infer num from shape {tensor.shape}")
    return raw_ops.Unpack(value=tensor, num=num, axis=axis, name=name)


def split(
    value: Any,
    num_or_size_splits: Any,
    axis: Any = 0,
    num: Optional[int] = None,
    name: str = "split",
) -> List[Tensor]:
    """Splits along an axis: into a number of equal parts, or into parts of the given sizes."""
    sizes = convert_to_tensor(num_or_size_splits)
    if isinstance(num_or_size_splits, (int, Dimension)) or sizes.shape.rank == 0:
        return as_list(
            raw_ops.Split(split_dim=axis, value=value, num_split=int(num_or_size_splits), name=name)
        )
    if sizes.shape.rank is None:
        raise ValueError("Rank-0 tensors are not supported as the num_or_size_splits argument.")
    count = num if num is not None else sizes.shape[0].value
    if count is None:
        raise ValueError("Cannot infer num from shape " + str(num_or_size_splits))
    return as_list(
        raw_ops.SplitV(value=value, size_splits=sizes, split_dim=axis, num_split=count, name=name)
    )


def as_list(parts: Any) -> List[Tensor]:
    """The outputs of an op that may have only one."""
    return list(parts) if isinstance(parts, (list, tuple)) else [parts]


def pad(
    tensor: Any,
    paddings: Any,
    mode: str = "CONSTANT",
    name: Optional[str] = None,
    constant_values: Any = 0,
) -> Tensor:
    """Pads before and after, along each axis, with one value or with the tensor's own, mirrored.

    In mode "REFLECT" the elements at the borders are not repeated, in mode "SYMMETRIC" they are.
    """
    kind = mode.upper()
    if kind in ("REFLECT", "SYMMETRIC"):
        return raw_ops.MirrorPad(input=tensor, paddings=paddings, mode=kind, name=name)
    if kind != "CONSTANT":
        raise ValueError(f"Unknown padding mode: {mode}")
    if not isinstance(constant_values, Tensor) and constant_values == 0:
        return raw_ops.Pad(input=tensor, paddings=paddings, name=name)
    given = convert_to_tensor(tensor)
    value = convert_to_tensor(constant_values, given.dtype)
    return raw_ops.PadV2(input=given, paddings=paddings, constant_values=value, name=name)


def gather(
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    name: Optional[str] = None,
    axis: Any = None,
    batch_dims: int = 0,
) -> Tensor:
    """The slices of `params` at `indices` along an axis, by default the first that is no batch."""
    return raw_ops.GatherV2(
        params=params,
        indices=indices,
        axis=batch_dims if axis is None else axis,
        batch_dims=batch_dims,
        name=name,
    )


def where(condition: Any, x: Any = None, y: Any = None, name: Optional[str] = None) -> Tensor:
    """Elements of x where the condition is true, else of y; without them, where it is true."""
    if x is None and y is None:
        return raw_ops.Where(input=condition, name=name)
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    return raw_ops.Select(condition=condition, t=x, e=y, name=name)


def where_v2(condition: Any, x: Any = None, y: Any = None, name: Optional[str] = None) -> Tensor:
    """`where` whose three arguments broadcast."""
    if x is None and y is None:
        return raw_ops.Where(input=condition, name=name)
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    return raw_ops.SelectV2(condition=condition, t=x, e=y, name=name)


def one_hot(
    indices: Any,
    depth: Any,
    on_value: Any = None,
    off_value: Any = None,
    axis: Optional[int] = None,
    dtype: Optional[DTypeLike] = None,
    name: Optional[str] = None,
) -> Tensor:
    """Adds an axis of size `depth`, with `on_value` at each index and `off_value` elsewhere."""
    given = next((v.dtype for v in (on_value, off_value) if isinstance(v, Tensor)), None)
    result_dtype = as_dtype(dtype) if dtype is not None else given or dtypes.float32
    on = convert_to_tensor(1 if on_value is None else on_value, result_dtype)
    off = convert_to_tensor(0 if off_value is None else off_value, result_dtype)
    axis = -1 if axis is None else axis
    return raw_ops.OneHot(
        indices=indices, depth=depth, on_value=on, off_value=off, axis=axis, name=name
    )


def identity(input: Any, name: Optional[str] = None) -> Tensor:
    """A node that returns its input."""
    return gen_ops.identity(input, name=name)


def tuple_of(
    tensors: Sequence[Any], name: Optional[str] = None, control_inputs: Any = None
) -> List[Any]:
    """The tensors, each of which is computed only after all of them and the control inputs."""
    graph = get_default_graph()
    all_of_them = [each for each in [*tensors, *(control_inputs or [])] if each is not None]
    with graph.name_scope(name or "tuple"), graph.control_dependencies(all_of_them):
        return [None if tensor is None else gen_ops.identity(tensor) for tensor in tensors]


def get_static_value(tensor: Any, partial: bool = False) -> Any:
    """The value, where it is known while the graph is built, else None."""
    element = convert_to_tensor(tensor)
    known: Any = element.graph._root.constant_value(element._value())
    return None if known is None else to_numpy(known)
