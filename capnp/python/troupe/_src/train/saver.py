"""Saving variables to checkpoints, and restoring them."""

from __future__ import annotations

import glob
import os
from typing import Any, Dict, List, NamedTuple, Optional

from troupe import _native
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph_defs.meta_graph import export_meta_graph, proto_functions
from troupe._src.graph_defs.saver_nodes import SaverOfNames, name_nodes, remove_file, scoped
from troupe._src.messages.meta_graph_messages import MetaGraphDef, SaverDef
from troupe._src.platform import logging
from troupe._src.session.session import BaseSession
from troupe._src.set_module import set_module
from troupe._src.types import errors
from troupe._src.variables.variable import Variable
from troupe._src.variables.variable_sets import global_variables

INDEX_SUFFIX = ".safetensors.index.json"


@set_module("troupe.train")
class CheckpointState(NamedTuple):
    """The checkpoints of a folder, oldest first."""

    model_checkpoint_path: str
    all_model_checkpoint_paths: List[str]


def get_checkpoint_state(
    checkpoint_dir: str, latest_filename: Any = None
) -> Optional[CheckpointState]:
    """The contents of the folder's file `checkpoint`; None where it does not exist."""
    paths = _native.checkpoints(os.fspath(checkpoint_dir))
    return CheckpointState(paths[-1], paths) if paths else None


def latest_checkpoint(checkpoint_dir: str, latest_filename: Any = None) -> Optional[str]:
    """The prefix of the folder's latest checkpoint, or None."""
    state = get_checkpoint_state(checkpoint_dir)
    return state.model_checkpoint_path if state else None


def checkpoint_exists(checkpoint_prefix: str) -> bool:
    """True if this file system has the index of that checkpoint."""
    return os.path.exists(os.fspath(checkpoint_prefix) + INDEX_SUFFIX)


def remove_checkpoint(checkpoint_prefix: str, *_: Any) -> None:
    """Removes the files of a checkpoint from this file system."""
    for path in glob.glob(glob.escape(os.fspath(checkpoint_prefix)) + "[.-]*safetensors*"):
        os.remove(path)


@set_module("troupe.train")
class Saver:
    """Saves variables to checkpoints, and restores them.

    Adds nodes to the graph, so it must be created after the variables. Checkpoints are written by
    tasks: by the session's master, or with `sharded` by each task for its own variables. `var_list`
    is a list, or a dict of variables by their names in checkpoints.
    """

    def __init__(
        self,
        var_list: Any = None,
        reshape: bool = False,
        sharded: bool = False,
        max_to_keep: Optional[int] = 5,
        keep_checkpoint_every_n_hours: float = 10000.0,
        name: Optional[str] = None,
        device: str = "",
        saver_def: Any = None,
        **_: Any,
    ) -> None:
        graph = get_default_graph()
        self._by_names: Optional[SaverOfNames] = None
        if saver_def is not None:
            self._by_names = SaverOfNames(saver_def, remove_checkpoint)
            self.saver_def = self._by_names.saver_def
            return
        options = {
            "variables": {key: v._native for key, v in _by_name(var_list).items()},
            "sharded": sharded,
            "device": device,
            "max_to_keep": max_to_keep or 0,
            "keep_checkpoint_every_n_hours": float(keep_checkpoint_every_n_hours),
        }
        self._host = _native.make_host(logging.info)
        with graph._lock, graph.control_dependencies(None), graph.device(None):
            graph._check_not_finalized()
            builder = graph._builder_for("SaveV2", "save")
            first = graph._root.size
            self._native = _native.make_saver(builder, self._host, options)
            self.saver_def = name_nodes(graph, first)
        self.saver_def.sharded = sharded
        self.saver_def.max_to_keep = max_to_keep or 0
        self.saver_def.keep_checkpoint_every_n_hours = float(keep_checkpoint_every_n_hours)

    def save(
        self,
        sess: BaseSession,
        save_path: str,
        global_step: Any = None,
        latest_filename: Any = None,
        meta_graph_suffix: str = "meta",
        write_meta_graph: bool = True,
        **_: Any,
    ) -> str:
        """Writes the checkpoint "save_path", or "save_path-<global_step>"; returns its name.

        A session in this process needs an existing folder; tasks of a cluster create it. With
        `write_meta_graph` this program writes the graph to "<name>.meta".
        """
        session = _require_session(sess)
        folder = os.path.dirname(os.fspath(save_path))
        if not session.sess_str and folder and not os.path.isdir(folder):
            raise ValueError(f"Parent directory of {save_path} doesn't exist, can't save.")
        step = global_step
        if step is not None and not isinstance(step, int):
            step = int(sess.run(step)) if hasattr(step, "graph") else int(step)
        before = self.last_checkpoints
        path = self._save(session, os.fspath(save_path), step)
        if write_meta_graph:
            with session.graph.as_default():
                self.export_meta_graph(f"{path}.{meta_graph_suffix}")
        for old in set(before) - set(self.last_checkpoints):
            remove_file(f"{old}.{meta_graph_suffix}")
        return path

    def _save(self, session: BaseSession, save_path: str, step: Optional[int]) -> str:
        if self._by_names is not None:
            return self._by_names.save(session, save_path, step)
        try:
            return str(self._native.save(session._ready(), save_path, step))
        except errors.OpError as error:
            raise session._located(error)

    def restore(self, sess: BaseSession, save_path: str) -> None:
        """Assigns the values of a checkpoint to the variables."""
        if save_path is None:
            raise ValueError("Can't load save_path when it is None.")
        session = _require_session(sess)
        if not session.sess_str and not checkpoint_exists(save_path):
            raise ValueError(f"The passed save_path is not a valid checkpoint: {save_path}")
        if self._by_names is not None:
            self._by_names.restore(session, os.fspath(save_path))
            return
        try:
            self._native.restore(session._ready(), os.fspath(save_path))
        except errors.OpError as error:
            raise session._located(error)

    @property
    def last_checkpoints(self) -> List[str]:
        """The checkpoints that it has saved and not removed, oldest first."""
        if self._by_names is not None:
            return list(self._by_names.checkpoints)
        return list(self._native.last_checkpoints())

    def recover_last_checkpoints(self, checkpoint_paths: List[str]) -> None:
        """Adopts the checkpoints of another saver, so that `max_to_keep` counts them."""
        if self._by_names is not None:
            self._by_names.checkpoints = list(checkpoint_paths)
        else:
            self._native.recover_last_checkpoints(list(checkpoint_paths))

    def as_saver_def(self) -> SaverDef:
        """The names of its nodes as a message."""
        return self.saver_def

    def to_proto(self, export_scope: Optional[str] = None) -> SaverDef:
        return self.saver_def

    @staticmethod
    def from_proto(saver_def: Any, import_scope: Optional[str] = None) -> Saver:
        """A saver of nodes that the graph has."""
        return Saver(saver_def=scoped(saver_def, import_scope))

    def export_meta_graph(
        self,
        filename: Optional[str] = None,
        collection_list: Optional[List[str]] = None,
        as_text: bool = False,
        export_scope: Optional[str] = None,
        clear_devices: bool = False,
        clear_extraneous_savers: bool = False,
        strip_default_attrs: bool = False,
        save_debug_info: bool = False,
    ) -> MetaGraphDef:
        """The default graph with this saver; see tf.train.export_meta_graph."""
        return export_meta_graph(
            filename=filename,
            saver_def=self.saver_def,
            collection_list=collection_list,
            as_text=as_text,
            export_scope=export_scope,
            clear_devices=clear_devices,
        )


def _require_session(sess: Any) -> BaseSession:
    if not isinstance(sess, BaseSession):
        raise TypeError(f"'sess' must be a Session; {sess!r}")
    return sess


def _by_name(var_list: Any) -> Dict[str, Variable]:
    if isinstance(var_list, dict):
        named = dict(var_list)
    else:
        variables = global_variables() if var_list is None else list(var_list)
        named = {variable._shared_name: variable for variable in variables}
        if len(named) < len(variables):
            raise ValueError("At least two variables have the same name")
    if not named:
        raise ValueError("No variables to save")
    return named


proto_functions["savers"] = (SaverDef, Saver.to_proto, Saver.from_proto)
