"""Sums of rows of tables that are divided, each added up where its part of the table is."""

from __future__ import annotations

from typing import Any, List, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.nn.embedding_ops import tables_of, parts_and_rows
from troupe._src.ops import (
    array_ops,
    clip_ops,
    creation_ops,
    gen_ops,
    math_ops,
    raw_ops,
    selection_ops,
)
from troupe._src.ops.sparse_tensor import SparseTensor
from troupe._src.platform import logging
from troupe._src.types import dtypes


def embedding_lookup_sparse_with_distributed_aggregation(
    params: Any,
    sp_ids: SparseTensor,
    sp_weights: Optional[SparseTensor],
    partition_strategy: str = "mod",
    name: Optional[str] = None,
    combiner: Optional[str] = None,
    max_norm: Optional[float] = None,
) -> Tensor:
    """`tf.nn.embedding_lookup_sparse` that adds rows up on the devices of their parts of the table.

    Less is transferred than with each row by itself. Each row of ids needs one, and they must be in
    order.

    Args:
        params: A tensor or variable [rows, ...], a partitioned variable, or a list of tensors.
        sp_ids: A SparseTensor of int32 or int64, [batch, any].
        sp_weights: A SparseTensor of floats with the same indices, or None for weights of 1.
        partition_strategy: "mod" or "div".
        name: The scope of the nodes.
        combiner: "sum", "mean" or "sqrtn"; None for "mean".
        max_norm: The largest L2 norm of each row before it is combined; None for no limit.

    Returns:
        A tensor [batch, ...] with the axes of a row behind.

    Raises:
        TypeError: Ids or weights are no sparse tensors.
        ValueError: The combiner or the strategy is unknown, or shapes of ids and weights differ.
    """
    if combiner is None:
        logging.warning("The default value of combiner is 'mean'; it should be given.")
        combiner = "mean"
    if combiner not in ("mean", "sqrtn", "sum"):
        raise ValueError("combiner must be one of 'mean', 'sqrtn' or 'sum'")
    tables = tables_of(params)
    if not isinstance(sp_ids, SparseTensor):
        raise TypeError("sp_ids must be SparseTensor")
    if sp_weights is not None:
        if not isinstance(sp_weights, SparseTensor):
            raise TypeError("sp_weights must be either None or SparseTensor")
        for part, other in zip(sp_ids.parts, sp_weights.parts):
            part.shape.assert_is_compatible_with(other.shape)
    with get_default_graph().name_scope(name or "embedding_lookup_sparse"):
        segments = math_ops.cast(sp_ids.indices[:, 0], dtypes.int32)
        weights = None if sp_weights is None else sp_weights.values
        total = _sums(tables, sp_ids.values, segments, weights, partition_strategy, max_norm)
        if combiner == "sum":
            return total
        if weights is None:
            weights = creation_ops.ones_like(segments)
        weights = math_ops.cast(weights, total.dtype)
        used = weights if combiner == "mean" else gen_ops.square(weights)
        divisor = raw_ops.SegmentSum(data=used, segment_ids=segments)
        if combiner == "sqrtn":
            divisor = gen_ops.sqrt(divisor)
        return total / _for_rows(divisor, total)


def _for_rows(weights: Tensor, rows: Tensor) -> Tensor:
    """Weights with as many axes as the rows have, of one weight for each."""
    ones = creation_ops.ones_like(array_ops.shape(rows)[1:])
    reshaped = array_ops.reshape(weights, array_ops.concat([array_ops.shape(weights), ones], 0))
    if rows.shape.rank is not None:
        reshaped.set_shape(weights.shape.concatenate([1] * (rows.shape.rank - 1)))
    return reshaped


def _sums(
    tables: List[Any], ids: Tensor, segments: Tensor, weights: Optional[Tensor], strategy: str,
    max_norm: Optional[float],
) -> Tensor:  # fmt: skip
    """The sum of the rows of each segment."""
    graph, count = get_default_graph(), len(tables)
    part, row = parts_and_rows(tables, ids, strategy)
    places = math_ops.range(array_ops.size(ids))
    own_places = raw_ops.DynamicPartition(places, part, num_partitions=count)
    own_rows = raw_ops.DynamicPartition(row, part, num_partitions=count)
    sums, numbers = [], []
    for table, at, needed in zip(tables, own_places, own_rows):
        number, segment = gen_ops.unique(selection_ops.gather(segments, at))
        numbers.append(number)
        own_weights = None if weights is None else selection_ops.gather(weights, at)
        with graph.colocate_with(table):
            once, index = gen_ops.unique(needed)
            rows = selection_ops.gather(table, once)
            if max_norm is not None:
                axes = list(range(1, table.shape.with_rank_at_least(1).rank))
                rows = clip_ops.clip_by_norm(rows, max_norm, axes=axes)
            if own_weights is None:
                sums.append(raw_ops.SparseSegmentSum(data=rows, indices=index, segment_ids=segment))
            else:
                each = selection_ops.gather(rows, index)
                each = each * _for_rows(math_ops.cast(own_weights, rows.dtype), each)
                sums.append(raw_ops.SegmentSum(data=each, segment_ids=segment))
    total = math_ops.reduce_max(segments) + 1
    return gen_ops.unsorted_segment_sum(
        array_ops.concat(sums, 0), array_ops.concat(numbers, 0), total
    )
