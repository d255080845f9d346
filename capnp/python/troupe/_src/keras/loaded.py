"""Modules of `tf.keras` for modules that are loaded after them: `additions` does that."""

from __future__ import annotations

import importlib
from typing import Any

_PACKAGE = __name__.partition(".")[0]


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
