"""Arguments that TensorFlow has renamed: the functions accept the older names too."""

from __future__ import annotations

from typing import Any


def either(name: str, value: Any, old_name: str, old_value: Any) -> Any:
    """The one of the two that is given, else None; ValueError where both are."""
    if old_value is None:
        return value
    if value is not None:
        raise ValueError(f"Cannot specify both '{old_name}' and '{name}'")
    return old_value


def required(name: str, value: Any) -> Any:
    """The value of an argument that has a default only because an older name may stand for it."""
    if value is None:
        raise ValueError(f"the argument '{name}' is required")
    return value
