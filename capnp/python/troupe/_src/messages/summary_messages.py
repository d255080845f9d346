"""Messages of event files: summaries, and what else a training tells a viewer."""

from __future__ import annotations

from troupe._src.messages.fields import Field
from troupe._src.messages.proto_message import ProtoMessage
from troupe._src.messages.tensor_messages import TensorProto
from troupe._src.set_module import set_module


@set_module("troupe")
class HistogramProto(ProtoMessage):
    """Counts of values: `bucket[i]` of them are below `bucket_limit[i]`."""

    _fields = {
        "min": Field(1, "double"),
        "max": Field(2, "double"),
        "num": Field(3, "double"),
        "sum": Field(4, "double"),
        "sum_squares": Field(5, "double"),
        "bucket_limit": Field(6, "double", repeated=True),
        "bucket": Field(7, "double", repeated=True),
    }


class _PluginData(ProtoMessage):
    _fields = {"plugin_name": Field(1, "string"), "content": Field(2, "bytes")}


@set_module("troupe")
class SummaryMetadata(ProtoMessage):
    """What a viewer is told of a value."""

    PluginData = _PluginData
    _fields = {
        "plugin_data": Field(1, "message", _PluginData),
        "display_name": Field(2, "string"),
        "summary_description": Field(3, "string"),
    }


@set_module("troupe.summary")
class SummaryDescription(ProtoMessage):
    """What a value is, in older programs."""

    _fields = {"type_hint": Field(1, "string")}


class _Image(ProtoMessage):
    _fields = {
        "height": Field(1, "int32"),
        "width": Field(2, "int32"),
        "colorspace": Field(3, "int32"),
        "encoded_image_string": Field(4, "bytes"),
    }


class _Audio(ProtoMessage):
    _fields = {
        "sample_rate": Field(1, "float"),
        "num_channels": Field(2, "int64"),
        "length_frames": Field(3, "int64"),
        "encoded_audio_string": Field(4, "bytes"),
        "content_type": Field(5, "string"),
    }


class _Value(ProtoMessage):
    _fields = {
        "tag": Field(1, "string"),
        "simple_value": Field(2, "float", oneof="value"),
        "obsolete_old_style_histogram": Field(3, "bytes", oneof="value"),
        "image": Field(4, "message", _Image, oneof="value"),
        "histo": Field(5, "message", HistogramProto, oneof="value"),
        "audio": Field(6, "message", _Audio, oneof="value"),
        "node_name": Field(7, "string"),
        "tensor": Field(8, "message", TensorProto, oneof="value"),
        "metadata": Field(9, "message", SummaryMetadata),
    }


@set_module("troupe")
class Summary(ProtoMessage):
    """Values that a step tells, each with its tag."""

    Image, Audio, Value = _Image, _Audio, _Value
    _fields = {"value": Field(1, "message", _Value, repeated=True)}


@set_module("troupe")
class SessionLog(ProtoMessage):
    """That a session started, stopped, or saved a checkpoint."""

    STATUS_UNSPECIFIED = 0
    START = 1
    STOP = 2
    CHECKPOINT = 3
    _fields = {
        "status": Field(1, "enum", {"START": 1, "STOP": 2, "CHECKPOINT": 3}),
        "checkpoint_path": Field(2, "string"),
        "msg": Field(3, "string"),
    }


@set_module("troupe")
class LogMessage(ProtoMessage):
    """A line of a log."""

    UNKNOWN, DEBUGGING, INFO, WARN, ERROR, FATAL = 0, 10, 20, 30, 40, 50
    _fields = {"level": Field(1, "int32"), "message": Field(2, "string")}


@set_module("troupe.summary")
class TaggedRunMetadata(ProtoMessage):
    """The metadata of a step, as bytes, with a tag."""

    _fields = {"tag": Field(1, "string"), "run_metadata": Field(2, "bytes")}


@set_module("troupe")
class Event(ProtoMessage):
    """A record of an event file."""

    _fields = {
        "wall_time": Field(1, "double"),
        "step": Field(2, "int64"),
        "file_version": Field(3, "string", oneof="what"),
        "graph_def": Field(4, "bytes", oneof="what"),
        "summary": Field(5, "message", Summary, oneof="what"),
        "log_message": Field(6, "message", LogMessage, oneof="what"),
        "session_log": Field(7, "message", SessionLog, oneof="what"),
        "tagged_run_metadata": Field(8, "message", TaggedRunMetadata, oneof="what"),
        "meta_graph_def": Field(9, "bytes", oneof="what"),
    }


for _name, _class in (
    ("PluginData", _PluginData), ("Image", _Image), ("Audio", _Audio), ("Value", _Value),
):  # fmt: skip
    _class.__name__ = _class.__qualname__ = _name
