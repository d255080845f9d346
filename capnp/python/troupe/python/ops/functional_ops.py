"""Calls, branches and loops of functions of a graph, and functions over elements."""

from troupe._src.control_flow.functional import (
    foldl,
    foldr,
    map_fn,
    scan,
)
from troupe._src.functions.functional_ops import (
    For,
    Gradient,
    If,
    While,
    partitioned_call,
    remote_call,
    symbolic_gradient,
)

__all__ = [
    "For",
    "Gradient",
    "If",
    "While",
    "foldl",
    "foldr",
    "map_fn",
    "partitioned_call",
    "remote_call",
    "scan",
    "symbolic_gradient",
]
