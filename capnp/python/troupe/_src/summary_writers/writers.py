"""Writers of event files, whose nodes call this program."""

from __future__ import annotations

import contextlib
import threading

from typing import Any, Callable, Iterator, List, Optional, Sequence

import numpy as np

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import Graph, get_default_graph
from troupe._src.graph.thread_scopes import InheritedLocal
from troupe._src.ops.grouping_ops import no_op
from troupe._src.session.py_func import py_func
from troupe._src.set_module import set_module
from troupe._src.summary.file_writer import FileWriter
from troupe._src.types import dtypes

DONE = np.True_


class _Current(InheritedLocal):
    """What the thread records summaries with."""

    writer: Optional[SummaryWriter] = None
    recording: Any = None  # a condition; None where no context sets one


current = _Current()


@set_module("troupe.contrib.summary")
class SummaryWriter:
    """Writes the summaries of a folder; `create_file_writer` makes it.

    Its ops call this program as those of `tf.py_func` do, so they run in sessions of this process
    and on its servers.

    Args:
        logdir: The folder.
        max_queue: How many events wait at most.
        flush_secs: After how many seconds an event is in the file at the latest.
        filename_suffix: The end of the file's name.
    """

    def __init__(
        self, logdir: str, max_queue: int, flush_secs: float, filename_suffix: Optional[str]
    ) -> None:
        self._options = (logdir, max_queue, flush_secs, filename_suffix)
        self._lock = threading.Lock()
        self._file: Optional[FileWriter] = None
        get_default_graph()._state.setdefault("summary_writers", []).append(self)

    def set_as_default(self) -> None:
        """Lets this thread record summaries with it."""
        current.writer = self

    @contextlib.contextmanager
    def as_default(self) -> Iterator[SummaryWriter]:
        """Lets this thread record summaries with it, inside of a `with` statement.

        Yields:
            The writer.
        """
        before, current.writer = current.writer, self
        try:
            yield self
        finally:
            current.writer = before

    def init(self) -> Any:
        """An op that opens the file. The first summary does so, too."""
        return self._call(self._opened)

    def flush(self) -> Any:
        """An op after which all summaries are in the file."""
        return self._call(lambda: self._opened().flush())

    def close(self) -> Any:
        """An op that closes the file; a later summary begins another one."""
        return self._call(self._close)

    def write(self, step: Tensor, summary: Tensor) -> Any:
        """An op that writes a summary.

        Args:
            step: The global step, an int64 scalar.
            summary: The summary, a string scalar.

        Returns:
            The op.
        """

        def add(number: Any, message: Any) -> Any:
            self._opened().add_summary(bytes(message), int(number))
            return DONE

        return py_func(add, [step, summary], dtypes.bool_)

    def write_event(self, inputs: Sequence[Any], make: Callable[..., Any]) -> Any:
        """An op that writes an event.

        Args:
            inputs: Tensors.
            make: Makes the event of their values.

        Returns:
            The op.
        """

        def add(*values: Any) -> Any:
            event = make(*values)
            self._opened().add_event(event)
            return DONE

        return py_func(add, list(inputs), dtypes.bool_)

    def _call(self, function: Any) -> Any:
        def call() -> Any:
            function()
            return DONE

        with get_default_graph().device("/cpu:0"):
            return py_func(call, [], dtypes.bool_)

    def _opened(self) -> FileWriter:
        logdir, max_queue, flush_secs, suffix = self._options
        with self._lock:
            if self._file is None:
                self._file = FileWriter(
                    logdir, max_queue=max_queue, flush_secs=flush_secs, filename_suffix=suffix
                )
            return self._file

    def _close(self) -> None:
        with self._lock:
            opened, self._file = self._file, None
        if opened is not None:
            opened.close()


class NoWriter:
    """Stands for a writer where there is no folder: nothing is recorded."""

    def set_as_default(self) -> None:
        """Changes nothing."""

    @contextlib.contextmanager
    def as_default(self) -> Iterator[None]:
        """Changes nothing.

        Yields:
            None.
        """
        yield

    def init(self) -> Any:
        """An op that does nothing."""
        return no_op()

    flush = close = init


@set_module("troupe.contrib.summary")
def create_file_writer(
    logdir: Any,
    max_queue: Optional[int] = None,
    flush_millis: Optional[int] = None,
    filename_suffix: Optional[str] = None,
    name: Optional[str] = None,
) -> Any:
    """A writer of summaries, with a file of its own.

    Args:
        logdir: The folder; None for a writer that writes nothing.
        max_queue: How many events wait at most, by default 10.
        flush_millis: After how many milliseconds an event is in the file at the latest, by default
            two minutes.
        filename_suffix: The end of the file's name, by default ".v2".
        name: Has no effect.

    Returns:
        The writer.
    """
    if logdir is None:
        return NoWriter()
    seconds = 120.0 if flush_millis is None else flush_millis / 1000
    suffix = ".v2" if filename_suffix is None else filename_suffix
    return SummaryWriter(str(logdir), 10 if max_queue is None else max_queue, seconds, suffix)


@set_module("troupe.contrib.summary")
def flush(writer: Optional[SummaryWriter] = None, name: Optional[str] = None) -> Any:
    """An op after which the summaries of a writer are in its file.

    Args:
        writer: The writer, by default that of this thread.
        name: Has no effect.

    Returns:
        The op; one that does nothing where there is no writer.
    """
    writer = current.writer if writer is None else writer
    return no_op() if writer is None else writer.flush()


@set_module("troupe.contrib.summary")
def summary_writer_initializer_op() -> List[Any]:
    """The ops that open the files of all writers of the default graph."""
    return [writer.init() for writer in writers_of(get_default_graph())]


def writers_of(graph: Graph) -> List[SummaryWriter]:
    """The writers that were made while a graph was the default one."""
    return list(graph._state.get("summary_writers", ()))
