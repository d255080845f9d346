"""What a tape has recorded: which nodes of a graph were added while it was open."""

from __future__ import annotations

from typing import Any, List, Optional, Set, Tuple

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import Graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.train.gradients import gradients
from troupe._src.variables.variable import Variable

_READS = ("Identity", "ReadVariableOp")


class Record:
    """Which nodes of a graph were added while it was open, and what is watched."""

    def __init__(self, graph: Graph, watches_accessed: bool) -> None:
        self.graph = graph
        self._watches_accessed = watches_accessed
        self._spans: List[Tuple[int, Optional[int]]] = []
        self._watched: List[Any] = []

    def open(self) -> None:
        self._spans.append((self.graph.version, None))

    def close(self) -> None:
        start, _ = self._spans.pop()
        self._spans.append((start, self.graph.version))

    def has(self, op: Operation) -> bool:
        """Whether the node was added while this was open."""
        number = op._id
        return any(start <= number and (end is None or number < end) for start, end in self._spans)

    def watch(self, value: Any) -> None:
        if not self.is_watched(value):
            self._watched.append(value)

    def is_watched(self, value: Any) -> bool:
        """Whether a tensor or a variable is watched."""
        if any(each is value for each in self._watched):
            return True
        return self._watches_accessed and isinstance(value, Variable) and value.trainable

    def variables(self) -> List[Variable]:
        """The watched variables that nodes read, after those that the program watches."""
        explicit = [each for each in self._watched if isinstance(each, Variable)]
        if not self._watches_accessed:
            return explicit
        trained = self.graph.get_collection(GraphKeys.TRAINABLE_VARIABLES)
        read = [each for each in trained if self._is_accessed(each)]
        return explicit + [each for each in read if not any(each is other for other in explicit)]

    def _is_accessed(self, variable: Variable) -> bool:
        places = (variable._read_from, variable._snapshot)
        return any(self.has(op) for place in places for op in place.consumers())

    def walk(self, targets: List[Tensor]) -> Tuple[List[Tensor], Set[Tensor]]:
        """The tensors from outside of the record that targets depend on, and all up to these."""
        stops: List[Tensor] = []
        reached: Set[Tensor] = set()
        places = {variable._read_from for variable in self._all_variables()}
        found = list(targets)
        while found:
            tensor = found.pop()
            if tensor in reached:
                continue
            reached.add(tensor)
            op = tensor._op
            # Reads of variables count as accesses, whenever their nodes were made.
            is_read = op.type in _READS and op.inputs[0] in places
            if tensor not in places and (is_read or self.has(op)):
                found.extend(op.inputs)
            else:
                stops.append(tensor)
        return stops, reached

    def _all_variables(self) -> List[Variable]:
        kinds = (GraphKeys.GLOBAL_VARIABLES, GraphKeys.LOCAL_VARIABLES)
        found = [each for kind in kinds for each in self.graph.get_collection(kind)]
        return [each for each in (*found, *self._watched) if isinstance(each, Variable)]

    def leads_to(self, source: Any) -> bool:
        """Whether the source is watched, or was computed here from something that is."""
        if self.is_watched(source):
            return True
        if isinstance(source, Variable) or not self.has(source._op):
            return False
        reached = self.walk([source])[1]
        watched = [*self._watched, *(self.variables() if self._watches_accessed else ())]
        return any(_place_of(each) in reached for each in watched)


def _place_of(value: Any) -> Tensor:
    return value._read_from if isinstance(value, Variable) else value


def gradients_of(
    record: Record, targets: List[Tensor], sources: List[Any], initial: Optional[List[Any]]
) -> List[Any]:
    """The gradients by recorded nodes; None for sources that the targets do not depend on."""
    stops = record.walk(targets)[0]
    known = [index for index, each in enumerate(sources) if record.leads_to(each)]
    found: List[Any] = [None] * len(sources)
    if known:
        chosen = [sources[index] for index in known]
        made = gradients(targets, chosen, initial, stop_gradients=stops)
        for index, gradient in zip(known, made):
            found[index] = gradient
    return found
