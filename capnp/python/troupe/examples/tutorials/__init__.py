"""The tutorials of TensorFlow 1.x."""

from troupe.examples.tutorials import mnist

__all__ = ["mnist"]
