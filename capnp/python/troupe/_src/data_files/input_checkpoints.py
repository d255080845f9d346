"""Checkpoints of where iterators are, apart from those of variables."""

from __future__ import annotations

from typing import Any, List, Optional

from troupe._src.checkpoints.checkpoint_state import latest_checkpoint
from troupe._src.checkpoints.saver import Saver
from troupe._src.data.saved_iterators import IteratorSaveable
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.set_module import set_module
from troupe._src.train.hooks.checkpoint_hook import CheckpointSaverHook
from troupe._src.train.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)


class _IteratorSaver(Saver):
    """Keeps its list of checkpoints in a file of its own, beside that of the variables."""

    def __init__(self, saveables: List[IteratorSaveable], latest_filename: str) -> None:
        super().__init__(saveables)
        self._latest_filename = latest_filename

    def save(
        self,
        sess: Any,
        save_path: str,
        global_step: Any = None,
        latest_filename: Optional[str] = None,
        *args: Any,
        **kwargs: Any,
    ) -> Optional[str]:
        latest_filename = latest_filename or self._latest_filename
        return super().save(sess, save_path, global_step, latest_filename, *args, **kwargs)


@set_module("troupe.data.experimental")
class CheckpointInputPipelineHook(SessionRunHook):
    """Saves where the iterators of the graph are as often as an estimator saves its variables.

    A training goes on behind the elements that the one before has taken, and not with the first
    ones. The checkpoints lie in the folder of the model, named `input.ckpt` or, where there are
    several workers, `input_<task type>_<task>.ckpt`. What is saved is what
    `make_saveable_from_iterator` describes. Give it to `train` alone: an evaluation has another
    input.

    Args:
        estimator: The estimator.
    """

    def __init__(self, estimator: Any) -> None:
        config = estimator.config
        name = "input"
        if config.num_worker_replicas > 1:
            name += f"_{config.task_type}_{config.task_id}"
        self._folder, self._latest_filename = estimator.model_dir, f"checkpoint_{name}"
        self._times = {
            "save_secs": config.save_checkpoints_secs,
            "save_steps": config.save_checkpoints_steps,
        }
        self._basename = f"{name}.ckpt"

    def begin(self) -> None:
        handles = get_default_graph().get_collection(GraphKeys._ITERATORS)
        own = [handle for handle in handles if handle.op.type != "IteratorFromStringHandleV2"]
        saveables = [IteratorSaveable(h, h.op.name, f"{h.op.name}-state") for h in own]
        self._saver = _IteratorSaver(saveables, self._latest_filename)
        # It is not one, so that an estimator has that of the variables, too.
        self._hook = CheckpointSaverHook(
            self._folder, saver=self._saver, checkpoint_basename=self._basename, **self._times
        )
        self._hook.begin()
        self._hook._has_written_graph = True  # by that one
        self._is_first = True

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        # The hook that runs the initializers may come after this one when a session is created.
        if self._is_first:
            self._is_first = False
            self._restore_or_save(run_context.session)
        return self._hook.before_run(run_context)

    def _restore_or_save(self, session: Any) -> None:
        latest = latest_checkpoint(self._folder, self._latest_filename)
        if latest is None:
            self._hook.after_create_session(session, None)
        else:
            self._saver.restore(session, latest)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        self._hook.after_run(run_context, run_values)

    def end(self, session: Any) -> None:
        self._hook.end(session)
