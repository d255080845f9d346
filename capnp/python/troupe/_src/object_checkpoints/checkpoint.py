"""Checkpoints of objects, which are known by the attributes that lead to them."""

from __future__ import annotations

import os
from typing import Any, Optional, Union

from troupe._src.checkpoints.checkpoint_reader import CheckpointReader
from troupe._src.checkpoints.checkpoint_state import update_checkpoint_state
from troupe._src.checkpoints.object_graph import (
    OBJECT_GRAPH_KEY,
    CheckpointableObjectGraph,
    object_graph_of,
)
from troupe._src.graph.graph import get_default_graph
from troupe._src.object_checkpoints.load_status import (
    CheckpointLoadStatus,
    InitializationOnlyStatus,
    NameBasedSaverStatus,
)
from troupe._src.object_checkpoints.object_nodes import ObjectNodes, session_of
from troupe._src.object_checkpoints.restoration import Restoration, next_number
from troupe._src.module_scopes.checkpointable import Checkpointable, Dependencies
from troupe._src.object_checkpoints.trackable import is_trackable
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.paths import PathLike
from troupe._src.variables.variable import Variable

LoadStatus = Union[CheckpointLoadStatus, InitializationOnlyStatus, NameBasedSaverStatus]


@set_module("troupe.train")
class Checkpoint(Checkpointable):
    """Saves and restores objects: variables, optimizers, layers, and what such objects have.

    A value is known by the attributes that lead from here to it, and not by a name in the graph.
    The files are those of TensorFlow 1 and 2. `save_counter` is saved, too, and numbers them.

    Args:
        **kwargs: The objects, which become attributes.

    Raises:
        ValueError: One of them cannot be saved.
    """

    _own_attributes = frozenset({"_unsaved", "_save_counter", "_counted", "_nodes"})

    def __init__(self, **kwargs: Any) -> None:
        for name, value in sorted(kwargs.items()):
            if not is_trackable(value):
                raise ValueError(
                    f"`Checkpoint` was expecting a trackable object for '{name}', got {value!r}: "
                    "variables, layers, optimizers, and objects that have such attributes"
                )
            setattr(self, name, value)
        self._save_counter: Optional[Variable] = None
        self._counted: Any = None
        self._nodes: Optional[ObjectNodes] = None

    @property
    def _checkpoint_dependencies(self) -> Dependencies:
        found = super()._checkpoint_dependencies
        counter = self._save_counter
        return found if counter is None else [*found, ("save_counter", counter)]

    @property
    def save_counter(self) -> Variable:
        """A variable that counts what `save` has written."""
        if self._save_counter is None:
            with get_default_graph().device("/cpu:0"):
                self._save_counter = Variable(
                    0, dtype=dtypes.int64, trainable=False, name="save_counter", use_resource=True
                )
        return self._save_counter

    def _own_nodes(self) -> ObjectNodes:
        if self._nodes is None or not self._nodes.is_of(get_default_graph()):
            self._nodes = ObjectNodes(self)
        return self._nodes

    def _count(self, session: Any) -> int:
        """Increments the counter, which it initializes if it is new."""
        if self._save_counter is None:
            session.run(self.save_counter.initializer)
        if self._counted is None:
            with get_default_graph().colocate_with(self.save_counter.op):
                self._counted = self.save_counter.assign_add(1)
        return int(session.run(self._counted))

    def write(self, file_prefix: PathLike, session: Any = None) -> str:
        """Writes a checkpoint of that name; the folder's file of checkpoints does not change.

        Args:
            file_prefix: The name.
            session: The session, by default the default session.

        Returns:
            The name.

        Raises:
            RuntimeError: There is no session.
        """
        return self._own_nodes().save(os.fspath(file_prefix), session_of(session))

    def save(self, file_prefix: PathLike, session: Any = None) -> str:
        """Writes a checkpoint, and notes it as the latest one of its folder.

        Args:
            file_prefix: Its name, without its number: the counter, which is incremented.
            session: The session, by default the default session.

        Returns:
            The name, such as "path-7".

        Raises:
            RuntimeError: There is no session.
        """
        session = session_of(session)
        path = self.write(f"{os.fspath(file_prefix)}-{self._count(session)}", session)
        folder = os.path.dirname(path)
        relative = os.path.relpath(path, folder or ".")
        update_checkpoint_state(folder, relative, [relative])
        return path

    def restore(self, save_path: Optional[PathLike]) -> LoadStatus:
        """Finds what a checkpoint has of what is here; methods of the result then restore it.

        Objects that come later are found by these. The checkpoint may be one of a `tf.train.Saver`.

        Args:
            save_path: The name of the checkpoint; None to initialize only.

        Returns:
            A status: `run_restore_ops(session)` restores, `initialize_or_restore(session)`
            initializes the other variables, too, `assert_consumed()`,
            `assert_existing_objects_matched()` and `assert_nontrivial_match()` check.

        Raises:
            NotFoundError: There is no such checkpoint.
            DataLossError: What it says of its objects is damaged.
        """
        status = self._find(save_path)
        if self.save_counter is not None and isinstance(status, CheckpointLoadStatus):
            status._restoration.match()  # the counter, which may have been made just now
        return status

    def _find(self, save_path: Optional[PathLike]) -> LoadStatus:
        if save_path is None:
            return InitializationOnlyStatus(self, next_number())
        path = os.fspath(save_path)
        message = object_graph_of(CheckpointReader(path))
        if message is None:
            return NameBasedSaverStatus(path, self)
        nodes = self._own_nodes()
        return CheckpointLoadStatus(Restoration(message, path, self, nodes), nodes)


def object_metadata(save_path: PathLike) -> CheckpointableObjectGraph:
    """What a checkpoint says of its objects.

    Args:
        save_path: The name of the checkpoint.

    Returns:
        The message.

    Raises:
        ValueError: It is one of a `tf.train.Saver`, which knows no objects.
        NotFoundError: There is no such checkpoint.
    """
    message = object_graph_of(CheckpointReader(save_path))
    if message is None:
        raise ValueError(
            f"The specified checkpoint {os.fspath(save_path)!r} does not appear to be object-based "
            f'(saved with TF2) since it is missing the key "{OBJECT_GRAPH_KEY}".'
        )
    return message
