"""Changes of nodes that a graph has already, made all at once when the graph is used next.

The graph of the runtime only grows, and inputs come before the nodes that take them. So edited
nodes make another such graph, in which nodes may have other numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Optional

from troupe import _native
from troupe._src.messages.graph_messages import NodeDef
from troupe._src.types import dtypes, errors
from troupe._src.types.shapes import TensorShape

if TYPE_CHECKING:
    from troupe._src.graph.elements import Operation, Tensor
    from troupe._src.graph.graph import Graph


class NodeEdit:
    """What a node is to have instead; None where that does not change."""

    __slots__ = ("inputs", "control_inputs", "attrs", "device")

    def __init__(self) -> None:
        self.inputs: Optional[List[Tensor]] = None
        self.control_inputs: Optional[List[Operation]] = None
        self.attrs: Dict[str, Any] = {}
        self.device: Optional[str] = None


def edit_of(op: Operation) -> NodeEdit:
    """The edit of a node, to be changed by the caller.

    Raises:
        RuntimeError: The graph is finalized, or this thread adds nodes to a branch or loop.
    """
    graph = op._graph
    graph._check_not_finalized()
    if graph._thread_scopes.context != -1:
        raise RuntimeError(
            f"'{op.name}' cannot be edited while nodes are added to a branch or loop"
        )
    if not graph._edits:
        graph.get_operations()  # whose numbers change
    graph._edit_count += 1
    return graph._edits.setdefault(op, NodeEdit())


def make_edits(graph: Graph) -> None:
    """Makes the graph of the runtime again, with the edits.

    Raises:
        ValueError: The edited graph is not valid; it is as it was before the edits.
    """
    with graph._lock:
        edits, graph._edits = graph._edits, {}
        if not edits:
            return  # another thread has made them
        graph._consumers.clear()
        old, new = graph._native_root, _native.Builder()
        operations = list(graph._operations.values())
        messages = [_message(old, op, edits.get(op)) for op in operations]
        rest = _native.export_graph_def(old, old.size)  # the functions
        _reserve_scopes(new, operations)
        try:
            _native.import_graph_def(new, rest + b"".join(messages), "", {}, "", b"")
        except errors.OpError as error:
            message = f"The graph cannot be edited so, and stays as it was: {error.message}"
            raise errors.build_error(False, message, error.node, error.node_op) from None
        _take(graph, new, operations)


def _message(root: _native.Builder, op: Operation, edit: Optional[NodeEdit]) -> bytes:
    """A node as a field of a GraphDef."""
    message = bytes(_native.export_node_def(root, op._id))
    if edit is not None:
        node = NodeDef._of_bytes(message)
        _change(node, edit)
        message = node.SerializeToString()
    return b"\x0a" + _varint(len(message)) + message


def _varint(number: int) -> bytes:
    found = bytearray()
    while number >= 0x80:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*found, number])


def _change(node: NodeDef, edit: NodeEdit) -> None:
    inputs = [name for name in node.input if not name.startswith("^")]
    controls = [name for name in node.input if name.startswith("^")]
    if edit.inputs is not None:
        inputs = [tensor.name for tensor in edit.inputs]
    if edit.control_inputs is not None:
        controls = [f"^{op._name}" for op in edit.control_inputs]
    node.ClearField("input")
    node.input.extend(inputs + controls)
    for name, value in edit.attrs.items():
        node.attr[name].CopyFrom(value)
    if edit.device is not None:
        node.device = edit.device


def _reserve_scopes(root: _native.Builder, operations: List[Operation]) -> None:
    """Lets later scopes get other names than those of the graph."""
    scopes = {""}
    for op in operations:
        parts = op._name.split("/")[:-1]
        for count in range(1, len(parts) + 1):
            scope = "/".join(parts[:count])
            if scope not in scopes:
                scopes.add(scope)
                outer = "/".join(parts[: count - 1])
                root.within(f"{outer}/" if outer else "").scope(parts[count - 1])


def _take(graph: Graph, root: _native.Builder, operations: List[Operation]) -> None:
    """Lets the objects of the program stand for the nodes of another graph of the runtime."""
    old = graph._native_root
    variables = {
        variable: [
            graph._of_value(variable._native.handle), graph._of_value(variable._native.initializer)
        ]
        for variable in _variables_of(graph)
    }  # fmt: skip
    outputs = {op: old.node_outputs(op._id) for op in operations}
    for op in operations:
        op._id = root.find(op._name)
    graph._native_root = root
    graph._operations = {op._id: op for op in operations}
    for op, before in outputs.items():
        for tensor, known, now in zip(op._outputs, before, root.node_outputs(op._id)):
            tensor._native = None
            if known != now:
                _infer(tensor, *now)
    for variable, (handle, initializer) in variables.items():
        variable._native = _native.make_variable(
            root, variable._native.name, handle._value(), initializer._value()
        )
    told, graph._at_edits = graph._at_edits, []
    for reference in told:
        call = reference()
        if call is not None:
            call()


def _infer(tensor: Tensor, dtype: int, shape: Any) -> None:
    """Gives a tensor the dtype and shape that it has now, and what the program knows besides."""
    inferred = TensorShape(shape)
    tensor._dtype = dtypes.by_number(dtype)
    tensor._is_refined = tensor._is_refined and inferred.is_compatible_with(tensor._shape)
    tensor._shape = inferred.merge_with(tensor._shape) if tensor._is_refined else inferred


def _variables_of(graph: Graph) -> List[Any]:
    """All that stand for nodes of the graph, each once; several may have one name."""
    found = {id(variable): variable for variable in graph._variables.values()}
    for values in graph._collections.values():
        for value in values:
            if getattr(value, "_graph", None) is graph and hasattr(value, "_snapshot"):
                found[id(value)] = value
    return list(found.values())
