"""Event files: records of events, which a thread writes."""

from __future__ import annotations

import os
import queue
import socket
import threading
import time
import weakref
from typing import Any, Dict, Iterator, Optional

from troupe._src.io.tf_record import TFRecordWriter, tf_record_iterator
from troupe._src.messages.summary_messages import Event
from troupe._src.platform.gfile import MakeDirs

_FILE_VERSION = "brain.Event:2"


class _Command:
    """What is put among the events: the thread answers when all before it is written."""

    def __init__(self, closes: bool) -> None:
        self.closes = closes
        self.done = threading.Event()


class EventFileWriter:
    """A new event file in a folder, to which a thread writes.

    Args:
        logdir: The folder, which is made if there is none.
        max_queue: How many events wait at most; then `add_event` waits.
        flush_secs: After how many seconds an event is in the file at the latest.
        filename_suffix: The end of the file's name.
    """

    def __init__(
        self,
        logdir: Any,
        max_queue: int = 10,
        flush_secs: float = 120,
        filename_suffix: Optional[str] = None,
    ) -> None:
        self._logdir = str(os.fspath(logdir))
        self._suffix = filename_suffix or ""
        self._max_queue, self._flush_secs = max(max_queue, 1), flush_secs
        self._lock = threading.Lock()
        self._thread: Optional[threading.Thread] = None
        self._error: Optional[BaseException] = None
        # Of those that share it.
        self.users = 0
        self._open()

    def _open(self) -> None:
        MakeDirs(self._logdir)
        name = f"events.out.tfevents.{int(time.time()):010d}.{socket.gethostname()}"
        path = os.path.join(self._logdir, name)
        while os.path.exists(path + self._suffix):  # of another writer in this second
            path += "_"
        self._file = TFRecordWriter(path + self._suffix)
        first = Event(wall_time=time.time(), file_version=_FILE_VERSION)
        self._file.write(first.SerializeToString())
        self._file.flush()
        self._queue: queue.Queue[Any] = queue.Queue(self._max_queue)
        self._thread = threading.Thread(target=self._write_all, daemon=True)
        self._thread.start()

    def get_logdir(self) -> str:
        """The folder."""
        return self._logdir

    def add_event(self, event: Event) -> None:
        """Puts an event among those to write; nothing after `close`.

        Args:
            event: The event.

        Raises:
            OpError: An earlier event could not be written.
        """
        self._raise_error()
        if self._thread is not None:
            self._queue.put(event.SerializeToString())

    def flush(self) -> None:
        """Waits until all events so far are in the file."""
        self._command(closes=False)

    def close(self) -> None:
        """Writes all events and closes the file; `reopen` begins another."""
        with self._lock:
            thread = self._thread
            if thread is not None:
                self._command(closes=True)
                thread.join()
                self._thread = None

    def reopen(self) -> None:
        """Begins another file, after `close`."""
        with self._lock:
            if self._thread is None:
                self._open()

    def _command(self, closes: bool) -> None:
        if self._thread is None:
            return
        command = _Command(closes)
        self._queue.put(command)
        command.done.wait()
        self._raise_error()

    def _raise_error(self) -> None:
        error, self._error = self._error, None
        if error is not None:
            raise error

    def _write_all(self) -> None:
        flush_at: Optional[float] = None  # when what was written is to be in the file
        while True:
            wait = None if flush_at is None else max(0.0, flush_at - time.monotonic())
            try:
                item = self._queue.get(timeout=wait)
            except queue.Empty:
                self._try(self._file.flush)
                flush_at = None
                continue
            if not isinstance(item, _Command):
                self._try(self._file.write, item)
                flush_at = flush_at or time.monotonic() + self._flush_secs
                continue
            self._try(self._file.close if item.closes else self._file.flush)
            flush_at = None
            item.done.set()
            if item.closes:
                return

    def _try(self, call: Any, *arguments: Any) -> None:
        try:
            call(*arguments)
        except Exception as error:  # raised by the next call of the program
            self._error = self._error or error


class SharedEventFileWriter:
    """One of the writers of a session that share an event file of a folder.

    Args:
        session: The session.
        logdir: The folder.
        max_queue: As of `EventFileWriter`, and so are the others; those of the first writer count.
        flush_secs: As there.
        filename_suffix: As there.
    """

    _files: weakref.WeakKeyDictionary[Any, Dict[str, EventFileWriter]]
    _files = weakref.WeakKeyDictionary()
    _lock = threading.Lock()

    def __init__(
        self, session: Any, logdir: Any, max_queue: int, flush_secs: float,
        filename_suffix: Optional[str],
    ) -> None:  # fmt: skip
        with self._lock:
            files = self._files.setdefault(session, {})
            folder = str(os.fspath(logdir))
            if folder not in files:
                files[folder] = EventFileWriter(folder, max_queue, flush_secs, filename_suffix)
            self._file = files[folder]
        self._is_open = False
        self.reopen()

    def get_logdir(self) -> str:
        """The folder."""
        return self._file.get_logdir()

    def add_event(self, event: Event) -> None:
        """Puts an event among those to write; nothing after `close`."""
        if self._is_open:
            self._file.add_event(event)

    def flush(self) -> None:
        """Waits until all events so far are in the file."""
        self._file.flush()

    def close(self) -> None:
        """Writes all events; closes the file where no other writer has it open."""
        with self._lock:
            if not self._is_open:
                return
            self._is_open = False
            self._file.users -= 1
            if self._file.users == 0:
                self._file.close()
                return
        self._file.flush()

    def reopen(self) -> None:
        """Takes part again, after `close`; begins another file where all have closed theirs."""
        with self._lock:
            if not self._is_open:
                self._is_open = True
                self._file.users += 1
                self._file.reopen()



def summary_iterator(path: Any) -> Iterator[Event]:
    """The events of a file.

    Args:
        path: The path of the file.

    Yields:
        The events, in the order in which they were written.

    Raises:
        NotFoundError: There is no such file.
        DataLossError: The file is damaged.
    """
    for record in tf_record_iterator(path):
        yield Event.FromString(record)
