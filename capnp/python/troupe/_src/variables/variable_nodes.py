"""Adds the nodes of a variable to a graph, and chooses the name that steps share it by."""

from __future__ import annotations

import uuid
from typing import Any, Dict, List, Optional, Set

import numpy as np

from troupe import _native
from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import Graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.ops import raw_ops
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DType, DTypeLike, as_dtype
from troupe._src.types.shapes import ShapeLike, as_shape


# What TensorFlow makes of a Python value that is a single element.
_DTYPES: Dict[type, DType] = {
    bool: dtypes.bool_, int: dtypes.int32, float: dtypes.float32, complex: dtypes.complex128,
    str: dtypes.string, bytes: dtypes.string,
}  # fmt: skip


def known_attrs(initial_value: Any, dtype: Optional[DTypeLike], shape: ShapeLike) -> Dict[str, Any]:
    """What is known of a variable before its initial value is: attributes for device functions."""
    known: Dict[str, Any] = {}
    if isinstance(initial_value, Tensor):
        known = {"shape": initial_value.shape, "dtype": initial_value.dtype}
    elif isinstance(initial_value, np.generic):
        known = {"shape": as_shape([]), "dtype": as_dtype(initial_value.dtype)}
    elif isinstance(initial_value, tuple(_DTYPES)):
        kind = next(each for each in type(initial_value).__mro__ if each in _DTYPES)
        known = {"shape": as_shape([]), "dtype": _DTYPES[kind]}
    if shape is not None:
        known["shape"] = as_shape(shape)
    if dtype is not None:
        known["dtype"] = as_dtype(dtype)
    return known


def add_variable_nodes(
    graph: Graph, builder: _native.Builder, name: str, initial: Tensor, collections: List[str]
) -> _native.Variable:
    """Adds the nodes of a variable.

    Only global ones are listed by the runtime, so that monitored sessions wait for their values. A
    local one gets a unique shared name, so that no other program accesses it. What is neither is
    shared by the programs that have it on the same task.
    """
    if GraphKeys.GLOBAL_VARIABLES in collections:
        variable = builder.add_variable(_name_beside(graph, builder, name), initial._value())
        _made_here(graph).add(variable.name)
        return variable
    shared_name = _unique(graph, builder.prefix + name)
    if GraphKeys.LOCAL_VARIABLES in collections:
        shared_name += f"@{graph._state.setdefault('local_name', uuid.uuid4().hex)}"
    else:
        device = graph._device_for("VarHandleOp", name)
        shared_name += f"@{device}" if "/task:" in device else ""
    container = graph._scopes.container
    return builder.add_local_variable(name, initial._value(), container, shared_name)


def _name_beside(graph: Graph, builder: _native.Builder, name: str) -> str:
    """The name, with a number where a variable has it that came in with nodes or edits.

    The builder knows those alone that it has made itself.
    """
    full = builder.prefix + name
    if full in _made_here(graph) or not _has_handle(graph, full):
        return name
    count = 1
    while _find(graph, f"{full}_{count}") or _find(graph, f"{full}_{count}/handle"):
        count += 1
    return f"{name}_{count}"


def _made_here(graph: Graph) -> Set[str]:
    """The names of the global variables that the builder has made, which edits replace."""
    root, names = graph._state.get("variable_names", (None, None))
    if root is not graph._root:
        names = {variable.name for variable in graph._root.variables()}
        graph._state["variable_names"] = (graph._root, names)
    made: Set[str] = names
    return made


def _has_handle(graph: Graph, name: str) -> bool:
    ops = filter(None, (_find(graph, name), _find(graph, f"{name}/handle")))
    return any(
        op.type == "VarHandleOp" and op.get_attr("container").decode() == graph._scopes.container
        for op in ops
    )


def _find(graph: Graph, name: str) -> Optional[Operation]:
    root = graph._root
    return graph._operation(root.find(name)) if root.contains(name) else None


def _unique(graph: Graph, name: str) -> str:
    """The name, with a number where the graph has such a variable already."""
    used: Set[str] = graph._state.setdefault("shared_names", set())
    found, count = name, 0
    while found in used or _has_handle(graph, found):
        count += 1
        found = f"{name}_{count}"
    used.add(found)
    return found


def of_shape(initial: Tensor, shape: ShapeLike) -> Tensor:
    """The initial value, of which only that shape is known."""
    if shape is None:
        return initial
    wanted = as_shape(shape)
    if not initial.shape.is_compatible_with(wanted):
        raise ValueError(
            f"The shape of the initial value, {initial.shape}, does not fit the argument `shape`, "
            f"which is {wanted}"
        )
    return raw_ops.PlaceholderWithDefault(input=initial, shape=wanted)
