"""The functions of ops that change variables by references, which also take variables by handles.

In TensorFlow's source `training_ops.apply_adam` takes the variables of a program, which are
references there unless the program asks for others. Here they have handles: the function then adds
the op of the same name for handles.
"""

from __future__ import annotations

import functools
import inspect
from typing import Any, Callable, List

from troupe._src.api import source_ops
from troupe._src.ops import raw_ops
from troupe._src.ops.apply_op import OP_DEFS
from troupe._src.variables.ref_variable import RefVariable
from troupe._src.variables.variable_updates import VariableUpdates


def _of_either(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function of an op, or of that for handles where its variables have these.

    The result is the value after the change in both cases: its `op` is the change.
    """
    op = function.__name__
    inputs = OP_DEFS[op]["inputs"]
    first, *others = [each["name"] for each in inputs if each["is_ref"]]
    of_handles = getattr(raw_ops, f"Resource{op}")
    signature = inspect.signature(function)

    @functools.wraps(function)
    def call(*positional: Any, **arguments: Any) -> Any:
        given = signature.bind(*positional, **arguments).arguments
        variable = given[first]
        if isinstance(variable, RefVariable) or not isinstance(variable, VariableUpdates):
            return function(*positional, **arguments)
        for name in others:
            given[name] = given[name].handle
        del given[first]  # which may have another name
        return variable._read_after(of_handles(variable.handle, **given))

    return call


def __getattr__(name: str) -> Any:
    function = getattr(source_ops, name)
    has_handles = f"Resource{function.__name__}" in vars(raw_ops)
    return _of_either(function) if has_handles else function


def __dir__() -> List[str]:
    return dir(source_ops)
