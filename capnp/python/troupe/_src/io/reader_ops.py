"""Readers: they give the records of files, whose names they get from a queue."""

from __future__ import annotations

from typing import Any, List, Optional

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.io.tf_record import TFRecordOptions
from troupe._src.ops import raw_ops
from troupe._src.set_module import set_module
from troupe._src.types import dtypes


@set_module("troupe")
class ReaderBase:
    """A reader: each step that reads gets the next record, or waits for the next file.

    Args:
        reader_ref: The handle of a reader, or a reference to one.
        supports_serialize: Whether it has a state that can be saved.
    """

    def __init__(self, reader_ref: Tensor, supports_serialize: bool = False) -> None:
        self._reader_ref = reader_ref
        self._supports_serialize = supports_serialize

    @property
    def reader_ref(self) -> Tensor:
        """The handle of the reader."""
        return self._reader_ref

    @property
    def supports_serialize(self) -> bool:
        """Whether it has a state that can be saved."""
        return self._supports_serialize

    def read(self, queue: Any, name: Optional[str] = None) -> List[Tensor]:
        """The key and the value of the next record.

        Args:
            queue: The queue of the names of files, or its handle.
            name: The name of the node.

        Returns:
            [key, value], two string scalars. In the step, OutOfRangeError where the queue is closed
            and empty.
        """
        records: List[Tensor] = self._op("ReaderRead")(
            reader_handle=self._reader_ref, queue_handle=self._queue_ref(queue), name=name
        )
        return records

    def read_up_to(
        self, queue: Any, num_records: TensorLike, name: Optional[str] = None
    ) -> List[Tensor]:
        """The keys and the values of the next records of one file.

        Args:
            queue: The queue of the names of files, or its handle.
            num_records: The most records, an int64 scalar.
            name: The name of the node.

        Returns:
            [keys, values], two string vectors. In the step, OutOfRangeError where the queue is
            closed and empty.
        """
        records: List[Tensor] = self._op("ReaderReadUpTo")(
            reader_handle=self._reader_ref,
            queue_handle=self._queue_ref(queue),
            num_records=num_records,
            name=name,
        )
        return records

    def num_records_produced(self, name: Optional[str] = None) -> Tensor:
        """How many records it has given, an int64."""
        return self._use("ReaderNumRecordsProduced", name)

    def num_work_units_completed(self, name: Optional[str] = None) -> Tensor:
        """How many files it has finished, an int64."""
        return self._use("ReaderNumWorkUnitsCompleted", name)

    def serialize_state(self, name: Optional[str] = None) -> Tensor:
        """Its state as a string; UnimplementedError where it has none."""
        return self._use("ReaderSerializeState", name)

    def restore_state(self, state: TensorLike, name: Optional[str] = None) -> Operation:
        """Gives it a state that serialize_state() returned.

        Args:
            state: The state, a string scalar.

        Returns:
            The operation.
        """
        op: Operation = self._op("ReaderRestoreState")(
            reader_handle=self._reader_ref, state=state, name=name
        )
        return op

    def reset(self, name: Optional[str] = None) -> Operation:
        """Makes it as if it had read nothing."""
        op: Operation = self._op("ReaderReset")(reader_handle=self._reader_ref, name=name)
        return op

    @property
    def _has_handle(self) -> bool:
        return self._reader_ref.dtype == dtypes.resource

    def _op(self, name: str) -> Any:
        return getattr(raw_ops, name + "V2" if self._has_handle else name)

    def _use(self, name: str, node_name: Optional[str]) -> Tensor:
        value: Tensor = self._op(name)(reader_handle=self._reader_ref, name=node_name)
        return value

    def _queue_ref(self, queue: Any) -> Any:
        queue_ref = queue if isinstance(queue, Tensor) else queue.queue_ref
        if self._has_handle or queue_ref.dtype != dtypes.resource:
            return queue_ref
        return raw_ops.FakeQueue(resource=queue_ref)


@set_module("troupe")
class WholeFileReader(ReaderBase):
    """A reader whose records are files. Keys are their names."""

    def __init__(self, name: Optional[str] = None) -> None:
        super().__init__(raw_ops.WholeFileReaderV2(name=name), supports_serialize=True)


@set_module("troupe")
class TextLineReader(ReaderBase):
    """A reader whose records are the lines of files. Keys are file:line.

    Args:
        skip_header_lines: How many lines of each file are no records.
        name: The name of the node.
    """

    def __init__(self, skip_header_lines: Optional[int] = None, name: Optional[str] = None) -> None:
        super().__init__(
            raw_ops.TextLineReaderV2(skip_header_lines=skip_header_lines or 0, name=name)
        )


@set_module("troupe")
class LMDBReader(ReaderBase):
    """A reader whose records are the values of LMDB files, and whose keys are theirs.

    Args:
        name: The name of the node.
        options: Changes nothing.
    """

    def __init__(self, name: Optional[str] = None, options: Any = None) -> None:
        super().__init__(raw_ops.LMDBReader(name=name))


@set_module("troupe")
class FixedLengthRecordReader(ReaderBase):
    """A reader whose records are all of one length. Keys are file:number.

    Args:
        record_bytes: The length of a record.
        header_bytes: What comes before the first record of a file.
        footer_bytes: What comes after the last one.
        hop_bytes: From the beginning of a record to that of the next; 0: record_bytes.
        name: The name of the node.
        encoding: How the files are compressed: "", "ZLIB" or "GZIP".
    """

    def __init__(
        self,
        record_bytes: int,
        header_bytes: Optional[int] = None,
        footer_bytes: Optional[int] = None,
        hop_bytes: Optional[int] = None,
        name: Optional[str] = None,
        encoding: Optional[str] = None,
    ) -> None:
        super().__init__(
            raw_ops.FixedLengthRecordReaderV2(
                record_bytes=record_bytes,
                header_bytes=header_bytes or 0,
                footer_bytes=footer_bytes or 0,
                hop_bytes=hop_bytes or 0,
                encoding=encoding or "",
                name=name,
            )
        )


@set_module("troupe")
class TFRecordReader(ReaderBase):
    """A reader of record files. Keys are file:offset.

    Args:
        name: The name of the node.
        options: How the files are compressed: TFRecordOptions, or the type alone.
    """

    def __init__(self, name: Optional[str] = None, options: Any = None) -> None:
        compression_type = TFRecordOptions.get_compression_type_string(options)
        super().__init__(
            raw_ops.TFRecordReaderV2(compression_type=compression_type, name=name)
        )


@set_module("troupe")
class IdentityReader(ReaderBase):
    """A reader whose records are what the queue gives itself, as keys and as values."""

    def __init__(self, name: Optional[str] = None) -> None:
        super().__init__(raw_ops.IdentityReaderV2(name=name), supports_serialize=True)
