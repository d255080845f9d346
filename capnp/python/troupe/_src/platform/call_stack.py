"""Where in the program nodes were added."""

from __future__ import annotations

import dis
import sys
import traceback
from types import CodeType, FrameType
from typing import Dict, List, Optional, Sequence, Tuple

_PACKAGE = __name__.split(".")[0]

# (code, place in it, name of its module) of each call, the innermost first.
CallStack = Tuple[Tuple[CodeType, int, str], ...]


def call_stack(depth: int, known: Dict[Tuple[int, ...], CallStack]) -> CallStack:
    """The calls on the stack without the `depth` innermost.

    Nodes that a line of the program adds have one stack in common, that among the `known` ones.
    These keep their code, so that its id is that of no other.
    """
    innermost = sys._getframe(depth)
    key: List[int] = []
    walked: Optional[FrameType] = innermost
    while walked is not None:
        key += (id(walked.f_code), walked.f_lasti)
        walked = walked.f_back
    found = known.get(tuple(key))
    if found is None:
        found = known[tuple(key)] = tuple(
            (each.f_code, each.f_lasti, each.f_globals.get("__name__", ""))
            for each, _ in traceback.walk_stack(innermost)
        )
    return found


def innermost_line(stack: CallStack) -> str:
    """ "file:line" of the innermost call that is outside of this package."""
    code, place, _ = _of_program(stack)[0]
    return f"{code.co_filename}:{_line(code, place)}"


def to_summaries(stack: CallStack) -> List[traceback.FrameSummary]:
    """The calls outside of this package as those of a traceback, the innermost last."""
    return [
        traceback.FrameSummary(
            code.co_filename, _line(code, place), code.co_name, lookup_line=False
        )
        for code, place, _ in reversed(_of_program(stack))
    ]


def to_tuples(stack: CallStack) -> List[Tuple[str, int, str, str, int]]:
    """The same as (file, line, function, text, line where the function begins)."""
    starts = [code.co_firstlineno for code, _, _ in reversed(_of_program(stack))]
    return [
        (each.filename, each.lineno or 0, each.name, each.line or "", start)
        for each, start in zip(to_summaries(stack), starts)
    ]


def _of_program(stack: CallStack) -> Sequence[Tuple[CodeType, int, str]]:
    """The calls outside of this package; the outermost one where all are inside."""
    outside = [
        call for call in stack if call[2] != _PACKAGE and not call[2].startswith(_PACKAGE + ".")
    ]
    return outside or stack[-1:]


def _line(code: CodeType, place: int) -> int:
    line = code.co_firstlineno
    for start, at in dis.findlinestarts(code):
        if start > place:
            break
        line = at or line
    return line
