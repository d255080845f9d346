"""Graphs without masks, for inference."""

from __future__ import annotations

from typing import Any, Dict, Sequence

import numpy as np

from troupe._src.checkpoints.checkpoint_state import latest_checkpoint
from troupe._src.graph.graph import Graph, get_default_graph
from troupe._src.graph_defs.graph_util import (
    convert_variables_to_constants, extract_sub_graph,
)  # fmt: skip
from troupe._src.graph_defs.importer import import_graph_def
from troupe._src.graph_defs.tensor_protos import make_tensor_proto
from troupe._src.messages.graph_messages import GraphDef
from troupe._src.platform import logging
from troupe._src.session.session import Session
from troupe._src.train.meta_graphs import import_meta_graph
from troupe._src.types.paths import PathLike

_MASKED = "masked_weight"


def strip_pruning_vars_fn(input_graph_def: Any, output_node_names: Sequence[str]) -> GraphDef:
    """A graph in which the products of weights and masks are constants.

    Args:
        input_graph_def: A GraphDef whose variables are constants, as of
            `tf.graph_util.convert_variables_to_constants`.
        output_node_names: The names of the nodes of results.

    Returns:
        A GraphDef without masks and thresholds.
    """
    values = _masked_weights(input_graph_def)
    pruned = GraphDef()
    for node in input_graph_def.node:
        copy = pruned.node.add()
        if _MASKED not in node.name:
            copy.CopyFrom(node)
            continue
        copy.op, copy.name = "Const", node.name
        copy.attr["dtype"].CopyFrom(node.attr["T"])
        copy.attr["value"].tensor.CopyFrom(make_tensor_proto(values[node.name]))
    return extract_sub_graph(pruned, output_node_names)


def _masked_weights(graph_def: Any) -> Dict[str, Any]:
    """The values of the products by the names of their nodes."""
    graph, found = Graph(), {}
    with graph.as_default():
        import_graph_def(graph_def, name="")
    with Session(graph=graph) as session:
        for node in graph_def.node:
            if _MASKED in node.name:
                value = session.run(graph.get_tensor_by_name(f"{node.name}:0"))
                zeros = 100 - 100.0 * np.count_nonzero(value) / np.size(value)
                logging.info("%s has %d values, %1.2f%% zeros", node.name, np.size(value), zeros)
                found[node.name] = value
    return found


def graph_def_from_checkpoint(
    checkpoint_dir: PathLike, output_node_names: Sequence[str]
) -> GraphDef:
    """The graph of the latest checkpoint of a folder, with the variables as constants.

    Args:
        checkpoint_dir: The folder.
        output_node_names: The names of the nodes of results.

    Returns:
        A GraphDef.

    Raises:
        ValueError: The folder has no checkpoint.
    """
    path = latest_checkpoint(checkpoint_dir)
    if path is None:
        raise ValueError(f"Could not find a checkpoint at: {checkpoint_dir}.")
    saver: Any = import_meta_graph(f"{path}.meta", clear_devices=True)
    with Session() as session:
        saver.restore(session, path)
        graph_def = get_default_graph().as_graph_def()
        return convert_variables_to_constants(session, graph_def, output_node_names)
