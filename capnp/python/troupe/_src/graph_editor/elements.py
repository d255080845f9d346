"""Lists of operations and tensors of one graph."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import Graph
from troupe._src.graph_editor.trees import is_iterable


def check_graphs(*args: Any) -> None:
    """Checks that values are of one graph; those whose graph is None are of any.

    Args:
        *args: Values with an attribute `graph`.

    Raises:
        ValueError: They are of several graphs.
    """
    graph = None
    for index, each in enumerate(args):
        if graph is None:
            graph = each.graph
        elif each.graph is not None and each.graph is not graph:
            raise ValueError(f"Argument[{index}]: Wrong graph!")


def get_unique_graph(tops: Any, check_types: Any = None, none_if_empty: bool = False) -> Any:
    """The graph of operations and tensors.

    Args:
        tops: Operations and tensors, or a graph.
        check_types: The class that they must have, or a tuple of such classes.
        none_if_empty: Whether there is no graph, instead of an error, where there are none.

    Returns:
        The graph, or None.

    Raises:
        TypeError: They are something else.
        ValueError: There are none, or they are of several graphs.
    """
    if isinstance(tops, Graph):
        return tops
    if not is_iterable(tops):
        raise TypeError(f"{type(tops)} is not iterable")
    kinds = (Operation, Tensor) if check_types is None else check_types
    kinds = tuple(kinds) if is_iterable(kinds) else (kinds,)
    graph: Optional[Graph] = None
    for each in tops:
        if not isinstance(each, kinds):
            names = ", ".join(str(kind) for kind in kinds)
            raise TypeError(f"Expected a type in ({names}), got: {type(each)}")
        if graph is None:
            graph = each.graph
        elif graph is not each.graph:
            raise ValueError(f"Operation {each} does not belong to given graph")
    if graph is None and not none_if_empty:
        raise ValueError("Can't find the unique graph of an empty list")
    return graph


def make_list_of_op(
    ops: Any, check_graph: bool = True, allow_graph: bool = True, ignore_ts: bool = False
) -> List[Operation]:
    """A list of operations.

    Args:
        ops: Operations, one operation, or a graph for all that it has.
        check_graph: Whether they must be of one graph.
        allow_graph: Whether a graph may be given.
        ignore_ts: Whether tensors among them are left out, and not an error.

    Returns:
        The list, which is a new one.

    Raises:
        TypeError: Something else is among them.
        ValueError: They are of several graphs.
    """
    return _listed(ops, check_graph, allow_graph, ignore_ts, Operation)


def make_list_of_t(
    ts: Any, check_graph: bool = True, allow_graph: bool = True, ignore_ops: bool = False
) -> List[Tensor]:
    """A list of tensors.

    Args:
        ts: Tensors, one tensor, or a graph for all that it has.
        check_graph: Whether they must be of one graph.
        allow_graph: Whether a graph may be given.
        ignore_ops: Whether operations among them are left out, and not an error.

    Returns:
        The list, which is a new one.

    Raises:
        TypeError: Something else is among them.
        ValueError: They are of several graphs.
    """
    return _listed(ts, check_graph, allow_graph, ignore_ops, Tensor)


def _listed(given: Any, checks: bool, allows_graph: bool, ignores: bool, kind: Any) -> List[Any]:
    if isinstance(given, Graph):
        if not allows_graph:
            raise TypeError("allow_graph is False: cannot convert a tf.Graph.")
        return get_tensors(given) if kind is Tensor else given.get_operations()
    values = list(given) if is_iterable(given) else [given]
    if values and checks:
        get_unique_graph(values, check_types=None if ignores else kind)
    return [value for value in values if isinstance(value, kind)]


def get_tensors(graph: Graph) -> List[Tensor]:
    """All tensors of a graph.

    Args:
        graph: The graph.

    Returns:
        The outputs of its operations, in order.

    Raises:
        TypeError: It is no graph.
    """
    if not isinstance(graph, Graph):
        raise TypeError(f"Expected a graph, got: {type(graph)}")
    return [tensor for op in graph.get_operations() for tensor in op.outputs]


def get_generating_ops(ts: Any) -> List[Operation]:
    """The operations that compute tensors.

    Args:
        ts: The tensors.

    Returns:
        One operation for each.

    Raises:
        TypeError: They are no tensors.
    """
    return [tensor.op for tensor in make_list_of_t(ts, allow_graph=False)]


def get_consuming_ops(ts: Any) -> List[Operation]:
    """The operations that take tensors.

    Args:
        ts: The tensors.

    Returns:
        The operations, each once.

    Raises:
        TypeError: They are no tensors.
    """
    tensors = make_list_of_t(ts, allow_graph=False)
    return list(dict.fromkeys(op for tensor in tensors for op in tensor.consumers()))


class ControlOutputs:
    """The operations that have each one of a graph as a control input."""

    def __init__(self, graph: Graph) -> None:
        """Finds those of a graph.

        Args:
            graph: The graph.

        Raises:
            TypeError: It is no graph.
        """
        if not isinstance(graph, Graph):
            raise TypeError(f"Expected a tf.Graph, got: {type(graph)}")
        self._graph = graph
        self._control_outputs: Dict[Operation, List[Operation]] = {}
        self._version: Any = None
        self.update()

    def update(self) -> ControlOutputs:
        """Finds them again if the graph has changed.

        Returns:
            This object.
        """
        version = (self._graph.version, self._graph._edit_count)
        if version != self._version:
            self._version = version
            self._control_outputs.clear()
            for op in self._graph.get_operations():
                for before in dict.fromkeys(op.control_inputs):
                    self._control_outputs.setdefault(before, []).append(op)
        return self

    def get_all(self) -> Dict[Operation, List[Operation]]:
        """All of them.

        Returns:
            The operations that wait for one, by that one; only for those for which some wait.
        """
        return self._control_outputs

    def get(self, op: Operation) -> Sequence[Operation]:
        """The operations that have one as a control input.

        Args:
            op: That one.

        Returns:
            The operations.
        """
        return self._control_outputs.get(op, ())

    @property
    def graph(self) -> Graph:
        """The graph."""
        return self._graph
