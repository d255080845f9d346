"""Modules that programs import by their place in TensorFlow's source."""

from troupe.python import client

__all__ = [
    "client",
]
