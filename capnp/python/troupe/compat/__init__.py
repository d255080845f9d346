"""The names that programs for several versions of TensorFlow use."""

from troupe.compat import v1

__all__ = ["v1"]
