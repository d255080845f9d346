"""Variables of float32 that are read as bfloat16."""

from __future__ import annotations

import contextlib
from typing import Any, Callable, Iterator

from troupe._src.ops.math_ops import cast
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.variables.variable_store import VariableScope, variable_scope


@set_module("troupe.tpu")
@contextlib.contextmanager
def bfloat16_scope() -> Iterator[VariableScope]:
    """A scope in which variables of bfloat16 are kept as float32, and cast where they are read.

    Yields:
        The variable scope.
    """
    with variable_scope("", custom_getter=_get_as_bfloat16) as scope:
        yield scope


def _get_as_bfloat16(getter: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    if kwargs["dtype"] != dtypes.bfloat16:
        return getter(*args, **kwargs)
    kwargs["dtype"] = dtypes.float32
    return cast(getter(*args, **kwargs), dtypes.bfloat16)
