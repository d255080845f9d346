"""Records of graphs and of executed steps, under the names of TensorFlow's messages."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from troupe import _native
from troupe._src.messages.fields import Field
from troupe._src.messages.graph_messages import GraphDef, NodeDef
from troupe._src.messages.message import Record
from troupe._src.messages.proto_message import ProtoMessage
from troupe._src.set_module import set_module


class NodeExecStats(Record):
    """When one node ran: `node_name`, `timeline_label`, and times in microseconds."""


class DeviceStepStats(Record):
    """The execution of a step on one device: `device`, and `node_stats` of its nodes."""


class StepStats(Record):
    """`dev_stats`: a DeviceStepStats for each device of the step."""


class CostGraphDef(Record):
    """The costs of a step: `node` has a CostNode for each node of its partitions."""


class CostNode(Record):
    """`name`, `device`, `id`, `input_info`, `control_input`, and `compute_cost` in microseconds."""


class CostInput(Record):
    """An input: the id of its node (`preceding_node`), and which output (`preceding_port`)."""


@set_module("troupe")
class RunMetadata:
    """Statistics of a step, as far as its RunOptions asked for them.

    `step_stats.dev_stats` has the times of its nodes, `partition_graphs` the partition of each
    device; `Graph.show` draws both. `cost_graph` has the times in the graphs of the devices, where
    the step ran with both `trace_level=FULL_TRACE` and `output_partition_graphs`.
    """

    def __init__(self) -> None:
        self._fill(None)

    def save_trace(self, path: str) -> None:
        """Writes the times of its nodes to a file that ui.perfetto.dev and chrome://tracing open.

        Args:
            path: the path of the file, JSON.

        Raises:
            ValueError: if no step has filled it.
            OpError: if the step did not run with `trace_level=RunOptions.FULL_TRACE`.
        """
        trace = self._require_filled().to_chrome_trace()
        with open(path, "w", encoding="utf-8") as file:
            file.write(trace)

    def SerializeToString(self, deterministic: Optional[bool] = None) -> bytes:
        """The message as TensorFlow reads it: `step_stats` and `partition_graphs`.

        Args:
            deterministic: Has no effect: equal messages are equal bytes.

        Returns:
            The bytes.
        """
        return _metadata_bytes(self)

    def HasField(self, name: str) -> bool:
        """Whether a step has filled a field.

        Args:
            name: "step_stats" or "cost_graph".

        Returns:
            The answer.

        Raises:
            ValueError: if it has no such field.
        """
        if name not in ("step_stats", "cost_graph"):
            raise ValueError(f'RunMetadata has no field "{name}" that may be missing.')
        parts = self.step_stats.__dict__["dev_stats"], self.cost_graph.__dict__["node"]
        return bool(parts[name == "cost_graph"])

    def _require_filled(self) -> _native.RunMetadata:
        if self._native is None:
            raise ValueError("No step has filled this metadata: pass it to Session.run first.")
        return self._native

    def _fill(self, native: Optional[_native.RunMetadata]) -> None:
        self._native = native
        devices = native.devices if native else []
        stats = [_device_stats(device) for device in devices]
        self.step_stats = StepStats(dev_stats=stats, _metadata=self)
        self.partition_graphs = [
            GraphDef([_node_def(node) for node in device["graph"]])
            for device in devices
            if device["graph"]
        ]
        self.cost_graph = _cost_graph(devices)


def _cost_graph(devices: List[Dict[str, Any]]) -> CostGraphDef:
    nodes: List[CostNode] = []
    for device in devices:
        runs: Dict[str, List[Dict[str, Any]]] = {}
        for run in device["nodes"]:
            runs.setdefault(run["node"], []).append(run)
        if not runs:
            continue
        first = len(nodes)
        ids = {node["name"]: first + i for i, node in enumerate(device["graph"])}
        for node in device["graph"]:
            inputs = [name for name in node["inputs"] if not name.startswith("^")]
            times = runs.get(node["name"], [])
            cost = sum(run["end"] - run["begin"] for run in times)
            nodes.append(
                CostNode(
                    name=node["name"],
                    device=device["device"],
                    id=ids[node["name"]],
                    input_info=[_cost_input(name, ids) for name in inputs],
                    control_input=[ids[name[1:]] for name in node["inputs"] if name[0] == "^"],
                    compute_cost=int(cost * 1e6),
                    output_bytes=max((run["bytes"] for run in times), default=0),
                )
            )
    return CostGraphDef(node=nodes)


def _cost_input(name: str, ids: Dict[str, int]) -> CostInput:
    node, _, port = name.partition(":")
    return CostInput(preceding_node=ids[node], preceding_port=int(port or 0))


def _node_def(node: Dict[str, Any]) -> NodeDef:
    return NodeDef(
        name=node["name"], op=node["op"], input=list(node["inputs"]), device=node["device"]
    )


def _device_stats(device: Dict[str, Any]) -> DeviceStepStats:
    begin = device["begin"]
    nodes = [
        NodeExecStats(
            node_name=node["node"],
            op=node["op"],
            timeline_label=f"{node['node']} = {node['op']}({node['tensor']})",
            all_start_micros=int((begin + node["begin"]) * 1e6),
            op_start_rel_micros=0,
            op_end_rel_micros=int((node["end"] - node["begin"]) * 1e6),
            all_end_rel_micros=int((node["end"] - node["begin"]) * 1e6),
            thread_id=node["thread"],
            output_bytes=node["bytes"],
            tensor=node["tensor"],
            peer=node["peer"],
        )
        for node in device["nodes"]
    ]
    return DeviceStepStats(
        device=device["device"], node_stats=nodes, memory_peak=device["memory_peak"]
    )


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


def _metadata_bytes(run_metadata: Any) -> bytes:
    message = _Metadata()
    for device in run_metadata.step_stats.dev_stats:
        made = message.step_stats.dev_stats.add(device=device.device)
        for node in device.node_stats:
            _copy(made.node_stats.add(), node)
    for graph in run_metadata.partition_graphs:
        _fill_graph(message.partition_graphs.add(), graph)
    return message.SerializeToString()
