"""Embeddings: rows of tables that may be partitioned, and their sums by sparse ids."""

from __future__ import annotations

from typing import Any, List, Optional, Tuple

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import (
    array_ops,
    clip_ops,
    creation_ops,
    gen_ops,
    math_ops,
    raw_ops,
    selection_ops,
)
from troupe._src.ops.convert import constant, convert_to_tensor, is_tensor
from troupe._src.ops.sparse_tensor import SparseTensor
from troupe._src.platform import logging
from troupe._src.sparse.arrangement import (
    sparse_fill_empty_rows,
    sparse_reshape,
    sparse_retain,
)
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DType
from troupe._src.types.shapes import TensorShape


def embedding_lookup(
    params: Any,
    ids: TensorLike,
    partition_strategy: str = "mod",
    name: Optional[str] = None,
    validate_indices: bool = True,
    max_norm: Optional[float] = None,
) -> Tensor:
    """The rows of a table at `ids`, each scaled to a norm of at most max_norm if that is given.

    A list of tensors, or a partitioned variable, is one table: with the strategy "mod", row i is in
    tensor i % n; with "div", each tensor has the next rows, and the first ones have one more where
    the number of rows is no multiple of n. Each tensor is read where it is, at its own ids.

    Args:
        params: a tensor or variable [rows, ...], a partitioned variable, or a list of tensors.
        ids: int32 or int64 of any shape.
        partition_strategy: "mod" or "div".
        validate_indices: kept for TensorFlow's programs; ids are always checked.
        max_norm: the largest L2 norm of a row of the result; None for no limit.

    Returns:
        A tensor of the shape of the ids, followed by that of a row.

    Raises:
        ValueError: if there is no table, or the strategy is unknown.
    """
    tables = tables_of(params)
    graph = get_default_graph()
    with graph.name_scope(name or "embedding_lookup"):
        numbers = convert_to_tensor(ids)
        if len(tables) > 1:
            rows = _from_partitions(tables, numbers, partition_strategy)
            return _clipped(rows, numbers, max_norm)
        with graph.colocate_with(tables[0]):
            rows = _clipped(selection_ops.gather(tables[0], numbers), numbers, max_norm)
        return array_ops.identity(rows)


def tables_of(params: Any, dtype: Optional[DType] = None) -> List[Any]:
    """The parts of a table, each a variable or a tensor."""
    if params is None:
        raise ValueError("params must be specified")
    is_partitioned = isinstance(params, (list, tuple)) or hasattr(params, "_get_variable_list")
    parts = list(params) if is_partitioned else [params]
    if not parts:
        raise ValueError(f"Need at least one param, got {params!r}")
    is_kept = [is_tensor(part) and dtype in (None, part.dtype.base_dtype) for part in parts]
    return [
        part if keeps else convert_to_tensor(part, dtype) for part, keeps in zip(parts, is_kept)
    ]


def _from_partitions(tables: List[Any], ids: Tensor, strategy: str) -> Tensor:
    graph, count = get_default_graph(), len(tables)
    flat = array_ops.reshape(ids, [-1])
    partition, row = parts_and_rows(tables, flat, strategy)
    places = math_ops.range(array_ops.size(flat))
    rows_of = raw_ops.DynamicPartition(row, partition, num_partitions=count)
    places_of = raw_ops.DynamicPartition(places, partition, num_partitions=count)
    found = []
    for table, own_rows in zip(tables, rows_of):
        with graph.colocate_with(table):
            found.append(selection_ops.gather(table, own_rows))
    stitched = raw_ops.ParallelDynamicStitch(indices=places_of, data=found)
    row_shape = tables[0].shape[1:]
    for table in tables[1:]:
        row_shape = row_shape.merge_with(table.shape[1:])
    sizes: Any = row_shape.as_list() if row_shape.is_fully_defined() else None
    if sizes is None:
        sizes = array_ops.shape(tables[0])[1:]
    elif not sizes:
        sizes = constant([], dtypes.int32, [0])
    rows = array_ops.reshape(stitched, array_ops.concat([array_ops.shape(ids), sizes], 0))
    rows.set_shape(ids.shape.concatenate(row_shape))
    return rows


def parts_and_rows(tables: List[Any], ids: Tensor, strategy: str) -> Tuple[Tensor, Tensor]:
    """The part of a table where each id is, an int32, and its row there."""
    if strategy == "mod":
        partition, row = ids % len(tables), ids // len(tables)
    elif strategy == "div":
        partition, row = _divided(tables, ids)
    else:
        raise ValueError(f"Unrecognized partition strategy: {strategy}")
    return math_ops.cast(partition, dtypes.int32), row


def _divided(tables: List[Any], ids: Tensor) -> Tuple[Tensor, Tensor]:
    """The partition and its row of each id, where each partition has successive rows."""
    known = [table.shape[0].value if table.shape.rank else None for table in tables]
    if None not in known:
        total = constant(sum(known), ids.dtype)
    else:
        sizes = [array_ops.shape(table)[0] for table in tables]
        total = math_ops.cast(math_ops.reduce_sum(array_ops.stack(sizes)), ids.dtype)
    each, longer = total // len(tables), total % len(tables)
    # Where there are fewer rows than partitions, the last partitions have none, and no id either.
    each_divisor = gen_ops.maximum(each, 1)
    # The first `longer` partitions have each + 1 rows.
    partition = gen_ops.maximum(ids // (each + 1), (ids - longer) // each_divisor)
    is_longer = gen_ops.less(partition, longer)
    row = selection_ops.where(is_longer, ids % (each + 1), (ids - longer) % each_divisor)
    return partition, row


def _clipped(rows: Tensor, ids: Tensor, max_norm: Optional[float]) -> Tensor:
    if max_norm is None:
        return rows
    first, rank = ids.shape.rank, rows.shape.rank
    axes: Any
    if first is not None and rank is not None:
        axes = list(range(first, rank))
    else:
        axes = math_ops.range(gen_ops.rank(ids), gen_ops.rank(rows))
    clipped: Tensor = clip_ops.clip_by_norm(rows, max_norm, axes=axes)
    return clipped


def embedding_lookup_sparse(
    params: Any,
    sp_ids: Any,
    sp_weights: Any,
    partition_strategy: str = "mod",
    name: Optional[str] = None,
    combiner: Optional[str] = None,
    max_norm: Optional[float] = None,
) -> Tensor:
    """For each row of ids, the combination of the rows of a table that they name.

    The combiner is "sum", "mean" (the sum over that of the weights) or "sqrtn" (the sum over the
    square root of that of their squares). Each row needs an id, and the ids must be in order.

    Args:
        params: a tensor or variable [rows, ...], a partitioned variable, or a list of tensors.
        sp_ids: a SparseTensor of int32 or int64, [batch, any].
        sp_weights: a SparseTensor of floats with the same indices, or None for weights of 1.
        partition_strategy: "mod" or "div".
        combiner: "sum", "mean" or "sqrtn".
        max_norm: the largest L2 norm of each row before it is combined; None for no limit.

    Returns:
        A tensor [batch, ...] with the axes of a row behind.

    Raises:
        TypeError: if ids or weights are no sparse tensors.
        ValueError: if the combiner or the strategy is unknown, or shapes of ids and weights differ.
    """
    if combiner is None:
        logging.warning("The default value of combiner is 'mean'; it should be given.")
        combiner = "mean"
    if combiner not in ("mean", "sqrtn", "sum"):
        raise ValueError("combiner must be one of 'mean', 'sqrtn' or 'sum'")
    if not isinstance(sp_ids, SparseTensor):
        raise TypeError("sp_ids must be SparseTensor")
    if sp_weights is not None:
        if not isinstance(sp_weights, SparseTensor):
            raise TypeError("sp_weights must be either None or SparseTensor")
        for part, other in zip(sp_ids.parts, sp_weights.parts):
            part.shape.merge_with(other.shape)
    with get_default_graph().name_scope(name or "embedding_lookup_sparse"):
        segments = math_ops.cast(sp_ids.indices[:, 0], dtypes.int32)
        ids, places = raw_ops.Unique(x=sp_ids.values)
        rows = embedding_lookup(params, ids, partition_strategy, max_norm=max_norm)
        if rows.dtype in (dtypes.float16, dtypes.bfloat16):
            rows = math_ops.cast(rows, dtypes.float32)
        if sp_weights is not None:
            return _weighted(selection_ops.gather(rows, places), segments, sp_weights, combiner)
        combine = {
            "sum": raw_ops.SparseSegmentSum,
            "mean": raw_ops.SparseSegmentMean,
            "sqrtn": raw_ops.SparseSegmentSqrtN,
        }[combiner]
        return combine(rows, places, segments)


def _weighted(rows: Tensor, segments: Tensor, sp_weights: SparseTensor, combiner: str) -> Tensor:
    weights = math_ops.cast(sp_weights.values, rows.dtype)
    # One weight for a whole row of the table.
    ones = creation_ops.fill(array_ops.expand_dims(gen_ops.rank(rows) - 1, 0), 1)
    weights = array_ops.reshape(weights, array_ops.concat([array_ops.shape(weights), ones], 0))
    if rows.shape.rank is not None:
        weights.set_shape(sp_weights.values.shape.concatenate([1] * (rows.shape.rank - 1)))
    total = raw_ops.SegmentSum(data=rows * weights, segment_ids=segments)
    if combiner == "sum":
        return total
    if combiner == "mean":
        return total / raw_ops.SegmentSum(data=weights, segment_ids=segments)
    return total / gen_ops.sqrt(raw_ops.SegmentSum(data=weights * weights, segment_ids=segments))


def safe_embedding_lookup_sparse(
    embedding_weights: Any,
    sparse_ids: Any,
    sparse_weights: Any = None,
    combiner: str = "mean",
    default_id: Any = None,
    name: Optional[str] = None,
    partition_strategy: str = "div",
    max_norm: Optional[float] = None,
) -> Tensor:
    """`embedding_lookup_sparse` that drops ids below 0, and those whose weights are not above 0.

    A row without ids gets zeros, or the row `default_id` of the table. The ids may have more than
    two axes; those of the last one are combined.

    Args:
        embedding_weights: a tensor or variable [rows, ...], a partitioned variable, or a list of
            tensors.
        sparse_ids: a SparseTensor of int32 or int64, [..., any].
        sparse_weights: a SparseTensor of floats with the same indices, or None for weights of 1.
        combiner: "sum", "mean" or "sqrtn".
        default_id: the row of the table for where no id is left; None for zeros.
        partition_strategy: "mod" or "div".
        max_norm: the largest L2 norm of each row before it is combined; None for no limit.

    Returns:
        A tensor of the shape of the ids without its last axis, followed by that of a row.

    Raises:
        ValueError: if there is no table.
    """
    if embedding_weights is None:
        raise ValueError(f"Missing embedding_weights {embedding_weights}.")
    tables = tables_of(embedding_weights, None if sparse_weights is None else sparse_weights.dtype)
    with get_default_graph().name_scope(name or "embedding_lookup"):
        shape = sparse_ids.dense_shape
        rank = shape.shape[0].value
        last = array_ops.size(shape) - 1 if rank is None else constant(rank - 1)
        outer = array_ops.slice(shape, [0], array_ops.reshape(last, [1]))
        sizes = array_ops.stack([math_ops.reduce_prod(outer), selection_ops.gather(shape, last)])
        ids, weights = sparse_reshape(sparse_ids, sizes), None
        if sparse_weights is not None:
            weights = ids._with_values(sparse_weights.values)
        ids, weights = _retained(ids, weights, gen_ops.greater_equal(ids.values, 0))
        if weights is not None and combiner != "sum":
            ids, weights = _retained(ids, weights, gen_ops.greater(weights.values, 0))
        ids, is_empty = sparse_fill_empty_rows(ids, default_id or 0)
        if weights is not None:
            weights, _ = sparse_fill_empty_rows(weights, 1.0)
        found = embedding_lookup_sparse(
            tables, ids, weights, partition_strategy, combiner=combiner, max_norm=max_norm
        )
        if default_id is None:
            found = selection_ops.where(is_empty, creation_ops.zeros_like(found), found)
        outer_sizes = math_ops.cast(outer, dtypes.int32)
        rows = array_ops.reshape(
            found, array_ops.concat([outer_sizes, array_ops.shape(found)[1:]], 0)
        )
        rows.set_shape(_unknown_sizes(rank).concatenate(found.shape[1:]))
        return rows


def _unknown_sizes(rank: Optional[int]) -> TensorShape:
    return TensorShape(None if rank is None else [None] * (rank - 1))


def _retained(ids: SparseTensor, weights: Optional[SparseTensor], chosen: Tensor) -> Any:
    kept = None if weights is None else sparse_retain(weights, chosen)
    return sparse_retain(ids, chosen), kept
