"""Modules that programs import from the examples of TensorFlow 1.x."""

from troupe.examples import tutorials

__all__ = ["tutorials"]
