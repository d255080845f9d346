"""Saving variables to checkpoints, and restoring them."""

from __future__ import annotations

import os
import weakref
from typing import Any, List, Optional, Tuple

from troupe import _native
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.graph_defs.meta_graph import export_meta_graph, proto_functions
from troupe._src.messages.meta_graph_messages import MetaGraphDef, SaverDef
from troupe._src.platform import logging
from troupe._src.session.base_session import BaseSession
from troupe._src.set_module import set_module
from troupe._src.checkpoints import saver_calls
from troupe._src.checkpoints.checkpoint_state import checkpoint_exists, meta_graph_filename
from troupe._src.checkpoints.object_keys import saver_by_keys
from troupe._src.checkpoints.saveables import has_objects
from troupe._src.checkpoints.saved_parts import parts_of, reference_of
from troupe._src.checkpoints.saver_builder import BaseSaverBuilder, BulkSaverBuilder, build_by
from troupe._src.checkpoints.saver_nodes import SaverOfNames, name_nodes, scoped, unscoped
from troupe._src.types import errors
from troupe._src.variables.variable_sets import global_variables


@set_module("troupe.train")
class Saver:
    """Saves variables to checkpoints, and restores them.

    Adds nodes to the graph, so it must be created after the variables. Checkpoints are those of
    TensorFlow, and are written by tasks: by the session's master, or with `sharded` by each task
    for its own variables.
    """

    def __init__(
        self,
        var_list: Any = None,
        reshape: bool = False,
        sharded: bool = False,
        max_to_keep: Optional[int] = 5,
        keep_checkpoint_every_n_hours: float = 10000.0,
        name: Optional[str] = None,
        restore_sequentially: bool = False,
        saver_def: Any = None,
        builder: Any = None,
        defer_build: bool = False,
        allow_empty: bool = False,
        write_version: int = SaverDef.V2,
        pad_step_number: bool = False,
        save_relative_paths: bool = False,
        filename: Optional[str] = None,
        device: str = "",
    ) -> None:
        """Creates a saver.

        Args:
            var_list: Variables, or a dict of them by their names in checkpoints; parts of a
                variable are saved as the whole. By default all global variables, and tables that
                change.
            reshape: Values of other shapes are given those of the variables.
            sharded: Each task writes its own variables.
            max_to_keep: How many checkpoints are kept; 0 or None: all.
            keep_checkpoint_every_n_hours: One checkpoint in such a time is always kept.
            name: The scope of its nodes, by default "save".
            restore_sequentially: A task restores one variable after another.
            saver_def: The message of a saver whose nodes the graph has.
            builder: A BaseSaverBuilder that adds the nodes; by default they are the runtime's.
            defer_build: Nodes are added by build().
            allow_empty: Without variables it saves nothing, instead of being an error.
            write_version: The format of checkpoints: SaverDef.V2, or V1 for older programs.
            pad_step_number: Steps in names have eight digits.
            save_relative_paths: The folder's file of checkpoints has relative paths.
            filename: The name of checkpoints that a step which names none writes.
            device: The task that writes.

        Raises:
            ValueError: There are no variables, two with the same name, or an option that does not
                exist here.
            TypeError: Something in `var_list` is no variable.
        """
        if defer_build and var_list:
            raise ValueError(
                "If `var_list` is provided then build cannot be deferred. "
                "Either set defer_build=False or var_list=None."
            )
        if write_version != SaverDef.V2:
            logging.warning("Checkpoints of format V1 are deprecated; SaverDef.V2 is smaller.")
            builder = builder or BaseSaverBuilder(write_version)
        self._builder = builder
        self._var_list, self._name, self._allow_empty = var_list, name, allow_empty
        self._options = {
            "sharded": sharded,
            "device": device,
            "max_to_keep": max_to_keep or 0,
            "keep_checkpoint_every_n_hours": float(keep_checkpoint_every_n_hours),
            "name": "",
            "filename": os.fsdecode(filename or "model"),
            "reshape": reshape,
            "restore_sequentially": restore_sequentially,
            "pad_step_number": pad_step_number,
            "save_relative_paths": save_relative_paths,
        }
        self.saver_def: Any = saver_def
        self._by_names: Any = None  # a SaverOfNames, where it goes by names
        self._is_built = self._is_empty = False
        self._saver_by_keys: Any = None
        self._count = 0  # of the variables, where it knows them
        if not defer_build:
            self.build()

    def build(self) -> None:
        """Adds the nodes, unless it has."""
        if self._is_built:
            return
        self._is_built = True
        if self.saver_def is not None:
            self._by_names = SaverOfNames(scoped(self.saver_def, self._name), self._options)
            self.saver_def = self._by_names.saver_def
            return
        variables = self._var_list
        if variables is None:
            objects = get_default_graph().get_collection(GraphKeys.SAVEABLE_OBJECTS)
            variables = [*global_variables(), *objects]
        if not variables:
            if not self._allow_empty:
                raise ValueError("No variables to save")
            self._is_empty = True
            return
        builder = self._builder
        if builder is None and has_objects(variables):
            builder = BulkSaverBuilder()
        if builder is None:
            self._build_native(variables)
            return
        self.saver_def = build_by(builder, variables, self._name or "save", self._options)
        self._by_names = SaverOfNames(self.saver_def, self._options)

    def _build_native(self, variables: Any) -> None:
        parts = parts_of(variables)
        self._count = len(parts)
        self._host = _native.make_host(logging.info, logging.warning)
        graph = get_default_graph()
        with graph._lock, graph.control_dependencies(None), graph.device(None):
            graph._check_not_finalized()
            with graph.name_scope(self._name or "save"):
                builder = graph._builder_for("SaveV2", "")
                first = graph._root.size
                given = [(name, slice_, v._native, reference_of(v)) for name, slice_, v in parts]
                self._native = _native.make_saver(
                    builder, self._host, {**self._options, "parts": given}
                )
                self.saver_def = name_nodes(graph, first)
        for name in ("sharded", "max_to_keep", "keep_checkpoint_every_n_hours"):
            setattr(self.saver_def, name, self._options[name])
        graph._at_edits.append(weakref.WeakMethod(self._go_by_names))
        self._graph = weakref.ref(graph)

    def _go_by_names(self) -> None:
        """When the graph is edited, which leaves the nodes only their names."""
        self._by_names = SaverOfNames(self.saver_def, self._options, self.last_checkpoints)

    def _goes_by_names(self, session: BaseSession) -> bool:
        """True where the runtime does not know the nodes, as of a graph that has the same names."""
        if self._by_names is None and session.graph is not self._graph():
            self._go_by_names()
        return self._by_names is not None

    def __repr__(self) -> str:
        if not self._is_built:
            return "<tf.train.Saver, not built yet>"
        if self._by_names is not None:
            return f"<tf.train.Saver of the nodes around {self.saver_def.restore_op_name!r}>"
        sharded = ", sharded" if self._options["sharded"] else ""
        return (
            f"<tf.train.Saver of {self._count} variables{sharded}, "
            f"has saved {len(self.last_checkpoints)} checkpoints>"
        )

    def save(
        self,
        sess: BaseSession,
        save_path: str,
        global_step: Any = None,
        latest_filename: Optional[str] = None,
        meta_graph_suffix: str = "meta",
        write_meta_graph: bool = True,
        write_state: bool = True,
        strip_default_attrs: bool = False,
        save_debug_info: bool = False,
    ) -> Optional[str]:
        """Writes a checkpoint, and notes it as the latest one of its folder.

        Args:
            sess: The session. One in this process creates the folder in an existing one; tasks of
                a cluster create both.
            save_path: The name of the checkpoint.
            global_step: A number, or a tensor of one, that is added to the name: "path-7".
            latest_filename: The name of the folder's file of checkpoints, by default "checkpoint".
            meta_graph_suffix: The end of the name of the graph's file.
            write_meta_graph: This program writes the graph to "<name>.meta".
            write_state: Writes the folder's file of checkpoints, and removes old ones.
            strip_default_attrs: Leaves out attributes of nodes that have their defaults.
            save_debug_info: Without effect.

        Returns:
            The name of the checkpoint; None for a saver without variables.

        Raises:
            TypeError: `sess` is no session.
            ValueError: The folder cannot be created, or `latest_filename` is a path or the
                checkpoint.
            RuntimeError: build() was not called.
        """
        if not self._is_built:
            raise RuntimeError("`build()` should be called before save if defer_build==True")
        latest_filename = latest_filename or "checkpoint"
        path = os.fsdecode(save_path)
        if os.path.split(latest_filename)[0]:
            raise ValueError("'latest_filename' must not contain path components")
        is_one_file = global_step is None and not self._options["sharded"]
        if is_one_file and os.path.basename(path) == latest_filename:
            raise ValueError(
                f"'latest_filename' collides with 'save_path': '{latest_filename}' and '{path}'"
            )
        session = saver_calls.require_session(sess)
        if not session.sess_str:
            saver_calls.make_folder_of(path)
        step = saver_calls.number_of(sess, global_step)
        before = self.last_checkpoints
        if not self._is_empty:
            path = self._save(session, path, step, latest_filename, write_state)
        elif step is not None:
            path = f"{path}-{step}"
        if write_meta_graph:
            with session.graph.as_default():
                name = meta_graph_filename(path, meta_graph_suffix)
                self.export_meta_graph(name, strip_default_attrs=strip_default_attrs)
        for old in set(before) - set(self.last_checkpoints):
            saver_calls.remove_file(meta_graph_filename(old, meta_graph_suffix))
        return None if self._is_empty else path

    def _save(
        self, session: BaseSession, save_path: str, step: Optional[int], filename: str, state: bool
    ) -> str:
        if self._goes_by_names(session):
            return str(self._by_names.save(session, save_path, step, filename, state))
        try:
            return str(self._native.save(session._ready(), save_path, step, filename, state))
        except errors.OpError as error:
            raise session._located(error)

    def restore(self, sess: BaseSession, save_path: str) -> None:
        """Assigns the values of a checkpoint to the variables.

        Args:
            sess: The session.
            save_path: The name of the checkpoint.

        Raises:
            ValueError: There is no such checkpoint on this machine, for a session on it.
            NotFoundError: The checkpoint lacks a variable.
            InvalidArgumentError: A variable has another type or shape there.
        """
        if self._is_empty:
            return
        if save_path is None:
            raise ValueError("Can't load save_path when it is None.")
        session = saver_calls.require_session(sess)
        path = os.fspath(save_path)
        if not session.sess_str and not checkpoint_exists(path):
            raise ValueError(f"The passed save_path is not a valid checkpoint: {save_path}")
        logging.info("Restoring parameters from %s", path)
        try:
            if self._goes_by_names(session):
                self._by_names.restore(session, path)
            else:
                self._native.restore(session._ready(), path)
        except errors.OpError as error:
            by_keys = saver_by_keys(self, session.graph, path, error)
            if by_keys is None:
                raise saver_calls.explained(session._located(error))
            by_keys.restore(session, path)

    @property
    def _runs_named_nodes(self) -> bool:
        """True if the nodes are those of a builder, or of a message, which the runtime does not
        know."""
        return self._by_names is not None

    @property
    def last_checkpoints(self) -> List[str]:
        """The checkpoints that it has saved and not removed, oldest first."""
        if self._is_empty or not self._is_built:
            return []
        if self._by_names is not None:
            return list(self._by_names.checkpoints)
        return list(self._native.last_checkpoints())

    def set_last_checkpoints(self, last_checkpoints: List[str]) -> None:
        """Adopts checkpoints, whether they exist or not, so that `max_to_keep` counts them.

        Args:
            last_checkpoints: Their names, oldest first.
        """
        if self._by_names is not None:
            self._by_names.checkpoints = list(last_checkpoints)
        elif not self._is_empty:
            self._native.recover_last_checkpoints(list(last_checkpoints))

    def set_last_checkpoints_with_time(
        self, last_checkpoints_with_time: List[Tuple[str, float]]
    ) -> None:
        """Adopts checkpoints; they count as written now.

        Args:
            last_checkpoints_with_time: (name, seconds since 1970) of each, oldest first.
        """
        self.set_last_checkpoints([path for path, _ in last_checkpoints_with_time])

    def recover_last_checkpoints(self, checkpoint_paths: List[str]) -> None:
        """Adopts those checkpoints of another saver that exist.

        Args:
            checkpoint_paths: Their names, oldest first.
        """
        self.set_last_checkpoints([path for path in checkpoint_paths if checkpoint_exists(path)])

    def as_saver_def(self) -> SaverDef:
        """The names of its nodes as a message."""
        return self.saver_def  # type: ignore[no-any-return]

    def to_proto(self, export_scope: Optional[str] = None) -> Optional[SaverDef]:
        """The names of its nodes as a message, without a scope.

        Args:
            export_scope: The scope that is cut off the names; by default none.

        Returns:
            The message; None where a node is not in the scope.
        """
        return unscoped(self.saver_def, export_scope)

    @staticmethod
    def from_proto(saver_def: Any, import_scope: Optional[str] = None) -> Saver:
        """A saver of nodes that the graph has.

        Args:
            saver_def: The message with the names of its nodes.
            import_scope: The scope that they came into; by default none.

        Returns:
            The saver.
        """
        return Saver(saver_def=saver_def, name=import_scope)

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
        """The default graph with this saver, as a message.

        Args:
            filename: Where to write it as well; by default nowhere.
            collection_list: The names of the collections that it has; by default all.
            as_text: Writes the text form instead of the binary one.
            export_scope: Exports this name scope alone.
            clear_devices: Leaves out the devices of nodes.
            clear_extraneous_savers: Leaves out the nodes of other savers.
            strip_default_attrs: Leaves out attributes of nodes that have their defaults.
            save_debug_info: Without effect.

        Returns:
            The message.
        """
        return export_meta_graph(
            filename=filename,
            saver_def=self.to_proto(export_scope) if self.saver_def is not None else None,
            collection_list=collection_list,
            as_text=as_text,
            export_scope=export_scope,
            clear_devices=clear_devices,
            clear_extraneous_savers=clear_extraneous_savers,
            strip_default_attrs=strip_default_attrs,
        )


proto_functions["savers"] = (SaverDef, Saver.to_proto, Saver.from_proto)
