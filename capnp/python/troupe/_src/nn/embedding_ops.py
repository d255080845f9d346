"""Embeddings: rows of tables that may be partitioned."""

from __future__ import annotations

from typing import Any, List, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.ops import array_ops, clip_ops, gen_ops, math_ops
from troupe._src.ops.convert import constant, convert_to_tensor


def embedding_lookup(
    params: Any,
    ids: Any,
    partition_strategy: str = "mod",
    name: Optional[str] = None,
    validate_indices: bool = True,
    max_norm: Optional[float] = None,
) -> Tensor:
    """The rows of a table at `ids`, each scaled to a norm of at most max_norm if that is given.

    A list of tensors is one table: with the strategy "mod", row i is in tensor i % n; with "div",
    each tensor has the next rows, and the first ones have one more where the number of rows is no
    multiple of n. A partition is read at every id, at its first row where the id is of another
    partition, so none may be empty.
    """
    tables = list(params) if isinstance(params, (list, tuple)) else [params]
    if not tables:
        raise ValueError(f"Need at least one param, got {params!r}")
    if partition_strategy not in ("mod", "div"):
        raise ValueError(f"Unrecognized partition strategy: {partition_strategy}")
    with get_default_graph().name_scope(name or "embedding_lookup"):
        numbers = convert_to_tensor(ids)
        if len(tables) == 1:
            rows = array_ops.gather(tables[0], numbers)
        else:
            rows = _from_partitions(tables, numbers, partition_strategy)
        rows = _clipped(rows, numbers, max_norm)
        return array_ops.identity(rows)


def _from_partitions(tables: List[Any], ids: Tensor, strategy: str) -> Tensor:
    count = constant(len(tables), ids.dtype)
    if strategy == "mod":
        partition, row = gen_ops.floormod(ids, count), gen_ops.floor_div(ids, count)
    else:
        partition, row = _divided(tables, ids, count)
    rank = _rank_of_rows(tables)
    found: Optional[Tensor] = None
    for number, table in enumerate(tables):
        is_here = gen_ops.equal(partition, constant(number, ids.dtype))
        own = array_ops.where(is_here, row, array_ops.zeros_like(row))
        rows = array_ops.gather(table, own)
        if found is None:
            found = rows
            continue
        mask = is_here
        for _ in range(rank):
            mask = array_ops.expand_dims(mask, -1)
        found = array_ops.where_v2(mask, rows, found)
    assert found is not None
    return found


def _divided(tables: List[Any], ids: Tensor, count: Tensor) -> Any:
    """The partition and its row of each id, where each partition has successive rows."""
    sizes = [array_ops.slice(array_ops.shape(table), [0], [1]) for table in tables]
    total = math_ops.cast(math_ops.reduce_sum(array_ops.concat(sizes, 0)), ids.dtype)
    each, longer = gen_ops.floor_div(total, count), gen_ops.floormod(total, count)
    # The first `longer` partitions have each + 1 rows.
    of_longer = gen_ops.floor_div(ids, each + 1)
    after = gen_ops.floor_div(ids - longer, gen_ops.maximum(each, 1))
    partition = gen_ops.maximum(of_longer, after)
    first = partition * each + gen_ops.minimum(partition, longer)
    return partition, ids - first


def _rank_of_rows(tables: List[Any]) -> int:
    rank = convert_to_tensor(tables[0]).shape.rank
    if rank is None:
        raise ValueError("the rank of a partitioned table must be known")
    return int(rank) - 1


def _clipped(rows: Tensor, ids: Tensor, max_norm: Optional[float]) -> Tensor:
    if max_norm is None:
        return rows
    if rows.shape.rank is None or ids.shape.rank is None:
        raise ValueError("the ranks of a table and its ids must be known for a max_norm")
    return clip_ops.clip_by_norm(rows, max_norm, axes=list(range(ids.shape.rank, rows.shape.rank)))
