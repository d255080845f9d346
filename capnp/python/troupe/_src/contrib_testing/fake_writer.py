"""A writer that keeps what it is given: `FakeSummaryWriter`."""

from __future__ import annotations

from typing import Any, ClassVar, Dict, List, Optional

from troupe._src.messages.summary_messages import Summary
from troupe._src.set_module import set_module
from troupe._src.summary import file_writer


@set_module("troupe.contrib.testing")
class FakeSummaryWriter:
    """In place of a `FileWriter`, of those that the cache of writers makes once it is installed.

    Args:
        logdir: The folder that a writer would write to.
        graph: The graph that it would write.
    """

    _replaced_summary_writer: ClassVar[Any] = None

    @classmethod
    def install(cls) -> None:
        """Makes the cache of writers make these.

        Raises:
            ValueError: It does so already.
        """
        if cls._replaced_summary_writer:
            raise ValueError("FakeSummaryWriter already installed.")
        cls._replaced_summary_writer = file_writer.FileWriter
        setattr(file_writer, "FileWriter", cls)

    @classmethod
    def uninstall(cls) -> None:
        """Undoes `install`.

        Raises:
            ValueError: It was not called.
        """
        if not cls._replaced_summary_writer:
            raise ValueError("FakeSummaryWriter not installed.")
        setattr(file_writer, "FileWriter", cls._replaced_summary_writer)
        cls._replaced_summary_writer = None

    def __init__(self, logdir: str, graph: Any = None) -> None:
        self._logdir, self._graph = logdir, graph
        self._summaries: Dict[Any, List[Any]] = {}
        self._added_graphs: List[Any] = []
        self._added_meta_graphs: List[Any] = []
        self._added_session_logs: List[Any] = []
        self._added_run_metadata: Dict[str, Any] = {}

    @property
    def summaries(self) -> Dict[Any, List[Any]]:
        """The summaries of each step."""
        return self._summaries

    def assert_summaries(
        self,
        test_case: Any,
        expected_logdir: Optional[str] = None,
        expected_graph: Any = None,
        expected_summaries: Optional[Dict[Any, Dict[str, float]]] = None,
        expected_added_graphs: Any = None,
        expected_added_meta_graphs: Any = None,
        expected_session_logs: Any = None,
    ) -> None:
        """Checks what it was given.

        Args:
            test_case: Makes the checks.
            expected_logdir: The folder.
            expected_graph: The graph.
            expected_summaries: The numbers of steps by tag, but for `global_step/sec`.
            expected_added_graphs: The graphs that were added.
            expected_added_meta_graphs: The meta graphs that were added.
            expected_session_logs: The session logs that were added.
        """
        if expected_logdir is not None:
            test_case.assertEqual(expected_logdir, self._logdir)
        if expected_graph is not None:
            test_case.assertIs(expected_graph, self._graph)
        for step, expected in (expected_summaries or {}).items():
            test_case.assertIn(step, self._summaries)
            found = {
                value.tag: value.simple_value
                for summary in self._summaries[step]
                for value in summary.value
                if value.tag != "global_step/sec"
            }
            test_case.assertEqual(expected, found)
        for wanted, given in (
            (expected_added_graphs, self._added_graphs),
            (expected_added_meta_graphs, self._added_meta_graphs),
            (expected_session_logs, self._added_session_logs),
        ):
            if wanted is not None:
                test_case.assertEqual(wanted, given)

    def add_summary(self, summ: Any, current_global_step: Any) -> None:
        """Keeps a summary.

        Args:
            summ: The summary, or its serialized bytes.
            current_global_step: Its step.
        """
        if isinstance(summ, bytes):
            message = Summary()
            message.ParseFromString(summ)
            summ = message
        self._summaries.setdefault(current_global_step, []).append(summ)

    def add_graph(self, graph: Any, global_step: Any = None, graph_def: Any = None) -> None:
        """Keeps a graph.

        Args:
            graph: The graph.
            global_step: Its step.
            graph_def: None.

        Raises:
            ValueError: The step is negative, or there is a message.
        """
        _check_step(global_step)
        if graph_def is not None:
            raise ValueError(f"Unexpected graph_def {graph_def}.")
        self._added_graphs.append(graph)

    def add_meta_graph(self, meta_graph_def: Any, global_step: Any = None) -> None:
        """Keeps a meta graph.

        Args:
            meta_graph_def: The meta graph.
            global_step: Its step.

        Raises:
            ValueError: The step is negative.
        """
        _check_step(global_step)
        self._added_meta_graphs.append(meta_graph_def)

    def add_session_log(self, session_log: Any, global_step: Any = None) -> None:
        """Keeps a session log.

        Args:
            session_log: The log.
            global_step: Ignored.
        """
        self._added_session_logs.append(session_log)

    def add_run_metadata(self, run_metadata: Any, tag: str, global_step: Any = None) -> None:
        """Keeps the metadata of a step.

        Args:
            run_metadata: The metadata.
            tag: Its tag.
            global_step: Its step.

        Raises:
            ValueError: The step is negative.
        """
        _check_step(global_step)
        self._added_run_metadata[tag] = run_metadata

    def flush(self) -> None:
        """Does nothing."""

    def reopen(self) -> None:
        """Does nothing."""

    def close(self) -> None:
        """Does nothing."""


def _check_step(step: Any) -> None:
    if step is not None and step < 0:
        raise ValueError(f"Invalid global_step {step}.")
