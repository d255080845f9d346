"""The nodes of savers, and savers that know them by their names alone."""

from __future__ import annotations

import os
import time
from typing import Any, Dict, List, Optional, Sequence

from troupe._src.graph.graph import Graph
from troupe._src.messages.meta_graph_messages import SaverDef
from troupe._src.ops.array_ops import identity
from troupe._src.ops.grouping_ops import group
from troupe._src.checkpoints.checkpoint_state import remove_checkpoint, update_checkpoint_state


def name_nodes(graph: Graph, first: int) -> SaverDef:
    """The message of the saver whose nodes come from number `first` on.

    Adds one node that stands for all restores, and one whose value is the name of the checkpoint
    after it was written.
    """
    nodes = [graph._operation(node) for node in range(first, graph._root.size)]
    (prefix,) = [op for op in nodes if op.type == "PlaceholderWithDefault"]
    writers = [op for op in nodes if op.type in ("SaveV2", "MergeV2Checkpoints")]
    scope = prefix._name.rsplit("/", 1)[0]
    with graph.name_scope(scope + "/"), graph.device(prefix.device or None):
        with graph.control_dependencies([writers[-1]]):
            saved = identity(prefix.outputs[0], name="control_dependency")
        restores = [op for op in nodes if op.type in ("AssignVariableOp", "Assign")]
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


def unscoped(saver_def: Any, scope: Optional[str]) -> Optional[SaverDef]:
    """The message without that scope; None where nodes are not in it."""
    made = SaverDef()
    made.CopyFrom(saver_def)
    for name in ("filename_tensor_name", "save_tensor_name", "restore_op_name") if scope else ():
        value = getattr(made, name)
        if not value.startswith(f"{scope}/"):
            return None
        setattr(made, name, value[len(f"{scope}/") :])
    return made


class SaverOfNames:
    """Saves and restores by nodes that a graph has, which a message names."""

    def __init__(
        self, saver_def: SaverDef, options: Dict[str, Any], checkpoints: Sequence[str] = ()
    ) -> None:
        for name in ("save_tensor_name", "restore_op_name"):
            if not getattr(saver_def, name):
                raise ValueError(f"saver_def must specify the {name}: {saver_def}")
        self.saver_def = saver_def
        self.checkpoints: List[str] = list(checkpoints)
        self._options = options
        self._keep_after = time.time() + saver_def.keep_checkpoint_every_n_hours * 3600
        self._times: Dict[str, float] = {}

    def save(
        self, session: Any, save_path: str, step: Optional[int], latest_filename: str, state: bool
    ) -> str:
        """Writes a checkpoint and notes it as the latest; removes those that are too many."""
        names = self.saver_def
        path = save_path
        if step is not None:
            path += f"-{step:08d}" if self._options["pad_step_number"] else f"-{step}"
        path = _text(session.run(names.save_tensor_name, {names.filename_tensor_name: path}))
        if not state:
            return path
        old = self._note(path)
        folder = os.path.dirname(path)
        paths = [path, *self.checkpoints]
        if self._options["save_relative_paths"]:
            paths = [os.path.relpath(each, folder or ".") for each in paths]
        update_checkpoint_state(folder, paths[0], paths[1:], latest_filename)
        for each in old:
            remove_checkpoint(each, names.version)
        return path

    def _note(self, path: str) -> List[str]:
        """Adds a checkpoint to those that are kept, and takes out those to remove."""
        if self.saver_def.max_to_keep <= 0:
            return []
        self.checkpoints = [each for each in self.checkpoints if each != path] + [path]
        self._times[path] = time.time()
        old = self.checkpoints[: -self.saver_def.max_to_keep]
        self.checkpoints = self.checkpoints[-self.saver_def.max_to_keep :]
        removed = []
        for each in old:
            if self._times.pop(each, 0.0) > self._keep_after:
                self._keep_after += self.saver_def.keep_checkpoint_every_n_hours * 3600
            else:
                removed.append(each)
        return removed

    def restore(self, session: Any, save_path: str) -> None:
        names = self.saver_def
        graph = session.graph
        target = graph._operation(graph._root.find(names.restore_op_name))
        session.run(target, {names.filename_tensor_name: save_path})


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)
