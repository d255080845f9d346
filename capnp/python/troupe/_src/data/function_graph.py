"""Functions of Python as functions of a graph, which datasets call with each element."""

from __future__ import annotations

import itertools
import re
from typing import Any, Callable, Dict, List, Optional, Sequence

from troupe import _native
from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import Graph, get_default_graph
from troupe._src.graph.thread_scopes import ThreadScopes
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DType
from troupe._src.types.shapes import TensorShape

_numbers = itertools.count()


class FunctionGraph(Graph):
    """The body of a function. A tensor of the graph around it becomes one more argument."""

    _is_function = True

    def __init__(self, outer: Graph) -> None:
        super().__init__()
        self.outer_graph = outer
        self._native_root = _native.begin_function(outer._root)
        self._thread_scopes = ThreadScopes(self)
        self.seed = outer.seed
        self._state = outer._state  # the variables that get_variable gives, too
        self._argument_count = 0
        self.captures: Dict[Tensor, Tensor] = {}  # arguments by tensors of the outer graph

    def add_argument(self, name: str, dtype: DType, shape: TensorShape) -> Tensor:
        """One more argument, behind those that it has."""
        sizes = None if shape.rank is None else shape.as_list()
        value = _native.add_argument(
            self._root, name, self._argument_count, dtype.as_datatype_enum, sizes
        )
        self._argument_count += 1
        argument = self._of_value(value)
        assert isinstance(argument, Tensor)
        return argument

    def _add(
        self,
        op_type: str,
        inputs: Sequence[Tensor],
        attrs: Dict[str, Any],
        name: Optional[str] = None,
    ) -> Operation:
        return super()._add(op_type, [self.capture(tensor) for tensor in inputs], attrs, name)

    def _adopt(self, tensor: Tensor, user: str = "function") -> Tensor:
        return self.capture(tensor)

    def capture(self, tensor: Tensor) -> Tensor:
        """The argument that stands for a tensor of a graph around this one."""
        if tensor.graph is self:
            return tensor
        if tensor.graph is not self.outer_graph and isinstance(self.outer_graph, FunctionGraph):
            tensor = self.outer_graph.capture(tensor)
        if tensor.graph is not self.outer_graph:
            raise ValueError(f"{tensor!r} is of another graph than the function that uses it.")
        if tensor not in self.captures:
            name = f"captured_{len(self.captures)}"
            shape = tensor.shape
            if tensor.dtype is dtypes.resource:  # of its variable
                shape = TensorShape(tensor.op._attr("shape"))
            self.captures[tensor] = self.add_argument(name, tensor.dtype, shape)
        return self.captures[tensor]


class TracedFunction:
    """A function of the default graph, made by calling one of Python with its arguments."""

    def __init__(
        self,
        what: str,
        types: Sequence[DType],
        shapes: Sequence[TensorShape],
        body: Callable[[List[Tensor]], List[Tensor]],
    ) -> None:
        """`body` gets the arguments, and returns the results."""
        outer = get_default_graph()
        inner = FunctionGraph(outer)
        with inner.as_default():
            arguments = [
                inner.add_argument(f"arg{index}", dtype, shape)
                for index, (dtype, shape) in enumerate(zip(types, shapes))
            ]
            self.results = [inner.capture(result) for result in body(arguments)]
        self.name = re.sub(r"[^A-Za-z0-9_.-]", "", f"Dataset_{what}_{next(_numbers)}")
        _native.end_function(
            outer._root, self.name, inner._root, [result._value() for result in self.results]
        )
        self.captured: List[Tensor] = list(inner.captures)
