"""What graphs and steps cost: parameters, floating-point operations, times."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.profiler.options import ProfileOptionBuilder
from troupe._src.profiler.profile import (
    GraphNodeProto,
    MultiGraphNodeProto,
    Profiler,
    profile,
)

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "GraphNodeProto",
    "MultiGraphNodeProto",
    "ProfileOptionBuilder",
    "Profiler",
    "profile",
]
