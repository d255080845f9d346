"""The hook that saves checkpoints."""

from __future__ import annotations

import os
from typing import Any, List, Optional, Sequence

from troupe import _native
from troupe._src.checkpoints.checkpoint_state import meta_graph_filename
from troupe._src.checkpoints.saver import Saver
from troupe._src.checkpoints.saver_calls import remove_file
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph_defs.graph_io import write_graph
from troupe._src.messages.summary_messages import SessionLog
from troupe._src.set_module import set_module
from troupe._src.summary.file_writer import FileWriterCache
from troupe._src.train.hooks.native_hooks import step_name
from troupe._src.train.hooks.saving_listeners import CheckpointSaverListener
from troupe._src.train.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from troupe._src.train.hooks.step_timer import SecondOrStepTimer


@set_module("troupe.train")
class CheckpointSaverHook(SessionRunHook):
    """Saves checkpoints after a session is created, every N steps or seconds, and at the end.

    Beside them the program writes the graph: to `graph.pbtxt`, to an event file, and with the saver
    to the `.meta` of each checkpoint.

    Args:
        checkpoint_dir: The folder.
        save_secs: N seconds; exactly one of it and `save_steps` is given.
        save_steps: N steps.
        saver: What saves them; else that of the scaffold, or a new one.
        checkpoint_basename: The begin of their names.
        scaffold: Whose saver it is.
        listeners: CheckpointSaverListeners, called around each checkpoint.

    Raises:
        ValueError: Both or none of the times are given, or both a saver and a scaffold.
    """

    def __init__(
        self,
        checkpoint_dir: str,
        save_secs: Optional[float] = None,
        save_steps: Optional[int] = None,
        saver: Any = None,
        checkpoint_basename: str = "model.ckpt",
        scaffold: Any = None,
        listeners: Any = None,
    ) -> None:
        if saver is not None and scaffold is not None:
            raise ValueError("You cannot provide both saver and scaffold.")
        self._listeners: List[CheckpointSaverListener] = list(listeners or [])
        self._checkpoint_dir = os.fspath(checkpoint_dir)
        self._save_path = os.path.join(self._checkpoint_dir, checkpoint_basename)
        self._save_secs, self._save_steps = save_secs, save_steps
        self._timer = SecondOrStepTimer(save_secs, save_steps)
        self._saver, self._scaffold = saver, scaffold

    def begin(self) -> None:
        if self._saver is None and self._scaffold is not None:
            self._saver = self._scaffold.with_saver().saver
        if self._saver is None:
            self._saver = Saver()
        self._saver.build()
        self._graph = get_default_graph()
        self._step = step_name(self._graph)
        self._has_written_graph = False
        self._known: List[str] = []  # the checkpoints with a .meta that the saver still keeps
        os.makedirs(os.path.dirname(self._save_path) or ".", exist_ok=True)
        self._summary_writer = FileWriterCache.get(self._checkpoint_dir)
        for listener in self._listeners:
            listener.begin()

    def add_listeners(self, listeners: Sequence[CheckpointSaverListener]) -> None:
        """More listeners, called after those that there are.

        Args:
            listeners: CheckpointSaverListeners.
        """
        self._listeners += listeners

    def after_create_session(self, session: Any, coord: Any) -> None:
        step = int(session.run(self._step))
        self._save(session, step)
        self._timer.update_last_triggered_step(step)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(self._step)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        # The step may have read its number before it was counted.
        if not self._timer.should_trigger_for_step(int(run_values.results) + 1):
            return
        step = int(run_context.session.run(self._step))
        if not self._timer.should_trigger_for_step(step):
            return
        self._timer.update_last_triggered_step(step)
        if self._save(run_context.session, step):
            run_context.request_stop()

    def end(self, session: Any) -> None:
        step = int(session.run(self._step))
        if step != self._timer.last_triggered_step():
            self._save(session, step)
        for listener in self._listeners:
            listener.end(session, step)

    def _save(self, session: Any, step: int) -> bool:
        """True if a listener ends the training."""
        for listener in self._listeners:
            listener.before_save(session, step)
        path = self._saver.save(session, self._save_path, step, write_meta_graph=False)
        if path is not None:
            self._write_graph(path, step)
        wishes = [listener.after_save(session, step) for listener in self._listeners]
        return any(wishes)

    def _write_graph(self, path: str, step: int) -> None:
        """Writes the graph for a checkpoint, and removes it for those that are no longer kept."""
        with self._graph.as_default():
            meta_graph = self._saver.export_meta_graph(meta_graph_filename(path))
            if not self._has_written_graph:
                self._has_written_graph = True
                graph_def = self._graph.as_graph_def(add_shapes=True)
                write_graph(graph_def, self._checkpoint_dir, "graph.pbtxt")
                self._summary_writer.add_graph(graph_def=graph_def)
                self._summary_writer.add_meta_graph(meta_graph)
        log = SessionLog(status=SessionLog.CHECKPOINT, checkpoint_path=path)
        self._summary_writer.add_session_log(log, step)
        self._summary_writer.flush()
        kept = self._saver.last_checkpoints
        for old in set(self._known) - set(kept):
            remove_file(meta_graph_filename(old))
        self._known = kept

    def _native_hook(self, training: Any) -> Any:
        saver = self._saver
        if self._listeners or type(saver).save is not Saver.save:
            return None
        if saver._runs_named_nodes or saver._is_empty:
            return None
        return _native.checkpoint_saver(
            saver._native, self._save_path, self._step, self._save_steps, self._save_secs,
            training.host, lambda path: self._write_graph(path, int(path.rsplit("-", 1)[1])),
        )  # fmt: skip
