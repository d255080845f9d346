"""What a checkpoint of objects says of them, in TensorFlow's format."""

from __future__ import annotations

from typing import Dict, Optional

from troupe._src.checkpoints.checkpoint_reader import CheckpointReader
from troupe._src.messages.fields import Field
from troupe._src.messages.proto_message import ProtoMessage
from troupe._src.messages.meta_graph_messages import ObjectReference, SlotVariableReference
from troupe._src.set_module import set_module
from troupe._src.types import errors

# The name of this message in a checkpoint.
OBJECT_GRAPH_KEY = "_CHECKPOINTABLE_OBJECT_GRAPH"


class _SerializedTensor(ProtoMessage):
    _fields = {
        "name": Field(1, "string"),
        "full_name": Field(2, "string"),
        "checkpoint_key": Field(3, "string"),
        "optional_restore": Field(4, "bool"),
    }


class _Object(ProtoMessage):
    ObjectReference = ObjectReference
    SerializedTensor = _SerializedTensor
    SlotVariableReference = SlotVariableReference
    _fields = {
        "children": Field(1, "message", ObjectReference, repeated=True),
        "attributes": Field(2, "message", _SerializedTensor, repeated=True),
        "slot_variables": Field(3, "message", SlotVariableReference, repeated=True),
    }


@set_module("troupe.contrib.checkpoint")
class CheckpointableObjectGraph(ProtoMessage):
    """Objects, the first of which is the root: what each has, and the keys of its values."""

    CheckpointableObject = TrackableObject = _Object
    _fields = {"nodes": Field(1, "message", _Object, repeated=True)}


def object_graph_of(reader: CheckpointReader) -> Optional[CheckpointableObjectGraph]:
    """The message of a checkpoint; None of one that knows no objects.

    Raises:
        DataLossError: It is damaged.
    """
    if not reader.has_tensor(OBJECT_GRAPH_KEY):
        return None
    message = CheckpointableObjectGraph()
    try:
        message.ParseFromString(bytes(reader.get_tensor(OBJECT_GRAPH_KEY)))
        named = [child.node_id for node in message.nodes for child in node.children]
        for node in message.nodes:
            for slot in node.slot_variables:
                named += [slot.original_variable_node_id, slot.slot_variable_node_id]
    except (TypeError, ValueError) as error:
        raise _unreadable(str(error)) from None
    if not message.nodes or not all(0 <= each < len(message.nodes) for each in named):
        raise _unreadable("it names objects that it does not have")
    return message


def _unreadable(reason: str) -> errors.DataLossError:
    return errors.DataLossError(
        None, None, f"The checkpoint's list of objects ({OBJECT_GRAPH_KEY}) is damaged: {reason}"
    )


def keys_of_names(reader: CheckpointReader) -> Dict[str, str]:
    """The keys of values in a checkpoint of objects, by the names that the variables had in the
    graph; none of another checkpoint."""
    message = object_graph_of(reader)
    values = [value for node in message.nodes for value in node.attributes] if message else []
    return {value.full_name: value.checkpoint_key for value in values}
