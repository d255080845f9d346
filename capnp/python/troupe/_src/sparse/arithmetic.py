"""Sums, products and extremes of sparse tensors."""

from __future__ import annotations

from typing import Any, Callable, List, NamedTuple, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.operand import implements
from troupe._src.ops import arithmetic_ops, array_ops, gen_ops, math_ops, raw_ops
from troupe._src.ops.arguments import either
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.ops.rearrange_ops import boolean_mask, gather_nd
from troupe._src.ops.sparse_tensor import SparseTensor, SparseTensorValue
from troupe._src.sparse.inputs import checked, row_count, to_sparse
from troupe._src.types import dtypes


class _Union(NamedTuple):
    """The places at which one of two sparse tensors has an entry, and where each entry is."""

    indices: Tensor
    positions: List[Tensor]  # of the entries of each one, among the indices

    def values_of(self, number: int, values: Tensor) -> Tensor:
        """The values of one of the two at all places, 0 where it has none."""
        places = self.positions[number]
        return raw_ops.UnsortedSegmentSum(values, places, row_count(self.indices))

    def is_common(self) -> Tensor:
        """True at the places at which both have an entry."""
        counts = [self.values_of(i, array_ops.ones_like(self.positions[i])) for i in (0, 1)]
        return gen_ops.greater(gen_ops.minimum(counts[0], counts[1]), 0)


def _union(a: SparseTensor, b: SparseTensor) -> _Union:
    with checked(a.dense_shape, "==", b.dense_shape, "Operands' shapes do not match"):
        both = array_ops.concat([a.indices, b.indices], 0)
    indices, positions = raw_ops.UniqueV2(x=both, axis=constant([0]))
    counts = array_ops.stack([row_count(a.indices), row_count(b.indices)])
    return _Union(indices, array_ops.split(positions, counts, num=2))


def _in_order(indices: Tensor, values: Tensor, given: SparseTensor) -> SparseTensor:
    indices, values = raw_ops.SparseReorder(indices, values, given.dense_shape)
    return SparseTensor(indices, values, given.dense_shape)


def sparse_add(a: Any, b: Any, threshold: Any = None, thresh: Any = None) -> Any:
    """The sum of two tensors, of which one or both are sparse.

    The sum of two sparse ones is sparse. It lacks the entries that both have and whose sum is
    nearer to 0 than the threshold. The sum of a sparse and a dense tensor is dense.
    """
    limit = either("threshold", threshold, "thresh", thresh)
    are_sparse = [isinstance(each, (SparseTensor, SparseTensorValue)) for each in (a, b)]
    if not any(are_sparse):
        raise TypeError("At least one input should be SparseTensor; do you mean to use tf.add()?")
    if not all(are_sparse):
        sparse, dense = (a, b) if are_sparse[0] else (b, a)
        return raw_ops.SparseTensorDenseAdd(*to_sparse(sparse).parts, dense)
    with get_default_graph().name_scope("SparseAdd"):
        x, y = to_sparse(a), to_sparse(b)
        union = _union(x, y)
        sums = union.values_of(0, x.values) + union.values_of(1, y.values)
        sizes = arithmetic_ops.abs(sums)
        is_large = gen_ops.greater_equal(sizes, convert_to_tensor(limit or 0, sizes.dtype))
        is_kept = gen_ops.logical_or(is_large, gen_ops.logical_not(union.is_common()))
        return _in_order(boolean_mask(union.indices, is_kept), boolean_mask(sums, is_kept), x)


def sparse_maximum(sp_a: Any, sp_b: Any, name: Optional[str] = None) -> SparseTensor:
    """The greater elements of two sparse tensors, at the places where one has an entry."""
    return _extreme(gen_ops.maximum, sp_a, sp_b, name or "SparseSparseMaximum")


def sparse_minimum(sp_a: Any, sp_b: Any, name: Optional[str] = None) -> SparseTensor:
    """The lesser elements of two sparse tensors, at the places where one has an entry."""
    return _extreme(gen_ops.minimum, sp_a, sp_b, name or "SparseSparseMinimum")


def _extreme(op: Callable[..., Tensor], sp_a: Any, sp_b: Any, name: str) -> SparseTensor:
    with get_default_graph().name_scope(name):
        x, y = to_sparse(sp_a), to_sparse(sp_b)
        union = _union(x, y)
        values = op(union.values_of(0, x.values), union.values_of(1, y.values))
        return _in_order(union.indices, values, x)


def sparse_softmax(sp_input: Any, name: Optional[str] = None) -> SparseTensor:
    """The softmax of the entries of each row along the last axis; others count as none."""
    given = to_sparse(sp_input)
    if given.shape.rank is not None and given.shape.rank < 2:
        raise ValueError(f"Input should have rank >= 2, but its shape is {given.shape}")
    with get_default_graph().name_scope(name or "SparseSoftmax"):
        rows, row = raw_ops.UniqueV2(x=given.indices[:, :-1], axis=constant([0]))
        count = row_count(rows)
        greatest = raw_ops.UnsortedSegmentMax(given.values, row, count)
        shifted = given.values - gen_ops.stop_gradient(array_ops.gather(greatest, row))
        powers = gen_ops.exp(shifted)
        sums = raw_ops.UnsortedSegmentSum(powers, row, count)
        return given._with_values(powers / array_ops.gather(sums, row))


def sparse_tensor_dense_matmul(
    sp_a: Any,
    b: Any,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    name: Optional[str] = None,
) -> Tensor:
    """The matrix product of a sparse and a dense matrix."""
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
    places = array_ops.where_v2(extends, array_ops.zeros_like(places), places)
    return gather_nd(given, places)


def sparse_reduce_sum(
    sp_input: Any,
    axis: Any = None,
    keepdims: Optional[bool] = None,
    reduction_axes: Any = None,
    keep_dims: Optional[bool] = None,
) -> Tensor:
    """The sums over those axes, by default over all, as a dense tensor."""
    arguments = _reduction(sp_input, axis, keepdims, reduction_axes, keep_dims)
    return raw_ops.SparseReduceSum(*arguments)


def sparse_reduce_sum_sparse(
    sp_input: Any,
    axis: Any = None,
    keepdims: Optional[bool] = None,
    reduction_axes: Any = None,
    keep_dims: Optional[bool] = None,
) -> SparseTensor:
    """The sums over those axes, by default over all, as a sparse tensor."""
    arguments = _reduction(sp_input, axis, keepdims, reduction_axes, keep_dims)
    return SparseTensor(*raw_ops.SparseReduceSumSparse(*arguments))


def sparse_reduce_max(
    sp_input: Any,
    axis: Any = None,
    keepdims: Optional[bool] = None,
    reduction_axes: Any = None,
    keep_dims: Optional[bool] = None,
) -> Tensor:
    """The greatest entries over those axes, by default over all, as a dense tensor."""
    arguments = _reduction(sp_input, axis, keepdims, reduction_axes, keep_dims)
    return raw_ops.SparseReduceMax(*arguments)


def sparse_reduce_max_sparse(
    sp_input: Any,
    axis: Any = None,
    keepdims: Optional[bool] = None,
    reduction_axes: Any = None,
    keep_dims: Optional[bool] = None,
) -> SparseTensor:
    """The greatest entries over those axes, by default over all, as a sparse tensor."""
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
