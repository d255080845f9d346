"""Values of which each replica of a program has its own."""

from __future__ import annotations

from typing import Any, Callable, Sequence, Tuple

from troupe._src.graph.elements import Tensor
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.replicas.contexts import current_copy


class PerReplica:
    """What the replicas of a program have returned, each its own value.

    Args:
        values: That of each replica.
    """

    def __init__(self, values: Sequence[Any]) -> None:
        self.values: Tuple[Any, ...] = tuple(values)

    def get(self) -> Any:
        """The value of the replica in which this is called; outside of replicas the first."""
        return self.values[current_copy()]

    def __repr__(self) -> str:
        return f"{type(self).__name__}{self.values!r}"


class Mirrored(PerReplica):
    """Equal values, one on the device of each replica; each takes its own as a tensor."""

    def _as_tensor(self) -> Tensor:
        return convert_to_tensor(self.get())

    def _as_graph_element(self) -> Any:
        return self.values[0]


# As the destination of a reduction: the device of each replica.
EVERYWHERE = PerReplica(())


def regroup(results: Sequence[Any]) -> Any:
    """One structure of what replicas have returned.

    Args:
        results: A structure of each replica, all alike.

    Returns:
        That structure, whose leaves are what all have in common, or a PerReplica of theirs.

    Raises:
        ValueError: The structures differ.
    """
    first = results[0]
    if all(each is first for each in results):
        return first
    if isinstance(first, (str, bytes)) and all(each == first for each in results):
        return first
    if isinstance(first, (list, tuple, dict)) and any(type(r) is not type(first) for r in results):
        raise ValueError(f"replicas have returned different types: {results!r}")
    if isinstance(first, dict):
        if any(set(each) != set(first) for each in results):
            raise ValueError(f"replicas have returned different keys: {results!r}")
        return type(first)((key, regroup([each[key] for each in results])) for key in first)
    if isinstance(first, (list, tuple)):
        if any(len(each) != len(first) for each in results):
            raise ValueError(f"replicas have returned different lengths: {results!r}")
        return _like(first, [regroup(each) for each in zip(*results)])
    return PerReplica(results)


def select(replica: int, structure: Any) -> Any:
    """What a replica gets of a structure: its own value of each PerReplica in it."""
    return _mapped(lambda leaf: leaf.values[replica], structure)


def _mapped(function: Callable[[PerReplica], Any], structure: Any) -> Any:
    if isinstance(structure, PerReplica):
        return function(structure)
    if isinstance(structure, dict):
        return type(structure)((k, _mapped(function, each)) for k, each in structure.items())
    if type(structure) in (list, tuple) or hasattr(structure, "_fields"):
        return _like(structure, [_mapped(function, each) for each in structure])
    return structure


def _like(sequence: Any, items: Sequence[Any]) -> Any:
    """A list or tuple, or a named one, of these items."""
    return type(sequence)(*items) if hasattr(sequence, "_fields") else type(sequence)(items)
