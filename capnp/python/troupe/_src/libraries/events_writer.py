"""What writes a file of events, as programs that make their own records have it."""

from __future__ import annotations

import os
import socket
import time
from typing import Any, Optional

from troupe._src.api.text_types import as_str
from troupe._src.io.tf_record import TFRecordWriter
from troupe._src.messages.summary_messages import Event


class EventsWriter:
    """Writes events to a file, which is made with the first one.

    Args:
        file_prefix: The path of the file, to which ".out.tfevents." with the time and the name of
            the machine is added.
    """

    def __init__(self, file_prefix: Any) -> None:
        self._prefix, self._suffix = as_str(file_prefix), ""
        self._path = ""
        self._records: Optional[TFRecordWriter] = None

    def InitWithSuffix(self, suffix: Any) -> bool:
        """Makes the file, whose path ends with a suffix.

        Args:
            suffix: The suffix.

        Returns:
            Whether it is made.
        """
        self._suffix = as_str(suffix)
        self._opened()
        return True

    def FileName(self) -> bytes:
        """The path of the file.

        Returns:
            The path, as bytes.
        """
        self._opened()
        return self._path.encode()

    def WriteEvent(self, event: Any) -> None:
        """Adds an event.

        Args:
            event: An `Event`.

        Raises:
            TypeError: It is another object.
        """
        if not isinstance(event, Event):
            raise TypeError(f"Expected an event_pb2.Event proto, but got {type(event)}")
        self._opened().write(event.SerializeToString())

    def Flush(self) -> bool:
        """Writes what is not yet in the file.

        Returns:
            Whether it is there.
        """
        if self._records is not None:
            self._records.flush()
        return True

    def Close(self) -> bool:
        """Ends the file; the next event begins another.

        Returns:
            Whether it is ended.
        """
        if self._records is not None:
            self._records.close()
        self._records = None
        return True

    def _opened(self) -> TFRecordWriter:
        if self._records is None:
            now = time.time()
            self._path = (
                f"{self._prefix}.out.tfevents.{int(now):010}.{socket.gethostname()}{self._suffix}"
            )
            os.makedirs(os.path.dirname(self._path) or ".", exist_ok=True)
            self._records = TFRecordWriter(self._path)
            first = Event(wall_time=now, file_version="brain.Event:2")
            self._records.write(first.SerializeToString())
            self._records.flush()
        return self._records
