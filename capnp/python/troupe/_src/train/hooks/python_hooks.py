"""Hooks that are implemented in Python: logging, feeding, waiting, profiling."""

from __future__ import annotations

import os
import time
from typing import Any, Callable, Dict, Optional, Sequence, Union

import numpy as np

from troupe._src.messages.config import RunOptions
from troupe._src.platform import logging
from troupe._src.set_module import set_module
from troupe._src.summary.file_writer import FileWriterCache
from troupe._src.train.hooks.native_hooks import step_name, value_of
from troupe._src.train.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from troupe._src.train.hooks.step_timer import NeverTriggerTimer, SecondOrStepTimer


@set_module("troupe.train")
class LoggingTensorHook(SessionRunHook):
    """Logs values every N steps or seconds, and at the end.

    Programs derive from it, and use its members by the names that they have in TensorFlow.

    Args:
        tensors: A list of tensors, variables or names, or a dict of them by their tags in the log.
        every_n_iter: N steps.
        every_n_secs: N seconds; at most one of both is given.
        at_end: Whether it logs at the end.
        formatter: Converts the dict of values to the logged line.

    Raises:
        ValueError: Both times are given, or none and not the end.
    """

    def __init__(
        self,
        tensors: Union[Dict[Any, Any], Sequence[Any]],
        every_n_iter: Optional[int] = None,
        every_n_secs: Optional[float] = None,
        at_end: bool = False,
        formatter: Optional[Callable[[Dict[Any, Any]], str]] = None,
    ) -> None:
        is_periodic = every_n_iter is not None or every_n_secs is not None
        if (every_n_iter is None) == (every_n_secs is None) and (is_periodic or not at_end):
            raise ValueError(
                "either at_end and/or exactly one of every_n_iter and every_n_secs must be given."
            )
        if every_n_iter is not None and every_n_iter <= 0:
            raise ValueError(f"invalid every_n_iter={every_n_iter}.")
        is_dict = isinstance(tensors, dict)
        self._tag_order = sorted(tensors) if is_dict else list(tensors)
        self._tensors: Any = tensors if is_dict else {tensor: tensor for tensor in tensors}
        self._timer: Any = NeverTriggerTimer()
        if is_periodic:
            self._timer = SecondOrStepTimer(every_n_secs, every_n_iter)
        self._log_at_end = at_end
        self._formatter = formatter

    def begin(self) -> None:
        self._timer.reset()
        self._iter_count = 0
        self._current_tensors = {tag: value_of(self._tensors[tag]) for tag in self._tag_order}

    def before_run(self, run_context: SessionRunContext) -> Optional[SessionRunArgs]:
        self._should_trigger = self._timer.should_trigger_for_step(self._iter_count)
        return SessionRunArgs(self._current_tensors) if self._should_trigger else None

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        if self._should_trigger:
            self._log_tensors(run_values.results)
        self._iter_count += 1

    def end(self, session: Any) -> None:
        if self._log_at_end:
            self._log_tensors(session.run(self._current_tensors))

    def _log_tensors(self, values: Dict[Any, Any]) -> None:
        seconds, _ = self._timer.update_last_triggered_step(self._iter_count)
        if self._formatter is not None:
            logging.info("%s", self._formatter(values))
            return
        with np.printoptions(suppress=True):
            shown = [f"{_shown(tag)} = {values[tag]!s}" for tag in self._tag_order]
        line = ", ".join(shown)
        logging.info("%s", line if seconds is None else f"{line} ({seconds:.3f} sec)")


def _shown(tag: Any) -> str:
    return str(tag if isinstance(tag, str) else tag.name)


@set_module("troupe.train")
class FeedFnHook(SessionRunHook):
    """Feeds the result of a function to each step.

    Args:
        feed_fn: Gives a dict of the values by tensors.
    """

    def __init__(self, feed_fn: Callable[[], Dict[Any, Any]]) -> None:
        self.feed_fn = feed_fn

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(fetches=None, feed_dict=self.feed_fn())


@set_module("troupe.train")
class GlobalStepWaiterHook(SessionRunHook):
    """Delays the first step of a worker until the global step has reached a value.

    Args:
        wait_until_step: The value.
    """

    POLL_SECONDS = 0.5

    def __init__(self, wait_until_step: int) -> None:
        self._wait_until_step = wait_until_step
        self._is_reached = wait_until_step <= 0

    def before_run(self, run_context: SessionRunContext) -> None:
        if self._is_reached:
            return
        logging.info("waiting for global step %d before this worker begins", self._wait_until_step)
        session = run_context.session
        while int(session.run(step_name(session.graph))) < self._wait_until_step:
            time.sleep(self.POLL_SECONDS)
        self._is_reached = True


@set_module("troupe.train")
class ProfilerHook(SessionRunHook):
    """Writes a trace of every N-th step, for ui.perfetto.dev and chrome://tracing, to a folder.

    The metadata of the step are added to the event file of the folder.

    Args:
        save_steps: N steps; exactly one of it and `save_secs` is given.
        save_secs: N seconds.
        output_dir: The folder, by default that of the process.
        show_dataflow: Has no effect.
        show_memory: Has no effect.

    Raises:
        ValueError: Both or none of the times are given.
    """

    def __init__(
        self,
        save_steps: Optional[int] = None,
        save_secs: Optional[float] = None,
        output_dir: str = "",
        show_dataflow: bool = True,
        show_memory: bool = False,
    ) -> None:
        self._folder = output_dir
        self._timer = SecondOrStepTimer(save_secs, save_steps)
        self._next_step = 0

    def begin(self) -> None:
        self._next_step = 0
        self._timer.reset()
        self._writer = FileWriterCache.get(self._folder or ".")

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        self._is_due = self._timer.should_trigger_for_step(self._next_step)
        level = RunOptions.FULL_TRACE if self._is_due else RunOptions.NO_TRACE
        name = step_name(run_context.session.graph)
        return SessionRunArgs(name, options=RunOptions(trace_level=level))

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        step = int(run_values.results)
        if self._is_due and run_values.run_metadata is not None:
            self._timer.update_last_triggered_step(step)
            os.makedirs(self._folder or ".", exist_ok=True)
            run_values.run_metadata.save_trace(os.path.join(self._folder, f"timeline-{step}.json"))
            self._writer.add_run_metadata(run_values.run_metadata, f"step_{step}")
        self._next_step = step + 1

    def end(self, session: Any) -> None:
        self._writer.flush()


@set_module("troupe.train")
class ProgressBarHook(SessionRunHook):
    """Shows the global step as a progress bar of tqdm.

    Args:
        total: The last step, if it is known.
        **options: Further arguments of tqdm.

    Raises:
        ImportError: tqdm is not installed.
    """

    def __init__(self, total: Optional[int] = None, **options: Any) -> None:
        try:
            from tqdm.auto import tqdm  # type: ignore[import-untyped,unused-ignore]
        except ImportError:
            raise ImportError("a progress bar needs tqdm: pip install tqdm") from None
        self._bar = tqdm(total=total, unit="step", **options)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(step_name(run_context.session.graph))

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        self._bar.update(int(run_values.results) - self._bar.n)

    def end(self, session: Any) -> None:
        self._bar.update(int(session.run(step_name(session.graph))) - self._bar.n)
        self._bar.close()


@set_module("troupe.train")
class FinalOpsHook(SessionRunHook):
    """Runs a final step; `final_ops_values` has its results.

    Args:
        final_ops: What the step fetches, or None for no step.
        final_ops_feed_dict: What it is fed.
    """

    def __init__(self, final_ops: Any, final_ops_feed_dict: Any = None) -> None:
        self._fetches, self._feed_dict = final_ops, final_ops_feed_dict
        self.final_ops_values: Any = None

    def end(self, session: Any) -> None:
        if self._fetches is not None:
            self.final_ops_values = session.run(self._fetches, self._feed_dict)
