"""`import troupe.compat.v1 as tf`: the package itself."""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    import troupe

    return getattr(troupe, name)
