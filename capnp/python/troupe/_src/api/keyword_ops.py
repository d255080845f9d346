"""The ops under their own names as `tf.raw_ops` has them: with keywords only."""

from __future__ import annotations

# Private names, because an op may have any public one.
import functools as _functools
import typing as _typing
from typing import TYPE_CHECKING

from troupe._src.ops import raw_ops as _raw_ops

if TYPE_CHECKING:
    from troupe._src.ops.raw_ops import *  # noqa: F403

_F = _typing.TypeVar("_F", bound=_typing.Callable[..., _typing.Any])

_AXES = "reduction_indices"


def _keywords_only(function: _F) -> _F:
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

    @_functools.wraps(function)
    def call(*positional: _typing.Any, **arguments: _typing.Any) -> _typing.Any:
        if positional:
            keys = ["axis" if name == _AXES else name for name in names]
            raise TypeError(
                f"{function.__name__} only takes keyword args (possible keys: {keys}). Please "
                "pass all args as kwargs instead."
            )
        if has_axes and "axis" in arguments:
            arguments[_AXES] = arguments.pop("axis")
        return function(**arguments)

    return _typing.cast(_F, call)


if not TYPE_CHECKING:

    def __getattr__(name: str) -> _typing.Any:
        return _keywords_only(getattr(_raw_ops, name))
