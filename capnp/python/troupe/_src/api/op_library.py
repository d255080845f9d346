"""Libraries of ops: their functions, made when they are loaded."""

from __future__ import annotations

import inspect
import pathlib
import re
import types
from typing import Any, Callable, Dict

from troupe import _native
from troupe._src.ops.apply_op import OP_DEFS, apply_op


def load_op_library(library_filename: str) -> types.ModuleType:
    """Loads a shared library with ops, and makes a function for each.

    The functions have the ops' names in small letters. Nodes compute the ops that they were started
    with (`troupe-node --ops`), and so do servers and sessions that this process opens afterwards.

    Args:
        library_filename: the path of the library.

    Returns:
        A module with the functions.

    Raises:
        NotFoundError: if there is no such file.
        InvalidArgumentError: if it is no library of ops.
        FailedPreconditionError: if it is one of another version.
        AlreadyExistsError: if another op has the name of one.
    """
    ops: Dict[str, Any] = _native.load_ops(str(library_filename))
    OP_DEFS.update(ops)
    module = types.ModuleType(pathlib.Path(library_filename).stem)
    module.__doc__ = f"The ops of {library_filename}."
    for op, op_def in ops.items():
        function = _function_of(op, op_def)
        setattr(module, function.__name__, function)
    return module


def _function_of(op: str, op_def: Dict[str, Any]) -> Callable[..., Any]:
    inputs = [argument["name"] for argument in op_def["inputs"]]
    implied = {
        argument[key]
        for argument in op_def["inputs"]
        for key in ("dtype_attr", "count_attr", "dtypes_attr")
    }
    attrs = [attr for attr in op_def["attrs"] if attr["name"] not in implied]
    attrs.sort(key=lambda attr: bool(attr["has_default"]))
    parameter, empty = inspect.Parameter, inspect.Parameter.empty
    parameters = [parameter(name, parameter.POSITIONAL_OR_KEYWORD) for name in inputs]
    parameters += [
        parameter(
            attr["name"],
            parameter.POSITIONAL_OR_KEYWORD,
            default=None if attr["has_default"] else empty,
        )
        for attr in attrs
    ]
    parameters.append(parameter("name", parameter.POSITIONAL_OR_KEYWORD, default=None))
    signature = inspect.Signature(parameters)

    def function(*args: Any, **kwargs: Any) -> Any:
        given = signature.bind(*args, **kwargs)
        given.apply_defaults()
        values = given.arguments
        return apply_op(
            op,
            {name: values[name] for name in inputs},
            {attr["name"]: values[attr["name"]] for attr in attrs},
            values["name"],
        )

    function.__name__ = function.__qualname__ = _snake_case(op)
    function.__doc__ = op_def["doc"]
    function.__signature__ = signature  # type: ignore[attr-defined]
    return function


def _snake_case(name: str) -> str:
    words = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", name)
    return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", words).lower()
