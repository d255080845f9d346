"""Where in the program nodes were added."""

from __future__ import annotations

import sys
import traceback
from types import CodeType
from typing import Dict, List, Tuple

_PACKAGE = __name__.split(".")[0]

# (code, line) of each call, the innermost first.
CallStack = Tuple[Tuple[CodeType, int], ...]


def call_stack(depth: int, known: Dict[Tuple[int, ...], CallStack]) -> CallStack:
    """The calls on the stack that are outside of this package, without the `depth` innermost; the
    outermost one where all are inside.

    Nodes that a line of the program adds have one stack in common, that among the `known` ones.
    These keep their code, so that its id is that of no other; to hash it would take longer.
    """
    frame = sys._getframe(depth)
    calls: List[Tuple[CodeType, int]] = []
    key: List[int] = []
    while True:
        name = frame.f_globals.get("__name__", "")
        is_last = frame.f_back is None
        if (name != _PACKAGE and not name.startswith(_PACKAGE + ".")) or (is_last and not calls):
            calls.append((frame.f_code, frame.f_lineno))
            key += (id(frame.f_code), frame.f_lineno)
        if frame.f_back is None:
            break
        frame = frame.f_back
    return known.setdefault(tuple(key), tuple(calls))


def innermost_line(stack: CallStack) -> str:
    """ "file:line" of the innermost call."""
    code, line = stack[0]
    return f"{code.co_filename}:{line}"


def to_summaries(stack: CallStack) -> List[traceback.FrameSummary]:
    """The calls as those of a traceback, the innermost last."""
    return [
        traceback.FrameSummary(code.co_filename, line, code.co_name, lookup_line=False)
        for code, line in reversed(stack)
    ]
