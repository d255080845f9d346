"""Functions that add nodes."""

from troupe.python.ops import functional_ops

__all__ = [
    "functional_ops",
]
