"""Which nodes take a tensor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List

if TYPE_CHECKING:
    from troupe._src.graph.elements import Operation, Tensor


class Consumers:
    """The nodes that take each tensor of a graph, in the order in which they were added."""

    def __init__(self, graph: Any) -> None:
        self._graph = graph
        self._count = 0  # of the nodes whose inputs are known
        self._of: Dict[Any, List[Any]] = {}

    def of(self, tensor: Tensor) -> List[Operation]:
        """The nodes that have a tensor as an input, each once."""
        with self._graph._lock:
            size = self._graph._native_root.size
            for node in range(self._count, size):
                op = self._graph._operation(node)
                for each in dict.fromkeys(op.inputs):
                    self._of.setdefault(each, []).append(op)
            self._count = size
            return list(self._of.get(tensor, ()))

    def move(self, op: Any, before: Tensor, after: Tensor) -> None:
        """Notes that a node takes another tensor at a place."""
        with self._graph._lock:
            if op._id >= self._count:
                return  # not noted yet
            users = self._of.setdefault(after, [])
            if op not in users:
                users.append(op)
            if before not in op.inputs:
                self._of[before].remove(op)

    def clear(self) -> None:
        """Forgets all, when nodes get other numbers."""
        self._count = 0
        self._of.clear()
