"""What is known of a function of a graph, and calls of it."""

from __future__ import annotations

import uuid
from typing import Any, Callable, List, Optional, Sequence, Tuple

from troupe import _native
from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.function_graph import FunctionGraph
from troupe._src.graph.gradient_functions import register_function_gradient
from troupe._src.graph.graph import Graph, get_default_graph
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DType

GRADIENT_ATTR = "_gradient_op_type"


def unique_function_name(base: str) -> str:
    """A name for a function that no other function of any program has."""
    legal = "".join(c if c.isalnum() or c in "_." else "_" for c in base)
    return f"{legal.lstrip('_') or 'function'}_{uuid.uuid4().hex[:11]}"


class FunctionDefinition:
    """A traced function. Graphs get it when they first call it."""

    def __init__(
        self, name: str, body: FunctionGraph, results: Sequence[Tensor],
        result_names: Optional[Sequence[str]] = None,
    ) -> None:  # fmt: skip
        """A definition.

        Args:
            name: Its name in all graphs.
            body: Its traced body.
            results: Tensors of the body.
            result_names: Their names; numbered without.
        """
        self.name = name
        self.body = body
        self.results = list(results)
        names = result_names or [f"result{i}" for i in range(len(self.results))]
        self._named = [(str(key), tensor._value()) for key, tensor in zip(names, self.results)]

    @property
    def captured_inputs(self) -> List[Tensor]:
        """The tensors of the graph around the function that calls give it besides their own."""
        return self.body.captured

    @property
    def input_dtypes(self) -> List[DType]:
        return [tensor.dtype for tensor in self.body.inputs]

    @property
    def result_dtypes(self) -> List[DType]:
        return [tensor.dtype for tensor in self.results]

    def add_to_graph(self, graph: Graph) -> None:
        """Adds it, and the functions that it calls, to a graph that does not have it."""
        with graph._lock:
            if not _native.has_function(graph._root, self.name):
                graph._check_not_finalized()
                _native.add_function(graph._root, self.name, self.body._root, self._named)

    def call(
        self, inputs: Sequence[Any], name: str, attrs: Optional[Any] = None,
        gradient: Optional[Callable[..., Any]] = None,
    ) -> Operation:  # fmt: skip
        """Adds a call to the default graph.

        Args:
            inputs: Values of all arguments, also the captured ones.
            name: The name of the node.
            attrs: Further attributes of it.
            gradient: What `tf.gradients` calls instead of differentiating the body.
        """
        graph = get_default_graph()
        self.add_to_graph(graph)
        given = dict(attrs or {})
        given.update(f=self.name, Tout=[dtype.as_datatype_enum for dtype in self.result_dtypes])
        if gradient is not None:
            given[GRADIENT_ATTR] = register_function_gradient(self.name, gradient)
        is_stateful = _native.is_stateful_function(graph._root, self.name)
        op = "StatefulPartitionedCall" if is_stateful else "PartitionedCall"
        return graph._add(op, _converted(inputs, self.input_dtypes, self.name), given, name)


def _converted(values: Sequence[Any], wanted: Sequence[DType], name: str) -> List[Tensor]:
    if len(values) != len(wanted):
        raise ValueError(
            f"Expected number of arguments: {len(wanted)}, received: {len(values)} by {name}"
        )
    return [
        value if dtype is dtypes.resource else convert_to_tensor(value, dtype)
        for value, dtype in zip(values, wanted)
    ]


def definition_of(function: Any) -> FunctionDefinition:
    """That of a function that an op is given; TypeError for something else."""
    found = getattr(function, "_definition", None)
    if not isinstance(found, FunctionDefinition):
        raise TypeError(f"{function!r} is no function of a graph: tf.function or Defun make them")
    return found


def trace(
    body: FunctionGraph, function: Callable[..., Any], args: Tuple[Any, ...]
) -> Any:
    """Calls a function of Python that adds the nodes of a body; returns its result."""
    with body.as_default():
        return function(*args)
