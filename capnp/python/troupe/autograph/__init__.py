"""AutoGraph: control flow of Python in functions becomes that of the graph."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.autograph.api import set_verbosity, to_code, to_graph, trace
from troupe.autograph import experimental

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = ["experimental", "set_verbosity", "to_code", "to_graph", "trace"]
