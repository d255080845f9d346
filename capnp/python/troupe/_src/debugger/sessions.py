"""Sessions whose steps are debugged."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence

from troupe._src.types import errors
from troupe._src.debugger.debuggers import (
    Debugger,
    FileDebugger,
    PromptDebugger,
    WatchFn,
    WithTensorFilters,
)
from troupe._src.debugger.watches import watched_tensors
from troupe._src.graph.graph import Graph
from troupe._src.graph.thread_scopes import AsDefault
from troupe._src.messages.config import RunOptions
from troupe._src.messages.metadata import RunMetadata
from troupe._src.set_module import set_module


class DebugWrapperSession:
    """A session whose steps a debugger is told of; everything else is that of the session itself.

    A step that is debugged fetches its tensors, too, so they come from whichever task has them.

    Args:
        sess: The session.
        debugger: The debugger.
    """

    def __init__(self, sess: Any, debugger: Debugger) -> None:
        self._sess = sess
        self._debugger = debugger
        self._entered: List[Any] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sess, name)

    @property
    def session(self) -> Any:
        """The session itself."""
        return self._sess

    @property
    def graph(self) -> Graph:
        """The graph of the session."""
        graph: Graph = self._sess.graph
        return graph

    def run(
        self,
        fetches: Any,
        feed_dict: Optional[Dict[Any, Any]] = None,
        options: Optional[RunOptions] = None,
        run_metadata: Optional[RunMetadata] = None,
    ) -> Any:
        """Runs a step of the session.

        Args:
            fetches: As for `tf.Session.run`.
            feed_dict: As for `tf.Session.run`.
            options: As for `tf.Session.run`.
            run_metadata: As for `tf.Session.run`.

        Returns:
            The results.

        Raises:
            OpError: The step has failed.
            SystemExit: The debugger's user ends the program.
        """
        given = (feed_dict, options, run_metadata)
        run, wanted = self._debugger.begin(self.graph, fetches, feed_dict)
        if wanted is None:
            return self._sess.run(fetches, *given)
        tensors = watched_tensors(self.graph, fetches, feed_dict, wanted)
        try:
            results, values = self._sess.run([fetches, tensors], *given)
        except errors.OpError as error:
            self._debugger.failed(run, error)
            raise
        self._debugger.finished(run, tensors, values)
        return results

    def make_callable(
        self,
        fetches: Any,
        feed_list: Optional[Sequence[Any]] = None,
        accept_options: bool = False,
    ) -> Callable[..., Any]:
        """A function that runs a step.

        Args:
            fetches: As for `tf.Session.run`.
            feed_list: The tensors that its arguments are fed to.
            accept_options: Whether it takes `options` and `run_metadata`.

        Returns:
            The function.
        """
        keys = list(feed_list or [])

        def call(
            *values: Any,
            options: Optional[RunOptions] = None,
            run_metadata: Optional[RunMetadata] = None,
        ) -> Any:
            if len(values) != len(keys):
                raise ValueError(f"expected {len(keys)} values to feed, got {len(values)}")
            return self.run(fetches, dict(zip(keys, values)), options, run_metadata)

        return call

    def partial_run_setup(self, fetches: Any, feeds: Optional[Sequence[Any]] = None) -> Any:
        """Is not possible.

        Args:
            fetches: Has no effect.
            feeds: Has no effect.

        Returns:
            Nothing.

        Raises:
            NotImplementedError: Always: a partial run is none of a debugged session.
        """
        raise NotImplementedError(
            "partial_run_setup is not implemented for debug-wrapper sessions."
        )

    def partial_run(
        self, handle: Any, fetches: Any, feed_dict: Optional[Dict[Any, Any]] = None
    ) -> Any:
        """Is not possible.

        Args:
            handle: Has no effect.
            fetches: Has no effect.
            feed_dict: Has no effect.

        Returns:
            Nothing.

        Raises:
            NotImplementedError: Always: a partial run is none of a debugged session.
        """
        raise NotImplementedError("partial_run is not implemented for debug-wrapper sessions.")

    def as_default(self) -> Any:
        """A context in which this is the default session.

        Returns:
            The context.
        """
        return AsDefault(self)

    def __enter__(self) -> Any:
        self._sess.__enter__()
        if hasattr(self._sess, "as_default"):
            entered = self.as_default()
            entered.__enter__()
            self._entered.append(entered)
        return self

    def __exit__(self, *exception: Any) -> Any:
        if self._entered:
            self._entered.pop().__exit__(*exception)
        return self._sess.__exit__(*exception)


@set_module("troupe.debug")
class DumpingDebugWrapperSession(DebugWrapperSession):
    """A session that writes the tensors of its steps to files, which DebugDumpDir reads.

    Args:
        sess: A session, or a monitored one.
        session_root: A folder, which is empty or does not exist. Each step gets one of its own.
        watch_fn: A function of what a step fetches and is fed, which gives WatchOptions. All
            tensors are written without one.
        thread_name_filter: A pattern of the names of threads whose steps are written; all without.
        pass_through_operrors: Has no effect: errors of steps are always raised.
        log_usage: Has no effect.

    Raises:
        TypeError: watch_fn is no function.
        ValueError: The folder has files.
        OSError: It cannot be made.

    (TensorFlow: `tf_debug.DumpingDebugWrapperSession`.)
    """

    def __init__(
        self,
        sess: Any,
        session_root: str,
        watch_fn: Optional[WatchFn] = None,
        thread_name_filter: Optional[str] = None,
        pass_through_operrors: Any = None,
        log_usage: bool = True,
    ) -> None:
        super().__init__(sess, FileDebugger(session_root, watch_fn, thread_name_filter))


@set_module("troupe.debug")
class LocalCLIDebugWrapperSession(WithTensorFilters, DebugWrapperSession):
    """A session that stops before its first step and after each one, and reads commands.

    The tensors of a step can be listed and printed then, and nodes, and the lines of the program
    that made them. `run` goes on; `run -f has_inf_or_nan` does until some tensor has an element
    that is infinite or no number.

    Args:
        sess: A session, or a monitored one.
        dump_root: A folder for the files of a step, which is empty or does not exist; a temporary
            one without.
        log_usage: Has no effect.
        ui_type: "curses" or "readline"; both read lines.
        thread_name_filter: A pattern of the names of threads whose steps are debugged; all without.
        config_file_path: Has no effect.

    Raises:
        ValueError: Another ui_type is given, or the folder has files.
        OSError: The folder cannot be made.

    (TensorFlow: `tf_debug.LocalCLIDebugWrapperSession`.)
    """

    def __init__(
        self,
        sess: Any,
        dump_root: Optional[str] = None,
        log_usage: bool = True,
        ui_type: str = "curses",
        thread_name_filter: Optional[str] = None,
        config_file_path: Optional[str] = None,
    ) -> None:
        self._prompt_debugger = PromptDebugger(dump_root, ui_type, thread_name_filter)
        super().__init__(sess, self._prompt_debugger)
