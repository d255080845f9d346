"""Variables that are found again by name: get_variable, and the scopes that it looks into."""

from __future__ import annotations

import contextlib
import enum
import functools
from typing import Any, Callable, Dict, Iterator, Optional, Union

from troupe import _dtypes
from troupe._dtypes import DTypeLike, as_dtype
from troupe._graph import Graph, GraphKeys, get_default_graph
from troupe._initializers import GlorotUniform, Zeros
from troupe._shapes import as_shape
from troupe._variables import Variable


class _ReuseMode(enum.Enum):
    AUTO_REUSE = 1


AUTO_REUSE = _ReuseMode.AUTO_REUSE
Reuse = Union[bool, _ReuseMode, None]


class VariableScope:
    """Where get_variable looks: a prefix of names, and what holds for new variables."""

    def __init__(self, name: str, reuse: Reuse = False, **inherited: Any) -> None:
        self.name = name
        self.original_name_scope = f"{name}/" if name else ""
        self.reuse = reuse
        self.initializer = inherited.get("initializer")
        self.regularizer = inherited.get("regularizer")
        self.custom_getter = inherited.get("custom_getter")
        self.constraint = inherited.get("constraint")
        self.dtype = as_dtype(inherited.get("dtype") or _dtypes.float32)

    def reuse_variables(self) -> None:
        """From then on, only variables that are there already are found."""
        self.reuse = True

    def get_collection(self, name: Any) -> Any:
        """What the collection has of this scope."""
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
    """The variables that a graph's get_variable has made, and the scopes that are open."""

    def __init__(self) -> None:
        self.variables: Dict[str, Variable] = {}
        self.scope = VariableScope("")
        self.counts: Dict[str, int] = {}

    @staticmethod
    def of(graph: Graph) -> _Store:
        store = graph._state.setdefault("variable_store", _Store())
        assert isinstance(store, _Store)
        return store

    def unique(self, name: str) -> str:
        """The name of a scope that only has a default one."""
        count = self.counts.get(name, 0)
        self.counts[name] = count + 1
        return name if count == 0 else f"{name}_{count}"


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
    reuse: Reuse = None,
    dtype: Optional[DTypeLike] = None,
    auxiliary_name_scope: bool = True,
    custom_getter: Any = None,
    constraint: Any = None,
    partitioner: Any = None,
    **_: Any,
) -> Iterator[VariableScope]:
    """Variables that get_variable makes within it have names with that prefix.

    `reuse=True` finds only those that there are, `tf.AUTO_REUSE` also makes what is missing.
    Nodes get the name as a scope, too.
    """
    _check_whole(partitioner)
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
            name = store.unique(prefix + default_name)
        else:
            name = prefix + name_or_scope
        last, base = name[len(prefix) :], outer
    inner = VariableScope(
        name,
        reuse if reuse is not None else base.reuse or outer.reuse,
        initializer=initializer or base.initializer,
        regularizer=regularizer or base.regularizer,
        dtype=dtype or base.dtype,
        custom_getter=_nested(custom_getter, base.custom_getter),
        constraint=constraint or base.constraint,
    )
    with graph.name_scope(last) if auxiliary_name_scope and last else _no_scope(graph) as names:
        inner.original_name_scope = names if base is not name_or_scope else base.original_name_scope
        store.scope = inner
        try:
            yield inner
        finally:
            store.scope = outer


@contextlib.contextmanager
def _no_scope(graph: Graph) -> Iterator[str]:
    prefix = graph.get_name_scope()
    yield prefix and prefix + "/"


def _check_whole(partitioner: Any) -> None:
    if partitioner is not None:
        raise NotImplementedError(
            "partitioned variables are not part of this version: make one for each part"
        )


def _nested(inner: Any, outer: Any) -> Any:
    """The inner getter, whose own getter is the outer one."""
    if inner is None or outer is None:
        return inner or outer

    def getter(innermost: Any, *args: Any, **kwargs: Any) -> Any:
        return inner(functools.partial(outer, innermost), *args, **kwargs)

    return getter


def variable_op_scope(
    values: Any, name_or_scope: Any, default_name: Any = None, **more: Any
) -> Any:
    """`variable_scope`, with its arguments in an older order."""
    return variable_scope(name_or_scope, default_name, values, **more)


def get_local_variable(
    name: str,
    shape: Any = None,
    dtype: Optional[DTypeLike] = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: Any = False,
    collections: Any = None,
    **more: Any,
) -> Any:
    """`get_variable` of one that is the program's own, and not trained."""
    keys = [*(collections or []), GraphKeys.LOCAL_VARIABLES]
    return get_variable(name, shape, dtype, initializer, regularizer, False, keys, **more)


def get_variable(
    name: str,
    shape: Any = None,
    dtype: Optional[DTypeLike] = None,
    initializer: Any = None,
    regularizer: Optional[Callable[[Any], Any]] = None,
    trainable: Optional[bool] = True,
    collections: Any = None,
    custom_getter: Any = None,
    partitioner: Any = None,
    **more: Any,
) -> Any:
    """The variable of that name in the scope, which is made where it may be.

    ValueError where it is there but may not be found again, or the other way round, or where it
    has another shape or dtype. A scope's custom getter may give something else.
    """
    _check_whole(partitioner)
    scope = get_variable_scope()
    full_name = f"{scope.name}/{name}" if scope.name else name
    getter = _nested(custom_getter, scope.custom_getter)
    wishes = {
        "shape": shape,
        "dtype": as_dtype(dtype) if dtype is not None else None,
        "initializer": initializer,
        "regularizer": regularizer,
        "trainable": trainable,
        "collections": collections,
        "constraint": more.get("constraint") or scope.constraint,
    }
    if getter is None:
        return _get(full_name, **wishes)
    return getter(_get, full_name, **wishes)


def _get(
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
    first = _initial_value(scope, shape, dtype, initializer, full_name)
    with graph.name_scope(None):
        variable = Variable(
            first, bool(trainable), collections, name=full_name, constraint=constraint
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
    kind = as_dtype(dtype or scope.dtype)
    initializer = initializer if initializer is not None else scope.initializer
    if isinstance(initializer, type):
        initializer = initializer()
    if initializer is None:
        initializer = GlorotUniform() if kind.is_floating else Zeros()
    if not callable(initializer):
        if shape is not None:
            raise ValueError("If initializer is a constant, do not specify shape.")
        from troupe._convert import convert_to_tensor

        return lambda: convert_to_tensor(initializer, dtype)
    if shape is None or not as_shape(shape).is_fully_defined():
        raise ValueError(
            f"Shape of a new variable ({name}) must be fully defined, but instead was "
            f"{as_shape(shape)}."
        )
    return lambda: initializer(as_shape(shape).as_list(), dtype=kind)
