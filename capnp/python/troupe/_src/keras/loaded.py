"""Modules of `tf.keras` for modules that are loaded after them: `additions` does that."""

from __future__ import annotations

import importlib
from typing import Any

_PACKAGE = __name__.partition(".")[0]


def keras_module(name: str, beside: bool = False) -> Any:
    """A module of `tf.keras`.

    Args:
        name: Its name there.
        beside: Whether it is one of `_src.tf_keras` instead, which imports such modules.

    Returns:
        The module.
    """
    place = f"_src.tf_keras.{name}" if beside else f"keras.{name}"
    return importlib.import_module(f"{_PACKAGE}.{place}")
