"""The scope of names that an object stands for."""

from __future__ import annotations

import functools
from typing import Any, Callable, ContextManager, List, TypeVar

from troupe._src.graph.graph import get_default_graph
from troupe._src.set_module import set_module

_Method = TypeVar("_Method", bound=Callable[..., Any])


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


def in_own_scope(method: _Method) -> _Method:
    """A decorator of a method, which runs in the `name_scope` of its object.

    Args:
        method: The method.

    Returns:
        The method in the scope.
    """

    @functools.wraps(method)
    def within_scope(self: Any, *args: Any, **kwargs: Any) -> Any:
        with self.name_scope:
            return method(self, *args, **kwargs)

    return within_scope  # type: ignore[return-value]
