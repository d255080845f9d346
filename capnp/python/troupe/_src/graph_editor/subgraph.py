"""Views of parts of a graph: operations, and which tensors count as inputs and outputs."""

from __future__ import annotations

import copy
from typing import Any, Iterable, List, Optional, Sequence

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import Graph
from troupe._src.graph_editor.elements import get_unique_graph, make_list_of_op, make_list_of_t
from troupe._src.graph_editor.select import (
    compute_boundary_ts, get_name_scope_ops, select_ops_and_ts,
)  # fmt: skip
from troupe._src.graph_editor.trees import ListView, concatenate_unique
from troupe._src.graph_editor.walks import get_walks_union_ops


class SubGraphView:
    """Some operations of a graph, as a function from some of its tensors to others.

    At first the inputs are what the operations take of others, and the outputs what others or none
    take of them. A tensor that they neither take nor compute may pass through: it is both. A view
    changes nothing, and does not follow changes of the graph but those by functions that are given
    the view.

    Args:
        inside_ops: The operations.
        passthrough_ts: Tensors that pass through; those that the operations have are left out.

    Raises:
        TypeError: There are other things than operations or tensors.
        ValueError: They are of several graphs.
    """

    def __init__(self, inside_ops: Any = (), passthrough_ts: Any = ()) -> None:
        ops, passing = make_list_of_op(inside_ops), make_list_of_t(passthrough_ts)
        self._graph: Optional[Graph] = get_unique_graph([*ops, *passing], none_if_empty=True)
        self._ops: List[Operation] = ops
        inputs, outputs, inside = compute_boundary_ts(ops)
        own = {*inputs, *outputs, *inside}
        self._passthrough_ts: List[Tensor] = [each for each in passing if each not in own]
        self._input_ts: List[Tensor] = inputs + self._passthrough_ts
        self._output_ts: List[Tensor] = outputs + self._passthrough_ts

    def __copy__(self) -> SubGraphView:
        copied = type(self).__new__(type(self))
        for name, value in vars(self).items():
            setattr(copied, name, value if name == "_graph" else list(value))
        return copied

    def copy(self) -> SubGraphView:
        """Another view of the same part.

        Returns:
            The view.
        """
        return copy.copy(self)

    def _assign_from(self, other: SubGraphView) -> None:
        vars(self).update(vars(copy.copy(other)))

    def remap_default(
        self, remove_input_map: bool = True, remove_output_map: bool = True
    ) -> SubGraphView:
        """A view with the inputs and outputs that there are at first.

        Args:
            remove_input_map: Whether that is so for inputs.
            remove_output_map: Whether that is so for outputs.

        Returns:
            The view.
        """
        made = self.copy()
        inputs, outputs, _ = compute_boundary_ts(self._ops)
        if remove_input_map:
            made._input_ts = inputs + self._passthrough_ts
        if remove_output_map:
            made._output_ts = outputs + self._passthrough_ts
        return made

    def remap_inputs(self, new_input_indices: Iterable[Any]) -> SubGraphView:
        """A view with other inputs.

        Args:
            new_input_indices: Some of its inputs, by number or as tensors, each at most once.

        Returns:
            The view.

        Raises:
            ValueError: One is none of its inputs, or is there twice.
        """
        return self.remap(new_input_indices, None)

    def remap_outputs(self, new_output_indices: Iterable[Any]) -> SubGraphView:
        """A view with other outputs.

        Args:
            new_output_indices: Some of its outputs, by number or as tensors, as often as wanted.

        Returns:
            The view.

        Raises:
            ValueError: One is none of its outputs.
        """
        return self.remap(None, new_output_indices)

    def remap(
        self,
        new_input_indices: Optional[Iterable[Any]] = None,
        new_output_indices: Optional[Iterable[Any]] = None,
    ) -> SubGraphView:
        """A view with other inputs and outputs.

        Args:
            new_input_indices: As of `remap_inputs`; None for the same.
            new_output_indices: As of `remap_outputs`; None for the same.

        Returns:
            The view.

        Raises:
            ValueError: One is none of its inputs or outputs, or an input is there twice.
        """
        made = self.copy()
        if new_input_indices is not None:
            made._input_ts = _mapped(self._input_ts, new_input_indices)
            if len(set(made._input_ts)) < len(made._input_ts):
                raise ValueError(f"Found repetition in mapping: {new_input_indices}")
        if new_output_indices is not None:
            made._output_ts = _mapped(self._output_ts, new_output_indices)
        return made

    def remap_outputs_make_unique(self) -> SubGraphView:
        """A view that has each output once.

        Returns:
            The view.
        """
        made = self.copy()
        made._output_ts = list(dict.fromkeys(self._output_ts))
        return made

    def remap_outputs_to_consumers(self) -> SubGraphView:
        """A view that has each output as often as there are operations that take it.

        Returns:
            The view.
        """
        made = self.remap_outputs_make_unique()
        made._output_ts = [each for each in made._output_ts for _ in each.consumers()]
        return made

    def remove_unused_ops(self, control_inputs: bool = True) -> SubGraphView:
        """A view of those operations that depend on its inputs, or that its outputs depend on.

        Args:
            control_inputs: Whether the outputs depend on what runs before them, too.

        Returns:
            The view.
        """
        used = get_walks_union_ops(
            self.connected_inputs, self.connected_outputs, within_ops=self._ops,
            control_inputs=control_inputs,
        )  # fmt: skip
        made = self.copy()
        made._ops = [op for op in self._ops if op in set(used)]
        return made

    def find_op_by_name(self, op_name: str) -> Operation:
        """The operation of that name.

        Args:
            op_name: The name.

        Returns:
            The operation.

        Raises:
            ValueError: It has none.
        """
        for op in self._ops:
            if op.name == op_name:
                return op
        raise ValueError(f"{op_name} not in subgraph.")

    def __str__(self) -> str:
        if not self:
            return "SubGraphView: empty"
        lines = [f"SubGraphView (graphid={id(self._graph)}):"]
        for name, elements in (
            ("ops", self._ops), ("inputs", self._input_ts), ("outputs", self._output_ts),
        ):  # fmt: skip
            lines.append(f"** {name}[{len(elements)}]:" if elements else f"** {name}: empty")
            for each in elements:
                mark = " *" if each in self._passthrough_ts else ""
                lines.append(f"  {each.name}{mark}")
        return "\n".join(lines) + "\n"

    @property
    def graph(self) -> Optional[Graph]:
        """The graph; None of a view of nothing."""
        return self._graph

    @property
    def ops(self) -> List[Operation]:
        """Its operations."""
        return self._ops

    @property
    def inputs(self) -> ListView:
        """Its inputs."""
        return ListView(self._input_ts)

    @property
    def connected_inputs(self) -> List[Tensor]:
        """Its inputs without those that pass through."""
        return [each for each in self._input_ts if each not in self._passthrough_ts]

    @property
    def outputs(self) -> ListView:
        """Its outputs."""
        return ListView(self._output_ts)

    @property
    def connected_outputs(self) -> List[Tensor]:
        """Its outputs without those that pass through."""
        return [each for each in self._output_ts if each not in self._passthrough_ts]

    @property
    def passthroughs(self) -> ListView:
        """The tensors that pass through."""
        return ListView(self._passthrough_ts)

    def __bool__(self) -> bool:
        return self._graph is not None

    def op(self, op_id: int) -> Operation:
        """One of its operations.

        Args:
            op_id: The number of it.

        Returns:
            The operation.
        """
        return self._ops[op_id]

    def is_passthrough(self, t: Tensor) -> bool:
        """Whether a tensor passes through.

        Args:
            t: The tensor.

        Returns:
            The answer.
        """
        return t in self._passthrough_ts

    def __enter__(self) -> SubGraphView:
        return self

    def __exit__(self, *_: Any) -> None:
        pass

    def input_index(self, t: Tensor) -> int:
        """The number of an input.

        Args:
            t: The input.

        Returns:
            The number.

        Raises:
            ValueError: It is none.
        """
        return _index(self._input_ts, t, "inputs")

    def output_index(self, t: Tensor) -> int:
        """The number of an output.

        Args:
            t: The output.

        Returns:
            The number.

        Raises:
            ValueError: It is none.
        """
        return _index(self._output_ts, t, "outputs")

    def consumers(self) -> List[Operation]:
        """The other operations that take its outputs.

        Returns:
            The operations, each once.
        """
        found: List[Operation] = []
        for output in self._output_ts:
            concatenate_unique(found, [op for op in output.consumers() if op not in self._ops])
        return found


def _index(tensors: Sequence[Tensor], tensor: Tensor, what: str) -> int:
    if tensor not in tensors:
        raise ValueError(f"Can't find {tensor.name} in {what} of subgraph.")
    return tensors.index(tensor)


def _mapped(tensors: List[Tensor], chosen: Iterable[Any]) -> List[Tensor]:
    places = [each if isinstance(each, int) else _index(tensors, each, "it") for each in chosen]
    for place in places:
        if not 0 <= place < len(tensors):
            raise ValueError(f"Out of [0, {len(tensors)}[ range: {place}")
    return [tensors[place] for place in places]


def make_view(*args: Any, **kwargs: Any) -> SubGraphView:
    """A view of operations, with tensors that may pass through.

    Args:
        *args: As of `select_ops_and_ts`; or one view, which is the result.
        **kwargs: As of `select_ops_and_ts`.

    Returns:
        The view.

    Raises:
        TypeError: The graph is none, or there are other things than operations and tensors.
        ValueError: There is another keyword, or what is given is of another graph.
    """
    if len(args) == 1 and isinstance(args[0], SubGraphView):
        view = args[0]
    else:
        view = SubGraphView(*select_ops_and_ts(*args, **kwargs))
    graph = kwargs.get("graph")
    if graph is not None and not isinstance(graph, Graph):
        raise TypeError(f"Expected a tf.Graph, got: {type(graph)}")
    if graph is not None and view and view.graph is not graph:
        raise ValueError("Graph mismatch.")
    return view


def make_view_from_scope(scope: str, graph: Graph) -> SubGraphView:
    """A view of a name scope.

    Args:
        scope: The scope.
        graph: The graph.

    Returns:
        The view.
    """
    return SubGraphView(get_name_scope_ops(graph, scope))
