"""Functions that are converted where Python asks a tensor for a value while they are traced."""

from __future__ import annotations

import importlib.util
from typing import Any, Callable, List, Optional, TypeVar

from troupe._src.types.errors import OperatorNotAllowedInGraphError

Result = TypeVar("Result")
Converter = Callable[[Callable[..., Any], Any], Optional[Callable[..., Any]]]

_converters: List[Converter] = []

HINT = (
    " AutoGraph converts `if`, `while` and `for` of functions: `pip install diastatic-malt`, which"
    " it needs, or use tf.cond and tf.while_loop."
)


def set_converter(converter: Converter) -> None:
    """Says what converts a function, with AutoGraph's options; it gives None if it cannot."""
    _converters[:] = [converter]


def traced_or_converted(
    attempt: Callable[[Callable[..., Any]], Result],
    function: Callable[..., Any],
    converts: bool = True,
    options: Any = None,
) -> Result:
    """Traces a function as it is, and anew in its converted form if that asks a tensor for a value.

    TensorFlow converts each function. Most need it not: they trace faster as they are, and their
    errors show their own lines.

    Args:
        attempt: Traces the function that it is given, into a graph of its own.
        function: A function of Python.
        converts: Whether it may be converted.
        options: The optional features of AutoGraph.

    Raises:
        TypeError: Python asked a tensor for a value, and the function is not converted.
    """
    if converts and options:
        converted = _converted(function, options)
        return attempt(function if converted is None else converted)
    try:
        return attempt(function)
    except TypeError as error:
        first = error
    converted = _converted(function, options) if converts else None
    if converted is None:
        raise (_with_hint(first) if converts else first)
    try:
        return attempt(converted)
    except Exception:
        if isinstance(first, OperatorNotAllowedInGraphError):
            raise
        raise first


def call_or_converted(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """What a function adds to the current graph: in its converted form, if it can be converted.

    It is not tried as it is first: what it adds until it fails, such as losses, updates and nodes
    that change variables, would count twice.

    Args:
        function: A function of Python.
        *args: Its arguments.
        **kwargs: Those by name.

    Returns:
        What it returns.

    Raises:
        OperatorNotAllowedInGraphError: Python asked a tensor for a value, and the function is not
            converted.
    """
    try:
        return (_converted(function, None) or function)(*args, **kwargs)
    except OperatorNotAllowedInGraphError as error:
        raise _with_hint(error)


def _with_hint(error: TypeError) -> TypeError:
    """The error, with what helps where it comes of a package that is missing."""
    is_of_tensor = isinstance(error, OperatorNotAllowedInGraphError)
    if not is_of_tensor or str(error).endswith(HINT) or importlib.util.find_spec("malt"):
        return error
    return OperatorNotAllowedInGraphError(f"{error}{HINT}").with_traceback(error.__traceback__)


def _converted(function: Callable[..., Any], options: Any) -> Optional[Callable[..., Any]]:
    return _converters[0](function, options) if _converters else None
