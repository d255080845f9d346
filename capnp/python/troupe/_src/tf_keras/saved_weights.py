"""The weights of models in TensorFlow's checkpoints, beside those in files of HDF5."""

from __future__ import annotations

import functools
import os
from typing import Any, Callable, Optional

from troupe._src.checkpoints.checkpoint_reader import CheckpointReader
from troupe._src.checkpoints.checkpoint_state import checkpoint_exists, update_checkpoint_state
from troupe._src.checkpoints.object_graph import object_graph_of
from troupe._src.keras.sessions import get_session
from troupe._src.object_checkpoints.load_status import CheckpointLoadStatus, NameBasedSaverStatus
from troupe._src.object_checkpoints.object_nodes import ObjectNodes
from troupe._src.object_checkpoints.restoration import Restoration
from troupe._src.types.paths import PathLike

_ENDINGS_OF_HDF5 = (".h5", ".keras", ".hdf5")
_FORMATS = {"tf": "tf", "tensorflow": "tf", "h5": "h5", "hdf5": "h5", "keras": "h5"}


def let_models_save(kind: Any) -> None:
    """Makes the methods of the class of models know both formats.

    Args:
        kind: `Network`, the base of models.
    """
    kind.save_weights = _save_weights(kind.save_weights)
    kind.load_weights = _load_weights(kind.load_weights)


def _format(path: str, given: Optional[str]) -> str:
    if given is None:
        return "h5" if path.endswith(_ENDINGS_OF_HDF5) else "tf"
    if given.lower() not in _FORMATS:
        raise ValueError(f"Unknown format '{given}'. Was expecting one of {{'tf', 'h5'}}.")
    return _FORMATS[given.lower()]


def _save_weights(own: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(own)
    def save_weights(
        self: Any, filepath: PathLike, overwrite: bool = True, save_format: Optional[str] = None
    ) -> None:
        path = os.fspath(filepath)
        kind = _format(path, save_format)
        if kind == "h5":
            own(self, path, overwrite)
            return
        if path.endswith(_ENDINGS_OF_HDF5):
            raise ValueError(
                f"save_weights got save_format='{save_format}', but the filepath ('{path}') looks "
                "like an HDF5 file. Omit the '.h5'/'.keras' when saving in TensorFlow format."
            )
        if checkpoint_exists(path) and not overwrite:
            raise FileExistsError(f"{path} exists; save_weights(..., overwrite=True) replaces it")
        session = get_session()
        with session.graph.as_default():
            _nodes(self).save(path, session)
        folder, name = os.path.split(path)
        update_checkpoint_state(folder, name, [name])

    return save_weights


def _load_weights(own: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(own)
    def load_weights(self: Any, filepath: PathLike, by_name: bool = False, **kwargs: Any) -> Any:
        path = os.fspath(filepath)
        if _format(path, None) == "h5" or not checkpoint_exists(path):
            return own(self, path, by_name=by_name, **kwargs)
        if by_name:
            raise NotImplementedError(
                "Weights may only be loaded based on topology into Models when loading "
                "TensorFlow-formatted weights (got by_name=True to load_weights)."
            )
        session = get_session()
        with session.graph.as_default():
            message = object_graph_of(CheckpointReader(path))
            status: Any = NameBasedSaverStatus(path, self)
            if message is not None:
                nodes = _nodes(self)
                status = CheckpointLoadStatus(Restoration(message, path, self, nodes), nodes)
            status.run_restore_ops(session)
        return status

    return load_weights


def _nodes(model: Any) -> ObjectNodes:
    """What saves and restores the model in the default graph: made once."""
    known: Optional[ObjectNodes] = model.__dict__.get("_checkpoint_nodes")
    if known is None or not known.is_of(get_session().graph):
        known = ObjectNodes(model)
        model.__dict__["_checkpoint_nodes"] = known
    return known
