"""Values that are known while a graph is built."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional

import numpy as np

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.indexed_slices import IndexedSlices
from troupe._src.ops import array_ops
from troupe._src.ops.sparse_tensor import SparseTensor
from troupe._src.types import dtypes
from troupe._src.variables.variable import Variable

_DEPTH = 50  # of nodes whose values are computed from each other


def get_static_value(tensor: Any, partial: bool = False) -> Any:
    """The value, where it is known while the graph is built, else None.

    Args:
        tensor: A tensor; what is none is given back.
        partial: Has no effect.

    Returns:
        An array, or None, as for variables and sparse tensors.
    """
    if isinstance(tensor, Tensor):
        known = _known(tensor, _DEPTH, {})
        return None if known is None else np.asarray(known)
    return None if isinstance(tensor, (IndexedSlices, SparseTensor, Variable)) else tensor


def _known(tensor: Tensor, depth: int, before: Dict[Tensor, Any]) -> Any:
    """What the runtime knows, or what some ops compute of that; each tensor once."""
    if tensor not in before:
        before[tensor] = _found(tensor, depth, before)
    return before[tensor]


def _found(tensor: Tensor, depth: int, before: Dict[Tensor, Any]) -> Any:
    found = array_ops.get_static_value(tensor)
    compute = _COMPUTED.get(tensor._op.type)
    if found is not None or compute is None or depth == 0:
        return found
    values = [_known(each, depth - 1, before) for each in tensor._op.inputs]
    if any(value is None for value in values):
        return None
    return compute(tensor._op, *(np.asarray(value) for value in values))


def _cast(op: Operation, x: Any) -> Any:
    dtype = op.outputs[0].dtype
    if dtype is dtypes.bfloat16 or not (dtype.is_bool or dtype.is_integer or dtype.is_floating):
        return None
    with np.errstate(invalid="ignore"):
        return x.astype(dtype.as_numpy_dtype)


def _cumsum(op: Operation, x: Any, axis: Any) -> Any:
    whole = np.flip(x, int(axis)) if op.get_attr("reverse") else x
    total = np.cumsum(whole, int(axis), dtype=x.dtype)
    total = total - whole if op.get_attr("exclusive") else total
    return np.flip(total, int(axis)) if op.get_attr("reverse") else total


def _select(op: Operation, condition: Any, x: Any, y: Any) -> Any:
    rows = (-1,) + (1,) * (x.ndim - 1)  # of a vector of conditions
    return np.where(condition.reshape(rows) if condition.ndim == 1 and x.ndim else condition, x, y)


def _gather(op: Operation, params: Any, indices: Any, axis: Any) -> Optional[Any]:
    size = params.shape[int(axis)]
    is_inside = indices.size == 0 or (indices.min() >= 0 and indices.max() < size)
    has_batch = "batch_dims" in op.node_def.attr and op.get_attr("batch_dims") != 0
    return np.take(params, indices, int(axis)) if is_inside and not has_batch else None


def _squeeze(op: Operation, x: Any) -> Any:
    axes = op.get_attr("squeeze_dims")
    return np.squeeze(x, tuple(axes) if axes else None)


def _divided(op: Operation, x: Any, y: Any) -> Any:
    with np.errstate(all="ignore"):
        return x / y


_COMPUTED: Dict[str, Callable[..., Any]] = {
    "Add": lambda op, x, y: x + y,
    "AddV2": lambda op, x, y: x + y,
    "Cast": _cast,
    "Ceil": lambda op, x: np.ceil(x),
    "ConcatV2": lambda op, *parts: np.concatenate(parts[:-1], int(parts[-1])),
    "Cumsum": _cumsum,
    "Equal": lambda op, x, y: x == y,
    "ExpandDims": lambda op, x, axis: np.expand_dims(x, int(axis)),
    "Fill": lambda op, sizes, value: np.full(sizes, value),
    "Floor": lambda op, x: np.floor(x),
    "GatherV2": _gather,
    "Greater": lambda op, x, y: x > y,
    "GreaterEqual": lambda op, x, y: x >= y,
    "Identity": lambda op, x: x,
    "Less": lambda op, x, y: x < y,
    "LessEqual": lambda op, x, y: x <= y,
    "LogicalAnd": lambda op, x, y: x & y,
    "LogicalNot": lambda op, x: ~x,
    "LogicalOr": lambda op, x, y: x | y,
    "Mul": lambda op, x, y: x * y,
    "Neg": lambda op, x: -x,
    "NotEqual": lambda op, x, y: x != y,
    # Along other axes TensorFlow knows none.
    "Pack": lambda op, *parts: None if op.get_attr("axis") else np.stack(parts),
    "RealDiv": _divided,
    "Reshape": lambda op, x, sizes: x.reshape(sizes),
    "Select": _select,
    "SelectV2": lambda op, condition, x, y: np.where(condition, x, y),
    "Squeeze": _squeeze,
    "Sub": lambda op, x, y: x - y,
    "Where": lambda op, condition: np.argwhere(condition).astype(np.int64),
}
