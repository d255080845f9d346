"""Functions whose calls say that they may change."""

from __future__ import annotations

import functools
from typing import Any, Callable, Optional, TypeVar

from troupe._src.platform import logging

_Function = TypeVar("_Function", bound=Callable[..., Any])
_NOTICE = (
    "Warning: THIS FUNCTION IS EXPERIMENTAL. It may change or be removed at any time, and without "
    "warning."
)


def experimental(func: _Function) -> _Function:
    """A decorator of functions that may change: their calls, and their docstrings, warn.

    Args:
        func: The function.

    Returns:
        The decorated function.

    Raises:
        ValueError: It cannot be called.
    """
    if not callable(func):
        raise ValueError(f"{func} is not a function. If this is a property, decorate its function.")
    name = getattr(func, "__qualname__", type(func).__qualname__).rpartition("<locals>.")[2]

    @functools.wraps(func)
    def call(*args: Any, **kwargs: Any) -> Any:
        logging.warning(
            "%s (from %s) is experimental and may change or be removed at any time, and without "
            "warning.", name, func.__module__,
        )  # fmt: skip
        return func(*args, **kwargs)

    call.__doc__ = _with_notice(func.__doc__)
    return call  # type: ignore[return-value]


def _with_notice(text: Optional[str]) -> str:
    """A docstring that says so, without the indent of its lines."""
    lines = (text or "EXPERIMENTAL FUNCTION").rstrip().splitlines()
    rest = lines[1:]
    indents = [len(line) - len(line.lstrip()) for line in rest if line.strip()]
    rest = [line[min(indents, default=0) :].rstrip() for line in rest]
    while rest and not rest[0]:
        rest.pop(0)
    first = f"{lines[0].strip()} (experimental)"
    return "\n".join([first, "", _NOTICE, *(["", *rest] if rest else [])])
