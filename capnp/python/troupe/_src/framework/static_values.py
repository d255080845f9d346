"""Values that are known while a graph is built."""

from __future__ import annotations

from typing import Any

import numpy as np

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
        An array, or None, as for variables and sparse tensors.
    """
    if isinstance(tensor, Tensor):
        known = _known(tensor)
        return None if known is None else np.asarray(known)
    return None if isinstance(tensor, (IndexedSlices, SparseTensor, Variable)) else tensor


def _known(tensor: Tensor) -> Any:
    """The value, also of filled tensors of all dtypes."""
    found = array_ops.get_static_value(tensor)
    if found is not None or tensor._op.type != "Fill":
        return found
    sizes, value = (array_ops.get_static_value(each) for each in tensor._op.inputs)
    return None if sizes is None or value is None else np.full(sizes, value)
