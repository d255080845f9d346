"""Parts of graphs: placeholders, the graph of inputs, and nodes that become one node."""

from __future__ import annotations

import re
from typing import Any, Dict, Iterable, List, Optional, Sequence, Set

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import Graph, get_default_graph
from troupe._src.graph_defs.graph_util import node_of
from troupe._src.messages.graph_messages import GraphDef, NodeDef


def get_placeholders(graph: Graph) -> List[Tensor]:
    """The placeholders of a graph.

    Args:
        graph: The graph.

    Returns:
        The outputs of its nodes of op Placeholder.

    Raises:
        TypeError: It is no graph.
    """
    if not isinstance(graph, Graph):
        raise TypeError(f"Input graph needs to be a Graph: {graph}")
    return [op.outputs[0] for op in graph.get_operations() if op.type == "Placeholder"]


def get_graph_from_inputs(op_input_list: Iterable[Any], graph: Optional[Graph] = None) -> Graph:
    """The graph of the inputs.

    Args:
        op_input_list: Operations, tensors and what has a graph like them, and values, which have
            none.
        graph: The graph that it must be; None for any.

    Returns:
        The graph; the default one where no input has any.

    Raises:
        TypeError: `graph` is no graph.
        ValueError: An input is of another graph.
    """
    if graph is not None and not isinstance(graph, Graph):
        raise TypeError(f"Input graph needs to be a Graph: {graph}")
    found, first = graph, None
    for each in op_input_list:
        own = getattr(each, "graph", None)
        if not isinstance(own, Graph):
            continue
        if found is None:
            found, first = own, each
        elif own is not found and graph is not None:
            raise ValueError(f"{each} is not from the passed-in graph.")
        elif own is not found:
            raise ValueError(f"{each} must be from the same graph as {first}.")
    return get_default_graph() if found is None else found


def prepend_name_scope(name: str, import_scope: Optional[str]) -> str:
    """The name of a node that is imported into a scope.

    Args:
        name: The name, maybe after "^" or "loc:@".
        import_scope: The scope; None or "" for none.

    Returns:
        The name with the scope.
    """
    if not import_scope:
        return name
    mark = re.match(r"\^|loc:@|", name)
    prefix = mark.group() if mark else ""
    return f"{prefix}{import_scope.rstrip('/')}/{name[len(prefix) :]}"


def strip_name_scope(name: str, export_scope: Optional[str]) -> str:
    """The name of a node that is exported from a scope.

    Args:
        name: The name, maybe after "^" or "loc:@".
        export_scope: The scope; None or "" for none.

    Returns:
        The name without the scope, where it begins with it.
    """
    if not export_scope:
        return name
    scope = re.escape(export_scope.rstrip("/"))
    return re.sub(rf"^(\^|loc:@|){scope}/", r"\1", name)


def fuse_op(
    graph_def: Any, input_nodes: Sequence[str], output_nodes: Sequence[str],
    output_dtypes: Sequence[int], output_quantized: bool, op_name: str, op_type: str,
) -> GraphDef:  # fmt: skip
    """A graph in which one node computes what is between some nodes.

    Args:
        graph_def: A GraphDef.
        input_nodes: The names of the nodes before the part, which stay.
        output_nodes: The names of its last nodes, which stay, too: each must have one input, and
            gets an output of the new node instead.
        output_dtypes: The dtypes of the outputs, as DT_ numbers; attribute _output_types.
        output_quantized: Whether they are quantized; attribute _output_quantized.
        op_name: The name of the new node.
        op_type: Its op.

    Returns:
        The new graph.

    Raises:
        TypeError: An argument is of a wrong type, or the part needs a node that is neither in it
            nor in `input_nodes`.
        AssertionError: The graph does not have one of the nodes.
        ValueError: An output node has no input, or several.
    """
    if type(graph_def).__name__ != "GraphDef":
        raise TypeError("graph_def must be a graph_pb2.GraphDef proto.")
    for name, given in (("input_nodes", input_nodes), ("output_nodes", output_nodes)):
        if isinstance(given, str):
            raise TypeError(f"{name} must be a list.")
    inputs = {node.name: [node_of(each) for each in node.input] for node in graph_def.node}
    for name in [*input_nodes, *output_nodes]:
        assert name in inputs, f"{name} is not in graph"
    before = _needed(input_nodes, inputs)
    until_end = _needed(output_nodes, inputs)
    for name in until_end - before - set(output_nodes):
        _check_part(name, inputs, before, set(input_nodes))
    nodes = {node.name: node for node in graph_def.node}
    out = GraphDef(node for node in graph_def.node if node.name in before)
    fused = NodeDef(name=op_name, op=op_type)
    fused.input.extend(input_nodes)
    fused.attr["_output_types"].list.type.extend(output_dtypes)
    fused.attr["_output_quantized"].b = output_quantized
    out.node.extend([fused])
    for index, name in enumerate(output_nodes):
        if len(nodes[name].input) != 1:
            raise ValueError(f"{name} has {len(nodes[name].input)} inputs, not one")
        last = NodeDef()
        last.CopyFrom(nodes[name])
        del last.input[:]
        last.input.append(f"{op_name}:{index}" if index else op_name)
        out.node.extend([last])
    out.node.extend(
        node for node in graph_def.node if node.name not in until_end and node.name not in before
    )
    out.library.CopyFrom(graph_def.library)
    out.versions.CopyFrom(graph_def.versions)
    return out


def _needed(names: Sequence[str], inputs: Dict[str, List[str]]) -> Set[str]:
    """The nodes, and all that they depend on."""
    found: Set[str] = set()
    unseen = list(names)
    while unseen:
        name = unseen.pop()
        if name not in found:
            found.add(name)
            unseen += inputs[name]
    return found


def _check_part(
    name: str, inputs: Dict[str, List[str]], before: Set[str], given: Set[str]
) -> None:
    """That a node needs nothing from before the part but the nodes that are given."""
    seen: Set[str] = set()
    unseen = [name]
    while unseen:
        each = unseen.pop()
        if each in seen or each in given:
            continue
        seen.add(each)
        if each in before:
            raise TypeError(f"Node {name} uses input {each} not in input_nodes.")
        unseen += inputs[each]
