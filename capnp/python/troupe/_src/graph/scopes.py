"""Functions for the scopes and collections of the default graph."""

from __future__ import annotations

import contextlib
from typing import Any, ContextManager, Iterator, List, Optional, Sequence

from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.thread_scopes import DeviceNameOrFunction
from troupe._src.set_module import set_module


def device(device_name_or_function: DeviceNameOrFunction) -> ContextManager[None]:
    """`Graph.device` of the default graph.

    Args:
        device_name_or_function: A full or partial name, a DeviceSpec, or a function of the node
            that gives one of these; None removes all outer constraints.

    Returns:
        A context.
    """
    return get_default_graph().device(device_name_or_function)


def container(container_name: str) -> ContextManager[str]:
    """`Graph.container` of the default graph.

    Args:
        container_name: The name of the container; "" is the default one.

    Returns:
        A context.
    """
    return get_default_graph().container(container_name)


def control_dependencies(control_inputs: Optional[Sequence[Any]]) -> ContextManager[None]:
    """`Graph.control_dependencies` of the default graph.

    Args:
        control_inputs: Operations, tensors or variables; None removes outer ones, and leaves
            branches and loops.

    Returns:
        A context.
    """
    return get_default_graph().control_dependencies(control_inputs)


def colocate_with(op: Any, ignore_existing: bool = False) -> ContextManager[None]:
    """`Graph.colocate_with` of the default graph.

    Args:
        op: The node, a tensor or a variable; None only with `ignore_existing`.
        ignore_existing: Outer colocations end, too.

    Returns:
        A context.
    """
    return get_default_graph().colocate_with(op, ignore_existing)


@set_module("troupe")
class name_scope:  # noqa: N801
    """`Graph.name_scope` of the default graph, whose value is the prefix.

    It may be entered again, with a name that is made unique each time.

    Args:
        name: The name; None for `default_name`.
        default_name: The name where none is given; without it all scopes are left.
        values: Not used: nodes are added to the default graph.
    """

    def __init__(
        self, name: Optional[str], default_name: Optional[str] = None, values: Any = None
    ) -> None:
        self._name = default_name if name is None else name
        self._contexts: List[ContextManager[str]] = []

    @property
    def name(self) -> Optional[str]:
        """The name that it was made with."""
        return self._name

    def __enter__(self) -> str:
        """Begins the scope."""
        context = get_default_graph().name_scope(self._name)
        prefix = context.__enter__()
        self._contexts.append(context)
        return prefix

    def __exit__(self, *error: Any) -> Optional[bool]:
        """Ends the scope."""
        return self._contexts.pop().__exit__(*error)


def op_scope(
    values: Any, name: Optional[str], default_name: Optional[str] = None
) -> ContextManager[str]:
    """`name_scope` with the argument order of older programs.

    Args:
        values: Not used: nodes are added to the default graph.
        name: The name; None for `default_name`.
        default_name: The name where none is given; without it all scopes are left.

    Returns:
        A context, whose value is the prefix.
    """
    return name_scope(name, default_name, values)


def add_to_collection(name: Any, value: Any) -> None:
    """Adds a value to a collection of the default graph.

    Args:
        name: The key of the collection.
        value: The value.
    """
    get_default_graph().add_to_collection(name, value)


def add_to_collections(names: Any, value: Any) -> None:
    """Adds a value to each of those collections of the default graph.

    Args:
        names: The keys of the collections: one text, several keys, or None for none.
        value: The value.
    """
    get_default_graph().add_to_collections(names, value)


def get_collection(key: Any, scope: Optional[str] = None) -> List[Any]:
    """A copy of a collection of the default graph.

    Args:
        key: The key of the collection.
        scope: A regular expression that the names of items begin with; by default all items.

    Returns:
        The items in the order in which they were added.
    """
    return get_default_graph().get_collection(key, scope)


def get_name_scope() -> str:
    """The name scope of the default graph, without a slash at its end.

    Returns:
        The scope; "" where there is none.
    """
    return get_default_graph().get_name_scope()


def get_collection_ref(key: Any) -> List[Any]:
    """A collection of the default graph itself, which may be changed.

    Args:
        key: The key of the collection, which is made if it is not there.

    Returns:
        The list.
    """
    return get_default_graph().get_collection_ref(key)


@contextlib.contextmanager
def init_scope() -> Iterator[None]:
    """Adds nodes outside of branches, loops and functions, without control dependencies.

    As `tf.init_scope`: a function, of which many calls run, makes in it what exists once, such as a
    variable. Names and devices are those of the scopes around it.
    """
    graph = get_default_graph()
    prefix, devices = graph.get_name_scope(), graph._scopes.devices
    while graph._is_function:
        graph = graph.outer_graph
        devices = devices or graph._scopes.devices
    with (
        graph.as_default(),
        graph._changed(devices=devices),
        graph.name_scope(f"{prefix}/" if prefix else None),
        graph.control_dependencies(None),
    ):
        yield
