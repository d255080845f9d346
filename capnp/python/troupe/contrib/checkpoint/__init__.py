"""Checkpoints of objects, and objects that are saved with what they have."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.module_scopes.checkpointable import (
    Checkpointable,
    CheckpointableBase,
    NoDependency,
)
from troupe._src.object_checkpoints.checkpoint import object_metadata
from troupe._src.object_checkpoints.checkpoint_manager import CheckpointManager
from troupe._src.checkpoints.object_graph import CheckpointableObjectGraph
from troupe._src.object_checkpoints.object_view import list_objects
from troupe._src.object_checkpoints.picture import dot_graph_from_checkpoint
from troupe._src.object_checkpoints.python_state import NumpyState
from troupe._src.object_checkpoints.python_state import PythonState as PythonStateWrapper
from troupe._src.object_checkpoints.split_dependencies import split_dependency
from troupe._src.object_checkpoints.trackable import List, Mapping, UniqueNameTracker


if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "Checkpointable",
    "CheckpointableBase",
    "CheckpointableObjectGraph",
    "CheckpointManager",
    "List",
    "Mapping",
    "NoDependency",
    "NumpyState",
    "PythonStateWrapper",
    "UniqueNameTracker",
    "dot_graph_from_checkpoint",
    "list_objects",
    "object_metadata",
    "split_dependency",
]
