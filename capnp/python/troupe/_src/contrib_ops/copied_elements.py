"""Copies of variables and of operations in other graphs."""

from __future__ import annotations

from typing import Any, List, Sequence

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import Graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.graph_defs.importer import import_graph_def
from troupe._src.messages.graph_messages import GraphDef
from troupe._src.session.session import Session
from troupe._src.set_module import set_module
from troupe._src.variables.variable import Variable

_MODULE = "troupe.contrib.copy_graph"
_KEPT = (GraphKeys.GLOBAL_VARIABLES, GraphKeys.TRAINABLE_VARIABLES)


def _new_name(name: str, scope: str) -> str:
    return f"{scope}/{name}" if scope else name


def _collections_of(element: Any, scope: str, kept: Sequence[str] = ()) -> List[str]:
    """The names of the collections of a copy."""
    graph = element.graph
    return [
        name if name in kept else _new_name(name, scope)
        for name in graph.get_all_collection_keys()
        if any(element is each for each in graph.get_collection(name))
    ]


@set_module(_MODULE)
def copy_variable_to_graph(org_instance: Variable, to_graph: Graph, scope: str = "") -> Variable:
    """A variable of another graph, whose initial value is that of a new session.

    Args:
        org_instance: The variable.
        to_graph: The other graph.
        scope: A prefix of the name of the copy, and of its collections but for those of all and of
            trainable variables.

    Returns:
        The copy.

    Raises:
        TypeError: It is no variable.
    """
    if not isinstance(org_instance, Variable):
        raise TypeError(f"{org_instance} is not a Variable")
    graph = org_instance.graph
    with graph.as_default(), Session() as session:
        initial = session.run(org_instance.initialized_value())
    trainable = graph.get_collection(GraphKeys.TRAINABLE_VARIABLES)
    with to_graph.as_default():
        return Variable(
            initial,
            trainable=any(org_instance is each for each in trainable),
            name=_new_name(org_instance.op.name, scope),
            collections=_collections_of(org_instance, scope, _KEPT),
            validate_shape=False,
        )


@set_module(_MODULE)
def copy_op_to_graph(
    org_instance: Any, to_graph: Graph, variables: Sequence[Variable], scope: str = ""
) -> Any:
    """An operation or a tensor of another graph, with all that it depends on.

    What has the name of a copy there is taken for the copy.

    Args:
        org_instance: The operation or the tensor.
        to_graph: The other graph.
        variables: The copies of the variables that it depends on.
        scope: A prefix of the names of the copies.

    Returns:
        The copy.

    Raises:
        TypeError: It is neither.
    """
    if not isinstance(org_instance, (Operation, Tensor)):
        raise TypeError(f"Could not copy instance: {org_instance}")
    name = _new_name(org_instance.name, scope)
    for variable in variables:
        if variable.name == name:
            return to_graph.get_tensor_by_name(name)
    try:
        return to_graph.as_graph_element(name, allow_tensor=True, allow_operation=True)
    except (KeyError, ValueError):
        pass
    if isinstance(org_instance, Tensor):
        op = copy_op_to_graph(org_instance.op, to_graph, variables, scope)
        copied = op.outputs[org_instance.value_index]
        for key in _collections_of(org_instance, scope):
            to_graph.add_to_collection(key, copied)
        return copied
    return _copied(org_instance, to_graph, variables, scope, name)


def _copied(
    op: Operation, to_graph: Graph, variables: Sequence[Variable], scope: str, name: str
) -> Operation:
    controls = [copy_op_to_graph(each, to_graph, variables, scope) for each in op.control_inputs]
    inputs = [copy_op_to_graph(each, to_graph, variables, scope) for each in op.inputs]
    message = GraphDef()
    node = message.node.add()
    node.CopyFrom(op.node_def)
    node.name = name
    targets = {}
    del node.input[:]
    for number, tensor in enumerate(inputs):
        targets[f"input_{number}:0"] = tensor
        node.input.append(f"input_{number}")
    if any(value.WhichOneof("value") == "func" for value in node.attr.values()):
        message.library.CopyFrom(op.graph.as_graph_def().library)
    with to_graph.as_default(), to_graph.control_dependencies(controls):
        import_graph_def(message, targets, name="")
    return to_graph.get_operation_by_name(name)


@set_module(_MODULE)
def get_copied_op(org_instance: Any, graph: Graph, scope: str = "") -> Any:
    """The copy of an operation or a tensor.

    Args:
        org_instance: The operation or the tensor.
        graph: The graph of the copy.
        scope: The prefix of the names of copies.

    Returns:
        The copy.

    Raises:
        KeyError: There is none.
    """
    name = _new_name(org_instance.name, scope)
    return graph.as_graph_element(name, allow_tensor=True, allow_operation=True)
