"""Views of parts of a graph."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.graph_editor.subgraph import (
    SubGraphView,
    make_view,
    make_view_from_scope,
)

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "SubGraphView",
    "make_view",
    "make_view_from_scope",
]
