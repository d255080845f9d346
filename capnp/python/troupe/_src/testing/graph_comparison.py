"""Comparisons of graphs, and stubs, in tests."""

from __future__ import annotations

from typing import Any, List, Tuple

from troupe._src.messages.graph_messages import GraphDef
from troupe._src.set_module import set_module


def assert_equal_graph_def(
    actual: GraphDef, expected: GraphDef, checkpoint_v2: bool = False
) -> None:
    """Checks that two graphs have the same nodes, in whatever order.

    Args:
        actual: A graph.
        expected: Another one.
        checkpoint_v2: Changes nothing: the names of files of savers are compared, too.

    Raises:
        TypeError: One is no GraphDef.
        AssertionError: They differ; it names a node.
    """
    for graph in (actual, expected):
        if not isinstance(graph, GraphDef):
            raise TypeError(f"Expected tf.GraphDef, got {type(graph).__name__}")
    found = {node.name: node for node in actual.node}
    wanted = {node.name: node for node in expected.node}
    for name in sorted({*found, *wanted}):
        if name not in found or name not in wanted:
            where = "the expected" if name in wanted else "the actual"
            raise AssertionError(f"Node {name} is in {where} graph only")
        if found[name] != wanted[name]:
            raise AssertionError(f"Found {found[name]}, expected {wanted[name]}")


@set_module("troupe.test")
class StubOutForTesting:
    """Replaces attributes of objects, and puts back what was there."""

    def __init__(self) -> None:
        self._replaced: List[Tuple[Any, str, Any]] = []

    def __enter__(self) -> StubOutForTesting:
        return self

    def __exit__(self, *error: Any) -> None:
        self.CleanUp()

    def Set(self, parent: Any, child_name: str, new_child: Any) -> None:  # noqa: N802
        """Replaces an attribute.

        Args:
            parent: The object, a class or module.
            child_name: The name of the attribute.
            new_child: What it becomes.
        """
        own = vars(parent).get(child_name)
        old = own if isinstance(own, (staticmethod, classmethod)) else getattr(parent, child_name)
        self._replaced.append((parent, child_name, old))
        setattr(parent, child_name, new_child)

    SmartSet = Set

    def UnsetAll(self) -> None:  # noqa: N802
        """Puts back all that was replaced, the last first."""
        while self._replaced:
            setattr(*self._replaced.pop())

    SmartUnsetAll = CleanUp = UnsetAll
