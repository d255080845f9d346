"""Parts of graphs."""

from troupe.python.framework import function

__all__ = [
    "function",
]
