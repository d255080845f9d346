"""What a transformer does with each operation and tensor, unless a program says other."""

from __future__ import annotations

import copy
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from troupe import _native
from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import Graph
from troupe._src.graph_editor.names import (
    get_predefined_collection_names, make_placeholder_from_tensor,
)  # fmt: skip
from troupe._src.graph_editor.subgraph import SubGraphView
from troupe._src.messages.graph_messages import GraphDef, NodeDef
from troupe._src.types import errors

_COLOCATED = b"loc:@"
_ENTERS = ("Enter", "RefEnter")


class TransformInfo:
    """A transformation that is under way: what handlers get."""

    def __init__(
        self, sgv: SubGraphView, dst_graph: Graph, dst_scope: str, src_scope: str
    ) -> None:
        """One that has made nothing yet.

        Args:
            sgv: The part of a graph that is transformed.
            dst_graph: The graph that gets the result.
            dst_scope: What the names of the result have in front.
            src_scope: What the names of the part have in front.
        """
        self.sgv = sgv
        self.sgv_inputs_set = frozenset(sgv.inputs)
        self.ops = frozenset(sgv.ops)
        self.graph: Any = sgv.graph
        self.scope = src_scope
        self.graph_ = dst_graph
        self.scope_ = dst_scope
        self.transformed_ops: Dict[Operation, Operation] = {}
        self.transformed_ts: Dict[Tensor, Tensor] = {}
        graph = sgv.graph or Graph()
        self.collections = {
            key: graph.get_collection(key) for key in graph.get_all_collection_keys()
        }
        self.control_inputs: List[Operation] = []  # of the result that is made now
        self.external_ts: Dict[Tensor, Tensor] = {}  # what stands for tensors that are not made
        self.functions = b""  # what nodes may call, as a GraphDef, for another graph
        if sgv.graph is not None and sgv.graph is not dst_graph:
            self.functions = _native.export_graph_def(sgv.graph._root, sgv.graph._root.size)
        self._frames: Dict[bytes, bytes] = {}  # of loops, which are others than those of the part

    def new_name(self, name: str) -> str:
        """The name of a result.

        Args:
            name: That of what it is made of.

        Returns:
            The name.

        Raises:
            ValueError: It is not in the scope of the part.
        """
        if not name.startswith(self.scope):
            raise ValueError(f"{name} does not belong to source scope: {self.scope}.")
        return self.scope_ + name[len(self.scope) :]

    def copy_of_node(self, op: Operation, names: Dict[str, str]) -> NodeDef:
        """The message of a copy, without inputs.

        Args:
            op: The operation.
            names: Those of copies, by the names of what they are copies of.

        Returns:
            The message.
        """
        node = copy.deepcopy(op.node_def)
        node.name = names[op._name]
        node.ClearField("input")
        if "_class" in node.attr:
            groups = self._groups(list(node.attr["_class"].list.s), names)
            node.attr["_class"].list.ClearField("s")
            node.attr["_class"].list.s.extend(groups)
            if not groups:
                del node.attr["_class"]
        if op.type in _ENTERS:
            frame = node.attr["frame_name"].s
            if frame not in self._frames:
                name = self.graph_.unique_name(self.new_name_of_frame(frame.decode()))
                self._frames[frame] = name.encode()
            node.attr["frame_name"].s = self._frames[frame]
        return node

    def new_name_of_frame(self, frame: str) -> str:
        """The name of a loop, which need not be in a scope."""
        return self.new_name(frame) if frame.startswith(self.scope) else self.scope_ + frame

    def _groups(self, groups: Sequence[bytes], names: Dict[str, str]) -> List[bytes]:
        """What copies share the devices of: the copies of what the operations did."""
        found = []
        for group in groups:
            name = group[len(_COLOCATED) :].decode()
            if name in names:
                found.append(_COLOCATED + names[name].encode())
            elif self.graph is self.graph_ or not group.startswith(_COLOCATED):
                found.append(group)
        return found


def add_nodes(
    info: TransformInfo,
    nodes: Sequence[NodeDef],
    tensors: Sequence[Tensor],
    controls: Sequence[Operation],
) -> List[Operation]:
    """Adds nodes with just these names to the graph that gets results.

    Args:
        info: The transformation.
        nodes: The messages, which name each other, and others of the graph.
        tensors: Those of these that are inputs.
        controls: Those that are control inputs.

    Returns:
        The operations.

    Raises:
        ValueError: A node is not valid.
    """
    graph, message = info.graph_, GraphDef()
    for node in nodes:
        message.node.add().CopyFrom(node)
    targets = {tensor.name: tensor.name for tensor in tensors}
    targets.update({f"^{op._name}": f"^{op._name}" for op in controls})
    serialized = message.SerializeToString()
    if any(_calls(value) for node in nodes for value in node.attr.values()):
        serialized = info.functions + serialized
    with graph._lock:
        graph._check_not_finalized()
        graph._use_context()
        try:
            _native.import_graph_def(graph._root, serialized, "", targets, "", b"")
        except errors.InvalidArgumentError as error:
            raise errors.build_error(False, error.message, error.node, error.node_op) from None
        return [graph._operation(graph._root.find(node.name)) for node in nodes]


def _calls(value: Any) -> bool:
    """Whether an attribute names functions."""
    return value.WhichOneof("value") == "func" or len(value.list.func) > 0


def replace_t_with_placeholder_handler(info: Any, t: Tensor) -> Tensor:
    """A placeholder in place of a tensor.

    Args:
        info: The transformation.
        t: The tensor.

    Returns:
        The placeholder.
    """
    with info.graph_.as_default():
        return make_placeholder_from_tensor(t, scope=info.scope_)


def keep_t_if_possible_handler(info: Any, t: Tensor) -> Tensor:
    """The tensor itself, or a placeholder in another graph.

    Args:
        info: The transformation.
        t: The tensor.

    Returns:
        The tensor, or the placeholder.
    """
    return t if info.graph is info.graph_ else replace_t_with_placeholder_handler(info, t)


def assign_renamed_collections_handler(info: Any, elem: Any, elem_: Any) -> None:
    """Adds a result to the collections of what it is made of; those of programs get a new name.

    Args:
        info: The transformation.
        elem: An operation or a tensor.
        elem_: The result.
    """
    known = get_predefined_collection_names()
    for name, collection in info.collections.items():
        if any(elem is each for each in collection):
            is_kept = name in known or not isinstance(name, str)
            info.graph_.add_to_collection(name if is_kept else info.new_name(name), elem_)


def transform_op_if_inside_handler(
    info: Any, op: Operation, keep_if_possible: bool = True
) -> Optional[Operation]:
    """What an operation has become, or itself where it is not in the part.

    Args:
        info: The transformation.
        op: The operation.
        keep_if_possible: Whether it stands for itself in the same graph.

    Returns:
        The operation, or None.
    """
    if op in info.ops:
        found: Operation = info.transformed_ops[op]
        return found
    return op if keep_if_possible and info.graph is info.graph_ else None


def copy_op_handler(
    info: Any,
    op: Operation,
    new_inputs: Sequence[Tensor],
    copy_shape: bool = False,
    nodedef_fn: Optional[Callable[[NodeDef], NodeDef]] = None,
) -> Tuple[Operation, List[Tensor]]:
    """A copy of an operation.

    Args:
        info: The transformation.
        op: The operation.
        new_inputs: The inputs of the copy.
        copy_shape: Whether its outputs have the static shapes of those of the operation.
        nodedef_fn: Gives the message of the copy instead of one, which it may change.

    Returns:
        The copy and its outputs.

    Raises:
        TypeError: The inputs are a bool, as older programs gave `copy_shape` there.
        ValueError: The copy is not valid.
    """
    if isinstance(new_inputs, bool):
        raise TypeError("the `new_inputs` argument must be an iterable.")
    names = {done._name: made._name for done, made in info.transformed_ops.items()}
    names[op._name] = info.graph_.unique_name(info.new_name(op.name))
    node = info.copy_of_node(op, names)
    inputs, controls = list(new_inputs), list(info.control_inputs)
    node.input.extend([tensor.name for tensor in inputs])
    node.input.extend([f"^{each._name}" for each in controls])
    if nodedef_fn is not None:
        node = nodedef_fn(node)
    (made,) = add_nodes(info, [node], inputs, controls)
    if copy_shape:
        for tensor, copied in zip(op.outputs, made.outputs):
            copied.set_shape(tensor.shape)
    return made, made.outputs
