"""Initial values of variables, as tensors."""

from __future__ import annotations

from typing import Any, Dict, Optional, Sequence, Set

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import Graph, get_default_graph
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types.dtypes import DTypeLike


def initial_value_of(value: Any, dtype: Optional[DTypeLike], name: str) -> Tensor:
    """The tensor of what a program gave for a variable of that name."""
    graph = get_default_graph()
    with graph.name_scope(name.rstrip("/") + "/Initializer" if callable(value) else None):
        if callable(value):
            return _outside(graph, convert_to_tensor(value(), dtype))
    initial = convert_to_tensor(value, dtype, name=f"{name.rstrip('/')}/initial_value")
    return _outside(graph, initial)


def _outside(graph: Graph, initial: Tensor) -> Tensor:
    """The value, unless it is one of a function that is called in the graph."""
    if initial.graph is graph or not initial.graph._is_function:
        return initial
    raise ValueError(
        "Tensor-typed variable initializers must either be wrapped in an init_scope or "
        f"callable in a function (e.g., `tf.Variable(lambda : ...)`): {initial}"
    )


def guarded(initial: Tensor) -> Tensor:
    """The value with what variables will have, where it reads ones that have no value yet.

    So that one step can initialize all variables, in any order. What is computed of such reads is
    computed once more, of the initial values; loops stay as they are.
    """
    guard = _Guard(initial.graph)
    return guard.tensor(initial) if guard.can_copy(initial._op) else initial


class _Guard:
    """Copies the nodes between reads of variables and a tensor."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._copies: Dict[Operation, Any] = {}

    def can_copy(self, end: Operation) -> bool:
        """Whether it depends on such a read, and on no loop."""
        seen: Set[Operation] = set()
        found, todo = False, [end]
        while todo:
            op = todo.pop()
            if op in seen:
                continue
            seen.add(op)
            if op.type == "Enter":
                return False
            found = found or self._read_variable(op) is not None
            todo.extend(tensor._op for tensor in op.inputs)
        return found

    def tensor(self, tensor: Tensor) -> Tensor:
        """What stands for a tensor, or itself."""
        todo = [tensor._op]
        while todo:
            op = todo[-1]
            missing = [each._op for each in self._inputs(op) if each._op not in self._copies]
            if op not in self._copies and missing:
                todo.extend(missing)
                continue
            if op not in self._copies:
                self._copies[op] = self._copied(op)
            todo.pop()
        return self._copy(tensor)

    def _copy(self, tensor: Tensor) -> Tensor:
        copy: Tensor = self._copies[tensor._op][tensor.value_index]
        return copy

    def _inputs(self, op: Operation) -> Sequence[Tensor]:
        """What it is computed of; not the variable that it reads."""
        return op.inputs if self._read_variable(op) is None else ()

    def _read_variable(self, op: Operation) -> Any:
        """The variable that it reads, where that has an initial value."""
        if op.type != "ReadVariableOp" or op.inputs[0].op.type != "VarHandleOp":
            return None
        variable = self._graph._variables.get(op.inputs[0].op._variable_name or "")
        return None if variable is None or variable._initial is None else variable

    def _copied(self, op: Operation) -> Any:
        variable = self._read_variable(op)
        if variable is not None:
            return [variable.initialized_value()]
        inputs = [self._copy(tensor) for tensor in op.inputs]
        if all(copy is tensor for copy, tensor in zip(inputs, op.inputs)):
            return op.outputs
        attrs = self._graph._root.node_attrs(op._id)
        kept = {name: value for name, value in attrs.items() if not name.startswith("_")}
        return self._graph._add(op.type, inputs, kept, f"{op.name}_initial").outputs
