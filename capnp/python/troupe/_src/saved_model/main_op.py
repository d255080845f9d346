"""What a program runs once it has loaded a graph."""

from __future__ import annotations

from typing import Any

from troupe._src.graph.elements import Operation
from troupe._src.graph.graph import get_default_graph
from troupe._src.lookup.initializers import tables_initializer
from troupe._src.ops.grouping_ops import group
from troupe._src.variables.variable_sets import (
    global_variables_initializer,
    local_variables_initializer,
)


def main_op() -> Operation:
    """An operation that initializes all variables and tables."""
    return group(
        global_variables_initializer(), local_variables_initializer(), tables_initializer()
    )


def main_op_with_restore(restore_op_name: Any) -> Operation:
    """An operation that initializes all, and then runs the one of that name.

    Args:
        restore_op_name: An Operation, or its name.

    Returns:
        The operation.
    """
    graph = get_default_graph()
    with graph.control_dependencies([main_op()]):
        return group(graph.as_graph_element(restore_op_name))
