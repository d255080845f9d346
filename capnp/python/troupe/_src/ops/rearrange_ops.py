"""Tensors made of parts of others: reversals, masks, grids, the greatest elements."""

from __future__ import annotations

from typing import Any, Callable, List, NamedTuple, Optional, Tuple

import numpy as np

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.ops import array_ops, gen_ops, math_ops, raw_ops
from troupe._src.ops.arguments import either
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike


def reverse(tensor: Any, axis: Any, name: Optional[str] = None) -> Tensor:
    """The elements in reverse order along those axes."""
    return raw_ops.ReverseV2(tensor=tensor, axis=axis, name=name)


reverse_v2 = reverse


def gather_nd(params: Any, indices: Any, name: Optional[str] = None, batch_dims: int = 0) -> Tensor:
    """The slices of `params` at the positions that the rows of `indices` say.

    Args:
        params: A tensor, or a variable.
        indices: Of int32 or int64; the last axis has positions.
        name: The name of the result.
        batch_dims: How many first axes both have in common; a number that is known, also a tensor.
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


def batch_gather_nd(
    params: Any, indices: Any, batch_dims: int, name: Optional[str] = None
) -> Tensor:
    """`gather_nd` in each of the batches that the first axes of both count."""
    with get_default_graph().name_scope(name or "BatchGatherND"):
        x, places = convert_to_tensor(params), convert_to_tensor(indices)
        rank = places.shape.rank
        if rank is None:
            raise ValueError("The rank of the indices must be known.")
        if isinstance(batch_dims, Tensor) or not 0 <= batch_dims < rank:
            raise ValueError(f"batch_dims = {batch_dims} must be in [0, {rank})")
        if x.shape.rank is not None and batch_dims >= x.shape.rank:
            raise ValueError(f"batch_dims = {batch_dims} must be below rank {x.shape.rank}")
        if batch_dims == 0:
            return raw_ops.GatherNd(params=x, indices=places)
        sizes = array_ops.shape(places)
        axes = [
            math_ops.range(math_ops.cast(sizes[axis], places.dtype)) for axis in range(batch_dims)
        ]
        grid = array_ops.stack(meshgrid(*axes, indexing="ij"), axis=-1)
        between = [1] * (rank - 1 - batch_dims)
        grid = array_ops.reshape(
            grid, array_ops.concat([sizes[:batch_dims], [*between, batch_dims]], 0)
        )
        wide = array_ops.concat([sizes[: rank - 1], [batch_dims]], 0)
        full = array_ops.concat([array_ops.broadcast_to(grid, wide), places], -1)
        return raw_ops.GatherNd(params=x, indices=full)


def repeat(
    input: Any, repeats: Any, axis: Optional[int] = None, name: Optional[str] = None
) -> Tensor:
    """Each slice along an axis (or each element) so many times, one after the other."""
    with get_default_graph().name_scope(name or "Repeat"):
        data = convert_to_tensor(input)
        if axis is None:
            data, axis = array_ops.reshape(data, [-1]), 0
        rank = data.shape.rank
        if rank is None:
            raise ValueError("The rank of the input must be known.")
        axis %= rank
        counts = math_ops.cast(convert_to_tensor(repeats, name="repeats"), dtypes.int32)
        sizes = array_ops.shape(data)
        counts = array_ops.broadcast_to(array_ops.reshape(counts, [-1]), [sizes[axis]])
        longest = gen_ops.maximum(0, math_ops.reduce_max(counts))
        chosen = sequence_mask(counts, longest)
        multiples = [1] * (axis + 1) + [longest] + [1] * (rank - 1 - axis)
        tiled = raw_ops.Tile(
            input=array_ops.expand_dims(data, axis + 1), multiples=array_ops.stack(multiples)
        )
        return boolean_mask(tiled, chosen, axis=axis)


def searchsorted(
    sorted_sequence: Any,
    values: Any,
    side: str = "left",
    out_type: DTypeLike = dtypes.int32,
    name: Optional[str] = None,
) -> Tensor:
    """Where each value would be inserted in its row, before ("left") or after equal ones."""
    with get_default_graph().name_scope(name or "searchsorted"):
        rows, wanted = convert_to_tensor(sorted_sequence), convert_to_tensor(values)
        row_size, wanted_size = array_ops.shape(rows)[-1], array_ops.shape(wanted)[-1]
        flat_rows = array_ops.reshape(rows, [-1, row_size])
        flat_wanted = array_ops.reshape(wanted, [-1, wanted_size])
        if side not in ("left", "right"):
            raise ValueError(f"side must be either 'right' or 'left'.  Saw: {side}.")
        search = raw_ops.UpperBound if side == "right" else raw_ops.LowerBound
        found = search(sorted_inputs=flat_rows, values=flat_wanted, out_type=out_type)
        return array_ops.reshape(found, array_ops.shape(wanted))


def reverse_sequence(
    input: Any,
    seq_lengths: Any,
    seq_axis: Optional[int] = None,
    batch_axis: Optional[int] = None,
    name: Optional[str] = None,
    seq_dim: Optional[int] = None,
    batch_dim: Optional[int] = None,
) -> Tensor:
    """Reverses the first `seq_lengths[i]` elements along `seq_axis` of slice i of `batch_axis`."""
    along = either("seq_axis", seq_axis, "seq_dim", seq_dim)
    batch = either("batch_axis", batch_axis, "batch_dim", batch_dim)
    return raw_ops.ReverseSequence(
        input=input, seq_lengths=seq_lengths, seq_dim=along, batch_dim=batch or 0, name=name
    )


def boolean_mask(
    tensor: Any, mask: Any, name: Optional[str] = "boolean_mask", axis: Any = None
) -> Tensor:
    """The slices of `tensor` where the mask is true, which covers axes from `axis` (0) on.

    The rank of the mask must be known.
    """
    with get_default_graph().name_scope(name or "boolean_mask"):
        x, chosen = convert_to_tensor(tensor), convert_to_tensor(mask, dtypes.bool_)
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
        return array_ops.gather(flat, array_ops.squeeze(places, axis=[1]), axis=first)


def sequence_mask(
    lengths: Any,
    maxlen: Any = None,
    dtype: DTypeLike = dtypes.bool_,
    name: Optional[str] = None,
) -> Tensor:
    """True at the first `lengths[i]` of `maxlen` positions (by default the greatest length)."""
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

    Keywords: indexing ("xy", where the first two axes are exchanged, or "ij"), name.
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


class TopK(NamedTuple):
    """The greatest elements of each row, and their indices."""

    values: Tensor
    indices: Tensor


def top_k(input: Any, k: Any = 1, sorted: bool = True, name: Optional[str] = None) -> TopK:
    """The k greatest elements along the last axis."""
    values, indices = raw_ops.TopKV2(input=input, k=k, sorted=sorted, name=name)
    return TopK(values, indices)


def in_top_k(predictions: Any, targets: Any, k: Any, name: Optional[str] = None) -> Tensor:
    """Whether the prediction for each target is among the k greatest of its row."""
    return raw_ops.InTopKV2(predictions=predictions, targets=targets, k=k, name=name or "in_top_k")


def sort(
    values: Any, axis: Any = -1, direction: str = "ASCENDING", name: Optional[str] = None
) -> Tensor:
    """The values in order, along an axis.

    Args:
        values: numbers, of rank 1 or more.
        axis: a number, or a constant.
        direction: "ASCENDING" or "DESCENDING".
        name: the scope of the nodes.

    Raises:
        ValueError: for another direction, and an axis that is not known.
    """
    with get_default_graph().name_scope(name or "sort"):
        given = convert_to_tensor(values)
        return _sorted(given, axis, direction, lambda rows, k: top_k(rows, k).values)


def argsort(
    values: Any, axis: Any = -1, direction: str = "ASCENDING", stable: bool = False,
    name: Optional[str] = None,
) -> Tensor:  # fmt: skip
    """The indices of the values in order; equal ones keep theirs. Else as `sort`."""
    with get_default_graph().name_scope(name or "argsort"):
        given = convert_to_tensor(values)
        if direction == "ASCENDING":
            given = _reversed(given)
        return _sorted(given, axis, direction, lambda rows, k: top_k(rows, k).indices, False)


def _sorted(
    values: Tensor,
    axis: Any,
    direction: str,
    best: Callable[[Tensor, Tensor], Tensor],
    is_of_values: bool = True,
) -> Tensor:
    """What `best` gives for all values along the axis."""
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(f"{direction} should be one of ASCENDING, DESCENDING")
    known = array_ops.get_static_value(convert_to_tensor(axis))
    if known is None or np.ndim(known) != 0:
        raise ValueError("axis must be a constant scalar")
    turns = is_of_values and direction == "ASCENDING"
    rows, order = _with_last(_reversed(values) if turns else values, int(known))
    found = best(rows, array_ops.shape(rows)[-1])
    if order is not None:
        found = array_ops.transpose(found, order)
    return _reversed(found) if turns else found


def _reversed(values: Tensor) -> Tensor:
    """Values in the reverse order: complements, as integers may have no negative ones."""
    return raw_ops.Invert(x=values) if values.dtype.is_integer else gen_ops.negative(values)


def _with_last(values: Tensor, axis: int) -> Tuple[Tensor, Any]:
    """The values with that axis last, and the order of axes that undoes it, None if it was."""
    rank = values.shape.rank
    if axis == -1 or axis + 1 == rank:
        return values, None
    if rank is not None:
        order: Any = list(range(rank))
        order[axis], order[-1] = order[-1], order[axis]
    else:
        last = gen_ops.rank(values) - 1
        place = last + 1 + axis if axis < 0 else convert_to_tensor(axis)
        axes = math_ops.range(last + 1)
        others = array_ops.where_v2(gen_ops.equal(axes, last), place, axes)
        order = array_ops.where_v2(gen_ops.equal(axes, place), last, others)
    return array_ops.transpose(values, order), order


def eye(
    num_rows: Any,
    num_columns: Any = None,
    batch_shape: Any = None,
    dtype: DTypeLike = dtypes.float32,
    name: Optional[str] = None,
) -> Tensor:
    """Identity matrices."""
    with get_default_graph().name_scope(name or "eye"):
        columns = num_rows if num_columns is None else num_columns
        batch = convert_to_tensor([] if batch_shape is None else batch_shape, dtypes.int32)
        rows_and_columns = array_ops.stack([num_rows, columns])
        zeros = array_ops.zeros(array_ops.concat([batch, rows_and_columns], 0), dtype)
        length = array_ops.stack([gen_ops.minimum(num_rows, columns)])
        ones = array_ops.ones(array_ops.concat([batch, length], 0), dtype)
        return raw_ops.MatrixSetDiag(input=zeros, diagonal=ones)


def svd(
    tensor: Any, full_matrices: bool = False, compute_uv: bool = True, name: Optional[str] = None
) -> Any:
    """(s, u, v): singular values, and the vectors of each side; only s without `compute_uv`."""
    s, u, v = raw_ops.Svd(
        input=tensor, compute_uv=compute_uv, full_matrices=full_matrices, name=name
    )
    return (s, u, v) if compute_uv else s


@set_module("troupe")
class ListDiff(NamedTuple):
    """Elements, and their places."""

    out: Tensor
    idx: Tensor


def setdiff1d(
    x: Any, y: Any, index_dtype: DTypeLike = dtypes.int32, name: Optional[str] = None
) -> ListDiff:
    """The elements of a vector that another one has not, in their order, and their places."""
    return ListDiff(*raw_ops.ListDiff(x=x, y=y, out_idx=index_dtype, name=name))


def parallel_stack(values: Any, name: str = "parallel_stack") -> Tensor:
    """Tensors of one shape as one with a new first axis."""
    return array_ops.stack(values, name=name)
