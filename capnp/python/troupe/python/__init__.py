"""Modules that programs import by their place in TensorFlow's source."""

from troupe.python import client, framework, ops

__all__ = [
    "client",
    "framework",
    "ops",
]
