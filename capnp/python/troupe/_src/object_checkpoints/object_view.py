"""All objects that a root has, with their keys in checkpoints."""

from __future__ import annotations

import collections
from typing import Any, Deque, Dict, List, NamedTuple, Tuple

from troupe._src.checkpoints.saveables import SaveableObject, saveables_of
from troupe._src.keras_optimizers.optimizer_v2 import Optimizer as OptimizerV2
from troupe._src.checkpoints.object_graph import CheckpointableObjectGraph
from troupe._src.object_checkpoints.trackable import children_of, slot_of
from troupe._src.train.optimizer import Optimizer
from troupe._src.variables.variable import Variable


class Slot(NamedTuple):
    """A slot of an optimizer, and the variable that it is of, by their numbers."""

    name: str
    original: int
    variable: int


class ObjectView:
    """The objects, in the order of their distance from the root, and then the slots."""

    def __init__(self, root: Any) -> None:
        self.objects: List[Any] = []
        self.paths: List[str] = []
        self.children: List[List[Tuple[str, int]]] = []
        self.slots: Dict[int, List[Slot]] = {}
        self._numbers: Dict[int, int] = {}
        self._walk(root)
        self._find_slots()

    def _add(self, value: Any, path: str) -> int:
        self._numbers[id(value)] = len(self.objects)
        self.objects.append(value)
        self.paths.append(path)
        self.children.append([])
        return len(self.objects) - 1

    def _walk(self, root: Any) -> None:
        waiting: Deque[int] = collections.deque([self._add(root, "")])
        while waiting:
            parent = waiting.popleft()
            before = self.paths[parent] + "/" if self.paths[parent] else ""
            for name, child in self._children_of(self.objects[parent]):
                if id(child) not in self._numbers:
                    waiting.append(self._add(child, before + escaped(name)))
                self.children[parent].append((name, self._numbers[id(child)]))

    def _children_of(self, value: Any) -> Any:
        return children_of(value)

    def _find_slots(self) -> None:
        found = list(enumerate(self.objects))
        variables = [(n, each) for n, each in found if isinstance(each, Variable)]
        for number, optimizer in found:
            if not isinstance(optimizer, (Optimizer, OptimizerV2)):
                continue
            for name in optimizer.get_slot_names():
                for original, variable in variables:
                    slot = slot_of(optimizer, variable, name)
                    if slot is None or id(slot) in self._numbers:
                        continue
                    place = f"/.OPTIMIZER_SLOT/{self.paths[number]}/{escaped(name)}"
                    made = self._add(slot, self.paths[original] + place)
                    self.slots.setdefault(number, []).append(Slot(name, original, made))

    def serialize(self) -> Tuple[CheckpointableObjectGraph, List[SaveableObject]]:
        """The message about the objects, and what is saved of them."""
        message, found = CheckpointableObjectGraph(), []
        for number, value in enumerate(self.objects):
            node = message.nodes.add()
            for name, child in self.children[number]:
                node.children.add(node_id=child, local_name=name)
            for slot in self.slots.get(number, ()):
                node.slot_variables.add(
                    original_variable_node_id=slot.original,
                    slot_name=slot.name,
                    slot_variable_node_id=slot.variable,
                )
            for name, made in values_of(value).items():
                key = f"{self.paths[number]}/.ATTRIBUTES/{escaped(name)}"
                full = made._shared_name if isinstance(made, Variable) else ""
                node.attributes.add(name=name, full_name=full, checkpoint_key=key)
                found += saveables_for(made, key)
        return message, found


def escaped(name: str) -> str:
    """A name as part of a path, with "/" between names."""
    return name.replace(".", "..").replace("/", ".S")


def values_of(value: Any) -> Dict[str, Any]:
    """What is saved of an object itself: variables, saveable objects or functions that make these,
    by name."""
    if isinstance(value, Variable):
        return {"VARIABLE_VALUE": value}
    gather = getattr(value, "_gather_saveables_for_checkpoint", None)
    return {} if gather is None else dict(gather())


def saveables_for(value: Any, key: str) -> List[SaveableObject]:
    """What saves and restores it under that key."""
    if callable(value) and not isinstance(value, Variable):
        value = value(name=key)
    return [value] if isinstance(value, SaveableObject) else saveables_of({key: value})


def list_objects(root_trackable: Any) -> List[Any]:
    """All objects that a checkpoint of one has.

    Args:
        root_trackable: The object.

    Returns:
        It, what it has, and so on, and the slots of optimizers.
    """
    return ObjectView(root_trackable).objects
