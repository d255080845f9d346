"""Losses and updates of layers, and the inputs that they depend on."""

from __future__ import annotations

from typing import Any, List, NamedTuple, Sequence

from troupe._src.control_flow.structure import flatten
from troupe._src.graph.graph import get_default_graph


class Belonging(NamedTuple):
    """A loss or update, and the inputs that it depends on; all of them where there are none."""

    value: Any
    inputs: List[Any]


def add_to(belongings: List[Belonging], values: Any, inputs: Any, collection: str) -> None:
    listed = list(values) if isinstance(values, (list, tuple)) else [values]
    graph = get_default_graph()
    for value in listed:
        belongings.append(Belonging(value, flatten(inputs) if inputs is not None else []))
        if all(value is not known for known in graph.get_collection(collection)):
            graph.add_to_collection(collection, value)


def for_inputs(belongings: Sequence[Belonging], inputs: Any) -> List[Any]:
    if inputs is None:
        return [each.value for each in belongings if not each.inputs]
    wanted = flatten(inputs)
    return [
        each.value
        for each in belongings
        if any(tensor is other for tensor in each.inputs for other in wanted)
    ]
