"""Modules of `tf.keras` for modules that are loaded after them: `additions` does that."""

from __future__ import annotations

import importlib
from typing import Any

_PACKAGE, _, _FOLDER = __name__.rpartition(".")[0].partition(".")


def keras_module(name: str, beside: bool = False) -> Any:
    """A module of `tf.keras`.

    Args:
        name: Its name there.
        beside: Whether it is one of this folder instead, which imports such modules.

    Returns:
        The module.
    """
    place = f"{_FOLDER}.{name}" if beside else f"keras.{name}"
    return importlib.import_module(f"{_PACKAGE}.{place}")
