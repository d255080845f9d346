"""Variables as messages that name their nodes."""

from __future__ import annotations

import re
from typing import Any, Optional

from troupe import _native
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import Graph
from troupe._src.messages.meta_graph_messages import VariableDef
from troupe._src.ops import raw_ops
from troupe._src.types import dtypes, errors
from troupe._src.variables.save_slice_info import SaveSliceInfo


def to_proto(variable: Any, scope: Optional[str] = None) -> Optional[VariableDef]:
    """The names of a variable's nodes, without a scope; None where they are not in it."""
    source = variable._read_from
    if scope and not source.name.startswith(f"{scope}/"):
        return None
    begin = len(scope) + 1 if scope else 0
    message = VariableDef(
        variable_name=source.name[begin:],
        initializer_name=variable.initializer._name[begin:],
        snapshot_name=variable._snapshot.name[begin:],
        is_resource=source is variable.handle,
        trainable=variable.trainable,
    )
    if variable._initial is not None:
        message.initial_value_name = variable._initial.name[begin:]
    if variable._save_slice_info is not None:
        message.save_slice_info_def.CopyFrom(variable._save_slice_info.to_proto())
    return message


def take_nodes(variable: Any, graph: Graph, names: Any, scope: Optional[str]) -> Tensor:
    """Makes a variable that of nodes which came in; gives what its reads read."""
    prefix = f"{scope}/" if scope else ""
    root = graph._root
    source = graph._tensor(*root.find_output(prefix + names.variable_name))
    name = re.sub("/(handle|ref)$", "", source.op._name)
    initializer = graph._operation(root.find(prefix + names.initializer_name))
    handle = source if names.is_resource else _handle_beside(source, name)
    variable._graph = graph
    variable._native = _native.make_variable(root, name, handle._value(), initializer._value())
    variable._dtype = dtypes.by_number(variable._native.dtype)
    variable._initial = None
    if names.initial_value_name:
        at = root.find_output(prefix + names.initial_value_name)
        variable._initial = graph._tensor(*at)
    if names.HasField("save_slice_info_def"):
        variable._save_slice_info = SaveSliceInfo.from_proto(names.save_slice_info_def)
    if names.snapshot_name:
        variable._snapshot = graph._tensor(*root.find_output(prefix + names.snapshot_name))
    else:
        variable._snapshot = graph._of_value(variable._native.read([]))
    variable._snapshot._fed_name = source.name
    variable.constraint = None
    graph._variables[name] = variable
    graph._has_imported_variables = True
    handle.op._variable_name = name
    return source


def _handle_beside(source: Tensor, name: str) -> Tensor:
    """The handle of a reference's variable, which graphs of TensorFlow's do not have."""
    graph, op = source.graph, source.op
    try:
        return graph._tensor(*graph._root.find_output(f"{name}/handle:0"))
    except errors.NotFoundError:
        pass
    with (
        graph.control_dependencies(None),
        graph.device(None),
        graph.device(op.device),
        graph.name_scope(f"{name}/"),
    ):
        return raw_ops.VarHandleOp(
            dtype=source.dtype,
            shape=source.shape,
            container=op.get_attr("container").decode(),
            shared_name=op.get_attr("shared_name").decode() or op._name,
            name="handle",
        )
