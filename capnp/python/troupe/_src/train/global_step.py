"""The global step: the variable that counts the steps of a training."""

from __future__ import annotations

from typing import Any, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import Graph, get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.platform import logging
from troupe._src.types import dtypes
from troupe._src.variables.initializers import Zeros
from troupe._src.variables.synchronization import VariableAggregation
from troupe._src.variables.variable import Variable
from troupe._src.variables.variable_scope import get_variable


def get_global_step(graph: Optional[Graph] = None) -> Any:
    """The global step of a graph.

    It is in the collection GLOBAL_STEP, or where that is empty, has the name "global_step".

    Args:
        graph: The graph; None for the default graph.

    Returns:
        A variable or tensor; None where there is none.

    Raises:
        TypeError: It is no integer scalar.
    """
    graph = graph or get_default_graph()
    found = graph.get_collection(GraphKeys.GLOBAL_STEP)
    if len(found) > 1:
        logging.error("Multiple tensors in global_step collection.")
        return None
    if found:
        step = found[0]
    elif "global_step" in graph._variables:
        step = graph._variables["global_step"]
    else:
        try:
            step = graph.get_tensor_by_name("global_step:0")
        except KeyError:
            return None
    assert_global_step(step)
    return step


def assert_global_step(global_step_tensor: Any) -> None:
    """Checks what may be a global step.

    Args:
        global_step_tensor: A variable or tensor.

    Raises:
        TypeError: It is no integer scalar.
    """
    if not isinstance(global_step_tensor, (Tensor, Variable)):
        raise TypeError(
            f'Existing "global_step" must be a Variable or Tensor: {global_step_tensor}.'
        )
    if not global_step_tensor.dtype.base_dtype.is_integer:
        raise TypeError(
            f'Existing "global_step" does not have integer type: {global_step_tensor.dtype}'
        )
    if global_step_tensor.get_shape().rank not in (0, None):
        raise TypeError(f'Existing "global_step" is not scalar: {global_step_tensor.get_shape()}')


def create_global_step(graph: Optional[Graph] = None) -> Variable:
    """Creates the global step.

    Args:
        graph: The graph; None for the default graph.

    Returns:
        An int64 variable that begins with 0.

    Raises:
        ValueError: There is one already.
    """
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
            aggregation=VariableAggregation.ONLY_FIRST_REPLICA,
        )
        return step


def get_or_create_global_step(graph: Optional[Graph] = None) -> Any:
    """The global step of a graph, created if it has none.

    Args:
        graph: The graph; None for the default graph.

    Returns:
        A variable or tensor.

    Raises:
        TypeError: It is no integer scalar.
    """
    found = get_global_step(graph)
    return create_global_step(graph) if found is None else found


def global_step(sess: Any, global_step_tensor: Any) -> int:
    """The value of the global step in a session.

    Args:
        sess: The session.
        global_step_tensor: The global step.

    Returns:
        A number.
    """
    return int(sess.run(global_step_tensor))
