"""Modules and what is in their attributes."""

from __future__ import annotations

import abc
from typing import Any, Callable, Iterator, Optional, Set, Tuple

from troupe._src.control_flow.nest import is_nested

_Path = Tuple[Any, ...]


class ModuleBase(metaclass=abc.ABCMeta):
    """The base of `tf.Module`. Layers and operators are registered as such ones, too."""


def modules_in(value: Any) -> Tuple[Any, ...]:
    """The modules in an object, which need be none itself, and those in these.

    Args:
        value: The object.

    Returns:
        The modules, each once.
    """
    found = walk((), value, True, None, {id(value)})
    return tuple(each for _, each in found if isinstance(each, ModuleBase))


def walk(
    start: _Path,
    module: Any,
    recursive: bool,
    key: Optional[Callable[[str], Any]],
    seen: Optional[Set[int]],
) -> Iterator[Tuple[_Path, Any]]:
    """What the attributes of a module are or have, then what the modules in it have.

    Args:
        start: The path of the module.
        module: The module.
        recursive: Whether what the modules in it have comes, too.
        key: A function of an attribute's name: its key in the order.
        seen: The ids of what is left out, to which those of values are added; None: values may be
            repeated.

    Yields:
        Pairs of a path and a value.
    """
    inner = []
    ignored = getattr(module, "_TF_MODULE_IGNORED_PROPERTIES", ())
    for name in sorted(vars(module), key=key):
        if name in ignored:
            continue
        for path, value in _leaves((*start, name), vars(module)[name]):
            if seen is not None:
                if id(value) in seen:
                    continue
                seen.add(id(value))
            yield path, value
            if isinstance(value, ModuleBase):
                inner.append((path, value))
    if recursive:
        for path, value in inner:
            yield from walk(path, value, recursive, key, seen)


def _leaves(path: _Path, value: Any) -> Iterator[Tuple[_Path, Any]]:
    if not is_nested(value):
        yield path, value
    elif isinstance(value, dict):
        for key in sorted(value):
            yield from _leaves((*path, key), value[key])
    else:
        names = getattr(value, "_fields", range(len(value)))
        for name, each in zip(names, value):
            yield from _leaves((*path, name), each)
