"""Makes of a part of a graph another one, in the same graph or in another."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Tuple

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import Graph
from troupe._src.graph_editor import handlers
from troupe._src.graph_editor.handlers import TransformInfo, add_nodes
from troupe._src.graph_editor.names import make_placeholder_from_tensor, scope_finalize
from troupe._src.graph_editor.subgraph import SubGraphView, make_view
from troupe._src.graph_editor.trees import transform_tree

_MERGES = ("Merge", "RefMerge")


class TransformerInfo:
    """What has become of each operation and tensor."""

    def __init__(self, info: TransformInfo) -> None:
        """The result of a transformation.

        Args:
            info: The transformation.
        """
        self._graph, self._scope = info.graph, info.scope
        self._graph_, self._scope_ = info.graph_, info.scope_
        self._transformed_ops = info.transformed_ops
        self._transformed_ts = info.transformed_ts

    def transformed(self, original: Any, missing_fn: Optional[Callable[[Any], Any]] = None) -> Any:
        """What operations and tensors have become.

        Args:
            original: Operations and tensors, nested.
            missing_fn: Gives the result for one that was not transformed, by default None.

        Returns:
            The results, nested as those.

        Raises:
            TypeError: There are other things.
        """
        return transform_tree(original, lambda each: self._find(each, False, missing_fn))

    def original(self, transformed: Any, missing_fn: Optional[Callable[[Any], Any]] = None) -> Any:
        """What operations and tensors were made of.

        Args:
            transformed: Operations and tensors, nested.
            missing_fn: Gives the result for one that was not made, by default None.

        Returns:
            The originals, nested as those.

        Raises:
            TypeError: There are other things.
        """
        return transform_tree(transformed, lambda each: self._find(each, True, missing_fn))

    def _find(self, element: Any, is_result: bool, missing_fn: Any) -> Any:
        if not isinstance(element, (Operation, Tensor)):
            raise TypeError(f"Expected a tf.Tensor or a tf.Operation, got a {type(element)}")
        known: Dict[Any, Any] = self._transformed_ts
        if isinstance(element, Operation):
            known = self._transformed_ops
        if is_result:
            known = {made: original for original, made in reversed(list(known.items()))}
        if element in known:
            return known[element]
        return None if missing_fn is None else missing_fn(element)

    def __str__(self) -> str:
        lines = ["Transform result info:"]
        if self._graph is self._graph_:
            place = "" if self._scope_ else " IN-PLACE"
            lines.append(f"  Within graph[{id(self._graph)}]{place}")
        else:
            lines.append(f"  graph[{id(self._graph)}] => graph[{id(self._graph_)}]")
        if self._scope:
            lines.append(f"  Relative to source scope: {self._scope}")
        if self._scope_:
            lines.append(f"  Scope destination: {self._scope_}")
        lines.append("Operations mapping:")
        lines += [f"  {op.name} => {made.name}" for op, made in self._transformed_ops.items()]
        return "\n".join(lines) + "\n"


class Transformer:
    """Transforms parts of graphs with handlers, which a program may replace by its own.

    `transform_op_handler(info, op, new_inputs)` gives an operation and its outputs for one;
    `transform_control_input_handler(info, op)` and `transform_original_op_handler(info, op)` the
    operation, or None, that stands for one that another waits for or was made of;
    `assign_collections_handler(info, elem, elem_)` puts results into collections;
    `transform_external_input_handler(info, t)` gives a tensor for an input of the part, and
    `transform_external_hidden_input_handler(info, t)` one for what it takes and that is no input.
    """

    def __init__(self) -> None:
        """One that copies, and puts placeholders in place of inputs."""
        self.transform_op_handler: Any = handlers.copy_op_handler
        self.transform_control_input_handler: Any = handlers.transform_op_if_inside_handler
        self.assign_collections_handler: Any = handlers.assign_renamed_collections_handler
        self.transform_external_input_handler: Any = handlers.replace_t_with_placeholder_handler
        self.transform_external_hidden_input_handler: Any = handlers.keep_t_if_possible_handler
        self.transform_original_op_handler: Any = handlers.transform_op_if_inside_handler

    def __call__(
        self,
        sgv: Any,
        dst_graph: Graph,
        dst_scope: str,
        src_scope: str = "",
        reuse_dst_scope: bool = False,
    ) -> Tuple[SubGraphView, TransformerInfo]:
        """Transforms a part of a graph.

        Args:
            sgv: A view, or what `make_view` makes one of.
            dst_graph: The graph that gets the result.
            dst_scope: What the names of the result have in front.
            src_scope: What the names of the part have in front.
            reuse_dst_scope: Whether the scope may be one that there is; by default it is made
                unique.

        Returns:
            A view of the result, and what has become of each element.

        Raises:
            TypeError: The graph is none.
            ValueError: A name is not in the scope of the part, or a result is not valid.
        """
        view = make_view(sgv)
        if not isinstance(dst_graph, Graph):
            raise TypeError(f"Expected a tf.Graph, got: {type(dst_graph)}")
        scope = scope_finalize(dst_scope)
        if scope and not reuse_dst_scope:
            scope = scope_finalize(dst_graph.unique_name(scope[:-1]))
        info = TransformInfo(view, dst_graph, scope, scope_finalize(src_scope))
        ops = sorted(view.ops, key=lambda op: op._id)
        is_plain = self.transform_op_handler is handlers.copy_op_handler
        if is_plain and any(_comes_later(tensor, op) for op in ops for tensor in op.inputs):
            self._copy_together(info, ops)
        else:
            self._transform_each(info, ops)
        self._connect(info)
        return _view_of(info, view), TransformerInfo(info)

    def _transform_each(self, info: TransformInfo, ops: List[Operation]) -> None:
        late: List[Tuple[Operation, int, Tensor]] = []
        for op in ops:
            inputs = []
            for index, tensor in enumerate(op.inputs):
                if tensor in info.transformed_ts or tensor._op not in info.ops:
                    inputs.append(self._input(info, tensor))
                else:  # in a loop it is transformed later
                    inputs.append(self._stand_in(info, tensor, op))
                    late.append((op, index, tensor))
            waits = [each for each in op.control_inputs if _is_done(info, each)]
            info.control_inputs = self._controls(info, waits)
            made, outputs = self.transform_op_handler(info, op, inputs)
            if made is op:
                raise ValueError("In-place transformation not allowed.")
            self._note(info, op, made, outputs)
        for op, index, tensor in late:
            info.transformed_ops[op]._update_input(index, info.transformed_ts[tensor])

    def _copy_together(self, info: TransformInfo, ops: List[Operation]) -> None:
        """Copies operations in a loop, which take each other's outputs."""
        names = {op._name: info.graph_.unique_name(info.new_name(op.name)) for op in ops}
        nodes, tensors, controls = [], [], []
        for op in ops:
            node = info.copy_of_node(op, names)
            for tensor in op.inputs:
                if tensor._op in info.ops:
                    node.input.append(f"{names[tensor._op._name]}:{tensor.value_index}")
                else:
                    tensors.append(self._input(info, tensor))
                    node.input.append(tensors[-1].name)
            before = op.control_inputs
            inside = [each for each in before if each in info.ops]
            outside = self._controls(info, [each for each in before if each not in info.ops])
            controls += outside
            node.input.extend([f"^{names[each._name]}" for each in inside])
            node.input.extend([f"^{each._name}" for each in outside])
            nodes.append(node)
        for op, made in zip(ops, add_nodes(info, nodes, tensors, controls)):
            self._note(info, op, made, made.outputs)

    def _note(self, info: TransformInfo, op: Operation, made: Operation, outputs: Any) -> None:
        info.transformed_ops[op] = made
        self.assign_collections_handler(info, op, made)
        for tensor, result in zip(op.outputs, outputs):
            info.transformed_ts[tensor] = result
            self.assign_collections_handler(info, tensor, result)

    def _input(self, info: TransformInfo, tensor: Tensor) -> Tensor:
        if tensor in info.transformed_ts:
            return info.transformed_ts[tensor]
        if tensor not in info.external_ts:
            handler = self.transform_external_hidden_input_handler
            if tensor in info.sgv_inputs_set:
                handler = self.transform_external_input_handler
            info.external_ts[tensor] = handler(info, tensor)
        return info.external_ts[tensor]

    def _stand_in(self, info: TransformInfo, tensor: Tensor, user: Operation) -> Tensor:
        """What is taken until the input has been transformed."""
        if user.type in _MERGES:
            return self._input(info, user.inputs[0])
        with info.graph_.as_default():
            return make_placeholder_from_tensor(tensor, scope=info.scope_, prefix="geph_tmp")

    def _controls(self, info: TransformInfo, ops: List[Operation]) -> List[Operation]:
        found = [self.transform_control_input_handler(info, each) for each in ops]
        return list(dict.fromkeys(each for each in found if each is not None))

    def _connect(self, info: TransformInfo) -> None:
        """Lets results wait for what others have become, as far as handlers have not done it."""
        for op in info.sgv.ops:
            made = info.transformed_ops[op]
            original = getattr(op, "_original_op", None)
            if original is not None:
                made._original_op = (  # type: ignore[attr-defined]
                    self.transform_original_op_handler(info, original)
                )
            there = made.control_inputs
            wanted = self._controls(info, op.control_inputs)
            made._add_control_inputs([each for each in wanted if each not in there])


def _comes_later(tensor: Tensor, op: Operation) -> bool:
    return tensor._op._id >= op._id


def _is_done(info: TransformInfo, op: Operation) -> bool:
    return op not in info.ops or op in info.transformed_ops


def _view_of(info: TransformInfo, view: SubGraphView) -> SubGraphView:
    """The results, with inputs and outputs in the order of those of the part."""
    made = SubGraphView(list(info.transformed_ops.values()))
    results = {**info.external_ts, **info.transformed_ts}
    inputs, outputs = (
        [results[each] for each in wanted if results.get(each) in there]
        for wanted, there in ((view.inputs, list(made.inputs)), (view.outputs, list(made.outputs)))
    )
    return made.remap(dict.fromkeys(inputs), outputs)
