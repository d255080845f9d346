"""What a device function is told of a node."""

from __future__ import annotations

from typing import Any, Dict, NamedTuple, Tuple

from troupe._src.graph.elements import Tensor
from troupe._src.messages.graph_messages import NodeDef


class NodeToPlace(NamedTuple):
    """A node that is being added, as passed to device functions: what is known of an Operation."""

    type: str
    name: str
    device: str
    inputs: Tuple[Tensor, ...] = ()
    attrs: Dict[str, Any] = {}
    graph: Any = None

    @property
    def node_def(self) -> NodeDef:
        inputs = [tensor.name for tensor in self.inputs]
        return NodeDef(name=self.name, op=self.type, input=inputs, device=self.device)

    def get_attr(self, name: str) -> Any:
        """The value of an attribute that was given; ValueError where none was."""
        if name not in self.attrs:
            raise ValueError(f"Operation '{self.name}' has no attr named '{name}'.")
        return self.attrs[name]


def free_name(graph: Any, name: str) -> str:
    """The name, with a number where a node has it: the one that a node gets that is added now."""
    counts: Dict[str, int] = vars(graph).setdefault("_counts_of_names", {})
    count = counts.get(name, 0)  # names that nodes have once are not free again
    found = f"{name}_{count}" if count else name
    while found in graph._variables or graph._root.contains(found):
        count += 1
        found = f"{name}_{count}"
    counts[name] = count
    return found
