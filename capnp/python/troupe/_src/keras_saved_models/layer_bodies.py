"""Bodies of functions of layers, which read what layers have made of their weights."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from troupe._src.functions.definition import FunctionDefinition, unique_function_name
from troupe._src.functions.traced import ConcreteFunction
from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.function_graph import FunctionGraph
from troupe._src.graph.graph import Graph
from troupe._src.graph_defs.importer import import_graph_def
from troupe._src.messages.graph_messages import GraphDef
from troupe._src.ops.apply_op import OP_DEFS

_KEPT = ("VarHandleOp", "Const", "Placeholder", "PlaceholderWithDefault")


class LayerBody(FunctionGraph):
    """A body that copies what was computed of variables when a layer was built, such as the part of
    a kernel: a function that is saved has variables and constants alone as further arguments.

    Args:
        outer_graph: The graph that has the layers.
    """

    def __init__(self, outer_graph: Graph) -> None:
        super().__init__(outer_graph, orders_effects=True)
        self._copies: Dict[Tensor, Tensor] = {}

    def _adopt(self, tensor: Tensor, user: str = "function") -> Tensor:
        if tensor.graph is self or tensor.op.type in _KEPT:
            return super()._adopt(tensor, user)
        if tensor not in self._copies:
            nodes = _pure_nodes(tensor)
            if nodes is None:
                return super()._adopt(tensor, user)
            self._copies[tensor] = self._copied(tensor, nodes)
        return self._copies[tensor]

    def _copied(self, tensor: Tensor, nodes: List[Operation]) -> Tensor:
        message, replaced = GraphDef(), {}
        for node in nodes:
            held = message.node.add()
            held.CopyFrom(node.node_def)
            for each in node.inputs:
                if each.op.type in _KEPT:
                    replaced[each.name] = super()._adopt(each)
        with self.as_default():
            found: Any = import_graph_def(message, replaced, [tensor.name], name="copied")
        copy: Tensor = found[0]
        return copy

    def concrete(self, name: str, returned: Any, results: List[Tensor], arguments: Any) -> Any:
        """The function of this body.

        Args:
            name: The beginning of its name.
            returned: The structure of its results.
            results: The results.
            arguments: What its arguments are: a list and a dict.
        """
        definition = FunctionDefinition(unique_function_name(name), self, results)
        return ConcreteFunction(definition, returned, arguments)


def _pure_nodes(tensor: Tensor) -> Optional[List[Operation]]:
    """The nodes between variables and a tensor, in their order; None where one has state."""
    found: Dict[str, Operation] = {}

    def visit(node: Operation) -> bool:
        if node.name in found or node.type in _KEPT:
            return True
        if node.type != "ReadVariableOp" and OP_DEFS[node.type]["is_stateful"]:
            return False
        if not all(visit(each.op) for each in node.inputs):
            return False
        found[node.name] = node
        return True

    return list(found.values()) if visit(tensor.op) else None
