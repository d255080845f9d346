"""The objects of a checkpoint as a picture."""

from __future__ import annotations

from typing import Any, List

from troupe._src.checkpoints.checkpoint_reader import CheckpointReader
from troupe._src.object_checkpoints.checkpoint import object_metadata
from troupe._src.set_module import set_module
from troupe._src.types.dtypes import as_dtype


def _escaped(text: str) -> str:
    return text.replace('"', '\\"')


def _node(number: int, node: Any, is_slot: bool, reader: Any) -> str:
    point = f'N_{number} [shape=point label=""'
    attributes = node.attributes
    if len(attributes) == 1 and attributes[0].name == "VARIABLE_VALUE":
        color, kind = ("orange", "Slot variable") if is_slot else ("blue", "Variable")
        key = attributes[0].checkpoint_key
        shape = list(reader.get_variable_to_shape_map()[key])
        dtype = as_dtype(reader.get_variable_to_dtype_map()[key]).name
        name = _escaped(attributes[0].full_name)
        return f'{point} color={color} width=.25 tooltip="{kind} {name} shape={shape} {dtype}"]'
    if len(node.slot_variables) > 0:
        return f'{point} width=.25 color=red,tooltip="Optimizer"]'
    return f"{point} width=.25]"


@set_module("troupe.contrib.checkpoint")
def dot_graph_from_checkpoint(save_path: str) -> str:
    """The objects of a checkpoint, for `dot`.

    Variables are blue, slots orange and optimizers red; edges bear the names of attributes.

    Args:
        save_path: The checkpoint.

    Returns:
        The text of a graph.
    """
    reader = CheckpointReader(save_path)
    nodes = object_metadata(save_path).nodes
    slots = {each.slot_variable_node_id for node in nodes for each in node.slot_variables}
    lines: List[str] = ["digraph {"]
    for number, node in enumerate(nodes):
        lines.append(_node(number, node, number in slots, reader))
        for child in node.children:
            label = _escaped(child.local_name)
            lines.append(f'N_{number} -> N_{child.node_id} [label="{label}"]')
        for slot in node.slot_variables:
            target = f"N_{slot.slot_variable_node_id}"
            label = _escaped(slot.slot_name)
            lines.append(f'N_{number} -> {target} [label="{label}" style=dotted]')
            lines.append(f"N_{slot.original_variable_node_id} -> {target} [style=dotted]")
    return "\n".join([*lines, "}"]) + "\n"
