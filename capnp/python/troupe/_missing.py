"""Names that are not there: an op that has no function of its own yet, or nothing at all."""

from __future__ import annotations

import difflib
import sys
from typing import Any, Dict, Tuple

# What TensorFlow has under such names, and Troupe has not yet.
_KINDS: Dict[str, Tuple[str, ...]] = {
    "queues": ("FIFOQueue", "RandomShuffleQueue", "PaddingFIFOQueue", "PriorityQueue", "QueueBase"),
    "readers and input pipelines": (
        "TextLineReader", "TFRecordReader", "WholeFileReader", "ReaderBase", "data", "queue_runner",
        "string_input_producer", "batch", "shuffle_batch", "start_queue_runners", "QueueRunner",
    ),
    "control flow": ("while_loop", "cond", "case", "map_fn", "scan", "foldl", "foldr", "function"),
    "strings": ("strings", "string_join", "as_string", "string_split", "regex_replace"),
    "summaries": ("summary", "SummarySaverHook"),
    "synchronous replicas (they need accumulators and queues)": (
        "SyncReplicasOptimizer", "ConditionalAccumulator", "SparseConditionalAccumulator",
    ),
}  # fmt: skip


def missing(module: str, name: str) -> Any:
    """The function of an op that is new in the catalog; else an AttributeError that helps."""
    from troupe import _gen_ops

    if not name.startswith("_") and name in vars(_gen_ops):
        return vars(_gen_ops)[name]
    for kind, names in _KINDS.items():
        if name in names:
            raise AttributeError(
                f"module '{module}' has no '{name}': {kind} are not part of this version of troupe"
            )
    known = [known for known in vars(sys.modules[module]) if not known.startswith("_")]
    nearest = difflib.get_close_matches(name, known, n=1)
    hint = f"; did you mean '{nearest[0]}'?" if nearest else ""
    raise AttributeError(f"module '{module}' has no '{name}' in this version of troupe{hint}")
