"""Pairs of values x and y = f(x) that a bijector has computed."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph

Conditions = Dict[str, Any]


class Pair:
    """x and y, as far as they are known, and logarithms of Jacobian determinants.

    `log_dets` has those of the inverse function, by what their events are.
    """

    def __init__(self, x: Any, y: Any, conditions: Conditions) -> None:
        self.x, self.y, self.conditions = x, y, conditions
        self.log_dets: Dict[Any, Tensor] = {}

    def copy(self) -> Pair:
        """Another one of the same values, which what is found later is not added to."""
        made = Pair(self.x, self.y, self.conditions)
        made.log_dets = dict(self.log_dets)
        return made


class Pairs:
    """The pairs of one bijector, found by x or by y where they were made.

    A tensor that is computed in a branch, in a loop or in the graph of a function is of no use
    outside of it, so each of these has pairs of its own, beside those of its graph.
    """

    def __init__(self) -> None:
        self._of_x: Dict[Any, Pair] = {}
        self._of_y: Dict[Any, Pair] = {}

    def of_x(self, x: Any, conditions: Conditions) -> Pair:
        """The pair of this x, a new one where there is none."""
        return _find(self._of_x, x, conditions) or Pair(x, None, conditions)

    def of_y(self, y: Any, conditions: Conditions) -> Pair:
        """The pair of this y, a new one where there is none."""
        return _find(self._of_y, y, conditions) or Pair(None, y, conditions)

    def add(self, pair: Pair) -> None:
        """Lets the pair be found by what is known of it."""
        for value, known in ((pair.x, self._of_x), (pair.y, self._of_y)):
            if value is not None:
                key = (places()[0], id(value), _frozen(pair.conditions))
                _join(pair, known.get(key))
                known[key] = pair


def places() -> List[Any]:
    """Where nodes are added now, and then where such nodes may take tensors of."""
    graph = get_default_graph()
    context = graph._get_control_flow_context()
    return [(graph, None)] if context is None else [(graph, context), (graph, None)]


def _find(known: Dict[Any, Pair], value: Any, conditions: Conditions) -> Optional[Pair]:
    here, *outside = places()
    key = (id(value), _frozen(conditions))
    for place in (here, *outside):
        found = known.get((place, *key))
        if found is not None:
            return found if place == here else found.copy()
    return None


def _join(pair: Pair, other: Optional[Pair]) -> None:
    if other is not None and other is not pair:
        pair.log_dets = {**other.log_dets, **pair.log_dets}


def _frozen(value: Any) -> Any:
    """What may be compared and hashed: values by themselves, and other objects by identity."""
    if isinstance(value, dict):
        return tuple((key, _frozen(each)) for key, each in sorted(value.items()))
    if isinstance(value, (list, tuple)):
        return tuple(_frozen(each) for each in value)
    if isinstance(value, (str, bytes, int, float, bool, type(None))):
        return (type(value), value)
    return id(value)
