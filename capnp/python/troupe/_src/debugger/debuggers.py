"""What happens before and after a step that is debugged: files, or a prompt."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import threading
from typing import Any, Callable, Dict, List, Optional, Tuple, Union

from troupe._src.debugger.commands import TensorFilter
from troupe._src.debugger.datum import has_inf_or_nan
from troupe._src.debugger.dump_dir import DebugDumpDir
from troupe._src.debugger.dump_files import make_run_folder, write_run
from troupe._src.debugger.prompt import Prompt, RunAction, StartedRun
from troupe._src.debugger.watches import WatchOptions
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import Graph

WatchFn = Callable[[Any, Any], Union[WatchOptions, Tuple[Any, ...], None]]


def empty_folder(path: str, what: str) -> str:
    """The absolute path of a folder, which is made if it does not exist.

    Raises:
        ValueError: It has files, or is none.
        OSError: It cannot be made.
    """
    path = os.path.abspath(path)
    if os.path.isfile(path):
        raise ValueError(f"{what} path points to a file: {path}")
    os.makedirs(path, exist_ok=True)
    if os.listdir(path):
        raise ValueError(f"{what} path points to a non-empty directory: {path}")
    return path


class Debugger:
    """Is told of each step before and after it runs. Thread-safe."""

    def __init__(self, thread_name_filter: Optional[str]) -> None:
        self._threads = re.compile(thread_name_filter) if thread_name_filter else None
        self._count = 0
        self._lock = threading.Lock()

    def begin(
        self, graph: Graph, fetches: Any, feed_dict: Optional[Dict[Any, Any]]
    ) -> Tuple[StartedRun, Optional[WatchOptions]]:
        """A step begins. Which of its tensors are wanted; None for a step that is left alone."""
        with self._lock:
            self._count += 1
            run = StartedRun(self._count, graph, fetches, feed_dict or {})
        thread = threading.current_thread().name
        if self._threads is not None and not self._threads.match(thread):
            return run, None
        return run, self._started(run)

    def _started(self, run: StartedRun) -> Optional[WatchOptions]:
        raise NotImplementedError

    def finished(self, run: StartedRun, tensors: List[Tensor], values: List[Any]) -> None:
        """A step has run whose tensors were wanted."""
        raise NotImplementedError

    def failed(self, run: StartedRun, error: Exception) -> None:
        """A step has failed whose tensors were wanted."""


class FileDebugger(Debugger):
    """Writes the tensors of each step to a folder of its own below the root."""

    def __init__(
        self, root: str, watch_fn: Optional[WatchFn], thread_name_filter: Optional[str]
    ) -> None:
        super().__init__(thread_name_filter)
        if watch_fn is not None and not callable(watch_fn):
            raise TypeError("watch_fn is not callable")
        self._root = empty_folder(root, "session_root")
        self._watch_fn = watch_fn

    def _started(self, run: StartedRun) -> Optional[WatchOptions]:
        if self._watch_fn is None:
            return WatchOptions()
        wanted = self._watch_fn(run.fetches, run.feed_dict)
        if isinstance(wanted, tuple):  # debug ops, and patterns of names and types
            return WatchOptions(*wanted)
        return wanted or WatchOptions()

    def finished(self, run: StartedRun, tensors: List[Tensor], values: List[Any]) -> None:
        folder = make_run_folder(self._root, run.number)
        write_run(folder, run.fetches, list(run.feed_dict), tensors, values)


class PromptDebugger(Debugger):
    """Stops before the first step, and after each, to read commands."""

    def __init__(
        self, dump_root: Optional[str], ui_type: str, thread_name_filter: Optional[str]
    ) -> None:
        super().__init__(thread_name_filter)
        if ui_type not in ("curses", "readline"):
            raise ValueError(f'Invalid ui_type: "{ui_type}"')
        self._root = empty_folder(dump_root, "dump_root") if dump_root else None
        self._filters: Dict[str, TensorFilter] = {"has_inf_or_nan": has_inf_or_nan}
        self._prompting = threading.RLock()
        self._action: Optional[RunAction] = None

    def add_tensor_filter(self, name: str, tensor_filter: TensorFilter) -> None:
        if not callable(tensor_filter):
            raise TypeError("tensor_filter is not callable")
        if not name:
            raise ValueError("the name of a filter is empty")
        self._filters[name] = tensor_filter

    def _started(self, run: StartedRun) -> Optional[WatchOptions]:
        with self._prompting:
            if self._action is None:
                self._action = Prompt(run, None, self._filters).read(run.describe())
            action = self._action
            if not action.is_debugged:
                self._action = action._replace(times=action.times - 1) if action.times > 1 else None
                return None
            if action.times > 1:
                self._action = action._replace(times=action.times - 1)
                return None
            return action.options

    def finished(self, run: StartedRun, tensors: List[Tensor], values: List[Any]) -> None:
        with self._prompting:
            root = self._root or tempfile.mkdtemp(prefix="tfdbg_")
            folder = make_run_folder(root, run.number)
            try:
                write_run(folder, run.fetches, list(run.feed_dict), tensors, values)
                self._inspect(run, DebugDumpDir(folder))
            finally:
                shutil.rmtree(folder if self._root else root, ignore_errors=True)

    def _inspect(self, run: StartedRun, dumps: DebugDumpDir) -> None:
        dumps.set_python_graph(run.graph)
        head = [f"Session.run() call #{run.number} ended: {dumps.size} dumped tensor(s)"]
        action = self._action
        if action is not None and action.tensor_filter is not None:
            found = dumps.find(
                self._filters[action.tensor_filter],
                exclude_node_names=action.filter_exclude_node_names,
            )
            if not found:
                return
            names = [f"  {datum.tensor_name}" for datum in found]
            head += [f'The filter "{action.tensor_filter}" is true of:', *names]
        self._action = Prompt(run, dumps, self._filters).read(head)

    def failed(self, run: StartedRun, error: Exception) -> None:
        with self._prompting, tempfile.TemporaryDirectory(prefix="tfdbg_") as folder:
            dumps = DebugDumpDir(folder)
            dumps.set_python_graph(run.graph)
            head = [
                f"Session.run() call #{run.number} failed:",
                *str(error).splitlines(),
                "",
                "There are no tensors of it, but the commands about nodes work.",
            ]
            self._action = Prompt(run, dumps, self._filters).read(head)


class WithTensorFilters:
    """The base of what has a prompt, whose filters a program may add."""

    _prompt_debugger: PromptDebugger

    def add_tensor_filter(self, filter_name: str, tensor_filter: TensorFilter) -> None:
        """Adds a filter that commands can name.

        Args:
            filter_name: Its name.
            tensor_filter: A function of a DebugTensorDatum and an array.

        Raises:
            TypeError: It is no function.
            ValueError: The name is empty.
        """
        self._prompt_debugger.add_tensor_filter(filter_name, tensor_filter)
