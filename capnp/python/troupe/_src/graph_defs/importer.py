"""Adds the nodes of a GraphDef to a graph."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence

from troupe import _native
from troupe._src.graph.elements import GraphElement, Operation, Tensor
from troupe._src.graph.graph import Graph, get_default_graph
from troupe._src.graph_defs import created_ops as created_ops  # for Graph.create_op
from troupe._src.messages.graph_messages import GraphDef
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types import errors


def import_graph_def(
    graph_def: Any,
    input_map: Optional[Dict[str, Any]] = None,
    return_elements: Optional[Sequence[str]] = None,
    name: Optional[str] = None,
    op_dict: Any = None,
    producer_op_list: Any = None,
) -> Optional[List[GraphElement]]:
    """Adds the nodes of a GraphDef to the default graph.

    Args:
        graph_def: The message, also one of protobuf's own package.
        input_map: Tensors of this graph in place of inputs, "node:0", and operations in place of
            control inputs, "^node". Names are strings or bytes.
        return_elements: Names of operations, "node", and tensors, "node:0", of the message.
        name: The prefix of all names, by default "import"; "" for none. A name that the graph has
            already gets a suffix, "node_1".
        op_dict: Without effect.
        producer_op_list: The ops of the program that wrote the message, with their defaults.

    Returns:
        The operations and tensors of `return_elements`; None without it.

    Raises:
        TypeError: An argument is of a wrong type.
        ValueError: The message is not a valid graph, or lacks what the arguments name.
        NotFoundError: The message has ops that do not exist here; all are named.
    """
    serialized = _serialized(graph_def)
    mapped = _checked_map(input_map)
    wanted = _checked_names(return_elements)
    graph = get_default_graph()
    with graph._lock, graph.name_scope("import" if name is None else name) as scope:
        prefix = scope[:-1] if scope else ""
        targets = {key: _name_of_target(graph, key, value) for key, value in mapped.items()}
        graph._check_not_finalized()
        device = ""
        if any(callable(each) for each in graph._scopes.devices):
            serialized = _placed(graph, serialized)
        else:
            device = graph._device_for("", "")
        ops = producer_op_list.SerializeToString() if producer_op_list is not None else b""
        graph._use_context()
        try:
            _, _, unused, renamed = _native.import_graph_def(
                graph._root, serialized, prefix, targets, device, ops
            )
        except errors.InvalidArgumentError as error:
            raise errors.build_error(False, error.message, error.node, error.node_op) from None
    unused = [key for key in unused if not _is_there(graph, scope, key, renamed)]
    if unused:
        raise ValueError(
            f"Attempted to map inputs that were not found in graph_def: [{', '.join(unused)}]"
        )
    if return_elements is None:
        return None
    return [_element(graph, scope, each, mapped, renamed) for each in wanted]


def _serialized(graph_def: Any) -> bytes:
    if type(graph_def).__name__ != "GraphDef" or not hasattr(graph_def, "SerializeToString"):
        raise TypeError("graph_def must be a GraphDef proto.")
    return bytes(graph_def.SerializeToString())


def _checked_map(input_map: Any) -> Dict[str, Any]:
    if input_map is None:
        return {}
    if not isinstance(input_map, dict) or not all(isinstance(k, (str, bytes)) for k in input_map):
        raise TypeError(
            "input_map must be a dictionary mapping strings to Tensor objects. "
            f"Got: {type(input_map).__name__}"
        )
    return {_text(key): value for key, value in input_map.items()}


def _text(name: Any) -> str:
    return name.decode() if isinstance(name, bytes) else str(name)


def _checked_names(return_elements: Any) -> List[str]:
    if return_elements is None:
        return []
    names: List[Any] = [None]
    if isinstance(return_elements, (list, tuple)):
        names = list(return_elements)
    if not all(isinstance(name, (str, bytes)) for name in names):
        raise TypeError("return_elements must be a list of strings.")
    return [_text(name) for name in names]


def _name_of_target(graph: Graph, key: str, value: Any) -> str:
    """What the nodes that come in call the value of this graph."""
    if key.startswith("^"):
        op = value if isinstance(value, Operation) else getattr(value, "op", None)
        if not isinstance(op, Operation):
            raise TypeError(f"input_map['{key}'] must be an Operation, not {value!r}")
        return f"^{op._name}"
    if not isinstance(value, Tensor):
        with graph.name_scope("_inputs"):
            value = convert_to_tensor(value)
    if value.graph is not graph:
        raise ValueError(f"input_map['{key}'] is of another graph: {value!r}")
    return str(value._place)


def _placed(graph: Graph, serialized: bytes) -> bytes:
    """The message with the devices that the graph's device functions give its nodes."""
    placed = GraphDef._of_bytes(serialized)
    for node in placed.node:
        node.device = graph._device_for(node.op, node.name, device=node.device)
    return placed.SerializeToString()


def _is_there(graph: Graph, scope: str, name: str, renamed: Dict[str, str]) -> bool:
    """Whether the message has a node or output, although nothing takes it."""
    try:
        _element(graph, scope, name.lstrip("^"), {}, renamed)
    except ValueError:
        return False
    return True


def _element(
    graph: Graph, scope: str, name: str, mapped: Dict[str, Any], renamed: Dict[str, str]
) -> GraphElement:
    if name in mapped:
        value: GraphElement = mapped[name]
        return value
    node, colon, output = name.partition(":")
    full = renamed.get(node, scope + node)
    try:
        if colon:
            return graph._tensor(*graph._root.find_output(f"{full}:{output}"))
        return graph._operation(graph._root.find(full))
    except (errors.NotFoundError, errors.InvalidArgumentError):
        raise ValueError(
            f"Requested return_element '{name}' not found in graph_def."
        ) from None
