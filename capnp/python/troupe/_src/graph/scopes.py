"""Functions for the scopes and collections of the default graph."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence

from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.thread_scopes import DeviceNameOrFunction


def device(device_name_or_function: DeviceNameOrFunction) -> Any:
    """`Graph.device` of the default graph."""
    return get_default_graph().device(device_name_or_function)


def container(container_name: str) -> Any:
    """`Graph.container` of the default graph."""
    return get_default_graph().container(container_name)


def control_dependencies(control_inputs: Optional[Sequence[Any]]) -> Any:
    """`Graph.control_dependencies` of the default graph."""
    return get_default_graph().control_dependencies(control_inputs)


def colocate_with(op: Any, ignore_existing: bool = False) -> Any:
    """`Graph.colocate_with` of the default graph."""
    return get_default_graph().colocate_with(op, ignore_existing)


def name_scope(name: Optional[str], default_name: Optional[str] = None, values: Any = None) -> Any:
    """`Graph.name_scope` of the default graph; `default_name` where the name is None."""
    return get_default_graph().name_scope(default_name if name is None else name)


def op_scope(values: Any, name: Optional[str], default_name: Optional[str] = None) -> Any:
    """`name_scope` with the argument order of older programs."""
    return name_scope(name, default_name, values)


def add_to_collection(name: Any, value: Any) -> None:
    """Adds a value to a collection of the default graph."""
    get_default_graph().add_to_collection(name, value)


def add_to_collections(names: Any, value: Any) -> None:
    """Adds a value to each of those collections of the default graph."""
    get_default_graph().add_to_collections(names, value)


def get_collection(key: Any, scope: Optional[str] = None) -> List[Any]:
    """A copy of a collection: of those items whose names begin with `scope`."""
    return get_default_graph().get_collection(key, scope)


def get_collection_ref(key: Any) -> List[Any]:
    """A collection of the default graph itself, which may be changed."""
    return get_default_graph().get_collection_ref(key)
