"""Nodes of any op, whose attributes are messages."""

from __future__ import annotations

from typing import Any, Dict, Optional, Sequence

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import Graph
from troupe._src.graph.operand import implements
from troupe._src.graph_defs.tensor_protos import make_ndarray
from troupe._src.ops.convert import to_native
from troupe._src.types import dtypes


@implements("create_op")
def create_op(
    graph: Graph,
    op_type: str,
    inputs: Sequence[Any],
    name: Optional[str],
    attrs: Optional[Dict[str, Any]],
) -> Operation:
    """The node that `Graph.create_op` adds."""
    for index, tensor in enumerate(inputs):
        if not isinstance(tensor, Tensor):
            raise TypeError(f"Input #{index} is not a tensor: {tensor}")
    given = {key: plain_attr(value) for key, value in (attrs or {}).items()}
    return graph._add(op_type, inputs, given, name or op_type)


def plain_attr(message: Any) -> Any:
    """What nodes are added with for an AttrValue.

    Raises:
        ValueError: It has no value, or one that an attribute of a node cannot have.
    """
    kind = message.WhichOneof("value")
    if kind is None or kind == "placeholder":
        raise ValueError(f"an attribute has no value: {message}")
    value = getattr(message, kind)
    if kind != "list":
        return _plain(kind, value)
    for kind in ("s", "i", "f", "b", "type", "shape", "tensor", "func"):
        items = getattr(value, kind)
        if len(items) > 0:
            return [_plain(kind, item) for item in items]
    return []


def _plain(kind: str, value: Any) -> Any:
    if kind == "shape":
        return None if value.unknown_rank else [dim.size for dim in value.dim]
    if kind == "func":
        return str(value.name)
    if kind == "tensor":
        return to_native(make_ndarray(value), dtypes.as_dtype(value.dtype))
    return value
