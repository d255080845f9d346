"""Elements of ragged tensors by their indices along several axes."""

from __future__ import annotations

from typing import Any, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.ops import array_ops, creation_ops, math_ops, rearrange_ops, selection_ops
from troupe._src.ragged.gathering import converted, gather
from troupe._src.ragged.layout import expand_dims
from troupe._src.ragged.parts import RaggedParts
from troupe._src.ragged.tensor import RaggedTensor
from troupe._src.ragged.tiling import tile


def gather_nd(
    params: Any, indices: Any, name: Optional[str] = None, batch_dims: int = 0
) -> Any:
    """What the indices along the first axes name, in the shape of all but their last axis."""
    if not isinstance(batch_dims, int) or batch_dims != 0:
        raise ValueError("batch_dims != 0 is not supported for ragged gather yet.")
    with name_scope(name, "RaggedGatherNd", [params, indices]):
        params, indices = converted(params, indices)
        rank = indices.shape.rank
        if rank is None:
            raise ValueError("indices.rank be statically known.")
        if rank == 0:
            raise ValueError("indices.rank must be at least 1.")
        if isinstance(indices, RaggedParts) and rank == indices.ragged_rank + 1:
            raise ValueError("The innermost dimension of indices may not be ragged")
        depth = indices.shape[-1].value
        if depth is None:
            raise ValueError("indices.shape[-1] must be statically known.")
        if isinstance(indices, RaggedParts):
            return indices.with_flat_values(_by_tuples(params, indices.flat_values, depth))
        return _by_tuples(params, indices, depth)


def _by_tuples(params: Any, indices: Tensor, depth: int) -> Any:
    """What the numbers along the last axis of a dense tensor of them name."""
    if not isinstance(params, RaggedParts):
        return rearrange_ops.gather_nd(params, indices)
    rank: Any = indices.shape.rank
    if rank > 2:
        return _of_flat_tuples(params, indices, depth)
    if depth == 0 and rank == 1:
        return params
    if depth == 0:
        count = array_ops.shape(indices, out_type=params.row_splits.dtype)[:1]
        axes = params.ragged_rank + array_ops.rank(params.flat_values)
        ones = creation_ops.fill(array_ops.reshape(axes, [1]), 1)
        multiples = array_ops.concat([count, math_ops.cast(ones, count.dtype)], axis=0)
        return tile(expand_dims(params, axis=0), multiples)
    indices = math_ops.cast(indices, params.row_splits.dtype)
    places = indices[..., 0]
    for axis in range(1, depth):
        places = selection_ops.gather(params.row_starts(), places) + indices[..., axis]
        params = params.values
        if not isinstance(params, RaggedParts) and axis + 1 < depth:
            inner = array_ops.concat(
                [array_ops.expand_dims(places, -1), indices[..., axis + 1 :]], axis=-1
            )
            return rearrange_ops.gather_nd(params, inner)
    return gather(params, places)


def _of_flat_tuples(params: Any, indices: Tensor, depth: int) -> Any:
    """With indices of more than two axes; ragged along all but what the tuples name."""
    rank: Any = indices.shape.rank
    as_rows = RaggedTensor.from_tensor(
        indices, ragged_rank=rank - 2, row_splits_dtype=params.row_splits.dtype
    )
    found = as_rows.with_flat_values(_by_tuples(params, as_rows.flat_values, depth))
    return found.to_tensor() if found.ragged_rank == rank - 2 else found
