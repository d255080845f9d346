"""Functions of a graph with declared types of arguments."""

from troupe._src.functions.defun import (
    Defun,
)

__all__ = [
    "Defun",
]
