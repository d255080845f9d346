"""The messages in which benchmarks report what they have measured."""

from __future__ import annotations

from troupe._src.messages.fields import Field
from troupe._src.messages.proto_message import ProtoMessage


class _EntryValue(ProtoMessage):
    _fields = {
        "double_value": Field(1, "double", oneof="kind"),
        "string_value": Field(2, "string", oneof="kind"),
    }


class _DoubleValue(ProtoMessage):
    _fields = {"value": Field(1, "double")}


class _MetricEntry(ProtoMessage):
    _fields = {
        "name": Field(1, "string"),
        "value": Field(2, "double"),
        "min_value": Field(3, "message", _DoubleValue),
        "max_value": Field(4, "message", _DoubleValue),
    }


class _BenchmarkEntry(ProtoMessage):
    _fields = {
        "name": Field(1, "string"),
        "iters": Field(2, "int64"),
        "cpu_time": Field(3, "double"),
        "wall_time": Field(4, "double"),
        "throughput": Field(5, "double"),
        "extras": Field(6, "message", _EntryValue, key="string"),
        "metrics": Field(7, "message", _MetricEntry, repeated=True),
    }


class BenchmarkEntries(ProtoMessage):
    """What benchmarks have measured, an entry each."""

    _fields = {"entry": Field(1, "message", _BenchmarkEntry, repeated=True)}
