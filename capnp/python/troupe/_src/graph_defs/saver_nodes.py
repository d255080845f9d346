"""The nodes of savers, and savers that know them by their names alone."""

from __future__ import annotations

import contextlib
import os
from typing import Any, Callable, List, Optional

from troupe import _native
from troupe._src.graph.graph import Graph
from troupe._src.messages.meta_graph_messages import SaverDef
from troupe._src.ops.array_ops import group, identity


def name_nodes(graph: Graph, first: int) -> SaverDef:
    """The message of the saver whose nodes come from number `first` on.

    Adds one node that stands for all restores, and one whose value is the name of the checkpoint
    after it was written.
    """
    nodes = [graph._operation(node) for node in range(first, graph._root.size)]
    (prefix,) = [op for op in nodes if op.type == "Placeholder"]
    writers = [op for op in nodes if op.type in ("SaveV2", "MergeV2Checkpoints")]
    scope = prefix._name.rsplit("/", 1)[0]
    with graph.name_scope(scope + "/"), graph.device(prefix.device or None):
        with graph.control_dependencies([writers[-1]]):
            saved = identity(prefix.outputs[0], name="control_dependency")
        restores = [op for op in nodes if op.type == "AssignVariableOp"]
        restore = group(*restores, name="restore_all")
    return SaverDef(
        filename_tensor_name=prefix.outputs[0].name,
        save_tensor_name=saved.name,
        restore_op_name=restore._name,
        version=SaverDef.V2,
    )


def scoped(saver_def: Any, scope: Optional[str]) -> SaverDef:
    """The message of the same saver, whose nodes came in under a prefix."""
    made = SaverDef()
    made.CopyFrom(saver_def)
    if scope:
        made.filename_tensor_name = f"{scope}/{made.filename_tensor_name}"
        made.save_tensor_name = f"{scope}/{made.save_tensor_name}"
        made.restore_op_name = f"{scope}/{made.restore_op_name}"
    return made


def remove_file(path: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.remove(path)


class SaverOfNames:
    """Saves and restores by nodes that a graph has, which a message names."""

    def __init__(self, saver_def: Any, remove: Callable[[str], None]) -> None:
        """`remove` removes the files of a checkpoint."""
        self._remove = remove
        self.saver_def = scoped(saver_def, None)
        self.checkpoints: List[str] = []

    def save(self, session: Any, save_path: str, step: Optional[int]) -> str:
        """Writes a checkpoint and notes it as the latest; removes those that are too many."""
        names = self.saver_def
        path = save_path if step is None else f"{save_path}-{step}"
        session.run(names.save_tensor_name, {names.filename_tensor_name: path})
        self.checkpoints = [each for each in self.checkpoints if each != path] + [path]
        old: List[str] = []
        if names.max_to_keep > 0:
            old = self.checkpoints[: -names.max_to_keep]
            self.checkpoints = self.checkpoints[-names.max_to_keep :]
        _native.note_checkpoints(os.path.dirname(path) or ".", self.checkpoints)
        for each in old:
            self._remove(each)
        return path

    def restore(self, session: Any, save_path: str) -> None:
        names = self.saver_def
        graph = session.graph
        target = graph._operation(graph._root.find(names.restore_op_name))
        session.run(target, {names.filename_tensor_name: save_path})
