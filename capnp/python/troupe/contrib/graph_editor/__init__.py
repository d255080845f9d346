"""Walks along the edges of a graph."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.graph.walks import get_backward_walk_ops, get_forward_walk_ops

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = ["get_backward_walk_ops", "get_forward_walk_ops"]
