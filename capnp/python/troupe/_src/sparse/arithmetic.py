"""Sums, products and extremes of sparse tensors."""

from __future__ import annotations

from typing import Any, Callable, List, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.operand import implements
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import (
    arithmetic_ops,
    array_ops,
    creation_ops,
    gen_ops,
    math_ops,
    raw_ops,
    selection_ops,
)
from troupe._src.arguments import either
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.ops.rearrange_ops import gather_nd
from troupe._src.ops.sparse_tensor import SparseLike, SparseTensor, SparseTensorValue
from troupe._src.sparse.inputs import checked, to_sparse
from troupe._src.types import dtypes


def sparse_add(
    a: Any, b: Any, threshold: Optional[TensorLike] = None, thresh: Optional[TensorLike] = None
) -> Any:
    """The sum of two tensors, of which one or both are sparse.

    The sum of two sparse ones is sparse. It lacks the entries that both have and whose sum is
    nearer to 0 than the threshold. The sum of a sparse and a dense tensor is dense.

    Args:
        a: a SparseTensor, or a tensor.
        b: a SparseTensor, or a tensor, of the same shape and dtype.
        threshold: a scalar, by default 0; its dtype is that of absolute values.
        thresh: the former name of `threshold`.

    Returns:
        A SparseTensor, or a tensor.

    Raises:
        TypeError: if both are dense.
        ValueError: if both names of the threshold are given.
    """
    limit = either("threshold", threshold, "thresh", thresh)
    are_sparse = [isinstance(each, (SparseTensor, SparseTensorValue)) for each in (a, b)]
    if not any(are_sparse):
        raise TypeError("At least one input should be SparseTensor; do you mean to use tf.add()?")
    if not all(are_sparse):
        sparse, dense = (a, b) if are_sparse[0] else (b, a)
        return raw_ops.SparseTensorDenseAdd(*to_sparse(sparse).parts, dense)
    x, y = to_sparse(a), to_sparse(b)
    least = convert_to_tensor(limit or 0, arithmetic_ops.abs(x.values).dtype)
    indices, values, _ = raw_ops.SparseAdd(*x.parts, *y.parts, least)
    return SparseTensor(indices, values, x.dense_shape)


def sparse_maximum(sp_a: SparseLike, sp_b: SparseLike, name: Optional[str] = None) -> SparseTensor:
    """The greater elements of two sparse tensors, at the places where one has an entry.

    Args:
        sp_a: a SparseTensor of real numbers; what it has no entry for counts as 0.
        sp_b: a SparseTensor of the same shape and dtype.

    Returns:
        A SparseTensor of that shape.
    """
    return _extreme(raw_ops.SparseSparseMaximum, sp_a, sp_b, name)


def sparse_minimum(sp_a: SparseLike, sp_b: SparseLike, name: Optional[str] = None) -> SparseTensor:
    """The lesser elements of two sparse tensors, at the places where one has an entry.

    Args:
        sp_a: a SparseTensor of real numbers; what it has no entry for counts as 0.
        sp_b: a SparseTensor of the same shape and dtype.

    Returns:
        A SparseTensor of that shape.
    """
    return _extreme(raw_ops.SparseSparseMinimum, sp_a, sp_b, name)


def _extreme(op: Callable[..., Any], sp_a: Any, sp_b: Any, name: Optional[str]) -> SparseTensor:
    x, y = to_sparse(sp_a), to_sparse(sp_b)
    indices, values = op(*x.parts, *y.parts, name=name)
    return SparseTensor(indices, values, x.dense_shape)


def sparse_softmax(sp_input: SparseLike, name: Optional[str] = None) -> SparseTensor:
    """The softmax of the entries of each row along the last axis; others count as none.

    Args:
        sp_input: a SparseTensor of floats, of rank 2 or more.

    Returns:
        A SparseTensor with entries at the same places.

    Raises:
        ValueError: if the rank is known to be less.
    """
    given = to_sparse(sp_input)
    if given.shape.rank is not None and given.shape.rank < 2:
        raise ValueError(f"Input should have rank >= 2, but its shape is {given.shape}")
    return given._with_values(raw_ops.SparseSoftmax(*given.parts, name=name))


def sparse_tensor_dense_matmul(
    sp_a: SparseLike,
    b: TensorLike,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    name: Optional[str] = None,
) -> Tensor:
    """The matrix product of a sparse and a dense matrix.

    Args:
        sp_a: a SparseTensor of numbers, [rows, inner].
        b: of the same dtype, [inner, columns].
        adjoint_a: whether `sp_a` is transposed and conjugated before.
        adjoint_b: as `adjoint_a`.

    Returns:
        A tensor [rows, columns].
    """
    return raw_ops.SparseTensorDenseMatMul(
        *to_sparse(sp_a).parts, b, adjoint_a=adjoint_a, adjoint_b=adjoint_b, name=name
    )


@implements("sparse_multiply")
def _multiply(sparse: SparseTensor, dense: Any) -> Tensor:
    return sparse.values * _at_entries(sparse, dense)


@implements("sparse_divide")
def _divide(sparse: SparseTensor, dense: Any) -> Tensor:
    return sparse.values / _at_entries(sparse, dense)


def _at_entries(sparse: SparseTensor, dense: Any) -> Tensor:
    """The elements of a dense tensor at the entries, over which its axes of size 1 extend."""
    given = convert_to_tensor(dense, sparse.dtype)
    rank = given.shape.rank
    if rank is None:
        raise ValueError("the rank of a dense operand of a sparse tensor must be known")
    if rank == 0:
        return given
    sizes = array_ops.shape(given, out_type=dtypes.int64)
    if given.shape.is_fully_defined() and sparse.shape.is_fully_defined():
        known = arithmetic_ops.broadcast_static_shape(given.shape, sparse.shape)
        whole = constant(known.as_list(), dtypes.int64)
    else:
        whole = raw_ops.BroadcastArgs(s0=sizes, s1=sparse.dense_shape)
    message = "A dense operand must extend to the shape of the sparse one"
    with checked(whole, "==", sparse.dense_shape, message):
        places = sparse.indices[:, -rank:]
    extends = gen_ops.equal(sizes, constant(1, dtypes.int64))
    places = selection_ops.where_v2(extends, creation_ops.zeros_like(places), places)
    return gather_nd(given, places)


def sparse_reduce_sum(
    sp_input: SparseLike,
    axis: Optional[TensorLike] = None,
    keepdims: Optional[bool] = None,
    reduction_axes: Optional[TensorLike] = None,
    keep_dims: Optional[bool] = None,
) -> Tensor:
    """The sums over those axes, by default over all, as a dense tensor.

    Args:
        sp_input: a SparseTensor of numbers.
        axis: an axis or a list of axes; None for all.
        keepdims: whether the axes stay, with the size 1.
        reduction_axes: the former name of `axis`.
        keep_dims: the former name of `keepdims`.

    Returns:
        A tensor of the shape without the axes.

    Raises:
        ValueError: if both names of an argument are given.
    """
    arguments = _reduction(sp_input, axis, keepdims, reduction_axes, keep_dims)
    return raw_ops.SparseReduceSum(*arguments)


def sparse_reduce_sum_sparse(
    sp_input: SparseLike,
    axis: Optional[TensorLike] = None,
    keepdims: Optional[bool] = None,
    reduction_axes: Optional[TensorLike] = None,
    keep_dims: Optional[bool] = None,
) -> SparseTensor:
    """The sums over those axes, by default over all, as a sparse tensor.

    Args:
        sp_input: a SparseTensor of numbers.
        axis: an axis or a list of axes; None for all.
        keepdims: whether the axes stay, with the size 1.
        reduction_axes: the former name of `axis`.
        keep_dims: the former name of `keepdims`.

    Returns:
        A SparseTensor of the shape without the axes.

    Raises:
        ValueError: if both names of an argument are given.
    """
    arguments = _reduction(sp_input, axis, keepdims, reduction_axes, keep_dims)
    return SparseTensor(*raw_ops.SparseReduceSumSparse(*arguments))


def sparse_reduce_max(
    sp_input: SparseLike,
    axis: Optional[TensorLike] = None,
    keepdims: Optional[bool] = None,
    reduction_axes: Optional[TensorLike] = None,
    keep_dims: Optional[bool] = None,
) -> Tensor:
    """The greatest entries over those axes, by default over all, as a dense tensor.

    Args:
        sp_input: a SparseTensor of numbers.
        axis: an axis or a list of axes; None for all.
        keepdims: whether the axes stay, with the size 1.
        reduction_axes: the former name of `axis`.
        keep_dims: the former name of `keepdims`.

    Returns:
        A tensor of the shape without the axes; 0 where there are no entries.

    Raises:
        ValueError: if both names of an argument are given.
    """
    arguments = _reduction(sp_input, axis, keepdims, reduction_axes, keep_dims)
    return raw_ops.SparseReduceMax(*arguments)


def sparse_reduce_max_sparse(
    sp_input: SparseLike,
    axis: Optional[TensorLike] = None,
    keepdims: Optional[bool] = None,
    reduction_axes: Optional[TensorLike] = None,
    keep_dims: Optional[bool] = None,
) -> SparseTensor:
    """The greatest entries over those axes, by default over all, as a sparse tensor.

    Args:
        sp_input: a SparseTensor of numbers.
        axis: an axis or a list of axes; None for all.
        keepdims: whether the axes stay, with the size 1.
        reduction_axes: the former name of `axis`.
        keep_dims: the former name of `keepdims`.

    Returns:
        A SparseTensor of the shape without the axes.

    Raises:
        ValueError: if both names of an argument are given.
    """
    arguments = _reduction(sp_input, axis, keepdims, reduction_axes, keep_dims)
    return SparseTensor(*raw_ops.SparseReduceMaxSparse(*arguments))


def _reduction(
    sp_input: Any, axis: Any, keepdims: Any, reduction_axes: Any, keep_dims: Any
) -> List[Any]:
    """The arguments of an op that reduces."""
    given = to_sparse(sp_input)
    axes = either("axis", axis, "reduction_axes", reduction_axes)
    if axes is None:
        axes = math_ops.range(0, array_ops.size(given.dense_shape))
    keep = bool(either("keepdims", keepdims, "keep_dims", keep_dims))
    return [*given.parts, convert_to_tensor(axes, dtypes.int32), keep]
