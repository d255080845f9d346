"""Which objects of a program are which of a checkpoint, and what restores them."""

from __future__ import annotations

import collections
import itertools
from typing import Any, Deque, Dict, List

from troupe._src.checkpoints.checkpoint_reader import CheckpointReader
from troupe._src.checkpoints.saveables import SaveableObject
from troupe._src.keras_optimizers.optimizer_v2 import Optimizer as OptimizerV2
from troupe._src.object_checkpoints.object_nodes import ObjectNodes
from troupe._src.object_checkpoints.object_view import saveables_for, values_of
from troupe._src.object_checkpoints.python_state import StringStateSaveable
from troupe._src.object_checkpoints.trackable import children_of, slot_of
from troupe._src.platform import logging
from troupe._src.train.optimizer import Optimizer
from troupe._src.variables.variable import Variable

_numbers = itertools.count(1)


def next_number() -> int:
    """A number for a restoration; those of later ones are greater."""
    return next(_numbers)


class Restoration:
    """One call of `restore`. What objects get after it is found by the next `match()`."""

    def __init__(self, message: Any, path: str, root: Any, nodes: ObjectNodes) -> None:
        self.nodes, self.path, self.root = message.nodes, path, root
        self.number = next_number()
        self.matched: Dict[int, Any] = {0: root}
        self.unused: Dict[int, List[str]] = {}  # the values of matched objects that none takes
        self.operations: List[Any] = []
        self._graph_nodes = nodes
        self._done: Dict[int, Any] = {}

    def match(self) -> None:
        """Finds the objects that there are now, and adds the nodes that restore them."""
        waiting: Deque[int] = collections.deque([0])
        seen = {0}
        while waiting:
            number = waiting.popleft()
            children = dict(children_of(self.matched[number]))
            lookup = getattr(self.matched[number], "_lookup_dependency", None)
            for child in self.nodes[number].children:
                if lookup is not None and child.local_name not in children:
                    children[child.local_name] = lookup(child.local_name)
                if child.local_name in children:
                    self._bind(child.node_id, children[child.local_name])
                    if child.node_id not in seen:
                        seen.add(child.node_id)
                        waiting.append(child.node_id)
        self._match_slots()
        self._restore_new()

    def _bind(self, number: int, value: Any) -> None:
        if self.matched.setdefault(number, value) is not value:
            logging.warning(
                "One object of the checkpoint is two here, of which only the first is restored: "
                "%s and %s.",
                self.matched[number],
                value,
            )

    def _match_slots(self) -> None:
        for number, optimizer in list(self.matched.items()):
            if not isinstance(optimizer, (Optimizer, OptimizerV2)):
                continue
            for reference in self.nodes[number].slot_variables:
                variable = self.matched.get(reference.original_variable_node_id)
                if not isinstance(variable, Variable):
                    continue
                slot = slot_of(optimizer, variable, reference.slot_name)
                if slot is not None:
                    self._bind(reference.slot_variable_node_id, slot)

    def _restore_new(self) -> None:
        wanted = []
        for number, value in sorted(self.matched.items()):
            if number in self._done:
                continue
            self._done[number] = value
            saveables = self._saveables(number, value)
            if last_restoration(value) > self.number:
                continue  # by a later one, which stays
            if isinstance(value, Variable):
                vars(value)["_restoration"] = self.number
            for each in saveables:
                if isinstance(each, StringStateSaveable):
                    each.restore_now(CheckpointReader(self.path).get_tensor)
                else:
                    wanted.append((value, each))
        self.operations += self._graph_nodes.restores(wanted)

    def _saveables(self, number: int, value: Any) -> List[SaveableObject]:
        found, own = [], values_of(value)
        for attribute in self.nodes[number].attributes:
            if attribute.name in own:
                found += saveables_for(own[attribute.name], attribute.checkpoint_key)
            else:
                self.unused.setdefault(number, []).append(attribute.name)
        return found

    def name_of(self, number: int) -> str:
        """The path of an object of the checkpoint, as messages say it."""
        names, waiting = {0: "(root)"}, collections.deque([0])
        while waiting:
            parent = waiting.popleft()
            for child in self.nodes[parent].children:
                if child.node_id not in names:
                    names[child.node_id] = f"{names[parent]}.{child.local_name}"
                    waiting.append(child.node_id)
        for parent, node in enumerate(self.nodes):
            for slot in node.slot_variables:
                original = names[slot.original_variable_node_id]
                names[slot.slot_variable_node_id] = (
                    f"{names[parent]}'s state '{slot.slot_name}' for {original}"
                )
        return names[number]


def last_restoration(value: Any) -> int:
    """The number of the last restoration of a variable; 0 where there is none."""
    return int(vars(value).get("_restoration", 0)) if isinstance(value, Variable) else 0
