"""Patterns of nodes, and what they match."""

from __future__ import annotations

import itertools
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple, Union

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.quantized_training.rewiring import Rewiring

# A pattern's name to the node that matches it, and which of its outputs is used.
Match = Dict[str, Tuple[Operation, Optional[Tensor]]]


class NodePattern:
    """A node of certain ops whose inputs match other patterns.

    Args:
        types: Ops, or none for any.
        inputs: A pattern for each input, or none for any inputs.
        key: The name of the node in matches, "" for none.
        in_order: Whether the inputs are matched in their order; otherwise any order may match.
    """

    def __init__(
        self,
        types: Sequence[str] = (),
        inputs: Sequence[Pattern] = (),
        key: str = "",
        in_order: bool = True,
    ) -> None:
        self._types, self._key = frozenset(types), key
        self._orders: List[Tuple[Pattern, ...]] = (
            [tuple(inputs)] if in_order else list(itertools.permutations(inputs))
        )

    def match(self, wiring: Rewiring, op: Any, tensor: Optional[Tensor]) -> Optional[Match]:
        """What a node and its inputs match, or None.

        Args:
            wiring: The inputs of nodes.
            op: The node.
            tensor: The output of it that is used.
        """
        if self._types and op.type not in self._types:
            return None
        found: Match = {self._key: (op, tensor)} if self._key else {}
        if not self._orders[0]:
            return found
        inputs = wiring.inputs(op)
        if len(inputs) != len(self._orders[0]):
            return None
        for order in self._orders:
            matches = _match_all(wiring, order, inputs)
            if matches is not None:
                return {**found, **matches}
        return None


class AnyOf:
    """The first of several patterns that matches.

    Args:
        *patterns: The patterns.
    """

    def __init__(self, *patterns: Pattern) -> None:
        self._patterns = patterns

    def match(self, wiring: Rewiring, op: Any, tensor: Optional[Tensor]) -> Optional[Match]:
        """What a node matches, or None."""
        for pattern in self._patterns:
            found = pattern.match(wiring, op, tensor)
            if found is not None:
                return found
        return None


Pattern = Union[NodePattern, AnyOf]


def _match_all(
    wiring: Rewiring, patterns: Sequence[Pattern], inputs: Sequence[Tensor]
) -> Optional[Match]:
    found: Match = {}
    for pattern, tensor in zip(patterns, inputs):
        match = pattern.match(wiring, tensor.op, tensor)
        if match is None:
            return None
        found.update(match)
    return found


def matches(wiring: Rewiring, pattern: Pattern) -> Iterator[Match]:
    """What a pattern matches in a graph, in the order of its nodes.

    Args:
        wiring: The graph, with the changes of its inputs.
        pattern: The pattern.
    """
    for op in wiring.graph.get_operations():
        found = pattern.match(wiring, op, None)
        if found is not None:
            yield found


def node_of(match: Match, key: str) -> Any:
    """The node of that name, or None."""
    return match.get(key, (None, None))[0]


def tensor_of(match: Match, key: str) -> Any:
    """The tensor of that name, or None."""
    return match.get(key, (None, None))[1]
