"""Hooks that debug the steps of a monitored session."""

from __future__ import annotations

from typing import Any, List, Optional

from troupe._src.debugger.debuggers import (
    Debugger,
    FileDebugger,
    PromptDebugger,
    WatchFn,
    WithTensorFilters,
)
from troupe._src.debugger.prompt import StartedRun
from troupe._src.debugger.watches import watched_tensors
from troupe._src.graph.elements import Tensor
from troupe._src.set_module import set_module
from troupe._src.train.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)


class _DebugHook(SessionRunHook):
    """Fetches the tensors of a step that its debugger wants.

    Args:
        debugger: The debugger.
    """

    def __init__(self, debugger: Debugger) -> None:
        self._debugger = debugger
        self._run: Optional[StartedRun] = None
        self._tensors: List[Tensor] = []

    def before_run(self, run_context: SessionRunContext) -> Optional[SessionRunArgs]:
        fetches, feed_dict, _ = run_context.original_args
        graph = run_context.session.graph
        run, wanted = self._debugger.begin(graph, fetches, feed_dict)
        self._run = run if wanted is not None else None
        if wanted is None:
            return None
        self._tensors = watched_tensors(graph, fetches, feed_dict, wanted)
        return SessionRunArgs(self._tensors)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        if self._run is not None:
            self._debugger.finished(self._run, self._tensors, run_values.results)


@set_module("troupe.debug")
class DumpingDebugHook(_DebugHook):
    """A hook that writes the tensors of each step to files, which DebugDumpDir reads.

    Args:
        session_root: A folder, which is empty or does not exist. Each step gets one of its own.
        watch_fn: A function of what a step fetches and is fed, which gives WatchOptions. All
            tensors are written without one.
        thread_name_filter: A pattern of the names of threads whose steps are written; all without.
        log_usage: Has no effect.

    Raises:
        TypeError: watch_fn is no function.
        ValueError: The folder has files.
        OSError: It cannot be made.

    (TensorFlow: `tf_debug.DumpingDebugHook`.)
    """

    def __init__(
        self,
        session_root: str,
        watch_fn: Optional[WatchFn] = None,
        thread_name_filter: Optional[str] = None,
        log_usage: bool = True,
    ) -> None:
        super().__init__(FileDebugger(session_root, watch_fn, thread_name_filter))


@set_module("troupe.debug")
class LocalCLIDebugHook(WithTensorFilters, _DebugHook):
    """A hook that stops before the first step and after each one, and reads commands.

    Args:
        ui_type: "curses" or "readline"; both read lines.
        dump_root: A folder for the files of a step, which is empty or does not exist; a temporary
            one without.
        thread_name_filter: A pattern of the names of threads whose steps are debugged; all without.
        config_file_path: Has no effect.

    Raises:
        ValueError: Another ui_type is given, or the folder has files.
        OSError: The folder cannot be made.

    (TensorFlow: `tf_debug.LocalCLIDebugHook`.)
    """

    def __init__(
        self,
        ui_type: str = "curses",
        dump_root: Optional[str] = None,
        thread_name_filter: Optional[str] = None,
        config_file_path: Optional[str] = None,
    ) -> None:
        self._prompt_debugger = PromptDebugger(dump_root, ui_type, thread_name_filter)
        super().__init__(self._prompt_debugger)
