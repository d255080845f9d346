"""Gives the definitions of this folder the names of the public modules that export them."""

from __future__ import annotations

from typing import Any, Callable, TypeVar, get_type_hints

Definition = TypeVar("Definition", bound=Callable[..., Any])


def set_module(name: str) -> Callable[[Definition], Definition]:
    """A decorator: tracebacks, `repr` and pickles name the public module, not the private one."""

    def decorate(definition: Definition) -> Definition:
        # Those of a class are read now: later its public module counts, whose `bool` is a dtype.
        hints = vars(definition).get("__annotations__", {})
        if hints:
            found = get_type_hints(definition, localns={definition.__name__: definition})
            hints.update({key: found[key] for key in hints})
        definition.__module__ = name
        return definition

    return decorate
