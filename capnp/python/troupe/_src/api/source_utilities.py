"""What programs import from `tensorflow.python.util`: decorators, and questions about functions."""

from __future__ import annotations

import contextlib
import functools
import inspect
import re
import sys
from typing import Any, Callable, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple

from troupe._src.platform import logging

contextmanager = contextlib.contextmanager


class ArgSpec(NamedTuple):
    """The arguments of a function, without those that have names only."""

    args: List[str]
    varargs: Optional[str]
    keywords: Optional[str]
    defaults: Optional[Tuple[Any, ...]]


def getargspec(obj: Any) -> ArgSpec:
    """The arguments of a function, a class or a callable object."""
    target = _unwrapped(obj)
    if not inspect.isroutine(target) and not isinstance(target, functools.partial):
        target = target.__init__ if inspect.isclass(target) else type(target).__call__
    spec = inspect.getfullargspec(target)
    return ArgSpec(spec.args, spec.varargs, spec.varkw, spec.defaults)


def _unwrapped(function: Any) -> Any:
    return inspect.unwrap(function) if callable(function) else function


def unwrap(maybe_tf_decorator: Any) -> Tuple[List[Any], Any]:
    """The decorators around a function, the outermost first, and the function."""
    decorators, current = [], maybe_tf_decorator
    while hasattr(current, "__wrapped__"):
        decorators.append(current)
        current = current.__wrapped__
    return decorators, current


def make_decorator(
    target: Callable[..., Any], decorator_func: Callable[..., Any], *_: Any, **__: Any
) -> Callable[..., Any]:
    """A function that is shown as another one, which it wraps."""
    return functools.update_wrapper(decorator_func, target)


def fn_args(fn: Any) -> Tuple[str, ...]:
    """The names of the arguments of a callable, without those that are given already."""
    bound: Tuple[str, ...] = ()
    if isinstance(fn, functools.partial):
        given = fn_args(fn.func)[len(fn.args) :]
        return tuple(name for name in given if name not in (fn.keywords or {}))
    if not inspect.isroutine(fn):
        fn = fn.__call__ if not inspect.isclass(fn) else fn.__init__
        bound = ("self",) if not inspect.ismethod(fn) else ()
    names = tuple(inspect.getfullargspec(_unwrapped(fn)).args)
    return names[1:] if bound or inspect.ismethod(fn) else names


def has_kwargs(fn: Any) -> bool:
    """Whether a callable takes any arguments by name."""
    target: Any = fn.func if isinstance(fn, functools.partial) else _unwrapped(fn)
    if not inspect.isroutine(target):
        target = target.__call__
    return inspect.getfullargspec(target).varkw is not None


def get_func_name(func: Any) -> str:
    """The name of a callable."""
    target = func.func if isinstance(func, functools.partial) else _unwrapped(func)
    return str(getattr(target, "__name__", type(target).__name__))


def get_func_code(func: Any) -> Any:
    """The code of a callable; None without any."""
    target = func.func if isinstance(func, functools.partial) else _unwrapped(func)
    return getattr(target, "__code__", None)


_is_silent = False
_warned: Set[Any] = set()


def _warn(function: Any, text: str, date: Optional[str], instructions: str, is_once: bool) -> None:
    if _is_silent or (is_once and (function, text) in _warned):
        return
    _warned.add((function, text))
    when = "in a future version" if date is None else f"after {date}"
    name = f"{function.__module__}.{function.__qualname__}"
    logging.warning(
        "%s is deprecated and will be removed %s.\nInstructions for updating:\n%s",
        text.format(name), when, instructions,
    )  # fmt: skip


def deprecated(
    date: Optional[str], instructions: str, warn_once: bool = True
) -> Callable[[Any], Any]:
    """A decorator of functions whose calls warn.

    Args:
        date: When they are removed; None where it is not known.
        instructions: What to do instead.
        warn_once: Whether one call warns, not all.

    Returns:
        The decorator.
    """

    def decorate(function: Any) -> Any:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            _warn(function, "{}", date, instructions, warn_once)
            return function(*args, **kwargs)

        return call

    return decorate


def deprecated_args(
    date: Optional[str], instructions: str, *deprecated_arg_names_or_tuples: Any, **kwargs: Any
) -> Callable[[Any], Any]:
    """A decorator of functions whose calls warn where they are given those arguments.

    Args:
        date: When they are removed; None where it is not known.
        instructions: What to do instead.
        *deprecated_arg_names_or_tuples: The names, each alone or in a pair with a value that does
            not warn.
        **kwargs: `warn_once`: whether one call warns, not all.

    Returns:
        The decorator.
    """
    names = [
        each[0] if isinstance(each, tuple) else each for each in deprecated_arg_names_or_tuples
    ]
    return _warning_of(names, lambda name, value: True, date, instructions, **kwargs)


def deprecated_arg_values(
    date: Optional[str], instructions: str, warn_once: bool = True, **deprecated_kwargs: Any
) -> Callable[[Any], Any]:
    """A decorator of functions whose calls warn where arguments have those values.

    Args:
        date: When they are removed; None where it is not known.
        instructions: What to do instead.
        warn_once: Whether one call warns, not all.
        **deprecated_kwargs: The values by the names of arguments.

    Returns:
        The decorator.
    """
    return _warning_of(
        list(deprecated_kwargs), lambda name, value: value == deprecated_kwargs[name], date,
        instructions, warn_once,
    )  # fmt: skip


def _warning_of(
    names: Sequence[str], is_one: Callable[[str, Any], bool], date: Optional[str],
    instructions: str, warn_once: bool = True,
) -> Callable[[Any], Any]:  # fmt: skip
    def decorate(function: Any) -> Any:
        signature = inspect.signature(function)

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            given = signature.bind_partial(*args, **kwargs).arguments
            for name in names:
                if name in given and is_one(name, given[name]):
                    text = f"The argument '{name}' of {{}}"
                    _warn(function, text, date, instructions, warn_once)
            return function(*args, **kwargs)

        return call

    return decorate


def deprecated_argument_lookup(
    new_name: str, new_value: Any, old_name: str, old_value: Any
) -> Any:
    """The value of an argument that has two names; ValueError where both are given."""
    if old_value is None:
        return new_value
    if new_value is not None:
        raise ValueError(f"Cannot specify both '{old_name}' and '{new_name}'")
    return old_value


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """A context without those warnings."""
    global _is_silent
    before, _is_silent = _is_silent, True
    try:
        yield
    finally:
        _is_silent = before


def kwarg_only(f: Callable[..., Any]) -> Callable[..., Any]:
    """The function, which takes no arguments by position."""

    @functools.wraps(f)
    def call(*args: Any, **kwargs: Any) -> Any:
        if args:
            raise TypeError(f"{f.__name__} only takes keyword args (possible keys: {fn_args(f)})")
        return f(**kwargs)

    return call


def tf_export(*_: Any, **__: Any) -> Callable[[Any], Any]:
    """A decorator that changes nothing: the names of this package are in its modules."""
    return lambda value: value


keras_export = estimator_export = tf_export


def make_all(module_name: str, doc_string_modules: Optional[Sequence[Any]] = None) -> List[str]:
    """The names of a module to which docstrings refer by `@@name`."""
    own = dir(sys.modules[module_name])
    modules = doc_string_modules or [sys.modules[module_name]]
    found = {
        name for each in modules for name in re.findall(r"^@@(\w+)$", each.__doc__ or "", re.M)
    }
    return sorted(found & set(own))


def remove_undocumented(
    module_name: str,
    allowed_exception_list: Optional[Sequence[str]] = None,
    doc_string_modules: Optional[Sequence[Any]] = None,
) -> None:
    """Removes the other public names from a module."""
    kept = {*make_all(module_name, doc_string_modules), *(allowed_exception_list or [])}
    module = sys.modules[module_name]
    for name in [each for each in vars(module) if each[0] != "_" and each not in kept]:
        delattr(module, name)


def getfullargspec(obj: Any) -> inspect.FullArgSpec:
    """What a function takes. TensorFlow's functions have no annotations, as programs assume."""
    spec = inspect.getfullargspec(obj)
    is_own = str(getattr(obj, "__module__", "")).split(".")[0] == __name__.split(".")[0]
    return spec._replace(annotations={}) if is_own else spec


_inspect = inspect


def __getattr__(name: str) -> Any:
    """What `inspect` has, which programs look for in `tf_inspect`."""
    return getattr(inspect, name)
