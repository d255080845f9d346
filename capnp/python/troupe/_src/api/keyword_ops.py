"""The ops under their own names as `tf.raw_ops` has them: with keywords only."""

from __future__ import annotations

import functools
from typing import Any, Callable, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])

_AXES = "reduction_indices"


def keywords_only(function: F) -> F:
    """The function of an op that refuses arguments without a keyword.

    Inputs of the name reduction_indices may be given as `axis`, as TensorFlow calls them there.

    Args:
        function: the function, which also takes positions.

    Returns:
        A function with its documentation; `__wrapped__` is the given one.
    """
    code = function.__code__
    names = list(code.co_varnames[: code.co_argcount])
    has_axes = _AXES in names

    @functools.wraps(function)
    def call(*positional: Any, **arguments: Any) -> Any:
        if positional:
            keys = ["axis" if name == _AXES else name for name in names]
            raise TypeError(
                f"{function.__name__} only takes keyword args (possible keys: {keys}). Please "
                "pass all args as kwargs instead."
            )
        if has_axes and "axis" in arguments:
            arguments[_AXES] = arguments.pop("axis")
        return function(**arguments)

    return cast(F, call)
