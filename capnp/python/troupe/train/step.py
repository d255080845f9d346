"""The variable that counts a training's steps."""

from __future__ import annotations

from typing import Any, Optional

from troupe import _dtypes
from troupe._graph import Graph, GraphKeys, get_default_graph
from troupe._initializers import Zeros
from troupe._variable_scope import get_variable
from troupe._variables import Variable


def get_global_step(graph: Optional[Graph] = None) -> Optional[Variable]:
    """The graph's, or None where it has none."""
    found = (graph or get_default_graph()).get_collection(GraphKeys.GLOBAL_STEP)
    return found[0] if found else None


def create_global_step(graph: Optional[Graph] = None) -> Variable:
    """Makes it; ValueError where there is one."""
    graph = graph or get_default_graph()
    if get_global_step(graph) is not None:
        raise ValueError('"global_step" already exists.')
    with graph.as_default(), graph.name_scope(None):
        step: Variable = get_variable(
            "global_step",
            [],
            _dtypes.int64,
            Zeros(),
            trainable=False,
            collections=[GraphKeys.GLOBAL_VARIABLES, GraphKeys.GLOBAL_STEP],
        )
        return step


def get_or_create_global_step(graph: Optional[Graph] = None) -> Variable:
    """The graph's, made where it has none."""
    return get_global_step(graph) or create_global_step(graph)


def global_step(sess: Any, global_step_tensor: Any) -> int:
    """Its value in a session."""
    return int(sess.run(global_step_tensor))
