"""Writers of summaries, graphs and metadata of steps into event files."""

from __future__ import annotations

import threading
import time
import warnings
from typing import Any, Dict, Optional

from troupe._src.graph.graph import Graph
from troupe._src.messages.summary_messages import Event, Summary, TaggedRunMetadata
from troupe._src.representation import name_of_class
from troupe._src.set_module import set_module
from troupe._src.messages.metadata import graph_bytes
from troupe._src.summary.event_file import EventFileWriter, SharedEventFileWriter


@set_module("troupe.summary")
class FileWriter:
    """Writes what a training tells into a new event file of a folder, by a thread.

    Args:
        logdir: The folder.
        graph: Added as by `add_graph`.
        max_queue: How many events wait at most; then what adds one waits.
        flush_secs: After how many seconds an event is in the file at the latest.
        graph_def: An older name of `graph`, for a GraphDef.
        filename_suffix: The end of the file's name.
        session: All writers of one session and folder share a file, which the first of them
            begins and the last one that is closed closes; by default each has a file of its own.
            The program writes it, also where the session's steps run elsewhere.

    Raises:
        OpError: The file cannot be written; of later writes, by the call that follows.
    """

    def __init__(
        self,
        logdir: Any,
        graph: Any = None,
        max_queue: int = 10,
        flush_secs: float = 120,
        graph_def: Any = None,
        filename_suffix: Optional[str] = None,
        session: Any = None,
    ) -> None:
        self.event_writer: Any
        if session is None:
            self.event_writer = EventFileWriter(logdir, max_queue, flush_secs, filename_suffix)
        else:
            self.event_writer = SharedEventFileWriter(
                session, logdir, max_queue, flush_secs, filename_suffix
            )
        self._seen_tags: set[str] = set()
        self._closed = False
        if graph is not None or graph_def is not None:
            self.add_graph(graph=graph, graph_def=graph_def)

    def __repr__(self) -> str:
        state = "closed" if self._closed else "open"
        return f"<{name_of_class(self)} to {self.get_logdir()!r}, {state}>"

    def __enter__(self) -> FileWriter:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def get_logdir(self) -> str:
        """The folder."""
        return str(self.event_writer.get_logdir())

    def add_event(self, event: Event) -> None:
        """Adds an event; after `close` it only warns.

        Args:
            event: The event.

        Raises:
            OpError: An earlier event could not be written.
        """
        if self._closed:
            warnings.warn(f"{self!r} adds nothing: reopen() begins another file", stacklevel=2)
        else:
            self.event_writer.add_event(event)

    def _add(self, global_step: Any, **what: Any) -> None:
        event = Event(wall_time=time.time(), **what)
        if global_step is not None:
            event.step = int(global_step)
        self.add_event(event)

    def add_summary(self, summary: Any, global_step: Any = None) -> None:
        """Adds a summary. Metadata are kept with the first value of a tag.

        Args:
            summary: A Summary, or the bytes that an op gives.
            global_step: The step that it belongs to, or None.
        """
        made = Summary()
        made.MergeFromString(summary) if isinstance(summary, bytes) else made.CopyFrom(summary)
        for value in made.value:
            if not value.HasField("metadata"):
                continue
            if value.tag in self._seen_tags:
                value.ClearField("metadata")
            self._seen_tags.add(value.tag)
        self._add(global_step, summary=made)

    def add_session_log(self, session_log: Any, global_step: Any = None) -> None:
        """Adds a mark of a session, such as its start.

        Args:
            session_log: A SessionLog.
            global_step: The step that it belongs to, or None.
        """
        self._add(global_step, session_log=session_log)

    def add_graph(self, graph: Any = None, global_step: Any = None, graph_def: Any = None) -> None:
        """Adds a graph.

        Args:
            graph: A Graph, or a GraphDef.
            global_step: The step that it belongs to, or None.
            graph_def: An older name of `graph`.

        Raises:
            TypeError: It is no graph.
            ValueError: Both names are given.
        """
        if graph is not None and graph_def is not None:
            raise ValueError("Please pass only graph, or graph_def (deprecated), but not both.")
        given = graph_def if graph is None else graph
        if isinstance(given, Graph):
            given = given.as_graph_def()
        if not hasattr(given, "node"):
            raise TypeError("The passed graph must be an instance of `Graph` or `GraphDef`")
        self._add(global_step, graph_def=graph_bytes(given))

    def add_meta_graph(self, meta_graph_def: Any, global_step: Any = None) -> None:
        """Adds a graph with its collections and signatures.

        Args:
            meta_graph_def: A MetaGraphDef.
            global_step: The step that it belongs to, or None.

        Raises:
            TypeError: It is something else.
        """
        if not hasattr(meta_graph_def, "SerializeToString"):
            raise TypeError(f"meta_graph_def must be type MetaGraphDef, saw {type(meta_graph_def)}")
        self._add(global_step, meta_graph_def=meta_graph_def.SerializeToString())

    def add_run_metadata(self, run_metadata: Any, tag: str, global_step: Any = None) -> None:
        """Adds the metadata of a step.

        Args:
            run_metadata: A RunMetadata.
            tag: A name that no other metadata has.
            global_step: The step that it belongs to, or None.

        Raises:
            ValueError: Another one has the tag.
        """
        if tag in self._seen_tags:
            raise ValueError("The provided tag was already used for this event type")
        self._seen_tags.add(tag)
        tagged = TaggedRunMetadata(tag=tag, run_metadata=run_metadata.SerializeToString())
        self._add(global_step, tagged_run_metadata=tagged)

    def flush(self) -> None:
        """Waits until all events so far are in the file."""
        if not self._closed:
            self.event_writer.flush()

    def close(self) -> None:
        """Writes all events and closes the file."""
        if not self._closed:
            self._closed = True
            self.event_writer.close()

    def reopen(self) -> None:
        """Begins another file, after `close`."""
        self.event_writer.reopen()
        self._closed = False


@set_module("troupe.summary")
class FileWriterCache:
    """One writer for each folder, which the hooks of a program share."""

    _writers: Dict[str, FileWriter] = {}
    _lock = threading.RLock()

    @staticmethod
    def get(logdir: Any) -> FileWriter:
        """The writer of a folder, made where there is none.

        Args:
            logdir: The folder.

        Returns:
            The writer.
        """
        with FileWriterCache._lock:
            writer = FileWriterCache._writers.get(logdir)
            if writer is None:
                writer = FileWriterCache._writers[logdir] = FileWriter(logdir)
            return writer

    @staticmethod
    def clear() -> None:
        """Closes and forgets all writers."""
        with FileWriterCache._lock:
            for writer in FileWriterCache._writers.values():
                writer.close()
            FileWriterCache._writers.clear()
