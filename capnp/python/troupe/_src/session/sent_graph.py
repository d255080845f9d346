"""What a session has sent of its graph."""

from __future__ import annotations

from typing import Any

from troupe import _native
from troupe._src.graph.graph import Graph
from troupe._src.types import errors


class SentGraph:
    """The nodes that the runtime has, which cannot be changed there."""

    def __init__(self) -> None:
        self._root: Any = None
        self._size = -1

    def extend(self, native: _native.Session, graph: Graph) -> None:
        """Sends the nodes that are new.

        Raises:
            FailedPreconditionError: The nodes before them have been edited.
        """
        self.check(graph)
        if self._size != graph._root.size:
            with graph._lock:
                native.extend(graph._root)
                self._root, self._size = graph._root, graph._root.size

    def check(self, graph: Graph) -> None:
        """FailedPreconditionError where the graph has been edited since."""
        if self._root is not None and self._root is not graph._root:
            raise errors.FailedPreconditionError(
                None,
                None,
                "The graph was edited after this session had run a step of it, and the session "
                "does not see that: create a new session, or edit the graph before.",
            )
