"""Options of sessions, servers and steps, under the names of TensorFlow's messages."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from troupe import _native


class GPUOptions:
    """Taken and kept; this version has no GPU kernels."""

    def __init__(
        self,
        per_process_gpu_memory_fraction: float = 0.0,
        allow_growth: bool = False,
        visible_device_list: str = "",
        allocator_type: str = "",
    ) -> None:
        self.per_process_gpu_memory_fraction = per_process_gpu_memory_fraction
        self.allow_growth = allow_growth
        self.visible_device_list = visible_device_list
        self.allocator_type = allocator_type


class GraphOptions:
    """Taken and kept; graphs are always pruned, and never rewritten."""

    def __init__(self, place_pruned_graph: bool = True, **_: Any) -> None:
        self.place_pruned_graph = place_pruned_graph


class ConfigProto:
    """Options of a session, or of the server that serves it.

    A session has `operation_timeout_in_ms`, `log_device_placement`, `device_filters` and
    `isolate_session_state`; a server, and a session without one, `intra_op_parallelism_threads`
    and `device_count`. A session on a server that asks for threads is warned.
    """

    def __init__(
        self,
        device_count: Optional[Dict[str, int]] = None,
        intra_op_parallelism_threads: int = 0,
        inter_op_parallelism_threads: int = 0,
        device_filters: Optional[List[str]] = None,
        gpu_options: Optional[GPUOptions] = None,
        allow_soft_placement: bool = False,
        log_device_placement: bool = False,
        graph_options: Optional[GraphOptions] = None,
        operation_timeout_in_ms: int = 0,
        isolate_session_state: bool = False,
        cpu_memory_limit: int = 0,
        connect_timeout_in_ms: int = 10000,
    ) -> None:
        self.device_count = dict(device_count or {})
        self.intra_op_parallelism_threads = intra_op_parallelism_threads
        self.inter_op_parallelism_threads = inter_op_parallelism_threads
        self.device_filters = list(device_filters or [])
        self.gpu_options = gpu_options or GPUOptions()
        self.allow_soft_placement = allow_soft_placement
        self.log_device_placement = log_device_placement
        self.graph_options = graph_options or GraphOptions()
        self.operation_timeout_in_ms = operation_timeout_in_ms
        self.isolate_session_state = isolate_session_state
        self.cpu_memory_limit = cpu_memory_limit  # bytes; Troupe's own
        self.connect_timeout_in_ms = connect_timeout_in_ms  # Troupe's own

    def _for_session(self, target: str) -> Dict[str, Any]:
        return {
            "target": target,
            "connect_timeout_ms": self.connect_timeout_in_ms,
            "operation_timeout_ms": self.operation_timeout_in_ms,
            "log_device_placement": self.log_device_placement,
            "device_filters": self.device_filters,
            "isolate_state": self.isolate_session_state,
            "threads": self.intra_op_parallelism_threads,
            "memory_limit": self.cpu_memory_limit,
        }

    def _for_server(self) -> Dict[str, Any]:
        return {
            "threads": self.intra_op_parallelism_threads,
            "memory_limit": self.cpu_memory_limit,
            "device_count": self.device_count,
        }


class RunOptions:
    """Options of one step."""

    NO_TRACE = 0
    SOFTWARE_TRACE = 1
    HARDWARE_TRACE = 2
    FULL_TRACE = 3

    def __init__(
        self,
        trace_level: int = NO_TRACE,
        timeout_in_ms: int = 0,
        output_partition_graphs: bool = False,
    ) -> None:
        self.trace_level = trace_level
        self.timeout_in_ms = timeout_in_ms
        self.output_partition_graphs = output_partition_graphs

    def _for_step(self) -> Dict[str, Any]:
        return {
            "timeout_ms": self.timeout_in_ms,
            "trace": self.trace_level == RunOptions.FULL_TRACE,
            "output_partition_graphs": self.output_partition_graphs,
        }


class _Record:
    """A message: its fields are attributes."""

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)

    def __repr__(self) -> str:
        fields = ", ".join(f"{key}={value!r}" for key, value in self.__dict__.items())
        return f"{type(self).__name__}({fields})"


class NodeExecStats(_Record):
    """When one node ran: `node_name`, `op`, and times in microseconds."""


class DeviceStepStats(_Record):
    """What a device did for a step: `device`, and `node_stats` for its nodes."""


class StepStats(_Record):
    """`dev_stats`: a DeviceStepStats for each device that took part."""


class RunMetadata:
    """How a step went, as far as its RunOptions asked for it.

    `step_stats.dev_stats` has the times of its nodes, `partition_graphs` each device's part of the
    graph as a list of nodes; `Graph.show` draws these.
    """

    def __init__(self) -> None:
        self.step_stats = StepStats(dev_stats=[])
        self.partition_graphs: List[Any] = []
        self._native: Optional[_native.RunMetadata] = None

    def save_trace(self, path: str) -> None:
        """Writes the times of its nodes to a file that ui.perfetto.dev and chrome://tracing open.

        The step must have run with `trace_level=RunOptions.FULL_TRACE`.
        """
        trace = self._filled().to_chrome_trace()
        with open(path, "w", encoding="utf-8") as file:
            file.write(trace)

    def _filled(self) -> _native.RunMetadata:
        if self._native is None:
            raise ValueError("No step has filled this metadata: pass it to Session.run first.")
        return self._native

    def _fill(self, native: Optional[_native.RunMetadata]) -> None:
        self._native = native
        devices = native.devices if native else []
        self.step_stats = StepStats(dev_stats=[_device_stats(device) for device in devices])
        self.partition_graphs = [
            [_Record(**node) for node in device["graph"]] for device in devices if device["graph"]
        ]


def _device_stats(device: Dict[str, Any]) -> DeviceStepStats:
    begin = device["begin"]
    nodes = [
        NodeExecStats(
            node_name=node["node"],
            op=node["op"],
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


NO_STEP_OPTIONS: Dict[str, Any] = {}
