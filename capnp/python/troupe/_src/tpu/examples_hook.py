"""How many examples a training sees in a second."""

from __future__ import annotations

from typing import Optional

from troupe._src.graph.graph import get_default_graph
from troupe._src.messages.summary_messages import Summary
from troupe._src.platform import logging
from troupe._src.summary.file_writer import FileWriterCache
from troupe._src.train.hooks.native_hooks import step_name
from troupe._src.train.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from troupe._src.train.hooks.step_timer import SecondOrStepTimer


class ExamplesPerSecondHook(SessionRunHook):
    """Logs the examples per second every so many steps, and writes them as a summary.

    Args:
        batch_size: How many examples a step has.
        output_dir: The folder of the event file, or None.
        every_n_steps: After how many steps.
    """

    def __init__(self, batch_size: int, output_dir: Optional[str], every_n_steps: int) -> None:
        self._batch_size, self._output_dir = batch_size, output_dir
        self._timer = SecondOrStepTimer(every_steps=every_n_steps)

    def begin(self) -> None:
        self._step = step_name(get_default_graph())
        self._timer.reset()

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(self._step)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        # What the step fetched may be from before it was counted.
        step = int(run_values.results) + 1
        if not self._timer.should_trigger_for_step(step):
            return
        seconds, steps = self._timer.update_last_triggered_step(step)
        if seconds is None or steps is None:
            return
        tag, rate = "examples/sec", self._batch_size * steps / max(seconds, 1e-9)
        if self._output_dir:
            summary = Summary(value=[Summary.Value(tag=tag, simple_value=rate)])
            FileWriterCache.get(self._output_dir).add_summary(summary, step)
        logging.info("%s: %g", tag, rate)
