"""Profiles by the names of the older module, and options for them."""

from __future__ import annotations

from typing import Any, Dict

from troupe._src.profiler.options import ProfileOptionBuilder
from troupe._src.profiler.profile import profile

TRAINABLE_VARIABLES = "_trainable_variables"

TRAINABLE_VARS_PARAMS_STAT_OPTIONS: Dict[str, Any] = (
    ProfileOptionBuilder.trainable_variables_parameter()
)
FLOAT_OPS_OPTIONS: Dict[str, Any] = ProfileOptionBuilder.float_operation()
PRINT_ALL_TIMING_MEMORY: Dict[str, Any] = {
    **ProfileOptionBuilder.time_and_memory(), "order_by": "name", "select": ["micros", "bytes"],
}  # fmt: skip


def print_model_analysis(
    graph: Any, run_meta: Any = None, op_log: Any = None, tfprof_cmd: str = "scope",
    tfprof_options: Any = 0,
) -> Any:  # fmt: skip
    """Prints a profile of a graph, as `tf.profiler.profile`.

    Args:
        graph: The graph.
        run_meta: The RunMetadata of a step with a trace, for times.
        op_log: Has no effect.
        tfprof_cmd: "scope" or "graph" for a tree by names; "op" for a list by ops.
        tfprof_options: What is shown, one of the dicts of this module or of
            `ProfileOptionBuilder`; 0 for the usual.

    Returns:
        A GraphNodeProto, or for "op" a MultiGraphNodeProto.

    Raises:
        ValueError: There is no such view or output.
    """
    return profile(graph, run_meta, op_log, tfprof_cmd, _options(tfprof_options))


def _options(given: Any) -> Any:
    """Options of the older form, of which some have no place in the newer one."""
    if not given:
        return None
    chosen = dict(given)
    path = chosen.pop("dump_to_file", "")
    if path:
        chosen["output"] = f"file:outfile={path}"
    return ProfileOptionBuilder(chosen).build()
