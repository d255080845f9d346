"""get_variable, and the variable scopes in which variables are shared by name."""

from __future__ import annotations

import contextlib
import enum
import functools
from typing import Any, Callable, Dict, Iterator, Optional, Union

from troupe._src.graph.graph import Graph, get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike, as_dtype
from troupe._src.types.shapes import as_shape
from troupe._src.variables.initializers import GlorotUniform, Zeros
from troupe._src.variables.variable import Variable


class _ReuseMode(enum.Enum):
    AUTO_REUSE = 1


AUTO_REUSE = _ReuseMode.AUTO_REUSE
Reuse = Union[bool, _ReuseMode, None]


@set_module("troupe")
class VariableScope:
    """The prefix of the names of variables, and the defaults for new variables."""

    def __init__(self, name: str, reuse: Reuse = False, **inherited: Any) -> None:
        self.name = name
        self.original_name_scope = f"{name}/" if name else ""
        self.reuse = reuse
        self.initializer = inherited.get("initializer")
        self.regularizer = inherited.get("regularizer")
        self.custom_getter = inherited.get("custom_getter")
        self.constraint = inherited.get("constraint")
        self.dtype = as_dtype(inherited.get("dtype") or dtypes.float32)

    def reuse_variables(self) -> None:
        """Makes get_variable return existing variables only."""
        self.reuse = True

    def get_collection(self, name: Any) -> Any:
        """The items of a collection that are in this scope."""
        return get_default_graph().get_collection(name, self.name + "/" if self.name else None)

    def global_variables(self) -> Any:
        return self.get_collection(GraphKeys.GLOBAL_VARIABLES)

    def trainable_variables(self) -> Any:
        return self.get_collection(GraphKeys.TRAINABLE_VARIABLES)

    def local_variables(self) -> Any:
        return self.get_collection(GraphKeys.LOCAL_VARIABLES)

    def set_initializer(self, initializer: Any) -> None:
        self.initializer = initializer

    def set_regularizer(self, regularizer: Any) -> None:
        self.regularizer = regularizer

    def set_custom_getter(self, custom_getter: Any) -> None:
        self.custom_getter = custom_getter


class _Store:
    """The variables that get_variable has created in a graph, and the current scope."""

    def __init__(self) -> None:
        self.variables: Dict[str, Variable] = {}
        self.scope = VariableScope("")
        self.opened: Dict[str, int] = {}  # how often a scope was, since its outer one was closed

    @staticmethod
    def of(graph: Graph) -> _Store:
        store = graph._state.setdefault("variable_store", _Store())
        assert isinstance(store, _Store)
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
        outer = self.scope
        self.opened[scope.name] = self.opened.get(scope.name, 0) + 1
        before = dict(self.opened)
        self.scope = scope
        try:
            yield
        finally:
            self.scope = outer
            if is_known:
                self.opened = before
            else:
                inner = [name for name in self.opened if name.startswith(f"{scope.name}/")]
                self.opened.update(dict.fromkeys(inner, 0))


def get_variable_scope() -> VariableScope:
    """The innermost scope of the default graph."""
    return _Store.of(get_default_graph()).scope


@contextlib.contextmanager
def variable_scope(
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
) -> Iterator[VariableScope]:
    """A context that prefixes the names of variables, and enters a name scope of the same name.

    With `reuse=True`, get_variable returns existing variables only; with `tf.AUTO_REUSE` it creates
    those that do not exist.
    """
    _refuse_partitioner(partitioner)
    graph = get_default_graph()
    store = _Store.of(graph)
    outer = store.scope
    if isinstance(name_or_scope, VariableScope):
        name, last = name_or_scope.name, name_or_scope.name.split("/")[-1]
        base: VariableScope = name_or_scope
    else:
        prefix = f"{outer.name}/" if outer.name else ""
        if name_or_scope is None:
            if default_name is None:
                raise TypeError("If default_name is None then name_or_scope is required")
            name, last, base = store.unique(prefix + default_name), default_name, outer
        else:
            name, last, base = prefix + name_or_scope, name_or_scope, outer
    inner = VariableScope(
        name,
        reuse if reuse is not None else base.reuse or outer.reuse,
        initializer=initializer or base.initializer,
        regularizer=regularizer or base.regularizer,
        dtype=dtype or base.dtype,
        custom_getter=_chain_getters(custom_getter, base.custom_getter),
        constraint=constraint or base.constraint,
    )
    with (
        graph.name_scope(last)
        if auxiliary_name_scope and last
        else _current_name_scope(graph) as names
    ):
        is_known = base is name_or_scope
        inner.original_name_scope = base.original_name_scope if is_known else names
        with store.entered(inner, is_known):
            yield inner


@contextlib.contextmanager
def _current_name_scope(graph: Graph) -> Iterator[str]:
    prefix = graph.get_name_scope()
    yield prefix and prefix + "/"


def _refuse_partitioner(partitioner: Any) -> None:
    if partitioner is not None:
        raise NotImplementedError(
            "partitioned variables are not part of this version: make one for each part"
        )


def _chain_getters(inner: Any, outer: Any) -> Any:
    """A custom getter that calls the inner one, with the outer one as its getter."""
    if inner is None or outer is None:
        return inner or outer

    def getter(innermost: Any, *args: Any, **kwargs: Any) -> Any:
        return inner(functools.partial(outer, innermost), *args, **kwargs)

    return getter


def variable_op_scope(
    values: Any,
    name_or_scope: Any,
    default_name: Optional[str] = None,
    initializer: Any = None,
    regularizer: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    custom_getter: Any = None,
    reuse: Reuse = None,
    dtype: Optional[DTypeLike] = None,
    use_resource: Optional[bool] = None,
    constraint: Any = None,
) -> Any:
    """`variable_scope` with the argument order of older programs."""
    return variable_scope(
        name_or_scope,
        default_name,
        values,
        initializer,
        regularizer,
        caching_device,
        partitioner,
        custom_getter,
        reuse,
        dtype,
        use_resource,
        constraint,
    )


def get_local_variable(
    name: str,
    shape: Any = None,
    dtype: Optional[DTypeLike] = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: Any = False,
    collections: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    validate_shape: bool = True,
    use_resource: Optional[bool] = None,
    custom_getter: Any = None,
    constraint: Any = None,
    synchronization: Any = None,
    aggregation: Any = None,
) -> Any:
    """`get_variable` for a local variable, which is not trainable."""
    return get_variable(
        name,
        shape,
        dtype,
        initializer,
        regularizer,
        False,
        [*(collections or []), GraphKeys.LOCAL_VARIABLES],
        partitioner=partitioner,
        custom_getter=custom_getter,
        constraint=constraint,
    )


def get_variable(
    name: str,
    shape: Any = None,
    dtype: Optional[DTypeLike] = None,
    initializer: Any = None,
    regularizer: Optional[Callable[[Any], Any]] = None,
    trainable: Optional[bool] = None,
    collections: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    validate_shape: bool = True,
    use_resource: Optional[bool] = None,
    custom_getter: Any = None,
    constraint: Any = None,
    synchronization: Any = None,
    aggregation: Any = None,
) -> Any:
    """The variable of that name in the current scope, which is created if the scope allows it.

    ValueError where it exists but the scope does not reuse variables, where it does not exist but
    the scope only reuses, and where it has another shape or dtype. The scope's custom getter may
    return something else.
    """
    _refuse_partitioner(partitioner)
    scope = get_variable_scope()
    full_name = f"{scope.name}/{name}" if scope.name else name
    getter = _chain_getters(custom_getter, scope.custom_getter)
    arguments = {
        "shape": shape,
        "dtype": as_dtype(dtype) if dtype is not None else None,
        "initializer": initializer,
        "regularizer": regularizer,
        "trainable": trainable is not False,
        "collections": collections,
        "constraint": constraint or scope.constraint,
    }
    if getter is None:
        return _get_or_create(full_name, **arguments)
    return getter(_get_or_create, full_name, **arguments)


def _get_or_create(
    full_name: str,
    shape: Any = None,
    dtype: Optional[DTypeLike] = None,
    initializer: Any = None,
    regularizer: Optional[Callable[[Any], Any]] = None,
    trainable: Optional[bool] = True,
    collections: Any = None,
    constraint: Any = None,
    **_: Any,
) -> Variable:
    graph = get_default_graph()
    store = _Store.of(graph)
    scope = store.scope
    found = store.variables.get(full_name)
    if found is not None:
        if not scope.reuse:
            raise ValueError(
                f"Variable {full_name} already exists, disallowed. Did you mean to set reuse=True "
                "or reuse=tf.AUTO_REUSE in VarScope?"
            )
        _check_same(found, full_name, shape, dtype)
        return found
    if scope.reuse is True:
        raise ValueError(
            f"Variable {full_name} does not exist, or was not created with tf.get_variable(). "
            "Did you mean to set reuse=tf.AUTO_REUSE in VarScope?"
        )
    initial_value = _initial_value(scope, shape, dtype, initializer, full_name)
    with graph.name_scope(None):
        variable = Variable(
            initial_value, bool(trainable), collections, name=full_name, constraint=constraint
        )
    store.variables[full_name] = variable
    regularizer = regularizer or scope.regularizer
    if regularizer is not None:
        loss = regularizer(variable)
        if loss is not None:
            graph.add_to_collection(GraphKeys.REGULARIZATION_LOSSES, loss)
    return variable


def _check_same(found: Variable, name: str, shape: Any, dtype: Optional[DTypeLike]) -> None:
    if shape is not None and not found.shape.is_compatible_with(shape):
        raise ValueError(
            f"Trying to share variable {name}, but specified shape {as_shape(shape)} and found "
            f"shape {found.shape}."
        )
    if dtype is not None and found.dtype != as_dtype(dtype):
        raise ValueError(
            f"Trying to share variable {name}, but specified dtype {as_dtype(dtype).name} and "
            f"found dtype {found.dtype.name}."
        )


def _initial_value(
    scope: VariableScope, shape: Any, dtype: Optional[DTypeLike], initializer: Any, name: str
) -> Any:
    variable_dtype = as_dtype(dtype or scope.dtype)
    initializer = initializer if initializer is not None else scope.initializer
    if isinstance(initializer, type):
        initializer = initializer()
    if initializer is None:
        initializer = GlorotUniform() if variable_dtype.is_floating else Zeros()
    if not callable(initializer):
        if shape is not None:
            raise ValueError("If initializer is a constant, do not specify shape.")
        return lambda: convert_to_tensor(initializer, dtype)
    if shape is None or not as_shape(shape).is_fully_defined():
        raise ValueError(
            f"Shape of a new variable ({name}) must be fully defined, but instead was "
            f"{as_shape(shape)}."
        )
    return lambda: initializer(as_shape(shape).as_list(), dtype=variable_dtype)
