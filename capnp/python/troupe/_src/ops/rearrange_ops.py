"""Tensors made of parts of others: reversals, masks, grids, the greatest elements."""

from __future__ import annotations

from typing import Any, List, NamedTuple, Optional, Sequence, Tuple, Union

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops, raw_ops, selection_ops
from troupe._src.arguments import either
from troupe._src.ops.cast_ops import real
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike


def reverse(tensor: TensorLike, axis: TensorLike, name: Optional[str] = None) -> Tensor:
    """The elements in reverse order along those axes.

    Args:
        tensor: of any dtype.
        axis: a list of axes, int32 or int64.

    Returns:
        A tensor of the same shape.
    """
    return raw_ops.ReverseV2(tensor=tensor, axis=axis, name=name)


reverse_v2 = reverse


def gather_nd(
    params: TensorLike, indices: TensorLike, name: Optional[str] = None, batch_dims: int = 0
) -> Tensor:
    """The slices of `params` at the positions that the rows of `indices` say.

    Args:
        params: a tensor, or a variable.
        indices: int32 or int64; the last axis has positions along the first axes of `params`.
        batch_dims: how many first axes both have in common; a number that is known, also a tensor.

    Returns:
        A tensor of the shape of the indices without their last axis, followed by that of a slice.

    Raises:
        ValueError: if the number of common axes is too great, or a rank that it needs is unknown.
    """
    known = array_ops.get_static_value(batch_dims) if isinstance(batch_dims, Tensor) else None
    if known is not None and known.size == 1:
        batch_dims = int(known.reshape(()))
    if not isinstance(batch_dims, Tensor) and batch_dims == 0:
        read = getattr(params, "gather_nd", None)
        return (
            raw_ops.GatherNd(params=params, indices=indices, name=name)
            if read is None
            else read(indices, name=name)
        )
    return batch_gather_nd(params, indices, batch_dims, name)


def batch_gather(params: TensorLike, indices: TensorLike, name: Optional[str] = None) -> Tensor:
    """The slices at `indices`, whose axes but the last one count batches of both.

    Args:
        params: a tensor of any dtype, or a variable.
        indices: int32 or int64, of a known rank; positions along the axis behind the batches.

    Returns:
        A tensor of the shape of the indices, followed by that of a slice.

    Raises:
        ValueError: if the rank of the indices is unknown.
    """
    places = convert_to_tensor(indices)
    if places.shape.rank is None:
        raise ValueError("batch_gather does not allow indices with unknown shape.")
    return selection_ops.gather(params, places, name=name, batch_dims=places.shape.rank - 1)


def batch_gather_nd(
    params: TensorLike, indices: TensorLike, batch_dims: int, name: Optional[str] = None
) -> Tensor:
    """`gather_nd` in each of the batches that the first axes of both count.

    Args:
        params: a tensor.
        indices: int32 or int64; the last axis has positions along the axes behind the common ones.
        batch_dims: how many first axes both have in common.

    Returns:
        A tensor of the shape of the indices without their last axis, followed by that of a slice.

    Raises:
        ValueError: if the number of common axes is too great, or the rank of the indices is
            unknown.
    """
    with get_default_graph().name_scope(name or "BatchGatherND"):
        x, places = convert_to_tensor(params), convert_to_tensor(indices)
        rank = places.shape.rank
        if isinstance(batch_dims, Tensor) or batch_dims < 0:
            raise ValueError(f"batch_dims = {batch_dims} must be a number from 0")
        if rank is not None and batch_dims >= rank:
            raise ValueError(f"batch_dims = {batch_dims} must be below the indices' rank {rank}")
        if x.shape.rank is not None and batch_dims >= x.shape.rank:
            raise ValueError(f"batch_dims = {batch_dims} must be below rank {x.shape.rank}")
        if batch_dims == 0:
            return raw_ops.GatherNd(params=x, indices=places)
        sizes = array_ops.shape(places)
        axes = [
            math_ops.range(math_ops.cast(sizes[axis], places.dtype)) for axis in range(batch_dims)
        ]
        grid = array_ops.stack(meshgrid(*axes, indexing="ij"), axis=-1)
        between = creation_ops.ones_like(sizes[batch_dims:-1])
        grid = array_ops.reshape(
            grid, array_ops.concat([sizes[:batch_dims], between, [batch_dims]], 0)
        )
        wide = array_ops.concat([sizes[:-1], [batch_dims]], 0)
        full = array_ops.concat([array_ops.broadcast_to(grid, wide), places], -1)
        return raw_ops.GatherNd(params=x, indices=full)


def repeat(
    input: TensorLike, repeats: TensorLike, axis: Optional[int] = None, name: Optional[str] = None
) -> Tensor:
    """Each slice along an axis (or each element) so many times, one after the other.

    Args:
        input: a tensor.
        repeats: integers: one for all slices, or one for each.
        axis: the axis; None for the elements of the flattened tensor.

    Returns:
        A tensor of the rank of the input, or of rank 1 without an axis.

    Raises:
        ValueError: if there is no such axis, or it is negative and the rank unknown.
    """
    with get_default_graph().name_scope(name or "Repeat"):
        data = convert_to_tensor(input)
        if axis is None or data.shape.rank == 0:
            data, axis = array_ops.reshape(data, [-1]), axis or 0
        if data.shape.rank is None:  # at least 1
            sizes = array_ops.shape(data)
            count = gen_ops.maximum(1 - array_ops.size(sizes), 0)
            first = creation_ops.fill([count], 1)
            data = array_ops.reshape(data, array_ops.concat([first, sizes], axis=0))
        rank = data.shape.rank
        if (rank is None and axis < 0) or (rank is not None and not -rank <= axis < rank):
            raise ValueError(f"there is no axis {axis} of a tensor of rank {rank}")
        axis = axis if rank is None else axis % rank
        counts = math_ops.cast(convert_to_tensor(repeats, name="repeats"), dtypes.int32)
        size = array_ops.reshape(array_ops.shape(data)[axis], [1])
        counts = array_ops.broadcast_to(array_ops.reshape(counts, [-1]), size)
        # The slice at a place is the first that ends behind it.
        ends = raw_ops.Cumsum(x=counts, axis=0)
        places = math_ops.range(math_ops.reduce_sum(counts))
        chosen = raw_ops.UpperBound(
            sorted_inputs=array_ops.expand_dims(ends, 0), values=array_ops.expand_dims(places, 0)
        )
        return selection_ops.gather(data, array_ops.squeeze(chosen, [0]), axis=axis)


def reverse_sequence(
    input: TensorLike,
    seq_lengths: TensorLike,
    seq_axis: Optional[int] = None,
    batch_axis: Optional[int] = None,
    name: Optional[str] = None,
    seq_dim: Optional[int] = None,
    batch_dim: Optional[int] = None,
) -> Tensor:
    """Reverses the first `seq_lengths[i]` elements along `seq_axis` of slice i of `batch_axis`.

    Args:
        input: a tensor of any dtype.
        seq_lengths: int32 or int64, one number for each slice of the batch.
        seq_axis: the axis that is reversed.
        batch_axis: the axis of the batch, by default 0.
        seq_dim: the former name of `seq_axis`.
        batch_dim: the former name of `batch_axis`.

    Returns:
        A tensor of the shape of the input.

    Raises:
        ValueError: if both names of an argument are given.
    """
    along = either("seq_axis", seq_axis, "seq_dim", seq_dim)
    batch = either("batch_axis", batch_axis, "batch_dim", batch_dim)
    return raw_ops.ReverseSequence(
        input=input, seq_lengths=seq_lengths, seq_dim=along, batch_dim=batch or 0, name=name
    )


def boolean_mask(
    tensor: TensorLike, mask: TensorLike, name: Optional[str] = "boolean_mask", axis: Any = None
) -> Tensor:
    """The slices of `tensor` where the mask is true, which covers axes from `axis` (0) on.

    Args:
        tensor: of any dtype.
        mask: bools, or numbers, of which zero is false, of a rank of 1 or more that is known.
        axis: the first axis that the mask covers.

    Returns:
        A tensor with one axis, of the slices that are kept, instead of those that the mask covers.

    Raises:
        ValueError: if the rank of the mask is 0 or unknown, or the shapes do not fit.
    """
    with get_default_graph().name_scope(name or "boolean_mask"):
        x, chosen = convert_to_tensor(tensor), convert_to_tensor(mask)
        rank = chosen.shape.rank
        if rank is None:
            raise ValueError("Number of mask dimensions must be specified, even if some are None.")
        if rank == 0:
            raise ValueError("mask cannot be scalar.")
        first = int(axis or 0)
        covered = x.shape[first : first + rank]
        if not covered.is_compatible_with(chosen.shape) or (
            x.shape.rank is not None and first + rank > x.shape.rank
        ):
            raise ValueError(f"Shapes {covered} and {chosen.shape} are incompatible")
        sizes = array_ops.shape(x)
        inner = math_ops.reduce_prod(sizes[first : first + rank], [0])
        flat_sizes = array_ops.concat(
            [sizes[:first], array_ops.reshape(inner, [1]), sizes[first + rank :]], 0
        )
        flat = array_ops.reshape(x, flat_sizes)
        if x.shape.rank is not None:
            count = covered.num_elements()
            flat.set_shape(
                x.shape[:first].concatenate([count]).concatenate(x.shape[first + rank :])
            )
        places = raw_ops.Where(input=array_ops.reshape(chosen, [-1]))
        return selection_ops.gather(flat, array_ops.squeeze(places, axis=[1]), axis=first)


def sequence_mask(
    lengths: TensorLike,
    maxlen: Optional[TensorLike] = None,
    dtype: DTypeLike = dtypes.bool_,
    name: Optional[str] = None,
) -> Tensor:
    """True at the first `lengths[i]` of `maxlen` positions (by default the greatest length).

    Args:
        lengths: integers of any shape.
        maxlen: the number of positions, a scalar.
        dtype: the dtype of the result, by default bool.

    Returns:
        A tensor of the shape of the lengths, with an axis of size `maxlen` behind.

    Raises:
        ValueError: if `maxlen` is no scalar.
    """
    with get_default_graph().name_scope(name or "SequenceMask"):
        counts = convert_to_tensor(lengths)
        limit = convert_to_tensor(math_ops.reduce_max(counts) if maxlen is None else maxlen)
        if limit.shape.rank not in (None, 0):
            raise ValueError("maxlen must be scalar for sequence_mask")
        counts = math_ops.cast(counts, limit.dtype)
        known = array_ops.get_static_value(limit)
        if known is None:
            limit = gen_ops.maximum(limit, 0)
        elif known < 0:
            limit = convert_to_tensor(0, counts.dtype)
        positions = math_ops.range(
            convert_to_tensor(0, counts.dtype), limit, convert_to_tensor(1, counts.dtype)
        )
        mask = gen_ops.less(positions, array_ops.expand_dims(counts, -1))
        return mask if dtype is dtypes.bool_ else math_ops.cast(mask, dtype)


def meshgrid(*args: Any, **kwargs: Any) -> List[Tensor]:
    """Coordinates of a grid: tensor i has the values of vector i along its axis.

    Args:
        *args: the vectors; others are flattened.
        **kwargs: indexing ("xy", where the first two axes are exchanged, or "ij"), name.

    Returns:
        A list of tensors, one for each vector, with one axis for each of them.

    Raises:
        TypeError: if a keyword is another.
        ValueError: if the indexing is another.
    """
    indexing, name = kwargs.pop("indexing", "xy"), kwargs.pop("name", "meshgrid")
    if kwargs:
        raise TypeError(f"'{next(iter(kwargs))}' is an invalid keyword argument for this function")
    if indexing not in ("xy", "ij"):
        raise ValueError("indexing parameter must be either 'xy' or 'ij'")
    with get_default_graph().name_scope(name):
        vectors = [array_ops.reshape(convert_to_tensor(arg), [-1]) for arg in args]
        sizes = [array_ops.size(vector) for vector in vectors]
        axes = list(range(len(vectors)))
        if indexing == "xy" and len(vectors) > 1:
            axes[0], axes[1] = 1, 0
        shape: Any = array_ops.stack([sizes[axis] for axis in axes]) if vectors else []
        grids = []
        for vector, axis in zip(vectors, axes):
            column = [1] * len(vectors)
            column[axis] = -1
            grids.append(array_ops.broadcast_to(array_ops.reshape(vector, column), shape))
        return grids


def eye(
    num_rows: TensorLike,
    num_columns: Optional[TensorLike] = None,
    batch_shape: Optional[TensorLike] = None,
    dtype: DTypeLike = dtypes.float32,
    name: Optional[str] = None,
) -> Tensor:
    """Identity matrices.

    Args:
        num_rows: the number of rows, a scalar.
        num_columns: the number of columns, by default that of the rows.
        batch_shape: the sizes of axes before the matrices; None for one matrix.
        dtype: the dtype of the result.

    Returns:
        A tensor [..., num_rows, num_columns].
    """
    with get_default_graph().name_scope(name or "eye"):
        sizes = [num_rows, num_rows if num_columns is None else num_columns]
        rows, columns = (it if type(it) is int else math_ops.cast(it, dtypes.int32) for it in sizes)
        batch = convert_to_tensor([] if batch_shape is None else batch_shape, dtypes.int32)
        zeros_shape = array_ops.concat([batch, array_ops.stack([rows, columns])], 0)
        zeros = creation_ops.zeros(zeros_shape, dtype)
        length = array_ops.stack([gen_ops.minimum(rows, columns)])
        ones = creation_ops.ones(array_ops.concat([batch, length], 0), dtype)
        matrices = raw_ops.MatrixSetDiag(input=zeros, diagonal=ones)
        matrices.set_shape(creation_ops.sizes_in(zeros_shape))
        return matrices


def svd(
    tensor: TensorLike,
    full_matrices: bool = False,
    compute_uv: bool = True,
    name: Optional[str] = None,
) -> Union[Tensor, Tuple[Tensor, Tensor, Tensor]]:
    """(s, u, v): singular values, and the vectors of each side; only s without `compute_uv`.

    Args:
        tensor: floats or complex numbers, [..., rows, columns].
        full_matrices: whether `u` and `v` are square, else with one column for each value.
        compute_uv: whether the vectors are computed.

    Returns:
        s, [..., count], real and in descending order; u, [..., rows, count]; v, [..., columns,
        count], with tensor = u * diag(s) * adjoint(v).
    """
    s, u, v = raw_ops.Svd(
        input=tensor, compute_uv=compute_uv, full_matrices=full_matrices, name=name
    )
    return (real(s), u, v) if compute_uv else real(s)


@set_module("troupe")
class ListDiff(NamedTuple):
    """Elements, and their places."""

    out: Tensor
    idx: Tensor


def setdiff1d(
    x: TensorLike, y: TensorLike, index_dtype: DTypeLike = dtypes.int32, name: Optional[str] = None
) -> ListDiff:
    """The elements of a vector that another one has not, in their order, and their places.

    Args:
        x: a vector of any dtype.
        y: a vector of that dtype.
        index_dtype: the dtype of the places, int32 or int64.

    Returns:
        `out`, the elements, and `idx`, their places in `x`.
    """
    return ListDiff(*raw_ops.ListDiff(x=x, y=y, out_idx=index_dtype, name=name))


def parallel_stack(values: Sequence[TensorLike], name: str = "parallel_stack") -> Tensor:
    """Tensors of one shape as one with a new first axis.

    Args:
        values: a list of tensors of one shape and dtype.

    Returns:
        A tensor with one axis more.
    """
    return array_ops.stack(values, name=name)
