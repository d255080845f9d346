"""Parts of graphs: what computes the outputs from given inputs, which become placeholders."""

from __future__ import annotations

import os
from typing import Any, List, Sequence

from troupe._src.graph_defs.graph_io import write_atomically
from troupe._src.graph_defs.graph_util import extract_sub_graph
from troupe._src.messages.graph_messages import GraphDef
from troupe._src.messages.text_parser import parse_text


def strip_unused(
    input_graph_def: Any,
    input_node_names: List[str],
    output_node_names: Sequence[str],
    placeholder_type_enum: Any,
) -> GraphDef:
    """The part of a graph between nodes, of which the first are placeholders then.

    Args:
        input_graph_def: The GraphDef.
        input_node_names: The nodes that become placeholders.
        output_node_names: The nodes to compute.
        placeholder_type_enum: The number of the dtype of all placeholders, or a list with one for
            each.

    Returns:
        A new GraphDef.

    Raises:
        ValueError: An input is the name of a tensor.
        KeyError: The graph does not have one of the inputs.
        AssertionError: The graph does not have one of the outputs.
    """
    for name in input_node_names:
        if ":" in name:
            raise ValueError(f"Name '{name}' appears to refer to a Tensor, not a Operation.")
    absent = set(input_node_names) - {node.name for node in input_graph_def.node}
    if absent:
        raise KeyError(f"The following input nodes were not found: {absent}")
    replaced = GraphDef()
    for node in input_graph_def.node:
        made = replaced.node.add()
        if node.name not in input_node_names:
            made.CopyFrom(node)
            continue
        dtype = placeholder_type_enum
        if isinstance(dtype, list):
            dtype = dtype[input_node_names.index(node.name)]
        made.op, made.name = "Placeholder", node.name
        made.attr["dtype"].type = int(dtype)
        for name in ("_output_shapes", "shape"):
            if name in node.attr:
                made.attr[name].CopyFrom(node.attr[name])
    return extract_sub_graph(replaced, output_node_names)


def strip_unused_from_files(
    input_graph: Any,
    input_binary: bool,
    output_graph: Any,
    output_binary: bool,
    input_node_names: str,
    output_node_names: str,
    placeholder_type_enum: Any,
) -> GraphDef:
    """Writes the part of a graph between nodes to a file.

    Args:
        input_graph: The file of the GraphDef.
        input_binary: It has bytes, not protobuf's text form.
        output_graph: The file that is written.
        output_binary: It gets bytes, not protobuf's text form.
        input_node_names: The nodes that become placeholders, separated by commas.
        output_node_names: The nodes to compute, separated by commas.
        placeholder_type_enum: As that of `strip_unused`.

    Returns:
        The GraphDef that was written.

    Raises:
        ValueError: No outputs are given, or an input is the name of a tensor.
        KeyError: The graph does not have one of the inputs.
        AssertionError: The graph does not have one of the outputs.
        OSError: The file cannot be read or written.
    """
    if not output_node_names:
        raise ValueError("output_node_names must name a node")
    with open(input_graph, "rb") as file:
        data = file.read()
    given = GraphDef.FromString(data) if input_binary else parse_text(data, GraphDef())
    outputs = output_node_names.split(",")
    found = strip_unused(given, input_node_names.split(","), outputs, placeholder_type_enum)
    data = found.SerializeToString() if output_binary else str(found).encode()
    write_atomically(os.fspath(output_graph), data)
    return found
