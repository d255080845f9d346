"""The global step: the variable that counts the steps of a training."""

from __future__ import annotations

from typing import Any, Optional

from troupe._src.graph.graph import Graph, get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.types import dtypes
from troupe._src.variables.initializers import Zeros
from troupe._src.variables.variable import Variable
from troupe._src.variables.variable_scope import get_variable


def get_global_step(graph: Optional[Graph] = None) -> Optional[Variable]:
    """The global step of the graph, or None."""
    found = (graph or get_default_graph()).get_collection(GraphKeys.GLOBAL_STEP)
    return found[0] if found else None


def create_global_step(graph: Optional[Graph] = None) -> Variable:
    """Creates the global step; ValueError where it exists."""
    graph = graph or get_default_graph()
    if get_global_step(graph) is not None:
        raise ValueError('"global_step" already exists.')
    with graph.as_default(), graph.name_scope(None):
        step: Variable = get_variable(
            "global_step",
            [],
            dtypes.int64,
            Zeros(),
            trainable=False,
            collections=[GraphKeys.GLOBAL_VARIABLES, GraphKeys.GLOBAL_STEP],
        )
        return step


def get_or_create_global_step(graph: Optional[Graph] = None) -> Variable:
    """The global step of the graph, created if it has none."""
    return get_global_step(graph) or create_global_step(graph)


def global_step(sess: Any, global_step_tensor: Any) -> int:
    """The value of the global step in a session."""
    return int(sess.run(global_step_tensor))
