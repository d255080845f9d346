"""The message that describes a QueueRunner."""

from __future__ import annotations

from troupe._src.messages.fields import Field
from troupe._src.messages.proto_message import ProtoMessage
from troupe._src.set_module import set_module
from troupe._src.types import errors

_CODES = {
    name: getattr(errors, name) for name in dir(errors) if isinstance(getattr(errors, name), int)
}


@set_module("troupe.train")
class QueueRunnerDef(ProtoMessage):
    """What a QueueRunner runs, by the names of its nodes."""

    _fields = {
        "queue_name": Field(1, "string"),
        "enqueue_op_name": Field(2, "string", repeated=True),
        "close_op_name": Field(3, "string"),
        "cancel_op_name": Field(4, "string"),
        "queue_closed_exception_types": Field(5, "enum", _CODES, repeated=True),
    }
