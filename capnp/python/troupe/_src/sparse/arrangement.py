"""Sparse tensors whose entries are those of others, at other places."""

from __future__ import annotations

from typing import Any, List, Optional, Tuple

import numpy as np

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops, raw_ops, selection_ops
from troupe._src.arguments import either, required
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.sparse_tensor import SparseLike, SparseTensor
from troupe._src.sparse.inputs import checked, row_count, to_int64, to_sparse, to_sparse_list
from troupe._src.types import dtypes
from troupe._src.types.shapes import ShapeLike, TensorShape


def sparse_reorder(sp_input: SparseLike, name: Optional[str] = None) -> SparseTensor:
    """The entries in the order of their indices, row by row.

    Args:
        sp_input: a SparseTensor.

    Returns:
        A SparseTensor of the same shape.
    """
    given = to_sparse(sp_input)
    indices, values = raw_ops.SparseReorder(*given.parts, name=name)
    return SparseTensor(indices, values, given.dense_shape)


def sparse_reshape(
    sp_input: SparseLike, shape: ShapeLike, name: Optional[str] = None
) -> SparseTensor:
    """The same entries in a tensor of another shape, of which one size may be -1.

    Args:
        sp_input: a SparseTensor.
        shape: the sizes, also as a tensor.

    Returns:
        A SparseTensor of that shape.

    Raises:
        ValueError: if the number of elements is known to differ, or more than one size is -1.
    """
    given = to_sparse(sp_input)
    sizes = to_int64(shape)
    known = array_ops.get_static_value(sizes)
    found = creation_ops.sizes_in(sizes)
    if known is not None:
        _check_sizes(given, [int(size) for size in known])
    indices, dense_shape = raw_ops.SparseReshape(
        input_indices=given.indices,
        input_shape=given.dense_shape,
        new_shape=sizes,
        name=name,
    )
    count = given.shape.num_elements()
    if found.rank is not None and found.as_list().count(None) == 1 and count is not None:
        others = int(np.prod([size for size in found.as_list() if size is not None]))
        if others and count % others == 0:
            found = TensorShape([count // others if s is None else s for s in found.as_list()])
    if found.is_fully_defined():
        dense_shape = convert_to_tensor(found.as_list(), dtypes.int64)
    return SparseTensor(indices, array_ops.identity(given.values), dense_shape)


def _check_sizes(given: SparseTensor, sizes: List[int]) -> None:
    count = given.shape.num_elements()
    if count is None:
        return
    if sizes.count(-1) > 1:
        raise ValueError(f"At most one dimension can be inferred (-1). Found: {sizes}")
    product = int(np.prod([size for size in sizes if size != -1], dtype=np.int64))
    is_divided = product != 0 and count % product == 0 if -1 in sizes else product == count
    if not is_divided:
        raise ValueError(
            f"Cannot reshape a tensor with {count} elements to shape {sizes} ({product} elements)."
        )


def sparse_transpose(
    sp_input: SparseLike, perm: Optional[TensorLike] = None, name: Optional[str] = None
) -> SparseTensor:
    """The axes in the order of `perm`, by default reversed.

    Args:
        sp_input: a SparseTensor.
        perm: for each axis of the result, that of the input.

    Returns:
        A SparseTensor with entries in the order of their indices.
    """
    given = to_sparse(sp_input)
    with get_default_graph().name_scope(name or "SparseTranspose"):
        if perm is None:
            rank = array_ops.size(given.dense_shape)
            order = rank - 1 - math_ops.range(0, rank)
        else:
            order = convert_to_tensor(perm, dtypes.int32)
        known_order, known = array_ops.get_static_value(order), given.shape
        if known_order is not None and known.is_fully_defined():
            sizes: Any = [known.as_list()[int(axis)] for axis in known_order]
        else:
            sizes = selection_ops.gather(given.dense_shape, order)
        indices = selection_ops.gather(given.indices, order, axis=1)
        return sparse_reorder(SparseTensor(indices, given.values, sizes))


def sparse_expand_dims(
    sp_input: SparseLike, axis: Optional[TensorLike] = None, name: Optional[str] = None
) -> SparseTensor:
    """Adds an axis of size 1 before the axis `axis`, or at the end.

    Args:
        sp_input: a SparseTensor.
        axis: the position of the new axis, negative to count from the end of the result.

    Returns:
        A SparseTensor with one axis more.
    """
    given = to_sparse(sp_input)
    with get_default_graph().name_scope(name or "expand_dims"):
        place = convert_to_tensor(-1 if axis is None else axis, dtypes.int32)
        rank = array_ops.size(given.dense_shape)
        place = selection_ops.where_v2(gen_ops.less(place, 0), place + rank + 1, place)
        before = array_ops.slice(given.indices, [0, 0], array_ops.stack([-1, place]))
        after = array_ops.slice(given.indices, array_ops.stack([0, place]), [-1, -1])
        added = creation_ops.zeros(array_ops.stack([row_count(given.indices), 1]), dtypes.int64)
        first = array_ops.slice(given.dense_shape, [0], array_ops.reshape(place, [1]))
        last = array_ops.slice(given.dense_shape, array_ops.reshape(place, [1]), [-1])
        one = convert_to_tensor([1], dtypes.int64)
        return SparseTensor(
            array_ops.concat([before, added, after], 1),
            given.values,
            array_ops.concat([first, one, last], 0),
        )


def sparse_concat(
    axis: Any,
    sp_inputs: Any,
    name: Optional[str] = None,
    expand_nonconcat_dim: bool = False,
    concat_dim: Any = None,
    expand_nonconcat_dims: Optional[bool] = None,
) -> SparseTensor:
    """Sparse tensors one after the other along an axis.

    With `expand_nonconcat_dim`, the other axes get the greatest of their sizes; else these must be
    equal.

    Args:
        axis: the axis, a number.
        sp_inputs: a list of SparseTensors of one rank and dtype.
        expand_nonconcat_dim: whether the other sizes may differ.
        concat_dim: the former name of `axis`.
        expand_nonconcat_dims: another name of `expand_nonconcat_dim`.

    Returns:
        A SparseTensor of their rank.

    Raises:
        TypeError: if the inputs are no list of SparseTensors.
        ValueError: if the axis is missing, or both names of it are given.
    """
    place = int(required("axis", either("axis", axis, "concat_dim", concat_dim)))
    if expand_nonconcat_dims is not None:
        expand_nonconcat_dim = expand_nonconcat_dims
    inputs = to_sparse_list(sp_inputs)
    if len(inputs) == 1:
        return inputs[0]
    shapes = [each.dense_shape for each in inputs]
    if expand_nonconcat_dim:
        shapes = _expanded(shapes, place)
    indices, values, dense_shape = raw_ops.SparseConcat(
        indices=[each.indices for each in inputs],
        values=[each.values for each in inputs],
        shapes=shapes,
        concat_dim=place,
        name=name,
    )
    known = [array_ops.get_static_value(shape) for shape in shapes]
    if all(shape is not None for shape in known):
        sizes = np.array(known[0])
        sizes[place] = sum(int(shape[place]) for shape in known)
        dense_shape = convert_to_tensor(sizes, dtypes.int64)
    return SparseTensor(indices, values, dense_shape)


def _expanded(shapes: List[Tensor], axis: int) -> List[Tensor]:
    """The greatest size of each axis but one, which remains as it is."""
    greatest = math_ops.reduce_max(array_ops.stack(shapes), 0)
    rank = array_ops.size(greatest)
    place = axis if axis >= 0 else axis + rank
    is_axis = gen_ops.equal(math_ops.range(0, rank), place)
    return [selection_ops.where(is_axis, shape, greatest) for shape in shapes]


class KeywordRequired:
    """The default of an argument that says that the others are given by name."""


def sparse_split(
    keyword_required: Any = KeywordRequired(),  # noqa: B008
    sp_input: Any = None,
    num_split: Optional[int] = None,
    axis: Any = None,
    name: Optional[str] = None,
    split_dim: Any = None,
) -> List[SparseTensor]:
    """Parts along an axis; the first ones have one more, where its size is no multiple.

    Args:
        keyword_required: must be left out: the arguments are given by name.
        sp_input: a SparseTensor.
        num_split: the number of parts, at most the size of the axis.
        axis: the axis, a number or a scalar tensor.
        split_dim: the former name of `axis`.

    Returns:
        A list of SparseTensors.

    Raises:
        ValueError: if an argument is missing, or a number is known to be out of range.
    """
    if not isinstance(keyword_required, KeywordRequired):
        raise ValueError("Keyword arguments are required for this function.")
    given = to_sparse(required("sp_input", sp_input))
    count = int(required("num_split", num_split))
    if count < 1:
        raise ValueError(f"num_split must be at least 1, not {count}")
    place = to_int64(required("axis", either("axis", axis, "split_dim", split_dim)))
    with get_default_graph().name_scope(name or "SparseSplit"):
        rank = array_ops.size(given.dense_shape, out_type=dtypes.int64)
        with checked(place + 1, "<=", rank, "axis must be less than the rank"):
            size = selection_ops.gather(given.dense_shape, place)
        with checked(to_int64(count), "<=", size, "num_split must be at most the size of the axis"):
            each, longer = size // count, size % count
        is_axis = gen_ops.equal(math_ops.range(rank), place)
        zeros = creation_ops.zeros_like(given.dense_shape)
        parts = []
        for number in range(count):
            start = each * number + gen_ops.minimum(longer, to_int64(number))
            part = each + math_ops.cast(gen_ops.greater(longer, to_int64(number)), dtypes.int64)
            starts = selection_ops.where_v2(is_axis, start, zeros)
            sizes = selection_ops.where_v2(is_axis, part, given.dense_shape)
            parts.append(sparse_slice(given, starts, sizes))
        return parts


def sparse_slice(
    sp_input: SparseLike, start: TensorLike, size: TensorLike, name: Optional[str] = None
) -> SparseTensor:
    """The part from `start` on, of that size or what the tensor has of it.

    Args:
        sp_input: a SparseTensor.
        start: the first position along each axis, [rank].
        size: the number of elements along each axis, [rank].

    Returns:
        A SparseTensor of that size, or less at the end of an axis.
    """
    found = raw_ops.SparseSlice(
        *to_sparse(sp_input).parts, to_int64(start), to_int64(size), name=name
    )
    return SparseTensor(*found)


def sparse_retain(sp_input: SparseLike, to_retain: TensorLike) -> SparseTensor:
    """The entries for which the vector `to_retain` is true.

    Args:
        sp_input: a SparseTensor with N entries.
        to_retain: bools, [N].

    Returns:
        A SparseTensor of the same shape.

    Raises:
        ValueError: if `to_retain` has another shape.
    """
    given = to_sparse(sp_input)
    chosen = convert_to_tensor(to_retain, dtypes.bool_)
    if chosen.shape.rank not in (None, 1):
        raise ValueError(f"to_retain must be a vector, but has shape {chosen.shape}")
    given.values.shape.merge_with(chosen.shape)
    places = array_ops.reshape(selection_ops.where(chosen), [-1])
    return SparseTensor(
        selection_ops.gather(given.indices, places),
        selection_ops.gather(given.values, places),
        array_ops.identity(given.dense_shape),
    )


def sparse_reset_shape(sp_input: SparseLike, new_shape: ShapeLike = None) -> SparseTensor:
    """The same entries in a larger shape, by default in the least that holds them.

    Args:
        sp_input: a SparseTensor.
        new_shape: the sizes, none of which is less than before.

    Returns:
        A SparseTensor of that shape.

    Raises:
        ValueError: if the shape is known to be of another rank, or too small.
    """
    given = to_sparse(sp_input)
    if new_shape is None:
        last = math_ops.reduce_max(given.indices, 0)
        sizes = gen_ops.maximum(last + 1, creation_ops.zeros_like(given.dense_shape))
        return SparseTensor(given.indices, given.values, sizes)
    sizes = to_int64(new_shape)
    if sizes.shape.rank not in (None, 1):
        raise ValueError(f"new_shape must be a vector, but has shape {sizes.shape}")
    sizes.shape.merge_with(given.dense_shape.shape)
    ranks = [array_ops.size(each) for each in (sizes, given.dense_shape)]
    message = "Requested new_shape should have dimension sizes >= sp_input.shape"
    with checked(ranks[0], "==", ranks[1], "new_shape must have the rank of sp_input"):
        with checked(given.dense_shape, "<=", sizes, message):
            return SparseTensor(given.indices, given.values, array_ops.identity(sizes))


def sparse_fill_empty_rows(
    sp_input: SparseLike, default_value: TensorLike, name: Optional[str] = None
) -> Tuple[SparseTensor, Tensor]:
    """An entry of that value at the beginning of each empty row, and which rows were empty.

    Args:
        sp_input: a SparseTensor, [rows, columns].
        default_value: a scalar of its dtype.

    Returns:
        A SparseTensor of that shape; and bools, [rows].
    """
    given = to_sparse(sp_input)
    with get_default_graph().name_scope(name or "SparseFillEmptyRows"):
        value = convert_to_tensor(default_value, given.dtype)
        indices, values, is_empty, _ = raw_ops.SparseFillEmptyRows(*given.parts, value)
        return SparseTensor(indices, values, given.dense_shape), is_empty
