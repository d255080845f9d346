"""Hooks that write summaries."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from troupe import _native
from troupe._src.graph.graph import get_default_graph
from troupe._src.messages.summary_messages import SessionLog, Summary
from troupe._src.platform import logging
from troupe._src.set_module import set_module
from troupe._src.summary.file_writer import FileWriterCache
from troupe._src.train.global_step import get_global_step
from troupe._src.train.hooks.native_hooks import step_name
from troupe._src.train.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from troupe._src.train.hooks.step_timer import SecondOrStepTimer

USE_DEFAULT: Any = object()


@set_module("troupe.train")
class SummarySaverHook(SessionRunHook):
    """Writes summaries every N steps or seconds, and of the first step.

    Args:
        save_steps: N steps; exactly one of it and `save_secs` is given.
        save_secs: N seconds.
        output_dir: The folder of the event file, where there is no writer.
        summary_writer: What writes them.
        scaffold: Whose `summary_op` is run; exactly one of it and `summary_op` is given.
        summary_op: What gives the summary, or a list of such ops.
    """

    def __init__(
        self,
        save_steps: Optional[int] = None,
        save_secs: Optional[float] = None,
        output_dir: Any = None,
        summary_writer: Any = None,
        scaffold: Any = None,
        summary_op: Any = None,
    ) -> None:
        if (scaffold is None) == (summary_op is None):
            raise ValueError("Exactly one of scaffold or summary_op must be provided.")
        self._summary_op, self._scaffold = summary_op, scaffold
        self._summary_writer, self._output_dir = summary_writer, output_dir
        self._timer = SecondOrStepTimer(save_secs, save_steps)

    def begin(self) -> None:
        if self._summary_writer is None and self._output_dir:
            self._summary_writer = FileWriterCache.get(self._output_dir)
        if self._scaffold is not None:
            self._summary_op = self._scaffold.with_summary_op().summary_op
        self._step = step_name(get_default_graph())
        self._next_step: Optional[int] = None
        self._timer.reset()

    def _summaries(self) -> List[Any]:
        if self._summary_op is None:
            return []
        is_list = isinstance(self._summary_op, (list, tuple))
        return list(self._summary_op) if is_list else [self._summary_op]

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        step = self._next_step
        self._is_due = step is None or self._timer.should_trigger_for_step(step)
        fetches: Dict[str, Any] = {"global_step": self._step}
        if self._is_due:
            fetches["summary"] = self._summaries()
        return SessionRunArgs(fetches)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        writer = self._summary_writer
        if writer is None:
            return
        # What the step fetched may be from before it was counted.
        step = int(run_values.results["global_step"]) + 1
        if self._is_due:
            step = int(run_context.session.run(self._step))
            if self._next_step is None:
                writer.add_session_log(SessionLog(status=SessionLog.START), step)
            self._timer.update_last_triggered_step(step)
            for summary in run_values.results["summary"]:
                writer.add_summary(summary, step)
        self._next_step = step + 1

    def end(self, session: Any) -> None:
        if self._summary_writer is not None:
            self._summary_writer.flush()


class StepRate:
    """The global steps per second, as a summary and in the log."""

    def __init__(self, steps: Optional[int], secs: Optional[float], writer: Any) -> None:
        self._timer = SecondOrStepTimer(secs, steps)
        self._writer = writer

    def update(self, step: int) -> None:
        if not self._timer.should_trigger_for_step(step):
            return
        seconds, steps = self._timer.update_last_triggered_step(step)
        if seconds is None or steps is None:
            return
        tag, rate = "global_step/sec", steps / max(seconds, 1e-9)
        value = Summary.Value(tag=tag, simple_value=rate)
        self._writer.add_summary(Summary(value=[value]), step)
        logging.info("%s: %g", tag, rate)


@set_module("troupe.train")
class StepCounterHook(SessionRunHook):
    """Logs the global steps per second, and writes them as a summary where there is a writer.

    Args:
        every_n_steps: After how many steps; not used where seconds are given.
        every_n_secs: After how many seconds.
        output_dir: The folder of the event file, where there is no writer.
        summary_writer: What writes them.

    Raises:
        ValueError: No time is given.
    """

    def __init__(
        self,
        every_n_steps: Optional[int] = 100,
        every_n_secs: Optional[float] = None,
        output_dir: Any = None,
        summary_writer: Any = None,
    ) -> None:
        every_n_steps = None if every_n_secs is not None else every_n_steps
        if (every_n_steps is None) == (every_n_secs is None):
            raise ValueError("exactly one of every_n_steps and every_n_secs should be provided.")
        self._steps, self._secs = every_n_steps, every_n_secs
        self._summary_writer, self._output_dir = summary_writer, output_dir

    def begin(self) -> None:
        if self._summary_writer is None and self._output_dir:
            self._summary_writer = FileWriterCache.get(self._output_dir)
        self._rate = StepRate(self._steps, self._secs, self._summary_writer)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(step_name(run_context.session.graph))

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        self._rate.update(int(run_values.results) + 1)

    def _native_hook(self, training: Any) -> Any:
        if self._summary_writer is not None:
            return None
        name = step_name(training.graph)
        return _native.step_counter(training.host, name, self._steps, self._secs)


def standard_summary_hooks(
    scaffold: Any, folder: Any, steps: Any, secs: Any
) -> List[SessionRunHook]:
    """What writes summaries, where there is a folder and a global step."""
    if steps is USE_DEFAULT:
        steps = 100 if secs is USE_DEFAULT else None
    secs = None if secs is USE_DEFAULT else secs
    is_wanted = (steps and steps > 0) or (secs and secs > 0)
    if not folder or not is_wanted or get_global_step() is None:
        return []
    return [SummarySaverHook(None if secs else steps, secs, folder, scaffold=scaffold)]
