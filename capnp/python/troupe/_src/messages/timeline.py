"""Traces of steps for ui.perfetto.dev and chrome://tracing."""

from __future__ import annotations

from typing import Any

from troupe._src.set_module import set_module


@set_module("troupe.python.client.timeline")
class Timeline:
    """The trace of a step that ran with `trace_level=FULL_TRACE`, from `RunMetadata.step_stats`."""

    def __init__(self, step_stats: Any, graph: Any = None) -> None:
        self._metadata = step_stats._metadata

    def generate_chrome_trace_format(
        self, show_dataflow: bool = True, show_memory: bool = False
    ) -> str:
        """The trace as JSON."""
        return str(self._metadata._require_filled().to_chrome_trace())
