"""Options of sessions, servers and steps, under the names of TensorFlow's messages."""

from __future__ import annotations

from typing import Any, Dict, Iterable, List

from troupe._src.messages.message import (
    AnyOptions,
    ConfigExperimental,
    GPUExperimental,
    Options,
    RunExperimental,
)
from troupe._src.messages.reflection import EnumNames, fields_of
from troupe._src.platform.simulated_targets import options_of
from troupe._src.set_module import set_module


@set_module("troupe")
class GPUOptions(Options):
    """How a server, or a session without a target, uses the GPUs of its machine.

    They read `visible_device_list`, `per_process_gpu_memory_fraction` and `allow_growth`: without
    it a fraction that is given is reserved at the start. `capture_graphs` is Troupe's addition:
    without it no part of a step is captured as work of a card. The other fields have no effect.
    """

    Experimental = GPUExperimental

    _fields = {
        "per_process_gpu_memory_fraction": 0.0,
        "allow_growth": False,
        "allocator_type": "",
        "deferred_deletion_bytes": 0,
        "visible_device_list": "",
        "polling_active_delay_usecs": 0,
        "polling_inactive_delay_msecs": 0,
        "force_gpu_compatible": False,
        "capture_graphs": True,
        "experimental": GPUExperimental,
    }
    _wire = fields_of(
        """
        per_process_gpu_memory_fraction=1:double allow_growth=4:bool allocator_type=2:string
        deferred_deletion_bytes=3:int64 visible_device_list=5:string
        polling_active_delay_usecs=6:int32 polling_inactive_delay_msecs=7:int32
        force_gpu_compatible=8:bool experimental=9:message capture_graphs=50001:bool
        """
    )

    def _for_server(self) -> Dict[str, Any]:
        fraction = self.per_process_gpu_memory_fraction
        cards = [card for card in self.visible_device_list.split(",") if card.strip()]
        return {
            "gpus": [int(card) for card in cards],
            "gpu_memory_fraction": fraction,
            "gpu_reserves_memory": fraction > 0 and not self.allow_growth,
            "gpu_captures_graphs": self.capture_graphs,
        }


@set_module("troupe")
class OptimizerOptions(Options):
    """`opt_level` L0 leaves graphs as they are; the rest has no effect."""

    DEFAULT = L1 = 0
    OFF = L0 = -1
    ON_1 = 1
    ON_2 = 2
    Level = EnumNames(L1=0, L0=-1)
    GlobalJitLevel = EnumNames(DEFAULT=0, OFF=-1, ON_1=1, ON_2=2)

    _fields = {
        "do_common_subexpression_elimination": False,
        "do_constant_folding": False,
        "max_folded_constant_in_bytes": 0,
        "do_function_inlining": False,
        "opt_level": L1,
        "global_jit_level": DEFAULT,
    }
    _wire = fields_of(
        """
        do_common_subexpression_elimination=1:bool do_constant_folding=2:bool
        max_folded_constant_in_bytes=6:int64 do_function_inlining=4:bool opt_level=3:enum
        global_jit_level=5:enum
        """
    )


class ScopedAllocatorOptions(Options):
    """Accepted without effect."""

    _fields: Dict[str, Any] = {"enable_op": []}
    _wire = fields_of(
        """
        enable_op=1:string
        """
    )


# Fields of a RewriterConfig that turn optimization passes of ours off.
_PASSES = {
    "shape_optimization": ["materialize_shapes"],
    "constant_folding": ["fold_constants", "spread_constants"],
    "arithmetic_optimization": ["simplify_arithmetic"],
    "common_subgraph_elimination": ["merge_duplicates"],
    "dependency_optimization": ["reduce_controls"],
}


class RewriterConfig(Options):
    """Which optimization passes change a graph: see `GraphOptions`.

    It is at `tensorflow.core.protobuf.rewriter_config_pb2`. Fields that no pass here reads have no
    effect.
    """

    DEFAULT, ON, OFF, AGGRESSIVE = range(4)
    DEFAULT_NUM_ITERS, ONE, TWO = range(3)
    DEFAULT_MEM_OPT, NO_MEM_OPT, MANUAL, HEURISTICS = range(4)
    SWAPPING_HEURISTICS, RECOMPUTATION_HEURISTICS, SCHEDULING_HEURISTICS = 4, 5, 6

    _fields = {
        **dict.fromkeys(_PASSES, DEFAULT),
        "remapping": DEFAULT,
        "layout_optimizer": DEFAULT,
        "loop_optimization": DEFAULT,
        "function_optimization": DEFAULT,
        "debug_stripper": DEFAULT,
        "disable_model_pruning": False,
        "scoped_allocator_optimization": DEFAULT,
        "pin_to_host_optimization": DEFAULT,
        "implementation_selector": DEFAULT,
        "auto_mixed_precision": DEFAULT,
        "disable_meta_optimizer": False,
        "meta_optimizer_iterations": DEFAULT_NUM_ITERS,
        "min_graph_nodes": 0,
        "memory_optimization": DEFAULT_MEM_OPT,
        "memory_optimizer_target_node_name_scope": "",
        "meta_optimizer_timeout_ms": 0,
        "auto_parallel": AnyOptions,
        "fail_on_optimizer_errors": False,
        "scoped_allocator_opts": ScopedAllocatorOptions,
        "optimizers": [],
        "custom_optimizers": [],
        "inter_optimizer_verifier_config": AnyOptions,
        "post_optimization_verifier_config": AnyOptions,
    }
    _wire = fields_of(
        """
        layout_optimizer=1:enum constant_folding=3:enum shape_optimization=13:enum
        remapping=14:enum arithmetic_optimization=7:enum dependency_optimization=8:enum
        loop_optimization=9:enum function_optimization=10:enum debug_stripper=11:enum
        disable_model_pruning=2:bool scoped_allocator_optimization=15:enum
        pin_to_host_optimization=18:enum implementation_selector=22:enum
        auto_mixed_precision=23:enum disable_meta_optimizer=19:bool
        meta_optimizer_iterations=12:enum min_graph_nodes=17:int32 memory_optimization=4:enum
        memory_optimizer_target_node_name_scope=6:string meta_optimizer_timeout_ms=20:int64
        auto_parallel=5:message fail_on_optimizer_errors=21:bool
        scoped_allocator_opts=16:message optimizers=100:string
        common_subgraph_elimination=50001:enum
        """
    )


@set_module("troupe")
class GraphOptions(Options):
    """What may change in a graph before it runs; graphs are always pruned.

    Results keep their bits, but for mixed precision. The master runs these passes, each unless its
    field of `rewrite_options` (a RewriterConfig) is OFF (2): `shape_optimization` (shapes that are
    known become constants), `constant_folding` (small constants are also copied to other devices,
    and not sent), `arithmetic_optimization`, `common_subgraph_elimination`,
    `dependency_optimization` (control edges that others imply go). Adjacent element-wise ops are
    computed in one pass over memory unless `remapping` is OFF. Nothing of this is done where
    `optimizer_options.opt_level` is L0 or `rewrite_options.disable_meta_optimizer` is set.

    Where `rewrite_options.auto_mixed_precision` is ON (1), nodes on GPUs compute in float16 where
    that is fast and safe by TensorFlow's rules: results are less exact. `opt_level` does not change
    that, and `disable_meta_optimizer` turns it off, too. The other fields have no effect.
    """

    _fields = {
        "enable_recv_scheduling": False,
        "optimizer_options": OptimizerOptions,
        "build_cost_model": 0,
        "build_cost_model_after": 0,
        "infer_shapes": False,
        "place_pruned_graph": False,
        "enable_bfloat16_sendrecv": False,
        "timeline_step": 0,
        "rewrite_options": RewriterConfig,
    }
    _wire = fields_of(
        """
        enable_recv_scheduling=2:bool optimizer_options=3:message build_cost_model=4:int64
        build_cost_model_after=9:int64 infer_shapes=5:bool place_pruned_graph=6:bool
        enable_bfloat16_sendrecv=7:bool timeline_step=8:int32 rewrite_options=10:message
        """
    )

    def _allows_rewrites(self) -> bool:
        rewrites = vars(self.rewrite_options)
        return (
            self.optimizer_options.opt_level != OptimizerOptions.L0
            and rewrites.get("disable_meta_optimizer") is not True
        )

    def _fuses_elementwise(self) -> bool:
        return self._allows_rewrites() and vars(self.rewrite_options).get("remapping") != 2

    def _mixes_precision(self) -> bool:
        rewrites = vars(self.rewrite_options)
        is_off = rewrites.get("disable_meta_optimizer") is True
        return not is_off and rewrites.get("auto_mixed_precision") == RewriterConfig.ON

    def _disabled_passes(self) -> List[str]:
        rewrites = vars(self.rewrite_options)
        is_allowed = self._allows_rewrites()
        return [
            name
            for field, names in _PASSES.items()
            for name in names
            if not is_allowed or rewrites.get(field) == 2
        ]


@set_module("troupe")
class RPCOptions(Options):
    """Accepted without effect: sessions of a server in this process are served without RPC."""

    _fields = {
        "use_rpc_for_inprocess_master": False,
        "compression_algorithm": "",
        "compression_level": 0,
        "cache_rpc_response": False,
    }
    _wire = fields_of(
        """
        use_rpc_for_inprocess_master=1:bool compression_algorithm=2:string
        compression_level=3:int32 cache_rpc_response=4:bool
        """
    )


class _ThreadPoolOptions(Options):
    _fields = {"num_threads": 0, "global_name": ""}
    _wire = fields_of(
        """
        num_threads=1:int32 global_name=2:string
        """
    )


class _ThreadPools(List[_ThreadPoolOptions]):
    element = _ThreadPoolOptions

    def add(self, **fields: Any) -> _ThreadPoolOptions:
        """A new message at the end."""
        self.append(_ThreadPoolOptions(**fields))
        return self[-1]


@set_module("troupe")
class ConfigProto(Options):
    """Options of a session, or of the server that serves it.

    Sessions read `operation_timeout_in_ms`, `log_device_placement`, `device_filters`,
    `isolate_session_state`, `allow_soft_placement` and `graph_options`. Servers, and sessions
    without a target, read `intra_op_parallelism_threads`, `device_count` and `gpu_options` (such a
    session reads of the counts that of CPUs, and whether that of GPUs is 0: {"CPU": 2} makes CPU:0
    and CPU:1, which share threads and memory); a session with a target logs a warning when its
    config sets the threads.
    `cpu_memory_limit`, in bytes, and `connect_timeout_in_ms` are Troupe's additions, and so is
    `experimental.placement`: with "cost" a session places what nothing pins to a task by measured
    costs, over all tasks. The other fields have no effect.
    """

    Experimental = ConfigExperimental

    _fields = {
        "device_count": {},
        "intra_op_parallelism_threads": 0,
        "inter_op_parallelism_threads": 0,
        "use_per_session_threads": False,
        "session_inter_op_thread_pool": _ThreadPools,
        "placement_period": 0,
        "device_filters": [],
        "gpu_options": GPUOptions,
        "allow_soft_placement": False,
        "log_device_placement": False,
        "graph_options": GraphOptions,
        "operation_timeout_in_ms": 0,
        "rpc_options": RPCOptions,
        "isolate_session_state": False,
        "share_cluster_devices_in_session": False,
        "experimental": ConfigExperimental,
        "cpu_memory_limit": 0,
        "connect_timeout_in_ms": 10000,
    }
    _wire = fields_of(
        """
        device_count=1:int32 intra_op_parallelism_threads=2:int32
        inter_op_parallelism_threads=5:int32 use_per_session_threads=9:bool
        session_inter_op_thread_pool=12:message placement_period=3:int32 device_filters=4:string
        gpu_options=6:message allow_soft_placement=7:bool log_device_placement=8:bool
        graph_options=10:message operation_timeout_in_ms=11:int64 rpc_options=13:message
        isolate_session_state=15:bool experimental=16:message cpu_memory_limit=50001:int64
        connect_timeout_in_ms=50002:int64 share_cluster_devices_in_session=50003:bool
        """
    )

    def _for_session(self, target: str) -> Dict[str, Any]:
        return {
            "target": target,
            "connect_timeout_ms": self.connect_timeout_in_ms,
            "operation_timeout_ms": self.operation_timeout_in_ms,
            "log_device_placement": self.log_device_placement,
            "device_filters": list(self.device_filters),
            "isolate_state": self.isolate_session_state,
            "fuses_elementwise": self.graph_options._fuses_elementwise(),
            "optimizes": True,
            "disabled_passes": self.graph_options._disabled_passes(),
            "mixes_precision": self.graph_options._mixes_precision(),
            "soft_placement": self.allow_soft_placement,
            "placement": self._placement(),
            "threads": self.intra_op_parallelism_threads,
            "memory_limit": self.cpu_memory_limit,
            "cpu_devices": max(1, int(self.device_count.get("CPU", 1))),
            "uses_gpus": not target and self.device_count.get("GPU", 1) != 0,
            **self.gpu_options._for_server(),
            **options_of(target),
        }

    def _placement(self) -> str:
        # A field that was only read is there, too, as an empty message.
        placement = vars(self.experimental).get("placement", "")
        return placement if isinstance(placement, str) else ""

    def _for_server(self) -> Dict[str, Any]:
        return {
            "threads": self.intra_op_parallelism_threads,
            "memory_limit": self.cpu_memory_limit,
            "device_count": dict(self.device_count),
            **self.gpu_options._for_server(),
        }


@set_module("troupe")
class RunOptions(Options):
    """Options of one step: its timeout, and what its RunMetadata records."""

    NO_TRACE = 0
    SOFTWARE_TRACE = 1
    HARDWARE_TRACE = 2
    FULL_TRACE = 3
    TraceLevel = EnumNames(NO_TRACE=0, SOFTWARE_TRACE=1, HARDWARE_TRACE=2, FULL_TRACE=3)

    Experimental = RunExperimental

    _fields = {
        "trace_level": NO_TRACE,
        "timeout_in_ms": 0,
        "inter_op_thread_pool": 0,
        "output_partition_graphs": False,
        "report_tensor_allocations_upon_oom": False,
        "experimental": RunExperimental,
    }
    _wire = fields_of(
        """
        trace_level=1:enum timeout_in_ms=2:int64 inter_op_thread_pool=3:int32
        output_partition_graphs=5:bool report_tensor_allocations_upon_oom=7:bool
        experimental=8:message
        """
    )

    def _for_step(self) -> Dict[str, Any]:
        return {
            "timeout_ms": self.timeout_in_ms,
            "trace": self.trace_level == RunOptions.FULL_TRACE,
            "output_partition_graphs": self.output_partition_graphs,
        }

    @classmethod
    def _merged(cls, all_options: Iterable[RunOptions]) -> RunOptions:
        """The union of what all of them ask for."""
        merged = cls()
        for options in all_options:
            for name in ("trace_level", "timeout_in_ms", "output_partition_graphs"):
                setattr(merged, name, max(getattr(merged, name), getattr(options, name)))
        return merged


NO_STEP_OPTIONS: Dict[str, Any] = {}
