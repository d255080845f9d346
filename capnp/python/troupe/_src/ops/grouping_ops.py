"""Functions that let operations and tensors wait for each other."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence

from troupe._src.graph.elements import Operation, flatten
from troupe._src.graph.graph import get_default_graph
from troupe._src.ops import gen_ops, raw_ops


def no_op(name: Optional[str] = None) -> Operation:
    """A node that does nothing, for control dependencies."""
    return raw_ops.NoOp(name=name)


def group(*inputs: Any, name: str = "group_deps") -> Operation:
    """A node that does nothing and runs after all of `inputs`, which may be nested lists.

    Args:
        *inputs: operations, tensors, variables, None, and lists of them.

    Returns:
        The operation.
    """
    graph = get_default_graph()
    with graph.control_dependencies([item for item in flatten(inputs) if item is not None]):
        return graph._add("NoOp", [], {}, name)


def tuple_of(
    tensors: Sequence[Any], name: Optional[str] = None, control_inputs: Any = None
) -> List[Any]:
    """The tensors, each of which is computed only after all of them and the control inputs.

    Args:
        tensors: a list of tensors and None.
        control_inputs: further operations or tensors that are waited for.

    Returns:
        A list of new tensors of the same values, with None where it was.
    """
    graph = get_default_graph()
    all_of_them = [each for each in [*tensors, *(control_inputs or [])] if each is not None]
    with graph.name_scope(name or "tuple"), graph.control_dependencies(all_of_them):
        return [None if tensor is None else gen_ops.identity(tensor) for tensor in tensors]
