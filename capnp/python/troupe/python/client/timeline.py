"""Traces of steps for ui.perfetto.dev and chrome://tracing."""

from troupe._src.messages.timeline import (
    Timeline,
)

__all__ = [
    "Timeline",
]
