"""The tensors of a step that can be fetched together with what the program fetches."""

from __future__ import annotations

import re
from typing import Any, Dict, FrozenSet, Iterable, List, Optional, Set, Tuple

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import Graph
from troupe._src.graph.walks import get_backward_walk_ops
from troupe._src.session.fetch import plan_fetches, to_feeds
from troupe._src.set_module import set_module
from troupe._src.types import dtypes

DEBUG_OP = "DebugIdentity"

_OPAQUE = (dtypes.resource, dtypes.variant)
# What a node runs for: (predicate, branch), or (frame, None) in a loop.
_Conditions = FrozenSet[Tuple[str, Any]]
_ALWAYS: _Conditions = frozenset()


@set_module("troupe.debug")
class WatchOptions:
    """Which tensors of a step are of interest: those that all of the given patterns match.

    Args:
        debug_ops: What is kept of each; "DebugIdentity", the whole tensor, alone.
        node_name_regex_whitelist: A pattern of the names of operations.
        op_type_regex_whitelist: A pattern of their types.
        tensor_dtype_regex_whitelist: A pattern of the names of dtypes.
        tolerate_debug_op_creation_failures: Has no effect: tensors that cannot be kept, such as
            resources, are left out.

    Raises:
        ValueError: Another debug op is given.
        re.error: A pattern is none.

    (TensorFlow: `tf_debug.WatchOptions`.)
    """

    def __init__(
        self,
        debug_ops: Any = None,
        node_name_regex_whitelist: Optional[str] = None,
        op_type_regex_whitelist: Optional[str] = None,
        tensor_dtype_regex_whitelist: Optional[str] = None,
        tolerate_debug_op_creation_failures: bool = False,
    ) -> None:
        names = [debug_ops] if isinstance(debug_ops, str) else list(debug_ops or [DEBUG_OP])
        if names != [DEBUG_OP]:
            raise ValueError(f"debug_ops must be {DEBUG_OP!r}, but is {debug_ops!r}")
        self.debug_ops = names
        self.node_name_regex_whitelist = node_name_regex_whitelist
        self.op_type_regex_whitelist = op_type_regex_whitelist
        self.tensor_dtype_regex_whitelist = tensor_dtype_regex_whitelist
        self.tolerate_debug_op_creation_failures = tolerate_debug_op_creation_failures
        self._patterns = [
            re.compile(pattern or "")
            for pattern in (
                node_name_regex_whitelist,
                op_type_regex_whitelist,
                tensor_dtype_regex_whitelist,
            )
        ]

    def match(self, tensor: Tensor) -> bool:
        """Whether a tensor is of interest.

        Args:
            tensor: A tensor of the graph.

        Returns:
            The answer.
        """
        texts = (tensor.op.name, tensor.op.type, tensor.dtype.name)
        return all(pattern.match(text) for pattern, text in zip(self._patterns, texts))


def watched_tensors(
    graph: Graph, fetches: Any, feed_dict: Optional[Dict[Any, Any]], options: WatchOptions
) -> List[Tensor]:
    """The tensors that a step computes anyway and that the options match, in the graph's order.

    Without those that only one branch of a `cond` or an iteration of a loop computes: they have no
    value in each step, or several.
    """
    plan = plan_fetches(graph, fetches)
    seeds = [graph.as_graph_element(name) for name in (*plan.names, *plan.targets)]
    fed: Set[Any] = {graph.as_graph_element(name) for name, _, _ in to_feeds(graph, feed_dict)}
    ops = set(
        get_backward_walk_ops(
            [seed for seed in seeds if seed not in fed], stop_at_ts=fed, control_inputs=True
        )
    )
    conditions = _conditions_of(op for op in graph.get_operations() if op in ops)
    return [
        tensor
        for op, under in conditions.items()
        if not under and op.type != "Switch"
        for tensor in op.outputs
        if tensor.dtype not in _OPAQUE and graph.is_fetchable(tensor) and options.match(tensor)
    ]


def _conditions_of(ops: Iterable[Operation]) -> Dict[Operation, _Conditions]:
    """Under which conditions each operation of one graph runs, given in the order of the graph."""
    found: Dict[Operation, _Conditions] = {}

    def of(op: Operation) -> _Conditions:
        return found.get(op, _ALWAYS)  # what follows in the graph leads back into a loop

    def of_input(tensor: Tensor) -> _Conditions:
        op = tensor.op
        if op.type == "Switch":
            return of(op) | {(op.inputs[1].name, tensor.value_index)}
        return of(op)

    for op in ops:
        inputs = [of_input(tensor) for tensor in op.inputs]
        if op.type == "Merge":  # one of its inputs is there
            under = frozenset.intersection(*inputs[: 1 if _is_loop(op) else None])
        else:
            under = _ALWAYS.union(*inputs)
        under = under.union(*(of(each) for each in op.control_inputs))
        if op.type == "Enter":
            under |= {(str(op.get_attr("frame_name")), None)}
        found[op] = _left(under, op) if op.type == "Exit" else under
    return found


def _is_loop(merge: Operation) -> bool:
    return any(tensor.op.type == "NextIteration" for tensor in merge.inputs)


def _left(under: _Conditions, op: Operation) -> _Conditions:
    """The conditions of what leaves a loop, given those in it: without the loop's own."""
    enter = op
    while enter.type != "Enter":
        enter = enter.inputs[0].op  # Exit, Switch, Merge, Enter
    frame = str(enter.get_attr("frame_name"))
    condition = op.inputs[0].op.inputs[1].name
    return frozenset(each for each in under if each[0] not in (frame, condition))
