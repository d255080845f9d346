"""Files of records (TFRecord) of this machine."""

from __future__ import annotations

import os
from types import TracebackType
from typing import Any, Dict, Iterator, Optional, Type, Union

from troupe import _native
from troupe._src.set_module import set_module
from troupe._src.types.paths import PathLike


@set_module("troupe.io")
class TFRecordCompressionType:
    """How a file of records is compressed."""

    NONE = 0
    ZLIB = 1
    GZIP = 2


@set_module("troupe.io")
class TFRecordOptions:
    """How a file of records is compressed, with zlib's options for the writer.

    Args:
        compression_type: "GZIP", "ZLIB" or "", or one of TFRecordCompressionType.
        flush_mode: Without effect: what is flushed can always be read.
        input_buffer_size: Without effect.
        output_buffer_size: Without effect.
        window_bits: 9 to 15.
        compression_level: 0 to 9, or -1 for zlib's default.
        compression_method: 8 (deflate), the only one of zlib.
        mem_level: 1 to 9.
        compression_strategy: One of zlib's.

    Raises:
        ValueError: There is no such type or method of compression.
    """

    compression_type_map = {
        TFRecordCompressionType.ZLIB: "ZLIB",
        TFRecordCompressionType.GZIP: "GZIP",
        TFRecordCompressionType.NONE: "",
    }

    def __init__(
        self,
        compression_type: Any = None,
        flush_mode: Optional[int] = None,
        input_buffer_size: Optional[int] = None,
        output_buffer_size: Optional[int] = None,
        window_bits: Optional[int] = None,
        compression_level: Optional[int] = None,
        compression_method: Optional[int] = None,
        mem_level: Optional[int] = None,
        compression_strategy: Optional[int] = None,
    ) -> None:
        self.get_compression_type_string(compression_type)
        deflate = 8
        if compression_method not in (None, deflate):
            raise ValueError(f"Not a valid compression_method: {compression_method}")
        self.compression_type = compression_type
        self.flush_mode = flush_mode
        self.input_buffer_size = input_buffer_size
        self.output_buffer_size = output_buffer_size
        self.window_bits = window_bits
        self.compression_level = compression_level
        self.compression_method = compression_method
        self.mem_level = mem_level
        self.compression_strategy = compression_strategy

    @classmethod
    def get_compression_type_string(cls, options: Any) -> str:
        """The name of a type of compression.

        Args:
            options: TFRecordOptions, a number of TFRecordCompressionType, that name itself, or
                None.

        Returns:
            "", "ZLIB" or "GZIP".

        Raises:
            ValueError: There is no such type.
        """
        if not options:
            return ""
        if isinstance(options, TFRecordOptions):
            return cls.get_compression_type_string(options.compression_type)
        if options in cls.compression_type_map:
            return cls.compression_type_map[options]
        if options in cls.compression_type_map.values():
            return str(options)
        raise ValueError(f'Not a valid compression_type: "{options}"')

    def _zlib_options(self) -> Dict[str, int]:
        options = {
            "level": self.compression_level,
            "window_bits": self.window_bits,
            "memory_level": self.mem_level,
            "strategy": self.compression_strategy,
        }
        return {name: value for name, value in options.items() if value is not None}


def tf_record_iterator(
    path: PathLike, options: Optional[TFRecordOptions] = None
) -> Iterator[bytes]:
    """The records of a file.

    Args:
        path: The file.
        options: How it is compressed: TFRecordOptions, or the type alone.

    Yields:
        The records, one after the other.

    Raises:
        DataLossError: A record is damaged, or the file ends inside of one.
        NotFoundError: There is no such file.
    """
    compression = TFRecordOptions.get_compression_type_string(options)
    reader = _native.open_record_file(os.fsdecode(path), compression)
    while True:
        record: Optional[bytes] = reader.read()  # type: ignore[assignment]
        if record is None:
            return
        yield record


@set_module("troupe.io")
class TFRecordWriter:
    """Writes a file of records; `with` closes it.

    Args:
        path: The file, which is replaced if it exists.
        options: TFRecordOptions, or the type of compression alone.

    Raises:
        ValueError: There is no such type of compression.
        OpError: The file cannot be written.
    """

    def __init__(self, path: PathLike, options: Any = None) -> None:
        if not isinstance(options, TFRecordOptions):
            options = TFRecordOptions(compression_type=options)
        self._writer = _native.create_record_file(
            os.fsdecode(path),
            TFRecordOptions.get_compression_type_string(options),
            options._zlib_options(),
        )

    def __enter__(self) -> TFRecordWriter:
        return self

    def __exit__(
        self,
        unused_type: Optional[Type[BaseException]],
        unused_value: Optional[BaseException],
        unused_traceback: Optional[TracebackType],
    ) -> None:
        self.close()

    def write(self, record: Union[bytes, str]) -> None:
        """Adds a record.

        Args:
            record: The record; a text becomes UTF-8.
        """
        self._writer.write(record.encode() if isinstance(record, str) else bytes(record))

    def flush(self) -> None:
        """Writes what is buffered: a reader finds all records so far."""
        self._writer.flush()

    def close(self) -> None:
        """Ends the file."""
        self._writer.close()
