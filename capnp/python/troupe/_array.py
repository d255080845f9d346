"""Functions that make tensors and change their shapes."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence

from troupe import _dtypes, _gen_ops, raw_ops
from troupe._convert import constant, convert_to_tensor
from troupe._dtypes import DTypeLike, as_dtype
from troupe._elements import Operation, Tensor, flatten
from troupe._graph import get_default_graph
from troupe._seeds import get_seed
from troupe._shapes import ShapeLike, TensorShape, as_shape


def placeholder(dtype: DTypeLike, shape: ShapeLike = None, name: Optional[str] = None) -> Tensor:
    """A value that every step which needs it must feed."""
    return raw_ops.Placeholder(dtype=dtype, shape=shape, name=name)


def no_op(name: Optional[str] = None) -> Operation:
    """A node that does nothing: a place for control dependencies."""
    return raw_ops.NoOp(name=name)


def group(*inputs: Any, name: str = "group_deps") -> Operation:
    """A node that does nothing, after all of `inputs`, which may be lists, have run."""
    graph = get_default_graph()
    with graph.control_dependencies([item for item in flatten(inputs) if item is not None]):
        return graph._add("NoOp", [], {}, name)


def placeholder_with_default(input: Any, shape: ShapeLike, name: Optional[str] = None) -> Tensor:
    """The value of `input`, where a step does not feed another one of that shape."""
    tensor = convert_to_tensor(input)
    if as_shape(shape) != tensor.shape:
        raise ValueError(
            f"the default has the shape {tensor.shape}, which is to be the placeholder's, too, and "
            f"not {as_shape(shape)}: there is no op PlaceholderWithDefault in this version yet"
        )
    return _gen_ops.identity(tensor, name=name or "PlaceholderWithDefault")


def _sizes(shape: Any) -> Any:
    """Sizes as the ops take them: a tensor, or numbers."""
    if isinstance(shape, TensorShape):
        return constant(shape.as_list(), _dtypes.int32)
    if isinstance(shape, (list, tuple)) and not shape:
        return constant([], _dtypes.int32, [0])
    return convert_to_tensor(shape, None if isinstance(shape, Tensor) else _dtypes.int32)


def zeros(shape: Any, dtype: DTypeLike = _dtypes.float32, name: Optional[str] = None) -> Tensor:
    """A tensor of zeros."""
    value = constant(False if as_dtype(dtype).is_bool else 0, dtype)
    return _gen_ops.fill(_sizes(shape), value, name=name or "zeros")


def ones(shape: Any, dtype: DTypeLike = _dtypes.float32, name: Optional[str] = None) -> Tensor:
    """A tensor of ones."""
    value = constant(True if as_dtype(dtype).is_bool else 1, dtype)
    return _gen_ops.fill(_sizes(shape), value, name=name or "ones")


def zeros_like(
    tensor: Any,
    dtype: Optional[DTypeLike] = None,
    name: Optional[str] = None,
    optimize: bool = True,
) -> Tensor:
    """Zeros in the shape of a tensor, and of its dtype where none is given."""
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
    """Ones in the shape of a tensor, and of its dtype where none is given."""
    like = convert_to_tensor(tensor)
    if dtype is None or as_dtype(dtype) == like.dtype:
        return raw_ops.OnesLike(x=like, name=name)
    return ones(shape(like), dtype, name or "ones_like")


def fill(dims: Any, value: Any, name: Optional[str] = None) -> Tensor:
    """A tensor of one value."""
    return _gen_ops.fill(_sizes(dims), value, name=name)


def reshape(tensor: Any, shape: Any, name: Optional[str] = None) -> Tensor:
    """The same elements in another shape, in which one size may be -1."""
    return _gen_ops.reshape(tensor, _sizes(shape), name=name)


def broadcast_to(input: Any, shape: Any, name: Optional[str] = None) -> Tensor:
    """Repeats along axes of size 1, and along new ones, up to that shape."""
    return _gen_ops.broadcast_to(input, _sizes(shape), name=name)


def shape(input: Any, name: Optional[str] = None, out_type: DTypeLike = _dtypes.int32) -> Tensor:
    """The sizes, as a tensor: a constant where they are all known."""
    tensor = convert_to_tensor(input)
    if tensor.shape.is_fully_defined():
        return constant(tensor.shape.as_list(), out_type, [len(tensor.shape)], name or "Shape")
    return raw_ops.Shape(input=tensor, out_type=out_type, name=name)


def size(input: Any, name: Optional[str] = None, out_type: DTypeLike = _dtypes.int32) -> Tensor:
    """The number of elements."""
    return raw_ops.Size(input=input, out_type=out_type, name=name)


def slice(input_: Any, begin: Any, size: Any, name: Optional[str] = None) -> Tensor:
    """The part of a tensor from `begin` on, of that `size`; a size of -1 is all there is."""
    return raw_ops.Slice(input=input_, begin=begin, size=size, name=name)


def expand_dims(
    input: Any, axis: Any = None, name: Optional[str] = None, dim: Any = None
) -> Tensor:
    """With a new axis of size 1."""
    return raw_ops.ExpandDims(input=input, dim=dim if axis is None else axis, name=name)


def squeeze(
    input: Any, axis: Any = None, name: Optional[str] = None, squeeze_dims: Any = None
) -> Tensor:
    """Without axes of size 1: those, or all."""
    axes = squeeze_dims if axis is None else axis
    if isinstance(axes, int):
        axes = [axes]
    return raw_ops.Squeeze(input=input, squeeze_dims=axes, name=name)


def transpose(a: Any, perm: Any = None, name: str = "transpose", conjugate: bool = False) -> Tensor:
    """With the axes in another order, reversed where none is given."""
    tensor = convert_to_tensor(a)
    if perm is None:
        perm = list(range(len(tensor.shape)))[::-1]
        perm = constant(perm, _dtypes.int32, [len(perm)])
    turned = raw_ops.Transpose(x=tensor, perm=perm, name=name)
    return _gen_ops.conj(turned) if conjugate and turned.dtype.is_complex else turned


matrix_transpose = transpose


def concat(values: Sequence[Any], axis: Any, name: str = "concat") -> Tensor:
    """Tensors one after another along an axis."""
    if not isinstance(values, (list, tuple)):
        values = [values]
    if len(values) == 1:
        return _gen_ops.identity(values[0], name=name)
    return raw_ops.ConcatV2(values=list(values), axis=axis, name=name)


def stack(values: Sequence[Any], axis: int = 0, name: str = "stack") -> Tensor:
    """Tensors of one shape, side by side along a new axis."""
    return raw_ops.Pack(values=list(values), axis=axis, name=name)


def unstack(
    value: Any, num: Optional[int] = None, axis: int = 0, name: str = "unstack"
) -> List[Tensor]:
    """The parts along an axis."""
    tensor = convert_to_tensor(value)
    if num is None:
        num = tensor.shape[axis].value
    if num is None:
        raise ValueError(f"Cannot infer num from shape {tensor.shape}")
    return raw_ops.Unpack(value=tensor, num=num, axis=axis, name=name)


def split(value: Any, num_or_size_splits: Any, axis: int = 0, name: str = "split") -> List[Tensor]:
    """Parts along an axis: so many, or of those sizes."""
    tensor = convert_to_tensor(value)
    rank, length = len(tensor.shape), tensor.shape[axis].value
    axis %= rank
    if isinstance(num_or_size_splits, int):
        if length is None or length % num_or_size_splits:
            raise ValueError(f"{tensor!r} cannot be split into {num_or_size_splits} equal parts")
        sizes = [length // num_or_size_splits] * num_or_size_splits
    else:
        sizes = list(num_or_size_splits)
    parts, begin = [], 0
    with get_default_graph().name_scope(name):
        for part in sizes:
            begins = [begin if i == axis else 0 for i in range(rank)]
            lengths = [part if i == axis else -1 for i in range(rank)]
            parts.append(slice(tensor, begins, lengths))
            begin += part
    return parts


def pad(tensor: Any, paddings: Any, mode: str = "CONSTANT", name: Optional[str] = None) -> Tensor:
    """With zeros before and after, along each axis."""
    if mode.upper() != "CONSTANT":
        raise ValueError(f"Unknown padding mode: {mode}: this version pads with zeros only")
    return raw_ops.Pad(input=tensor, paddings=paddings, name=name)


def gather(
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    name: Optional[str] = None,
    axis: Any = 0,
) -> Tensor:
    """The slices of `params` at those positions along an axis."""
    return raw_ops.GatherV2(params=params, indices=indices, axis=axis, name=name or "GatherV2")


def where(condition: Any, x: Any = None, y: Any = None, name: Optional[str] = None) -> Tensor:
    """x where the condition holds, else y."""
    if x is None or y is None:
        raise ValueError("tf.where needs x and y: where alone is not part of this version")
    return raw_ops.Select(condition=condition, t=x, e=y, name=name)


def one_hot(
    indices: Any,
    depth: Any,
    on_value: Any = None,
    off_value: Any = None,
    axis: int = -1,
    dtype: Optional[DTypeLike] = None,
    name: Optional[str] = None,
) -> Tensor:
    """A new axis of size `depth`, with `on_value` at the position that each index names."""
    kind = as_dtype(dtype) if dtype is not None else None
    given = next((v.dtype for v in (on_value, off_value) if isinstance(v, Tensor)), None)
    kind = kind or given or _dtypes.float32
    on = convert_to_tensor(1 if on_value is None else on_value, kind)
    off = convert_to_tensor(0 if off_value is None else off_value, kind)
    return raw_ops.OneHot(
        indices=indices, depth=depth, on_value=on, off_value=off, axis=axis, name=name
    )


def identity(input: Any, name: Optional[str] = None) -> Tensor:
    """The same value, as a node of its own."""
    return _gen_ops.identity(input, name=name)


def tuple_of(tensors: Sequence[Any], name: Optional[str] = None, **_: Any) -> List[Tensor]:
    """The tensors, each of which is there only once all are."""
    graph = get_default_graph()
    with graph.name_scope(name or "tuple"), graph.control_dependencies(list(tensors)):
        return [_gen_ops.identity(tensor) for tensor in tensors]


def random_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: DTypeLike = _dtypes.float32,
    seed: Optional[int] = None,
    name: str = "random_normal",
) -> Tensor:
    """Normal numbers."""
    return _scaled(raw_ops.RandomStandardNormal, shape, dtype, seed, name, (stddev, mean))


def truncated_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: DTypeLike = _dtypes.float32,
    seed: Optional[int] = None,
    name: str = "truncated_normal",
) -> Tensor:
    """Normal numbers within two deviations."""
    return _scaled(raw_ops.TruncatedNormal, shape, dtype, seed, name, (stddev, mean))


def random_uniform(
    shape: Any,
    minval: Any = 0,
    maxval: Any = 1,
    dtype: DTypeLike = _dtypes.float32,
    seed: Optional[int] = None,
    name: str = "random_uniform",
) -> Tensor:
    """Numbers drawn evenly from [minval, maxval)."""
    if not as_dtype(dtype).is_floating:
        raise TypeError("random integers are not part of this version")
    return _scaled(raw_ops.RandomUniform, shape, dtype, seed, name, (maxval - minval, minval))


def _scaled(
    op: Any, shape: Any, dtype: DTypeLike, seed: Optional[int], name: str, by: Any
) -> Tensor:
    factor, offset = by
    first, second = get_seed(seed)
    with get_default_graph().name_scope(name):
        drawn = op(shape=_sizes(shape), dtype=dtype, seed=first, seed2=second)
        scaled = drawn * factor if isinstance(factor, Tensor) or factor != 1 else drawn
        shifted = scaled + offset if isinstance(offset, Tensor) or offset else scaled
    assert isinstance(shifted, Tensor)
    return shifted


def get_static_value(tensor: Any, partial: bool = False) -> Any:
    """The value, where it is known before any step; else None."""
    from troupe._convert import to_numpy

    element = convert_to_tensor(tensor)
    known: Any = element.graph._root.constant_value(element._value())
    return None if known is None else to_numpy(known)
