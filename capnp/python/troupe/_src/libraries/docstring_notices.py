"""The functions for decorators that write notices into docstrings, and what names functions."""

from __future__ import annotations

import inspect
import re
import sys
from typing import Any, Callable, List, Optional


def get_qualified_name(function: Any) -> str:
    """The name of a function, with those of what it is in."""
    return str(getattr(function, "__qualname__", function.__name__))


def normalize_docstring(docstring: str) -> str:
    """A docstring without its indentation and without empty lines before and after."""
    lines = inspect.cleandoc(docstring).splitlines() if docstring else []
    return "\n".join(line.rstrip() for line in lines)


def add_notice_to_docstring(
    doc: str, instructions: str, no_doc_str: str, suffix_str: str, notice: List[str]
) -> str:
    """A docstring with a warning below its first line.

    Args:
        doc: The docstring, or what is false.
        instructions: What to do instead, which is the end of the warning; or what is false.
        no_doc_str: What is shown in place of no docstring.
        suffix_str: What follows the first line.
        notice: The lines of the warning; "Warning: " is put before the first one.

    Returns:
        The docstring.

    Raises:
        ValueError: The notice has no lines.
    """
    lines = [no_doc_str]
    if doc:
        lines = normalize_docstring(doc).splitlines()
        lines[0] += f" {suffix_str}"
    if not notice:
        raise ValueError("The `notice` arg must not be empty.")
    notice[0] = f"Warning: {notice[0]}"
    below = ["", *notice, *([instructions] if instructions else [])]
    if len(lines) > 1 and lines[1].strip():
        below.append("")
    return "\n".join([lines[0], *below, *lines[1:]])


def validate_callable(func: Any, decorator_name: str) -> None:
    """Refuses to decorate what cannot be called, such as a property.

    Args:
        func: The function.
        decorator_name: The name of the decorator, for the message.

    Raises:
        ValueError: It cannot be called.
    """
    if not callable(func):
        raise ValueError(
            f"{func} is not a function. If this is a property, make sure @property appears before "
            f"@{decorator_name} in your source code."
        )


def validate_deprecation_args(date: Optional[str], instructions: str) -> None:
    """Refuses the arguments of a decorator for what is deprecated.

    Args:
        date: When it will be removed, as year-month-day, or None.
        instructions: What to do instead.

    Raises:
        ValueError: The date has another form, or there are no instructions.
    """
    if date is not None and not re.match(r"20\d\d-[01]\d-[0123]\d", date):
        raise ValueError("Date must be YYYY-MM-DD.")
    if not instructions:
        raise ValueError("Don't deprecate things without conversion instructions!")


def call_location(outer: bool = False) -> str:
    """The file and the line at which the function that calls this one was called.

    Args:
        outer: Whether it is the line at which the caller of that function was called.

    Returns:
        A text "file:line".
    """
    frame = sys._getframe(1)
    for _ in range(2 if outer else 1):
        frame = frame.f_back or frame
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


class classproperty:
    """A property of a class, which its objects have as well.

    Args:
        func: What computes it from the class.
    """

    def __init__(self, func: Callable[[Any], Any]) -> None:
        self._func = func

    def __get__(self, owner_self: Any, owner_cls: Any) -> Any:
        return self._func(owner_cls)
