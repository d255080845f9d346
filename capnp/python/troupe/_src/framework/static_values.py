"""Values that are known while a graph is built."""

from __future__ import annotations

from typing import Any

from troupe._src.graph.elements import Tensor
from troupe._src.graph.indexed_slices import IndexedSlices
from troupe._src.ops import array_ops
from troupe._src.ops.sparse_tensor import SparseTensor
from troupe._src.variables.variable import Variable


def get_static_value(tensor: Any, partial: bool = False) -> Any:
    """The value, where it is known while the graph is built, else None.

    Args:
        tensor: A tensor; what is none is given back.
        partial: Has no effect.

    Returns:
        An array or NumPy scalar, or None, as for variables and sparse tensors.
    """
    if isinstance(tensor, Tensor):
        return array_ops.get_static_value(tensor, partial)
    return None if isinstance(tensor, (IndexedSlices, SparseTensor, Variable)) else tensor
