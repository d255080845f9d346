"""Bodies of functions, while they are traced."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Set

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import Graph
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DType
from troupe._src.types.shapes import TensorShape


class FunctionGraph(Graph):
    """The body of a function as a graph of its own, whose `inputs` are the arguments.

    A tensor of the graph around it that a node uses becomes a further argument: `captures` has
    them, each with the argument that stands for it.
    """

    _is_function = True
    may_make_variables = True

    def __init__(self, outer_graph: Graph, orders_effects: bool = False) -> None:
        """An empty body.

        Args:
            outer_graph: The graph around it, whose tensors and variables it may use.
            orders_effects: Whether nodes that take the same resource run in the order in which they
                are added, with those of branches and loops in their places.
        """
        super().__init__()
        self.outer_graph = outer_graph
        self.inputs: List[Tensor] = []
        self.captures: Dict[Tensor, Tensor] = {}
        self.seed = outer_graph.seed
        self._state = outer_graph._state
        self.orders_effects = orders_effects
        # By the branch or loop that nodes are in: the last one that takes a resource, and what the
        # first one waits for.
        self._last_uses: Dict[int, Dict[Tensor, Operation]] = {}
        self._starts: Dict[int, Operation] = {}
        self._ended: Set[Tensor] = set()  # the resources of branches or loops that have ended

    def add_argument(self, dtype: DType, shape: TensorShape, name: str) -> Tensor:
        """A further argument; of a resource, `shape` is that of its variable."""
        known = None if shape.rank is None else shape.as_list()
        attrs = {"T": dtype.as_datatype_enum, "index": len(self.inputs), "shape": known}
        with self._changed(builder=self._root, controls=(), context=-1, devices=()):
            argument = super()._add("_Arg", [], attrs, name).outputs[0]
        self.inputs.append(argument)
        return argument

    @property
    def captured(self) -> List[Tensor]:
        """The tensors of the graph around it that it uses, in the order of their arguments."""
        return list(self.captures)

    def _adopt(self, tensor: Tensor, user: str = "function") -> Tensor:
        if tensor.graph is self:
            return tensor
        outside = self.outer_graph._adopt(tensor, user)
        if outside not in self.captures:
            shape = outside.shape
            if outside.dtype is dtypes.resource:
                shape = TensorShape(outside.op._attr("shape"))
            self.captures[outside] = self.add_argument(outside.dtype, shape, "captured")
        return self.captures[outside]

    def _add(
        self,
        op_type: str,
        inputs: Sequence[Tensor],
        attrs: Dict[str, Any],
        name: Optional[str] = None,
    ) -> Operation:
        inputs = [self._adopt(tensor, op_type) for tensor in inputs]
        if not self.orders_effects:
            return super()._add(op_type, inputs, attrs, name)
        resources = [tensor for tensor in inputs if tensor.dtype is dtypes.resource]
        uses = self._last_uses.setdefault(self._scopes.context, {})
        start = self._starts.get(self._scopes.context)
        before = [uses.get(tensor, start) for tensor in resources]
        with self.control_dependencies([op for op in before if op is not None]):
            added = super()._add(op_type, inputs, attrs, name)
        uses.update(dict.fromkeys(resources, added))
        return added

    def effects_here(self) -> List[Operation]:
        """What all effects of the current branch or loop so far come before."""
        context = self._scopes.context
        start = self._starts.get(context)
        uses = list(dict.fromkeys(self._last_uses.get(context, {}).values()))
        return uses or ([] if start is None else [start])

    def begin_effects(self, start: Operation) -> None:
        """Lets the effects of the current branch or loop wait for a node of it."""
        self._starts[self._scopes.context] = start

    def end_effects(self) -> List[Operation]:
        """The last effects of the current branch or loop, in which there are no more."""
        uses = self._last_uses.pop(self._scopes.context, {})
        self._ended |= set(uses)
        return list(dict.fromkeys(uses.values()))

    def after_effects(self, op: Operation) -> None:
        """Lets effects around what has ended wait for a node, as for its own."""
        uses = self._last_uses.setdefault(self._scopes.context, {})
        uses.update(dict.fromkeys(self._ended, op))
        self._ended = set()
