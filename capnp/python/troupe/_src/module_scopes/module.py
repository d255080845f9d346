"""Objects that have variables and other such objects as their attributes."""

from __future__ import annotations

import functools
import re
from typing import Any, Callable, FrozenSet, Iterator, Optional, Sequence, Set, Tuple, TypeVar

from troupe._src.control_flow.nest import is_nested
from troupe._src.graph.graph import get_default_graph
from troupe._src.module_scopes.checkpointable import Checkpointable, NoDependency
from troupe._src.module_scopes.named_scope import name_scope
from troupe._src.set_module import set_module
from troupe._src.variables.partitioned_variable import PartitionedVariable
from troupe._src.variables.variable import Variable

_Method = TypeVar("_Method", bound=Callable[..., Any])
_Predicate = Callable[[Any], bool]
_Path = Tuple[Any, ...]


@set_module("troupe")
class Module(Checkpointable):
    """A named container of variables, of other modules, and of functions of what is given to it.

    What is assigned to its attributes, also in lists, tuples and dicts, is found by `variables`,
    `trainable_variables` and `submodules`, and saved by `tf.train.Checkpoint`.

    Args:
        name: A Python identifier; by default the name of the class, in small letters with
            underscores.

    Raises:
        ValueError: The name is no identifier.
    """

    # Attributes in which nothing is looked for.
    _TF_MODULE_IGNORED_PROPERTIES: FrozenSet[str] = frozenset({"_unsaved"})

    def __init__(self, name: Optional[str] = None) -> None:
        if name is None:
            name = _snake_case(type(self).__name__)
        elif not re.fullmatch("[a-zA-Z_][a-zA-Z0-9_]*", name):
            raise ValueError(
                f"{name!r} is not a valid module name. Module names must be valid Python "
                "identifiers (e.g. a valid class name)."
            )
        self._name = name
        with get_default_graph().name_scope(name) as scope:
            self._scope_name = scope

    @property
    def name(self) -> str:
        """Its name, without the scopes that it was made in."""
        return self._name

    @property
    def name_scope(self) -> name_scope:
        """A context: the scope of names that was new when the module was made."""
        return name_scope(self._scope_name)

    @property
    def variables(self) -> Sequence[Variable]:
        """The variables, in the order of the attributes' names, then those of modules in it."""
        return tuple(self._flatten(predicate=_is_variable))

    @property
    def trainable_variables(self) -> Sequence[Variable]:
        """Those variables that are trained."""
        return tuple(self._flatten(predicate=_is_trained))

    @property
    def submodules(self) -> Tuple[Module, ...]:
        """The modules in it, and those in these."""
        return tuple(self._flatten(predicate=lambda value: isinstance(value, Module)))

    def _flatten(
        self,
        recursive: bool = True,
        predicate: Optional[_Predicate] = None,
        attribute_traversal_key: Optional[Callable[[str], Any]] = None,
        with_path: bool = False,
    ) -> Iterator[Any]:
        """What the attributes are or have, in the order of their names.

        Args:
            recursive: Whether what other modules have comes, too, after what is here.
            predicate: A function of a value that says whether it is among the result.
            attribute_traversal_key: A function of a name: its key in the order.
            with_path: Whether pairs of a path and a value come, in which a value may be repeated.

        Yields:
            The values, each once, or the pairs.
        """
        chosen = predicate or (lambda value: True)
        seen = None if with_path else {id(self)}
        for path, value in _walk((), self, recursive, attribute_traversal_key, seen):
            if chosen(value):
                yield (path, value) if with_path else value

    def _no_dependency(self, value: Any) -> Any:
        """What leaves a value as it is when it is assigned to an attribute, and not saved."""
        return NoDependency(value)

    @classmethod
    def with_name_scope(cls, method: _Method) -> _Method:
        """A decorator of a method, which runs in the module's scope of names.

        Args:
            method: The method.

        Returns:
            The method in the scope.
        """

        @functools.wraps(method)
        def within_scope(self: Module, *args: Any, **kwargs: Any) -> Any:
            with self.name_scope:
                return method(self, *args, **kwargs)

        return within_scope  # type: ignore[return-value]


def _snake_case(name: str) -> str:
    return re.sub("(?<=[a-z0-9])(?=[A-Z])|(?<!^)(?=[A-Z][a-z])", "_", name).lower()


def _is_variable(value: Any) -> bool:
    return isinstance(value, (Variable, PartitionedVariable))


def _is_trained(value: Any) -> bool:
    return isinstance(value, Variable) and value.trainable


def _walk(
    start: _Path,
    module: Any,
    recursive: bool,
    key: Optional[Callable[[str], Any]],
    seen: Optional[Set[int]],
) -> Iterator[Tuple[_Path, Any]]:
    """What a module has, with paths, then what the modules in it have; `seen` is left out."""
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
            if isinstance(value, Module):
                inner.append((path, value))
    if recursive:
        for path, value in inner:
            yield from _walk(path, value, recursive, key, seen)


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
