"""Resources that a program registers itself, to make them all at once."""

from __future__ import annotations

from typing import Any, List, NamedTuple, Optional, Sequence

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.ops import array_ops, gen_ops
from troupe._src.ops.rearrange_ops import boolean_mask
from troupe._src.ops.convert import constant
from troupe._src.ops.grouping_ops import group, no_op
from troupe._src.types import dtypes


class Resource(NamedTuple):
    """A resource: what gives its handle, what makes it, and whether it is made."""

    handle: Any
    create: Any
    is_initialized: Any


def register_resource(
    handle: Any, create_op: Any, is_initialized_op: Any, is_shared: bool = True
) -> None:
    """Adds a resource to those of the graph.

    Args:
        handle: The tensor of its handle.
        create_op: What makes it.
        is_initialized_op: Whether it is made, as a tensor.
        is_shared: Whether it belongs to all tasks, or to one.
    """
    key = GraphKeys.RESOURCES if is_shared else GraphKeys.LOCAL_RESOURCES
    get_default_graph().add_to_collection(key, Resource(handle, create_op, is_initialized_op))


def shared_resources() -> List[Any]:
    """The registered resources of all tasks.

    Returns:
        A list of them.
    """
    return get_default_graph().get_collection(GraphKeys.RESOURCES)


def local_resources() -> List[Any]:
    """The registered resources of this task.

    Returns:
        A list of them.
    """
    return get_default_graph().get_collection(GraphKeys.LOCAL_RESOURCES)


def report_uninitialized_resources(
    resource_list: Optional[Sequence[Any]] = None, name: str = "report_uninitialized_resources"
) -> Tensor:
    """Which resources are not made yet.

    Args:
        resource_list: The resources, by default all registered ones.
        name: The name of the operation.

    Returns:
        The names of the handles of those as a vector of strings.
    """
    given = shared_resources() + local_resources() if resource_list is None else resource_list
    with get_default_graph().name_scope(name):
        if not given:
            return constant([], dtypes.string)
        made = array_ops.stack([each.is_initialized for each in given])
        names = constant([each.handle.name for each in given])
        return boolean_mask(names, gen_ops.logical_not(made))


def initialize_resources(resource_list: Sequence[Any], name: str = "init") -> Operation:
    """Makes resources.

    Args:
        resource_list: The resources.
        name: The name of the operation.

    Returns:
        The operation that makes them all.
    """
    if not resource_list:
        return no_op(name=name)
    return group(*(each.create for each in resource_list), name=name)
