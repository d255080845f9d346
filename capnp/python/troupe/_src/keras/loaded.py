"""Modules of `tf.keras` for modules that are loaded after them: `additions` does that."""

from __future__ import annotations

import importlib
from typing import Any, Callable, List, Mapping, Tuple

_PACKAGE = __name__.split(".", maxsplit=1)[0]


def keras_module(name: str) -> Any:
    """A module of `tf.keras`.

    Args:
        name: Its name there.

    Returns:
        The module.
    """
    return importlib.import_module(f"{_PACKAGE}.keras.{name}")


def late_module(place: str) -> Any:
    """A module of this package that imports such modules.

    Args:
        place: Its name in the folder of the rooms.

    Returns:
        The module.
    """
    return importlib.import_module(f"{_PACKAGE}._src.{place}")


def late_names(
    found: Tuple[Callable[[str], Any], Callable[[], List[str]]], places: Mapping[str, str]
) -> Tuple[Callable[[str], Any], Callable[[], List[str]]]:
    """The `__getattr__` and the `__dir__` of a public module with names of such modules.

    Args:
        found: The two functions for other names.
        places: The modules, as of `late_module`, by the names that are in them.

    Returns:
        The two functions.
    """
    others, names = found

    def get(name: str) -> Any:
        return getattr(late_module(places[name]), name) if name in places else others(name)

    return get, names
