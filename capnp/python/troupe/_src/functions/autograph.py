"""What programs say to AutoGraph, which does not exist here: Python runs as it is."""

from __future__ import annotations

import enum
from typing import Any, Callable, Optional

from troupe._src.set_module import set_module


@set_module("troupe.autograph.experimental")
class Feature(enum.Enum):
    """What AutoGraph converts."""

    ALL = "ALL"
    AUTO_CONTROL_DEPS = "AUTO_CONTROL_DEPS"
    ASSERT_STATEMENTS = "ASSERT_STATEMENTS"
    BUILTIN_FUNCTIONS = "BUILTIN_FUNCTIONS"
    EQUALITY_OPERATORS = "EQUALITY_OPERATORS"
    LISTS = "LISTS"
    NAME_SCOPES = "NAME_SCOPES"


def do_not_convert(func: Optional[Callable[..., Any]] = None) -> Any:
    """Has no effect: no function is converted.

    Args:
        func: The function; None for a decorator.

    Returns:
        It, or the decorator.
    """
    return func if func is not None else do_not_convert


def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """Has no effect: no function is converted.

    Args:
        level: Has no effect.
        alsologtostdout: Has no effect.
    """
