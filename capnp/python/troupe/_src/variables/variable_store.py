"""The variables of a graph by name, and the scopes in which get_variable looks for them."""

from __future__ import annotations

import contextlib
import enum
import functools
import importlib
import threading
from typing import Any, ContextManager, Dict, Iterator, List, Optional, Tuple, Union

from troupe._src.graph.graph import Graph, get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike, as_dtype
from troupe._src.variables.partitioned_variable import PartitionedVariable
from troupe._src.variables.variable import Variable


class _ReuseMode(enum.Enum):
    AUTO_REUSE = 1


AUTO_REUSE = _ReuseMode.AUTO_REUSE
Reuse = Union[bool, _ReuseMode, None]


# By its name: it imports this module.
_CREATORS = f"{__name__.split('.', maxsplit=1)[0]}._src.variables.variable_scope"


@set_module("troupe")
class VariableScope:
    """The prefix of the names of variables, and the defaults for new variables.

    Args:
        name: The prefix.
        reuse: True, False or `tf.AUTO_REUSE`.
        **inherited: The defaults by name, such as `initializer`.
    """

    def __init__(self, name: str, reuse: Reuse = False, **inherited: Any) -> None:
        self.name = name
        self.original_name_scope = f"{name}/" if name else ""
        self.reuse = reuse
        self.initializer = inherited.get("initializer")
        self.regularizer = inherited.get("regularizer")
        self.custom_getter = inherited.get("custom_getter")
        self.caching_device = inherited.get("caching_device")
        self.constraint = inherited.get("constraint")
        self.partitioner = inherited.get("partitioner")
        self.use_resource: Optional[bool] = inherited.get("use_resource")
        self.dtype = as_dtype(inherited.get("dtype") or dtypes.float32)

    def get_variable(self, var_store: Any, name: str, *args: Any, **kwargs: Any) -> Any:
        """`tf.get_variable` in this scope.

        Args:
            var_store: Has no effect: variables are those of the default graph.
            name: The name of the variable in the scope.
            *args: As those of `tf.get_variable` behind the name.
            **kwargs: As those of `tf.get_variable`, by name.

        Returns:
            The variable.
        """
        get: Any = importlib.import_module(_CREATORS).get_variable
        with variable_scope(self, auxiliary_name_scope=False):
            return get(name, *args, **kwargs)

    def reuse_variables(self) -> None:
        """Makes get_variable return existing variables only."""
        self.reuse = True

    def get_collection(self, name: str) -> List[Any]:
        """The items of a collection that are in this scope.

        Args:
            name: The name of the collection.

        Returns:
            A list.
        """
        return get_default_graph().get_collection(name, self.name + "/" if self.name else None)

    def global_variables(self) -> List[Any]:
        """The variables in this scope that the cluster shares."""
        return self.get_collection(GraphKeys.GLOBAL_VARIABLES)

    def trainable_variables(self) -> List[Any]:
        """The variables in this scope that optimizers train by default."""
        return self.get_collection(GraphKeys.TRAINABLE_VARIABLES)

    def local_variables(self) -> List[Any]:
        """The variables in this scope that only this program uses."""
        return self.get_collection(GraphKeys.LOCAL_VARIABLES)

    def set_initializer(self, initializer: Any) -> None:
        """Changes the initializer of new variables.

        Args:
            initializer: A function of a shape and a dtype.
        """
        self.initializer = initializer

    def set_regularizer(self, regularizer: Any) -> None:
        """Changes the regularizer of new variables.

        Args:
            regularizer: A function of a variable that gives a loss.
        """
        self.regularizer = regularizer

    def set_caching_device(self, caching_device: Any) -> None:
        """Makes a step read new variables once, whichever device this is.

        Args:
            caching_device: The device.
        """
        self.caching_device = caching_device

    def set_custom_getter(self, custom_getter: Any) -> None:
        """Changes what is called in place of the getter.

        Args:
            custom_getter: A function that gets the getter as its first argument.
        """
        self.custom_getter = custom_getter

    def set_partitioner(self, partitioner: Any) -> None:
        """Makes get_variable store new variables in parts, as the partitioner says.

        Args:
            partitioner: A function of a shape and a dtype that gives the number of parts along each
                axis.
        """
        self.partitioner = partitioner

    def set_use_resource(self, use_resource: Optional[bool]) -> None:
        """Makes new variables ones of references, with False.

        Args:
            use_resource: False for variables of references.
        """
        self.use_resource = use_resource

    def set_dtype(self, dtype: DTypeLike) -> None:
        """Changes the dtype of new variables.

        Args:
            dtype: The dtype.
        """
        self.dtype = as_dtype(dtype)


class _ScopeOfThread(threading.local):
    """The scope in which a thread is."""

    def __init__(self) -> None:
        self.scope = VariableScope("")
        self.opened: Dict[str, int] = {}


class VariableStore:
    """The variables that get_variable has created in a graph, and the current scope.

    Each thread has a scope of its own, which begins with the outermost one; all of them share the
    variables.
    """

    def __init__(self) -> None:
        self.variables: Dict[str, Variable] = {}
        self.partitioned: Dict[str, PartitionedVariable] = {}
        self._of_thread = _ScopeOfThread()

    @property
    def scope(self) -> VariableScope:
        """The current scope."""
        return self._of_thread.scope

    @property
    def opened(self) -> Dict[str, int]:
        """How often a scope was entered, since its outer one was left."""
        return self._of_thread.opened

    @staticmethod
    def of(graph: Graph) -> VariableStore:
        store = graph._state.setdefault("variable_store", VariableStore())
        assert isinstance(store, VariableStore)
        return store

    def unique(self, name: str) -> str:
        """Makes the default name of a scope unique."""
        number, found = 0, name
        while self.opened.get(found, 0) > 0:
            number += 1
            found = f"{name}_{number}"
        return found

    @contextlib.contextmanager
    def entered(self, scope: VariableScope, is_known: bool) -> Iterator[None]:
        """Makes it the current scope.

        The default names within a scope start again when it is entered again by its name, so that
        a model that is built twice reuses its variables. One that is entered as an object keeps
        them as they are.
        """
        mine = self._of_thread
        outer = mine.scope
        mine.opened[scope.name] = mine.opened.get(scope.name, 0) + 1
        before = dict(mine.opened)
        mine.scope = scope
        try:
            yield
        finally:
            mine.scope = outer
            if is_known:
                mine.opened = before
            else:
                inner = [name for name in mine.opened if name.startswith(f"{scope.name}/")]
                mine.opened.update(dict.fromkeys(inner, 0))


def get_variable_scope() -> VariableScope:
    """The innermost scope of the default graph."""
    return VariableStore.of(get_default_graph()).scope


def no_regularizer(_: Any) -> None:
    """A regularizer that adds no loss, for variables of a scope that has another one."""


@set_module("troupe")
class variable_scope:  # noqa: N801
    """A context that prefixes the names of variables, and enters a name scope of the same name.

    With `reuse=True`, get_variable returns existing variables only; with `tf.AUTO_REUSE` it creates
    those that do not exist. It may be entered again: a name made unique stays, and the name scope
    is made unique each time. Its value is the VariableScope.

    Args:
        name_or_scope: A name, which is put behind that of the scope around; or a scope, which is
            entered again.
        default_name: The name where that is None, made unique.
        values: Has no effect.
        initializer: That of variables whose `get_variable` gives none.
        regularizer: That of such variables: a function of one that gives a loss.
        caching_device: Makes a step read such variables once.
        partitioner: Says into how many parts such variables are cut.
        custom_getter: Is called in place of the getter, which it gets as its first argument.
        reuse: True or `tf.AUTO_REUSE`; None and False for that of the scope around, or of the
            scope that is given.
        dtype: The dtype of such variables.
        use_resource: False for variables of references.
        constraint: That of such variables.
        auxiliary_name_scope: Whether a name scope is entered, too.

    Raises:
        TypeError: There is no name, or `auxiliary_name_scope` is no bool.
        ValueError: `reuse` is something else, or true without `name_or_scope`.
    """

    def __init__(
        self,
        name_or_scope: Union[str, VariableScope, None],
        default_name: Optional[str] = None,
        values: Any = None,
        initializer: Any = None,
        regularizer: Any = None,
        caching_device: Any = None,
        partitioner: Any = None,
        custom_getter: Any = None,
        reuse: Reuse = None,
        dtype: Optional[DTypeLike] = None,
        use_resource: Optional[bool] = None,
        constraint: Any = None,
        auxiliary_name_scope: bool = True,
    ) -> None:
        if name_or_scope is None and default_name is None:
            raise TypeError("If default_name is None then name_or_scope is required")
        if not isinstance(auxiliary_name_scope, bool):
            raise TypeError(f"auxiliary_name_scope must be a bool, not {auxiliary_name_scope!r}")
        if reuse not in (True, False, None, AUTO_REUSE):
            raise ValueError("The reuse parameter must be True or False or None.")
        self._name_or_scope, self._default_name = name_or_scope, default_name
        self._unique_name: Optional[str] = None
        self._reuse, self._auxiliary_name_scope = reuse, auxiliary_name_scope
        self._custom_getter, self._use_resource = custom_getter, use_resource
        self._initializer, self._dtype = initializer, dtype
        self._chosen = {
            "regularizer": regularizer, "caching_device": caching_device,
            "constraint": constraint, "partitioner": partitioner,
        }  # fmt: skip
        self._contexts: List[ContextManager[VariableScope]] = []

    def __enter__(self) -> VariableScope:
        """Begins the scope."""
        context = self._context()
        scope = context.__enter__()
        self._contexts.append(context)
        return scope

    def __exit__(self, *error: Any) -> Optional[bool]:
        """Ends the scope."""
        return self._contexts.pop().__exit__(*error)

    @contextlib.contextmanager
    def _context(self) -> Iterator[VariableScope]:
        graph = get_default_graph()
        store = VariableStore.of(graph)
        name, last, base = self._named(store)
        is_known = base is self._name_or_scope
        inner = self._scope(name, base)
        with (
            graph.name_scope(last)
            if self._auxiliary_name_scope and last
            else _current_name_scope(graph) as names
        ):
            inner.original_name_scope = base.original_name_scope if is_known else names
            with store.entered(inner, is_known):
                yield inner

    def _named(self, store: VariableStore) -> Tuple[str, str, VariableScope]:
        """The name of the scope, the last part of it, and the scope whose options it has."""
        given, outer = self._name_or_scope, store.scope
        if isinstance(given, VariableScope):
            return given.name, given.name.split("/")[-1], given
        prefix = f"{outer.name}/" if outer.name else ""
        if given is not None:
            return prefix + given, given, outer
        if self._reuse:
            raise ValueError("reuse=True cannot be used without a name_or_scope")
        assert self._default_name is not None
        if self._unique_name is None:
            unique = store.unique(prefix + self._default_name)
            self._unique_name = unique[len(prefix) :]
        return prefix + self._unique_name, self._default_name, outer

    def _scope(self, name: str, base: VariableScope) -> VariableScope:
        given = {key: value or getattr(base, key) for key, value in self._chosen.items()}
        return VariableScope(
            name,
            self._reuse or base.reuse,
            initializer=base.initializer if self._initializer is None else self._initializer,
            dtype=self._dtype or base.dtype,
            custom_getter=chain_getters(self._custom_getter, base.custom_getter),
            use_resource=base.use_resource if self._use_resource is None else self._use_resource,
            **given,
        )


@contextlib.contextmanager
def _current_name_scope(graph: Graph) -> Iterator[str]:
    prefix = graph.get_name_scope()
    yield prefix and prefix + "/"


def chain_getters(inner: Any, outer: Any) -> Any:
    """A custom getter that calls the inner one, with the outer one as its getter."""
    for each in (inner, outer):
        if each is not None and not callable(each):
            raise ValueError(f"custom_getter is not callable: {each!r}")
    if inner is None or outer is None:
        return inner or outer

    def chained(getter: Any, *args: Any, **kwargs: Any) -> Any:
        return inner(functools.partial(outer, getter), *args, **kwargs)

    return chained
