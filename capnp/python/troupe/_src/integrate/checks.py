"""Checks of what equations are given."""

from __future__ import annotations

from typing import Any, ContextManager

from troupe._src.graph.scopes import control_dependencies
from troupe._src.ops import gen_ops, math_ops
from troupe._src.ops.assert_ops import Assert


def check_types(y0: Any, **times: Any) -> None:
    """Raises a TypeError where values are no floating point or complex numbers, or times no floats.

    Args:
        y0: The values.
        **times: The times, by the names of arguments.
    """
    if not (y0.dtype.is_floating or y0.dtype.is_complex):
        raise TypeError("`y0` must have a floating point or complex floating point dtype")
    for name, given in times.items():
        if not given.dtype.is_floating:
            raise TypeError(f"`{name}` must have a floating point dtype")


def check_sizes(t: Any, dt: Any) -> None:
    """Raises a ValueError where there is not one step for each interval.

    Args:
        t: The times.
        dt: The steps.
    """
    for given in (t, dt):
        if len(given.shape.as_list()) > 1:
            raise ValueError("t must be a 1D tensor")
    if t.shape[0] != dt.shape[0] + 1:
        raise ValueError("t and dt have incompatible lengths, must be N and N-1")


def increasing(t: Any) -> ContextManager[Any]:
    """What is computed in here fails where times do not ascend.

    Args:
        t: The times.
    """
    ascend = math_ops.reduce_all(gen_ops.greater(t[1:], t[:-1]))
    return control_dependencies([Assert(ascend, ["`t` must be monotonic increasing"])])
