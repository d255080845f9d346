"""Modules that programs import by their place in TensorFlow's source."""

from troupe.python.client import timeline

__all__ = [
    "timeline",
]
