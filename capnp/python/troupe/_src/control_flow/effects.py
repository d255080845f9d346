"""The order of effects around branches and loops, in functions that have one.

A node in a branch may not run, and one in a loop may run often, so that no node outside can wait
for it. What waits for the nodes of a branch is a value that it gives, and for those of an iteration
the first variable of the loop; nodes after it wait for that.
"""

from __future__ import annotations

from typing import Any, List, Optional

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.function_graph import FunctionGraph
from troupe._src.graph.graph import Graph
from troupe._src.ops.array_ops import identity


def ordered(graph: Graph) -> Optional[FunctionGraph]:
    """The graph, if its nodes that take one resource run in the order in which they are added."""
    return graph if isinstance(graph, FunctionGraph) and graph.orders_effects else None


def effects_before(graph: Graph) -> List[Operation]:
    """What the effects of a branch or loop that begins now wait for."""
    function = ordered(graph)
    return function.effects_here() if function else []


def begin_effects(graph: Graph, value: Tensor, before: List[Operation]) -> None:
    """Lets those of the branch or iteration that is the current one wait for others, and a value.

    Args:
        value: One that a branch or iteration has only if it runs.
        before: Operations around it.
    """
    function = ordered(graph)
    if function:
        with graph.control_dependencies(before):
            function.begin_effects(identity(value).op)


def end_effects(graph: Graph, value: Any) -> Any:
    """A value of the current branch or iteration that comes after its effects."""
    function = ordered(graph)
    operations = function.end_effects() if function else []
    if not operations:
        return value
    with graph.control_dependencies(operations):
        return identity(value)


def after_effects(graph: Graph, value: Tensor) -> None:
    """Lets effects around what has ended wait for a value that it gives."""
    function = ordered(graph)
    if function:
        function.after_effects(value.op)
