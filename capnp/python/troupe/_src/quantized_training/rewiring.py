"""The inputs of nodes while a graph is rewritten.

A graph that is used after a change of its nodes is made again, so that the changes of a whole
rewrite are kept here and made at once.
"""

from __future__ import annotations

from typing import Any, Collection, Dict, List, Optional

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import Graph

# Nodes that take no part in a model.
_SKIPPED = (
    "gradients/", "RMSProp/", "Adagrad/", "Const_", "HistogramSummary", "ScalarSummary",
)  # fmt: skip
_SAVING = ("SaveV2", "Save", "SaveSlices")


def is_skipped(name: str) -> bool:
    """Whether a node belongs to gradients, optimizers or summaries, by its name."""
    return name.startswith(_SKIPPED)


class Rewiring:
    """A graph, what its nodes take, and what takes its tensors.

    All reads of a variable count as one tensor, as in TensorFlow, unless the program asks for a
    variable of resources.

    Args:
        graph: The graph.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._inputs: Dict[Operation, List[Tensor]] = {}
        self._attrs: List[Any] = []
        self._consumers: Dict[Tensor, List[Operation]] = {}
        self._reads: Dict[Tensor, List[Tensor]] = {}  # by the handle
        self._noted = 0

    def inputs(self, op: Operation) -> List[Tensor]:
        """The tensors that a node takes, with all changes."""
        changed = self._inputs.get(op)
        return list(op.inputs) if changed is None else changed

    def _note(self) -> None:
        """Notes the nodes that have been added since."""
        size = self.graph._root.size
        for node in range(self._noted, size):
            op = self.graph._operation(node)
            for tensor in self.inputs(op):
                self._consumers.setdefault(tensor, []).append(op)
            handle = _read_handle(op)
            if handle is not None:
                self._reads.setdefault(handle, []).append(op.outputs[0])
        self._noted = size

    def same(self, tensor: Tensor) -> List[Tensor]:
        """A tensor, and for a read of a variable all others of it that count as the same."""
        self._note()
        handle = _read_handle(tensor.op)
        return [tensor] if handle is None else self._reads[handle]

    def consumers(self, tensor: Tensor) -> List[Operation]:
        """The nodes that take a tensor, each as often as it does."""
        return [
            op
            for each in self.same(tensor)
            for op in self._consumers.get(each, ())
            if each is tensor or op.type not in _SAVING
        ]

    def model_consumers(self, op: Operation) -> List[Operation]:
        """The nodes of a model that take an output of a node, each once."""
        found = [user for tensor in op.outputs for user in self.consumers(tensor)]
        return [user for user in dict.fromkeys(found) if not is_skipped(user.name)]

    def reroute(
        self, new: Tensor, old: Tensor, only: Optional[Collection[Operation]] = None
    ) -> int:
        """Lets nodes take another tensor.

        Args:
            new: What they take afterwards.
            old: What they took.
            only: The nodes that change, by default all.

        Returns:
            How many inputs have changed.
        """
        olds = {id(tensor) for tensor in self.same(old)}
        users = [op for op in dict.fromkeys(self.consumers(old)) if only is None or op in only]
        count = 0
        for op in users:
            inputs = list(self.inputs(op))
            for index, tensor in enumerate(inputs):
                if id(tensor) in olds:
                    self._consumers[tensor].remove(op)
                    inputs[index] = new
                    self._consumers.setdefault(new, []).append(op)
                    count += 1
            self._inputs[op] = inputs
        return count

    def set_attr(self, op: Operation, name: str, value: Any) -> None:
        """Changes an attribute of a node.

        Args:
            op: The node.
            name: Of the attribute.
            value: An AttrValue.
        """
        self._attrs.append((op, name, value))

    def apply(self) -> None:
        """Makes the changes in the graph."""
        for op, inputs in self._inputs.items():
            for index, (before, after) in enumerate(zip(op.inputs, inputs)):
                if before is not after:
                    op._update_input(index, after)
        for op, name, value in self._attrs:
            op._set_attr(name, value)
        self._inputs.clear()
        self._attrs.clear()


def _read_handle(op: Operation) -> Optional[Tensor]:
    """The handle of the variable that a node reads where all reads are one tensor, or None."""
    if op.type != "ReadVariableOp":
        return None
    handle: Tensor = op.inputs[0]
    variable = op.graph._variables.get(handle.op.name)
    if variable is None or variable._is_chosen_resource:
        return None
    for before in op.control_inputs:
        if before.type.startswith("Assign") and before.inputs[0] is handle:
            return None
    return handle
