"""Functions of GraphDefs: parts of them, and variables as constants."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Set

from troupe._src.graph.elements import Operation
from troupe._src.graph.graph import Graph
from troupe._src.graph_defs.tensor_protos import make_tensor_proto
from troupe._src.messages.graph_messages import GraphDef, NodeDef
from troupe._src.ops import raw_ops
from troupe._src.platform import logging
from troupe._src.types import dtypes
from troupe._src.types.shapes import TensorShape

_PASS_ON = {"Switch", "Enter", "Exit", "Identity", "Merge", "NextIteration"}
_COLOCATION = b"loc:@"
_CONVERTED_READS = {"ReadVariableOp", "ResourceGather"}


def node_of(input_name: str) -> str:
    """The node that an input of a node names."""
    return input_name.lstrip("^").split(":")[0]


def _colocated(node: Any) -> List[str]:
    if "_class" not in node.attr:
        return []
    names = [name for name in node.attr["_class"].list.s if name.startswith(_COLOCATION)]
    return [name[len(_COLOCATION) :].decode() for name in names]


def extract_sub_graph(graph_def: Any, dest_nodes: Sequence[str]) -> GraphDef:
    """The part of a graph that the nodes need.

    Args:
        graph_def: A GraphDef.
        dest_nodes: The names of nodes.

    Returns:
        A GraphDef with these nodes and all that they depend on, in the same order.

    Raises:
        TypeError: An argument is of a wrong type.
        AssertionError: The graph does not have one of the nodes.
    """
    if type(graph_def).__name__ != "GraphDef":
        raise TypeError("graph_def must be a graph_pb2.GraphDef proto.")
    if isinstance(dest_nodes, str):
        raise TypeError("dest_nodes must be a list.")
    nodes = {node.name: node for node in graph_def.node}
    for name in dest_nodes:
        assert name in nodes, f"{name} is not in graph"
    needed: Set[str] = set()
    unseen = list(dest_nodes)
    while unseen:
        name = unseen.pop()
        if name in needed:
            continue
        needed.add(name)
        if name in nodes:
            unseen += [node_of(each) for each in nodes[name].input] + _colocated(nodes[name])
    out = GraphDef(node for node in graph_def.node if node.name in needed)
    _copy_rest(graph_def, out)
    return out


def _copy_rest(source: Any, to: GraphDef) -> None:
    """All but the nodes."""
    if source.HasField("library"):
        to.library.CopyFrom(source.library)
    if source.HasField("versions"):
        to.versions.CopyFrom(source.versions)


def remove_training_nodes(
    input_graph: Any, protected_nodes: Optional[Sequence[str]] = None
) -> GraphDef:
    """A graph without the nodes that change no value.

    CheckNumerics goes, and Identity where no control edge begins or ends at it: what it had as its
    input takes its place.

    Args:
        input_graph: A GraphDef.
        protected_nodes: Names of nodes that stay.

    Returns:
        A GraphDef.
    """
    protected = set(protected_nodes or ())
    before: Set[str] = set()
    after: Set[str] = set()
    for node in input_graph.node:
        controls = [node_of(each) for each in node.input if each.startswith("^")]
        before.update(controls)
        if controls:
            after.add(node.name)
    removed: Dict[str, str] = {}
    for node in input_graph.node:
        is_free = node.name not in before and node.name not in after
        if node.name in protected or not node.input:
            continue
        if node.op == "CheckNumerics" or (node.op == "Identity" and is_free):
            removed[node.name] = node.input[0]
    out = GraphDef()
    for node in input_graph.node:
        if node.name in removed:
            continue
        kept = out.node.add()
        kept.CopyFrom(node)
        del kept.input[:]
        for name in node.input:
            kept.input.append(_replaced(name, removed))
    _copy_rest(input_graph, out)
    return out


def _replaced(name: str, removed: Dict[str, str]) -> str:
    is_control = name.startswith("^")
    while node_of(name) in removed:
        name = removed[node_of(name)]
    return f"^{node_of(name)}" if is_control else name


def tensor_shape_from_node_def_name(graph: Graph, input_name: str) -> TensorShape:
    """The shape of the tensor that an input of a node names.

    Args:
        graph: The graph that has the node.
        input_name: The name of a node, for its first output, or of a tensor.

    Returns:
        The static shape.

    Raises:
        KeyError: The graph has no such tensor.
    """
    name = input_name if ":" in input_name else input_name + ":0"
    shape: TensorShape = graph.get_tensor_by_name(name).get_shape()
    return shape


def must_run_on_cpu(node: Any, pin_variables_on_cpu: bool = False) -> bool:
    """Whether a node has kernels for CPUs alone: constants of texts and of 32-bit integers.

    Args:
        node: An operation or a NodeDef.
        pin_variables_on_cpu: Counts variables, assignments and queues as well.

    Returns:
        The answer.
    """
    node_def = node.node_def if isinstance(node, Operation) else node
    variables = {
        "Assign", "AssignAdd", "AssignSub", "Queue", "ScatterAdd", "ScatterSub", "ScatterUpdate",
        "TruncatedNormal", "Variable", "VariableV2",
    }  # fmt: skip
    if pin_variables_on_cpu and node_def.op in variables:
        return True
    text, int32 = dtypes.string.as_datatype_enum, dtypes.int32.as_datatype_enum
    if node_def.op == "Const":
        return node_def.attr["dtype"].type in (text, int32)
    if node_def.op in ("DynamicStitch", "ParallelDynamicStitch"):
        return bool(node_def.attr["T"].type == int32)
    return bool(node_def.op == "Cast" and node_def.attr["SrcT"].type == int32)


def convert_variables_to_constants(
    sess: Any,
    input_graph_def: Any,
    output_node_names: Sequence[str],
    variable_names_whitelist: Optional[Sequence[str]] = None,
    variable_names_blacklist: Optional[Sequence[str]] = None,
) -> GraphDef:
    """The part of a graph that nodes need, with the values of its variables as constants.

    Args:
        sess: A session in which the variables have values.
        input_graph_def: A GraphDef of the session's graph.
        output_node_names: The names of nodes.
        variable_names_whitelist: Names of the variables, or of their nodes, that are converted, by
            default all.
        variable_names_blacklist: Names of those that are not.

    Returns:
        A GraphDef.

    Raises:
        ValueError: A read of a variable does not say which.
    """
    part = extract_sub_graph(input_graph_def, output_node_names)
    nodes = {node.name: node for node in part.node}
    names = [
        name
        for name, node in nodes.items()
        if node.op in ("Variable", "VariableV2", "VarHandleOp")
        and (variable_names_whitelist is None or _is_in(name, variable_names_whitelist))
        and not _is_in(name, variable_names_blacklist or ())
    ]
    values = dict(zip(names, sess.run([_reading(sess.graph, nodes[name]) for name in names])))
    carriers = _carriers_of_handles(nodes, set(names))
    out = GraphDef()
    for node in part.node:
        _convert(node, out, values, carriers)
    _copy_rest(part, out)
    logging.info("Converted %d variables to const ops.", len(values))
    return out


def _is_in(node_name: str, names: Sequence[str]) -> bool:
    """Whether a variable is among them, by its name or by that of its node."""
    name = node_name.removesuffix("/handle").removesuffix("/ref")
    return node_name in names or name in names


def _reading(graph: Any, node: Any) -> Any:
    """A tensor with the value of the variable."""
    op = graph._operation(graph._root.find(node.name))
    if node.op != "VarHandleOp":
        return op.outputs[0]
    for reader in op.outputs[0].consumers():
        if reader.type == "ReadVariableOp" and not reader.control_inputs:
            return reader.outputs[0]
    with graph.as_default(), graph.control_dependencies(None), graph.device(op.device or None):
        return raw_ops.ReadVariableOp(
            resource=op.outputs[0], dtype=dtypes.by_number(node.attr["dtype"].type)
        )


def _carriers_of_handles(nodes: Dict[str, Any], variables: Set[str]) -> Dict[str, Any]:
    """The nodes between variables and their reads, with the types of the values."""
    found: Dict[str, Any] = {name: None for name in variables if nodes[name].op == "VarHandleOp"}
    for node in nodes.values():
        if node.op not in _CONVERTED_READS:
            continue
        unseen, on_the_way = [node_of(node.input[0])], []
        while unseen:
            name = unseen.pop()
            if name in on_the_way or name not in nodes:
                continue
            on_the_way.append(name)
            if nodes[name].op in _PASS_ON:
                given = [node_of(each) for each in nodes[name].input if each[0] != "^"]
                unseen += given if nodes[name].op == "Merge" else given[:1]
            elif nodes[name].op != "VarHandleOp":
                raise ValueError("Cannot find the variable that is an input to the ReadVariableOp.")
        if any(name in found for name in on_the_way):
            found.update((name, node.attr["dtype"]) for name in on_the_way)
            found[node.name] = node.attr["dtype"]
    return found


def _convert(node: Any, out: GraphDef, values: Dict[str, Any], carriers: Dict[str, Any]) -> None:
    if node.name in values:
        made = out.node.add(name=node.name, op="Const", device=node.device)
        made.attr["dtype"].CopyFrom(node.attr["dtype"])
        tensor = make_tensor_proto(values[node.name], dtype=node.attr["dtype"].type)
        made.attr["value"].tensor.CopyFrom(tensor)
    elif node.name not in carriers:
        out.node.append(node)
    elif node.op == "ReadVariableOp":
        made = out.node.add(name=node.name, op="Identity", device=node.device, input=node.input)
        made.attr["T"].CopyFrom(node.attr["dtype"])
        _copy_class(node, made)
    elif node.op == "ResourceGather":
        _convert_gather(node, out)
    else:
        made = out.node.add(name=node.name, op=node.op, device=node.device, input=node.input)
        for name, value in node.attr.items():
            if name != "_output_shapes":
                made.attr[name].CopyFrom(value)
        made.attr["T"].CopyFrom(carriers[node.name])


def _convert_gather(node: Any, out: GraphDef) -> None:
    if node.attr["batch_dims"].i != 0:
        raise ValueError("batch_dims != 0 is not supported by freeze_graph.")
    axis = out.node.add(name=node.name + "/axis", op="Const", device=node.device)
    axis.attr["dtype"].type = dtypes.int32.as_datatype_enum
    axis.attr["value"].tensor.CopyFrom(make_tensor_proto(0, dtypes.int32))
    inputs = [node.input[0], node.input[1], axis.name] + list(node.input[2:])
    made = out.node.add(name=node.name, op="GatherV2", device=node.device, input=inputs)
    made.attr["Tparams"].CopyFrom(node.attr["dtype"])
    made.attr["Tindices"].CopyFrom(node.attr["Tindices"])
    made.attr["Taxis"].type = dtypes.int32.as_datatype_enum
    _copy_class(node, made)


def _copy_class(node: Any, to: NodeDef) -> None:
    if "_class" in node.attr:
        to.attr["_class"].CopyFrom(node.attr["_class"])
