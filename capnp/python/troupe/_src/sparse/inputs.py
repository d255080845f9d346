"""What functions of sparse tensors take, and checks of it before and in a step."""

from __future__ import annotations

from typing import Any, Dict, List

import numpy as np

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.ops import array_ops, math_ops
from troupe._src.ops.assert_ops import assert_equal, assert_less_equal
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.sparse_tensor import SparseTensor, SparseTensorValue
from troupe._src.types import dtypes


def to_sparse(value: Any) -> SparseTensor:
    """A sparse tensor itself, or one of a SparseTensorValue; TypeError for anything else."""
    if not isinstance(value, (SparseTensor, SparseTensorValue)):
        raise TypeError("Input must be a SparseTensor.")
    return SparseTensor.from_value(value)


def to_sparse_list(values: Any) -> List[SparseTensor]:
    if not isinstance(values, (list, tuple)):
        raise TypeError("Inputs must be a list or tuple.")
    return [to_sparse(value) for value in values]


def to_int64(value: Any) -> Tensor:
    if isinstance(value, Tensor):
        return math_ops.cast(value, dtypes.int64)
    return convert_to_tensor(value, dtypes.int64)


def row_count(indices: Tensor) -> Tensor:
    """How many entries there are, as a scalar."""
    return array_ops.shape(indices)[0]


_RELATIONS: Dict[str, Any] = {
    "==": (np.array_equal, assert_equal),
    "<=": (np.less_equal, assert_less_equal),
}


def checked(x: Any, relation: str, y: Any, message: str) -> Any:
    """A context whose nodes run if the relation, "==" or "<=", holds for all elements.

    ValueError at once where both values are known and it does not; else the step fails.
    """
    holds, check = _RELATIONS[relation]
    known = [array_ops.get_static_value(each) for each in (x, y)]
    is_known = all(value is not None for value in known)
    if is_known and not np.all(holds(*known)):
        raise ValueError(f"{message}: {known[0]} and {known[1]}")
    checks = [] if is_known else [check(x, y, message=message)]
    return get_default_graph().control_dependencies(checks)
