"""Scopes that set arguments of functions by default."""

from __future__ import annotations

import contextlib
import functools
import inspect
from typing import Any, Callable, Dict, Iterator, List, Sequence, Tuple, TypeVar, Union, cast

from troupe._src.graph.thread_scopes import InheritedLocal

Function = TypeVar("Function", bound=Callable[..., Any])
Scope = Dict[str, Dict[str, Any]]


class _Scopes(InheritedLocal):
    """The scopes of a thread that are open, the innermost last."""

    def __init__(self) -> None:
        super().__init__()
        self.open: List[Scope] = [{}]


_scopes = _Scopes()
_arguments: Dict[str, Tuple[str, ...]] = {}  # of each function that takes arguments from scopes


def arg_scope_func_key(op: Any) -> str:
    """What a function is called in a scope.

    Args:
        op: A function.

    Returns:
        Its key in the dictionary of a scope.
    """
    return str(getattr(op, "_key_op", op))


def current_arg_scope() -> Scope:
    """{function: its arguments} of the innermost scope."""
    return _scopes.open[-1]


def has_arg_scope(func: Any) -> bool:
    """True if the function is one of `add_arg_scope`.

    Args:
        func: A function.

    Returns:
        The answer.
    """
    return arg_scope_func_key(func) in _arguments


def arg_scoped_arguments(func: Any) -> Tuple[str, ...]:
    """The names of the arguments that a scope can set for the function.

    Args:
        func: A function of `add_arg_scope`.

    Returns:
        The names, in the order of its arguments.

    Raises:
        KeyError: It is another function.
    """
    return _arguments[arg_scope_func_key(func)]


def add_arg_scope(func: Function) -> Function:
    """A function that takes the arguments that it is not given from `arg_scope`.

    Args:
        func: The function; a scope can set those of its arguments that have defaults.

    Returns:
        The function that does so.
    """
    key = arg_scope_func_key(func)
    _arguments[key] = tuple(
        name
        for name, parameter in inspect.signature(func).parameters.items()
        if parameter.default is not parameter.empty
    )

    @functools.wraps(func)
    def scoped(*args: Any, **kwargs: Any) -> Any:
        return func(*args, **{**current_arg_scope().get(key, {}), **kwargs})

    scoped._key_op = key  # type: ignore[attr-defined]
    return cast(Function, scoped)


@contextlib.contextmanager
def arg_scope(
    list_ops_or_scope: Union[Sequence[Callable[..., Any]], Scope], **kwargs: Any
) -> Iterator[Scope]:
    """A context in which those arguments are the defaults of those functions.

    Args:
        list_ops_or_scope: Functions of `add_arg_scope`, or a scope that another context gave.
        **kwargs: The arguments; none with a scope.

    Yields:
        The scope, as {function: its arguments}.

    Raises:
        TypeError: It is no list, tuple or scope.
        ValueError: A function is not one of `add_arg_scope`, or there are arguments beside a scope.
    """
    if isinstance(list_ops_or_scope, dict):
        if kwargs:
            raise ValueError(
                "When attempting to re-use a scope by suppling a dictionary, kwargs must be empty."
            )
        scope = dict(list_ops_or_scope)
    elif isinstance(list_ops_or_scope, (list, tuple)):
        scope = dict(current_arg_scope())
        for op in list_ops_or_scope:
            if not has_arg_scope(op):
                name = (getattr(op, "__module__", None), getattr(op, "__name__", op))
                raise ValueError(f"{name} is not decorated with @add_arg_scope")
            key = arg_scope_func_key(op)
            scope[key] = {**scope.get(key, {}), **kwargs}
    else:
        raise TypeError("list_ops_or_scope must either be a list/tuple or reused scope (i.e. dict)")
    _scopes.open.append(scope)
    try:
        yield scope
    finally:
        _scopes.open.pop()
