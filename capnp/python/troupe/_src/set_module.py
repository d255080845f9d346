"""Gives the definitions of this folder the names of the public modules that export them."""

from __future__ import annotations

from typing import Any, Callable, TypeVar

Definition = TypeVar("Definition", bound=Callable[..., Any])


def set_module(name: str) -> Callable[[Definition], Definition]:
    """A decorator: tracebacks, `repr` and pickles name the public module, not the private one."""

    def decorate(definition: Definition) -> Definition:
        definition.__module__ = name
        return definition

    return decorate
