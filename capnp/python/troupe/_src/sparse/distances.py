"""Distances of the sequences of sparse tensors."""

from __future__ import annotations

from typing import Optional

from troupe._src.graph.elements import Tensor
from troupe._src.ops import gen_ops
from troupe._src.ops.sparse_tensor import SparseLike
from troupe._src.sparse.inputs import to_sparse


def edit_distance(
    hypothesis: SparseLike,
    truth: SparseLike,
    normalize: bool = True,
    name: Optional[str] = "edit_distance",
) -> Tensor:
    """How many insertions, removals and replacements make each hypothesis of its truth.

    Args:
        hypothesis: sequences along the last axis.
        truth: sequences along the last axis, of the same dtype and rank.
        normalize: divides by the length of the truth; infinite where that is empty and the
            hypothesis is not.

    Returns:
        float32 of the shape without the last axis.

    Raises:
        TypeError: if one is no SparseTensor.
    """
    one, other = to_sparse(hypothesis), to_sparse(truth)
    return gen_ops.edit_distance(
        one.indices, one.values, one.dense_shape,
        other.indices, other.values, other.dense_shape,
        normalize=normalize, name=name,
    )  # fmt: skip
