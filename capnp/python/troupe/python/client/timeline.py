"""Traces of steps for ui.perfetto.dev and chrome://tracing."""

from __future__ import annotations

from typing import Any


class Timeline:
    """Of the `step_stats` of a RunMetadata, whose step ran with `trace_level=FULL_TRACE`."""

    def __init__(self, step_stats: Any, graph: Any = None) -> None:
        self._metadata = step_stats._metadata

    def generate_chrome_trace_format(
        self, show_dataflow: bool = True, show_memory: bool = False
    ) -> str:
        """The JSON of the trace."""
        return str(self._metadata._filled().to_chrome_trace())
