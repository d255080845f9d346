"""Graphs as messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troupe import _native
from troupe._src.messages.graph_messages import GraphDef
from troupe._src.messages.tensor_messages import TensorShapeProto

if TYPE_CHECKING:
    from troupe._src.graph.graph import Graph


def export_graph(graph: Graph, first: int, add_shapes: bool) -> GraphDef:
    """The nodes of a graph from number `first` on, and its functions."""
    with graph._lock:
        exported = GraphDef._of_bytes(_native.export_graph_def(graph._root, first))
        if add_shapes:
            _note_shapes(exported, graph)
    return exported


def _note_shapes(graph_def: GraphDef, graph: Graph) -> None:
    """Gives the nodes the attribute `_output_shapes`."""
    for node in graph_def.node:
        shapes = node.attr["_output_shapes"].list
        shapes.SetInParent()
        for tensor in graph._operation(graph._root.find(node.name)).outputs:
            sizes = tensor.shape.as_list() if tensor.shape.ndims is not None else None
            shapes.shape.append(TensorShapeProto._of_sizes(sizes))
