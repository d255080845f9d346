"""Sparse tensors of dense ones, and dense tensors of sparse ones."""

from __future__ import annotations

from typing import Any, Iterable, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.indexed_slices import IndexedSlices
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import (
    array_ops,
    creation_ops,
    gen_ops,
    math_ops,
    raw_ops,
    rearrange_ops,
    selection_ops,
)
from troupe._src.ops.arithmetic_ops import not_equal
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.sparse_tensor import SparseLike, SparseTensor, SparseTensorValue
from troupe._src.sparse.arrangement import sparse_reorder
from troupe._src.sparse.inputs import row_count, to_int64, to_sparse
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike


def from_dense(tensor: TensorLike, name: Optional[str] = None) -> SparseTensor:
    """The elements that are not 0, or not empty.

    Args:
        tensor: a tensor of any dtype.

    Returns:
        A SparseTensor of its shape.
    """
    with get_default_graph().name_scope(name or "dense_to_sparse"):
        dense = convert_to_tensor(tensor)
        indices = selection_ops.where(not_equal(dense, creation_ops.zeros([], dense.dtype)))
        values = rearrange_ops.gather_nd(dense, indices)
        return SparseTensor(indices, values, array_ops.shape(dense, out_type=dtypes.int64))


def sparse_eye(
    num_rows: TensorLike,
    num_columns: Optional[TensorLike] = None,
    dtype: DTypeLike = dtypes.float32,
    name: Optional[str] = None,
) -> SparseTensor:
    """A matrix with ones on its diagonal.

    Args:
        num_rows: the number of rows, a scalar.
        num_columns: the number of columns, by default that of the rows.
        dtype: the dtype of the ones.

    Returns:
        A SparseTensor [num_rows, num_columns].
    """
    with get_default_graph().name_scope(name or "eye"):
        rows = to_int64(num_rows)
        columns = rows if num_columns is None else to_int64(num_columns)
        places = math_ops.range(gen_ops.minimum(rows, columns))
        values = creation_ops.ones(array_ops.shape(places), dtype)
        sizes = [num_rows, num_rows if num_columns is None else num_columns]
        known = all(isinstance(size, int) for size in sizes)
        shape: Any = sizes if known else array_ops.stack([rows, columns])
        return SparseTensor(array_ops.stack([places, places], 1), values, shape)


def sparse_to_dense(
    sparse_indices: TensorLike,
    output_shape: TensorLike,
    sparse_values: TensorLike,
    default_value: TensorLike = 0,
    validate_indices: bool = True,
    name: Optional[str] = None,
) -> Tensor:
    """A tensor with the values at their places, and the default value at all others.

    Args:
        sparse_indices: the places, int32 or int64: [N, rank], or [N] for a vector, or a scalar.
        output_shape: the sizes, of the dtype of the indices.
        sparse_values: the values, [N], or one for all places.
        default_value: a scalar of their dtype.
        validate_indices: whether a step fails for indices out of order or repeated.

    Returns:
        A tensor of that shape.
    """
    values = convert_to_tensor(sparse_values)
    return raw_ops.SparseToDense(
        sparse_indices=sparse_indices,
        output_shape=output_shape,
        sparse_values=values,
        default_value=convert_to_tensor(default_value, values.dtype),
        validate_indices=validate_indices,
        name=name,
    )


def sparse_tensor_to_dense(
    sp_input: SparseLike,
    default_value: Optional[TensorLike] = None,
    validate_indices: bool = True,
    name: Optional[str] = None,
) -> Tensor:
    """The dense form of a sparse tensor.

    Args:
        sp_input: a SparseTensor.
        default_value: what missing elements are: by default 0, false or empty.
        validate_indices: whether a step fails for indices out of order or repeated.

    Returns:
        A tensor of its dense shape.
    """
    given = to_sparse(sp_input)
    default = creation_ops.zeros([], given.dtype) if default_value is None else default_value
    return sparse_to_dense(
        given.indices, given.dense_shape, given.values, default, validate_indices, name
    )


def sparse_to_indicator(
    sp_input: SparseLike, vocab_size: TensorLike, name: Optional[str] = None
) -> Tensor:
    """True at [..., id] for each id in the last axis of a sparse tensor.

    Args:
        sp_input: a SparseTensor of ids, int32 or int64.
        vocab_size: what the ids are below, the size of the last axis of the result.

    Returns:
        A tensor of bools, with ids as the last axis.
    """
    given = to_sparse(sp_input)
    with get_default_graph().name_scope(name or "SparseToIndicator"):
        count = array_ops.reshape(row_count(given.indices), [1])
        merged = sparse_merge(given, given._with_values(creation_ops.fill(count, True)), vocab_size)
        return sparse_tensor_to_dense(merged, False, validate_indices=False)


def sparse_merge(
    sp_ids: Any,
    sp_values: SparseLike,
    vocab_size: Any,
    name: Optional[str] = None,
    already_sorted: bool = False,
) -> SparseTensor:
    """Values whose last index is replaced by ids, or by several of them as several axes.

    Args:
        sp_ids: a SparseTensor of integers, or a list of them for several axes.
        sp_values: a SparseTensor of the same indices.
        vocab_size: what the ids are below, a number or a scalar; a list where `sp_ids` is one.
        already_sorted: whether the result is in order without being sorted.

    Returns:
        A SparseTensor whose last axes have these sizes.

    Raises:
        TypeError: if only one of both is a list, or a size is no number.
        ValueError: if the lists are of different lengths.
    """
    if isinstance(sp_ids, (SparseTensor, SparseTensorValue)):
        sp_ids, vocab_size = [sp_ids], [vocab_size]
    for what, items in (("sp_ids", sp_ids), ("vocab_size", vocab_size)):
        if not isinstance(items, Iterable) or isinstance(items, Tensor):
            raise TypeError(f"{what} has to be a list where the other is, not {items!r}")
    for size in vocab_size:
        if not isinstance(size, (int, Tensor)):
            raise TypeError(f"vocab_size has to be a Tensor or Python int. Found {type(size)}")
    if len(sp_ids) != len(vocab_size):
        raise ValueError("sp_ids and vocab_size have to have equal lengths.")
    with get_default_graph().name_scope(name or "SparseMerge"):
        ids, values = [to_sparse(each) for each in sp_ids], to_sparse(sp_values)
        columns = [array_ops.expand_dims(to_int64(each.values), 1) for each in ids]
        sizes = array_ops.stack([to_int64(size) for size in vocab_size])
        merged = SparseTensor(
            array_ops.concat([ids[0].indices[:, :-1], *columns], 1),
            values.values,
            array_ops.concat([ids[0].dense_shape[:-1], sizes], 0),
        )
        return merged if already_sorted else sparse_reorder(merged)


def sparse_mask(
    a: IndexedSlices, mask_indices: TensorLike, name: Optional[str] = None
) -> IndexedSlices:
    """The slices of IndexedSlices but for those at `mask_indices`.

    Args:
        a: the slices.
        mask_indices: the indices that are left out, a vector.

    Returns:
        IndexedSlices of the same dense shape.
    """
    with get_default_graph().name_scope(name or "sparse_mask"):
        masked = convert_to_tensor(mask_indices, a.indices.dtype)
        indices, places = raw_ops.ListDiff(x=a.indices, y=masked)
        return IndexedSlices(selection_ops.gather(a.values, places), indices, a.dense_shape)
