"""Tensors made of parts of others: reversals, masks, grids, the greatest elements."""

from __future__ import annotations

from typing import Any, List, NamedTuple, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.ops import array_ops, gen_ops, math_ops, raw_ops
from troupe._src.ops.arguments import either
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike


def reverse(tensor: Any, axis: Any, name: Optional[str] = None) -> Tensor:
    """The elements in reverse order along those axes."""
    return raw_ops.ReverseV2(tensor=tensor, axis=axis, name=name)


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
        sizes = array_ops.shape(x)
        inner = math_ops.reduce_prod(sizes[first : first + rank])
        flat_sizes = array_ops.concat([sizes[:first], [inner], sizes[first + rank :]], 0)
        flat = array_ops.reshape(x, flat_sizes)
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
        longest = math_ops.reduce_max(counts) if maxlen is None else maxlen
        limit = gen_ops.maximum(convert_to_tensor(longest, counts.dtype), 0)
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
