"""Graphs and the metadata of steps as bytes of TensorFlow's messages."""

from __future__ import annotations

from typing import Any

from troupe._src.messages.fields import Field
from troupe._src.messages.proto_message import ProtoMessage


class _Node(ProtoMessage):
    _fields = {
        "name": Field(1, "string"),
        "op": Field(2, "string"),
        "input": Field(3, "string", repeated=True),
        "device": Field(4, "string"),
    }


class _Graph(ProtoMessage):
    _fields = {"node": Field(1, "message", _Node, repeated=True)}


class _NodeStats(ProtoMessage):
    _fields = {
        "node_name": Field(1, "string"),
        "all_start_micros": Field(2, "int64"),
        "op_start_rel_micros": Field(3, "int64"),
        "op_end_rel_micros": Field(4, "int64"),
        "all_end_rel_micros": Field(5, "int64"),
        "timeline_label": Field(8, "string"),
        "thread_id": Field(10, "uint32"),
    }


class _DeviceStats(ProtoMessage):
    _fields = {
        "device": Field(1, "string"),
        "node_stats": Field(2, "message", _NodeStats, repeated=True),
    }


class _StepStats(ProtoMessage):
    _fields = {"dev_stats": Field(1, "message", _DeviceStats, repeated=True)}


class _Metadata(ProtoMessage):
    _fields = {
        "step_stats": Field(1, "message", _StepStats),
        "partition_graphs": Field(3, "message", _Graph, repeated=True),
    }


def _copy(to: ProtoMessage, of: Any) -> None:
    """Sets the fields that have one value to those of a record."""
    for name, field in to._fields.items():
        if not field.repeated and not field.is_message:
            setattr(to, name, getattr(of, name))


def _fill_graph(to: Any, graph_def: Any) -> None:
    for node in graph_def.node:
        made = to.node.add()
        _copy(made, node)
        made.input.extend(node.input)


def graph_bytes(graph_def: Any) -> bytes:
    """A GraphDef as bytes."""
    if hasattr(graph_def, "SerializeToString"):
        return bytes(graph_def.SerializeToString())
    message = _Graph()
    _fill_graph(message, graph_def)
    return message.SerializeToString()


def metadata_bytes(run_metadata: Any) -> bytes:
    """The metadata of a step as bytes."""
    message = _Metadata()
    for device in run_metadata.step_stats.dev_stats:
        made = message.step_stats.dev_stats.add(device=device.device)
        for node in device.node_stats:
            _copy(made.node_stats.add(), node)
    for graph in run_metadata.partition_graphs:
        _fill_graph(message.partition_graphs.add(), graph)
    return message.SerializeToString()
