"""Parts of graphs as messages: one scope, without the nodes of savers, without defaults."""

from __future__ import annotations

from typing import Any, Dict, FrozenSet, List, Optional, Tuple

from troupe import _native
from troupe._src.graph_defs.created_ops import plain_attr
from troupe._src.messages.graph_messages import GraphDef

# What the names of inputs begin with that a part takes from the rest of the graph.
UNBOUND_PREFIX = "$unbound_inputs_"
UNBOUND_INPUTS = "unbound_inputs"  # the collection of these names

_SAVER_OPS = {
    "MergeV2Checkpoints", "Restore", "RestoreSlice", "RestoreV2", "Save", "SaveSlices", "SaveV2",
}  # fmt: skip


def is_in_scope(name: str, scope: Optional[str]) -> bool:
    """Whether a name is in a scope; each is where there is none."""
    return not scope or name.startswith(f"{scope}/")


def without_scope(name: str, scope: Optional[str]) -> str:
    """The name of a node, tensor, control input or group ("loc:@name") in the scope."""
    if not scope:
        return name
    for mark in ("^", "loc:@"):
        if name.startswith(mark):
            return mark + without_scope(name[len(mark) :], scope)
    return name[len(scope) + 1 :] if is_in_scope(name, scope) else name


def part_of(
    graph_def: GraphDef, scope: Optional[str], left_out: FrozenSet[str]
) -> Tuple[GraphDef, List[str]]:
    """The nodes of a scope, whose names are without it, and the inputs that it takes from others.

    Args:
        graph_def: The graph.
        scope: The scope; None for all nodes.
        left_out: Names of nodes that are not in the part.

    Returns:
        The part, with all functions, and the names that stand for what is not in it.
    """
    part, unbound = GraphDef(), []
    left_out = left_out | _restored(graph_def, scope, left_out)
    part.CopyFrom(graph_def)
    part.ClearField("node")
    for node in graph_def.node:
        if node.name in left_out or not is_in_scope(node.name, scope):
            continue
        added = part.node.add()
        added.CopyFrom(node)
        added.name = without_scope(node.name, scope)
        for index, name in enumerate(node.input):
            mark, bare = ("^", name[1:]) if name.startswith("^") else ("", name)
            if is_in_scope(bare, scope):
                added.input[index] = mark + without_scope(bare, scope)
            else:
                added.input[index] = mark + UNBOUND_PREFIX + bare
                unbound.append(added.input[index])
        if scope:
            _strip_attrs(added, scope)
    return part, list(dict.fromkeys(unbound))


def _restored(
    graph_def: GraphDef, scope: Optional[str], left_out: FrozenSet[str]
) -> FrozenSet[str]:
    """The nodes that savers outside of the part restore with: they are beside the variables."""
    found = set(left_out)
    for node in graph_def.node:
        if node.op in _SAVER_OPS and not is_in_scope(node.name, scope):
            found.add(node.name)
        elif any(name.partition(":")[0] in found for name in node.input):
            found.add(node.name)  # not what merely runs after them, which has "^" before the name
    return frozenset(found)


def _strip_attrs(node: Any, scope: str) -> None:
    """Takes the scope off the groups of a node, and off the frame of a loop."""
    if "_class" in node.attr:
        groups = [group.decode() for group in node.attr["_class"].list.s]
        kept = [group for group in groups if is_in_scope(group[len("loc:@") :], scope)]
        del node.attr["_class"]
        if kept:
            node.attr["_class"].list.s.extend(without_scope(each, scope).encode() for each in kept)
    if node.op in ("Enter", "RefEnter") and "frame_name" in node.attr:
        frame = node.attr["frame_name"]
        frame.s = without_scope(frame.s.decode(), scope).encode()


def nodes_of_other_savers(graph_def: GraphDef, saver_def: Any) -> FrozenSet[str]:
    """The nodes in the scopes of savers, without those of the saver of a message or None."""
    kept = set()
    if saver_def is not None:
        for name in (saver_def.save_tensor_name, saver_def.restore_op_name):
            kept.add(_scope_of(name.partition(":")[0]))
    ops = {node.name for node in graph_def.node if node.op in _SAVER_OPS}
    scopes = {_scope_of(name) for name in ops} - ops - kept - {""}
    return frozenset(
        node.name
        for node in graph_def.node
        if any(is_in_scope(node.name, scope) for scope in scopes)
    )


def _scope_of(name: str) -> str:
    return name.rpartition("/")[0]


def clear_defaults(graph_def: GraphDef) -> None:
    """Takes those attributes from the nodes of a graph and its functions that have their defaults.

    Args:
        graph_def: The graph, which is changed.
    """
    ops: Dict[str, Any] = _native.ops()
    functions = [function.node_def for function in graph_def.library.function]
    for nodes in [graph_def.node, *functions]:
        for node in nodes:
            for rule in ops[node.op]["attrs"] if node.op in ops else ():
                name = rule["name"]
                if rule["has_default"] and name in node.attr:
                    if _is_default(node.attr[name], rule):
                        del node.attr[name]


def _is_default(value: Any, rule: Dict[str, Any]) -> bool:
    if value.WhichOneof("value") in (None, "placeholder", "tensor"):
        return False
    given, default = plain_attr(value), rule["default"]
    if isinstance(default, tuple):  # a shape
        default = list(default)
    return type(given) is type(default) and given == default
