"""The scope of names that an object stands for."""

from __future__ import annotations

from typing import Any, ContextManager, List

from troupe._src.graph.graph import get_default_graph
from troupe._src.set_module import set_module


@set_module("troupe.compat.v2")
class name_scope:  # noqa: N801
    """A context: names of nodes begin with that of the scope, which is made unique.

    Args:
        name: The name.

    Raises:
        ValueError: It is no string.
    """

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise ValueError("name for name_scope must be a string.")
        self._name = name
        self._contexts: List[ContextManager[str]] = []

    @property
    def name(self) -> str:
        """The name that it was made with."""
        return self._name

    def __enter__(self) -> str:
        """Begins the scope; gives its full name."""
        context = get_default_graph().name_scope(self._name)
        scope = context.__enter__()
        self._contexts.append(context)
        return scope

    def __exit__(self, *error: Any) -> None:
        """Ends the scope."""
        self._contexts.pop().__exit__(*error)
