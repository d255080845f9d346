"""What a checkpoint of objects says of them, in TensorFlow's format."""

from __future__ import annotations

from troupe._src.messages.fields import Field
from troupe._src.messages.proto_message import ProtoMessage
from troupe._src.set_module import set_module

# The name of this message in a checkpoint.
OBJECT_GRAPH_KEY = "_CHECKPOINTABLE_OBJECT_GRAPH"


class _ObjectReference(ProtoMessage):
    _fields = {"node_id": Field(1, "int32"), "local_name": Field(2, "string")}


class _SerializedTensor(ProtoMessage):
    _fields = {
        "name": Field(1, "string"),
        "full_name": Field(2, "string"),
        "checkpoint_key": Field(3, "string"),
        "optional_restore": Field(4, "bool"),
    }


class _SlotVariableReference(ProtoMessage):
    _fields = {
        "original_variable_node_id": Field(1, "int32"),
        "slot_name": Field(2, "string"),
        "slot_variable_node_id": Field(3, "int32"),
    }


class _Object(ProtoMessage):
    ObjectReference = _ObjectReference
    SerializedTensor = _SerializedTensor
    SlotVariableReference = _SlotVariableReference
    _fields = {
        "children": Field(1, "message", _ObjectReference, repeated=True),
        "attributes": Field(2, "message", _SerializedTensor, repeated=True),
        "slot_variables": Field(3, "message", _SlotVariableReference, repeated=True),
    }


@set_module("troupe.contrib.checkpoint")
class CheckpointableObjectGraph(ProtoMessage):
    """Objects, the first of which is the root: what each has, and the keys of its values."""

    CheckpointableObject = TrackableObject = _Object
    _fields = {"nodes": Field(1, "message", _Object, repeated=True)}
