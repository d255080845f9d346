"""The order of the nodes of a graph, and the sizes of what they make."""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from troupe._src.receptive_field.layers import get_layer_params, output_size
from troupe._src.set_module import set_module


class NodeInfo(NamedTuple):
    """Of a node."""

    order: int  # after how many others, one by one, it is computed
    node: Any
    input_size: Optional[Sequence[Any]]  # height and width of its first input
    output_size: Optional[Sequence[Any]]


def _sources(node: Any) -> List[str]:
    return [name.split(":")[0] for name in node.input if not name.startswith("^")]


@set_module("troupe.contrib.receptive_field")
def get_compute_order(
    graph_def: Any, input_node_name: str = "", input_node_size: Optional[Sequence[int]] = None
) -> Tuple[Dict[str, NodeInfo], Dict[str, Any]]:
    """After how many others each node is computed, and of what sizes.

    Args:
        graph_def: The graph.
        input_node_name: The node of images; those before it do not count.
        input_node_size: The height and the width of images, where they are known.

    Returns:
        `order`, `node`, `input_size` and `output_size` by name, and all nodes by name.
    """
    nodes = {node.name: node for node in graph_def.node}
    found: Dict[str, NodeInfo] = {}
    for name in nodes:
        pending = [name]
        while pending:
            current = pending[-1]
            if current == input_node_name and current not in found:
                found[current] = NodeInfo(0, nodes[current], None, input_node_size)
            if current in found:
                pending.pop()
                continue
            missing = [source for source in _sources(nodes[current]) if source not in found]
            if missing:
                if missing[0] in pending:
                    raise ValueError(f"The graph has a cycle through {missing[0]}")
                pending.append(missing[0])
            else:
                found[current] = _info(nodes[current], found, nodes)
    return found, nodes


def _info(node: Any, found: Dict[str, NodeInfo], nodes: Dict[str, Any]) -> NodeInfo:
    """Of a node, of whose inputs all is known."""
    sources = [found[name] for name in _sources(node)]
    order = max((source.order + 1 for source in sources), default=0)
    size = sources[0].output_size if sources else None
    if size is None:
        return NodeInfo(order, node, None, None)
    layer = get_layer_params(node, nodes, size, force=True)
    result = [
        output_size(size[0], layer.kernel_size_x, layer.stride_x, layer.total_padding_x),
        output_size(size[1], layer.kernel_size_y, layer.stride_y, layer.total_padding_y),
    ]
    return NodeInfo(order, node, size, result)
