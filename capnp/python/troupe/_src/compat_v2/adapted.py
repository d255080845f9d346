"""Makes a function of TensorFlow 1 one with the parameters of `tf.compat.v2`."""

from __future__ import annotations

import ast
import functools
import inspect
import re
from typing import Any, Callable, Dict, List, NamedTuple, Optional

_ROW = re.compile(r"(\w+) = ([\w.]+)\((.*?)\)(?: *\| *(.*))?")
_PARAMETER = re.compile(r"(\w+)(?::(\w+))?(=(.*))?")
_MISSING = object()


class Parameter(NamedTuple):
    """A parameter: its name, that of the function's own, and the default."""

    name: str
    own: str
    is_optional: bool
    default: Any


class Row(NamedTuple):
    """What a row of the table says."""

    name: str
    function: str
    parameters: List[Parameter]
    given: Dict[str, Any]


def parse(text: str) -> Dict[str, Row]:
    """The rows of a module, by name."""
    found = {}
    for line in filter(None, text.splitlines()):
        match = _ROW.fullmatch(line.strip())
        assert match is not None, line
        name, function, parameters, given = match.groups()
        listed = [_parameter(each) for each in parameters.split(", ") if each]
        fixed = [each.partition("=") for each in (given or "").split(", ") if each]
        values = {key: ast.literal_eval(value) for key, _, value in fixed}
        found[name] = Row(name, function, listed, values)
    return found


def _parameter(text: str) -> Parameter:
    match = _PARAMETER.fullmatch(text)
    assert match is not None, text
    name, own, optional, default = match.groups()
    value = ast.literal_eval(default) if default else _MISSING
    return Parameter(name, own or name, optional is not None, value)


def adapt(row: Row, function: Callable[..., Any], module: str) -> Callable[..., Any]:
    """A function with the row's parameters. An option that is None is left to the function.

    Args:
        row: The row.
        function: The function that it names.
        module: What the result is an attribute of.

    Returns:
        The function.
    """
    own = inspect.signature(function).parameters
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    names = {each.name: each.own for each in row.parameters}
    required = {each.name for each in row.parameters if not each.is_optional}
    changed = {each.own: each.default for each in row.parameters if each.default is not _MISSING}
    signature = inspect.Signature([
        inspect.Parameter(each.name, kind, default=_default(each, own)) for each in row.parameters
    ])  # fmt: skip

    @functools.wraps(function, updated=())
    def adapted(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs).arguments
        passed = {
            names[name]: value for name, value in bound.items()
            if value is not None or name in required
        }
        if "name" not in own:
            passed.pop("name", None)
        return function(**{**changed, **passed, **row.given})

    adapted.__name__ = adapted.__qualname__ = row.name
    adapted.__module__ = module
    adapted.__doc__ = _docstring(row)
    adapted.__signature__ = signature  # type: ignore[attr-defined]
    return adapted


def _docstring(row: Row) -> str:
    summary = f"`tf.{row.function}`, with the parameters of TensorFlow 2."
    arguments = "".join(f"    {each.name}: `{each.own}` there.\n" for each in row.parameters)
    return f"{summary}\n\nArgs:\n{arguments}" if arguments else summary


def _default(parameter: Parameter, own: Any) -> Any:
    if not parameter.is_optional:
        return inspect.Parameter.empty
    if parameter.default is not _MISSING:
        return parameter.default
    found: Optional[inspect.Parameter] = own.get(parameter.own)
    return None if found is None or found.default is found.empty else found.default
