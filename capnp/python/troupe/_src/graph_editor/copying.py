"""Copies parts of graphs, with other inputs."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Set, Tuple

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import Graph
from troupe._src.graph_editor.elements import ControlOutputs, get_unique_graph
from troupe._src.graph_editor.handlers import keep_t_if_possible_handler
from troupe._src.graph_editor.subgraph import SubGraphView, make_view
from troupe._src.graph_editor.transform import Transformer, TransformerInfo
from troupe._src.graph_editor.trees import flatten_tree
from troupe._src.graph_editor.walks import get_walks_intersection_ops

_ENTERS, _MERGES = ("Enter", "RefEnter"), ("Merge", "RefMerge")
_SWITCHES, _EXITS = ("Switch", "RefSwitch"), ("Exit", "RefExit")


def copy(
    sgv: Any,
    dst_graph: Optional[Graph] = None,
    dst_scope: str = "",
    src_scope: str = "",
    reuse_dst_scope: bool = False,
) -> Tuple[SubGraphView, TransformerInfo]:
    """Copies a part of a graph, with placeholders in place of its inputs.

    Args:
        sgv: A view, or what `make_view` makes one of.
        dst_graph: The graph that gets the copy, by default the same.
        dst_scope: What the names of the copy have in front.
        src_scope: What the names of the part have in front.
        reuse_dst_scope: Whether the scope may be one that there is; by default it is made unique.

    Returns:
        A view of the copy, and what each element is a copy of.

    Raises:
        TypeError: The graph is none.
        ValueError: A name is not in the scope of the part.
    """
    view = make_view(sgv)
    graph: Any = view.graph if dst_graph is None else dst_graph
    return Transformer()(view, graph, dst_scope, src_scope, reuse_dst_scope)


def copy_with_input_replacements(
    sgv: Any,
    replacement_ts: Dict[Tensor, Tensor],
    dst_graph: Optional[Graph] = None,
    dst_scope: str = "",
    src_scope: str = "",
    reuse_dst_scope: bool = False,
) -> Tuple[SubGraphView, TransformerInfo]:
    """Copies a part of a graph, with other tensors in place of some of its inputs.

    Args:
        sgv: A view, or what `make_view` makes one of.
        replacement_ts: The tensors, by the inputs that they replace. The copy takes other inputs
            themselves, or placeholders in another graph.
        dst_graph: The graph that gets the copy, by default the same.
        dst_scope: What the names of the copy have in front.
        src_scope: What the names of the part have in front.
        reuse_dst_scope: Whether the scope may be one that there is; by default it is made unique.

    Returns:
        A view of the copy, and what each element is a copy of.

    Raises:
        TypeError: The graph is none.
        ValueError: A name is not in the scope of the part.
    """
    view = make_view(sgv)
    graph: Any = view.graph if dst_graph is None else dst_graph
    copier = Transformer()

    def replacement_of(info: Any, tensor: Tensor) -> Tensor:
        if tensor in replacement_ts:
            return replacement_ts[tensor]
        return keep_t_if_possible_handler(info, tensor)

    copier.transform_external_input_handler = replacement_of
    return copier(view, graph, dst_scope, src_scope, reuse_dst_scope)


def graph_replace(
    target_ts: Any,
    replacement_ts: Dict[Tensor, Tensor],
    dst_scope: str = "",
    src_scope: str = "",
    reuse_dst_scope: bool = False,
) -> Any:
    """Computes tensors once more, from other tensors in place of some that they depend on.

    Args:
        target_ts: The tensors, nested.
        replacement_ts: The other tensors, by those that they replace.
        dst_scope: What the names of new operations have in front.
        src_scope: What the names of those that they are copies of have in front.
        reuse_dst_scope: Whether the scope may be one that there is; by default it is made unique.

    Returns:
        The new tensors, nested as those; where one depends on nothing that is replaced, itself.

    Raises:
        ValueError: None depends on what is replaced.
    """
    targets = flatten_tree(target_ts)
    edges = ControlOutputs(get_unique_graph(targets, check_types=Tensor))
    ops = get_walks_intersection_ops(list(replacement_ts), targets, control_ios=edges)
    if not ops:
        raise ValueError("Targets and replacements are not connected!")
    ops += _rest_of_loops(ops, edges)
    _, info = copy_with_input_replacements(
        ops, replacement_ts, None, dst_scope, src_scope, reuse_dst_scope
    )
    return info.transformed(target_ts, lambda original: original)


def _rest_of_loops(ops: List[Operation], edges: ControlOutputs) -> List[Operation]:
    """What else is in the loops of which some is copied: half of a loop is none."""
    there, found = set(ops), []
    frames: Dict[bytes, List[Operation]] = {}
    for op in edges.graph.get_operations():
        if op.type in _ENTERS:
            frames.setdefault(op.get_attr("frame_name"), []).append(op)
    for enters in frames.values():
        exits = _behind(_behind(_behind(enters, _MERGES), _SWITCHES), _EXITS)
        loop = get_walks_intersection_ops(enters, exits, control_ios=edges)
        ends: Set[Operation] = {*enters, *exits}
        if any(op in there and op not in ends for op in loop):
            found += [op for op in loop if op not in there]
            there.update(loop)
    return found


def _behind(ops: List[Operation], types: Tuple[str, ...]) -> List[Operation]:
    """The operations of some ops that take the outputs of others."""
    tensors = [tensor for op in ops for tensor in op.outputs]
    users = [user for tensor in tensors for user in tensor.consumers()]
    return list(dict.fromkeys(user for user in users if user.type in types))
