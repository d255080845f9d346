"""Files of this machine, under the names of TensorFlow's module `file_io`."""

from __future__ import annotations

import os
import uuid
import zlib
from typing import Any, Callable, Iterator, List, Optional, Tuple

from troupe._src.platform import gfile
from troupe._src.platform.gfile import (
    FileStatistics,
    GFile,
    get_matching_files,
    read_file_to_string,
    write_string_to_file,
)
from troupe._src.types import errors

__all__ = ["FileIO", "get_matching_files", "read_file_to_string", "write_string_to_file"]

_BLOCK = 1 << 24


class FileIO(GFile):
    """A file, which is opened when it is first read or written."""

    def __init__(self, name: Any, mode: str) -> None:
        """Names the file.

        Args:
            name: the path.
            mode: as for Python's `open`: "r", "w", "a", each also with "+" and "b".

        Raises:
            InvalidArgumentError: if the mode is another.
        """
        super().__init__(name, mode)


file_exists = gfile.Exists
delete_file = gfile.Remove
create_dir = gfile.MkDir
recursive_create_dir = gfile.MakeDirs
copy = gfile.Copy
rename = gfile.Rename
delete_recursively = gfile.DeleteRecursively
is_directory = gfile.IsDirectory
list_directory = gfile.ListDirectory
stat = gfile.Stat
walk = gfile.Walk


def file_exists_v2(path: Any) -> bool:
    """Whether there is something at a path."""
    return gfile.Exists(path)


def delete_file_v2(path: Any) -> None:
    """Removes a file."""
    gfile.Remove(path)


def get_matching_files_v2(pattern: Any) -> List[str]:
    """The paths that match a pattern, or one of several."""
    return gfile.Glob(pattern)


def create_dir_v2(path: Any) -> None:
    """Makes a folder in one that exists."""
    gfile.MkDir(path)


def recursive_create_dir_v2(path: Any) -> None:
    """Makes a folder, and those that it is in."""
    gfile.MakeDirs(path)


def copy_v2(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Copies a file."""
    gfile.Copy(src, dst, overwrite)


def rename_v2(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Renames a file or a folder."""
    gfile.Rename(src, dst, overwrite)


def delete_recursively_v2(path: Any) -> None:
    """Removes a folder, and all that is in it."""
    gfile.DeleteRecursively(path)


def is_directory_v2(path: Any) -> bool:
    """Whether there is a folder at a path."""
    return gfile.IsDirectory(path)


def list_directory_v2(path: Any) -> List[str]:
    """The names in a folder."""
    return gfile.ListDirectory(path)


def stat_v2(path: Any) -> FileStatistics:
    """How long a file is, and when it was changed."""
    return gfile.Stat(path)


def walk_v2(
    top: Any, topdown: bool = True, onerror: Optional[Callable[[OSError], Any]] = None
) -> Iterator[Tuple[str, List[str], List[str]]]:
    """The folders below one.

    Args:
        top: the path of the folder.
        topdown: whether a folder comes before those in it, or behind them.
        onerror: what is called with the error of a folder that cannot be read.

    Returns:
        An iterator of (path of a folder, names of the folders in it, names of its files).
    """
    return os.walk(top, topdown=topdown, onerror=onerror)


def atomic_write_string_to_file(filename: Any, contents: Any, overwrite: bool = True) -> None:
    """Writes a file that others see whole or not at all.

    Args:
        filename: the path.
        contents: a text, which is encoded as UTF-8, or bytes.
        overwrite: whether a file of that name is replaced.

    Raises:
        AlreadyExistsError: if the file exists, and is not to be replaced.
        NotFoundError: if its folder does not exist.
    """
    written = f"{os.fspath(filename)}.tmp{uuid.uuid4().hex}"
    write_string_to_file(written, contents)
    try:
        gfile.Rename(written, filename, overwrite)
    except errors.OpError:
        gfile.Remove(written)
        raise


def filecmp(filename_a: Any, filename_b: Any) -> bool:
    """Whether two files have the same content.

    Args:
        filename_a: a path.
        filename_b: another one.

    Returns:
        Whether they are equal.

    Raises:
        NotFoundError: if one of them does not exist.
    """
    lengths = [gfile.Stat(name).length for name in (filename_a, filename_b)]
    if lengths[0] != lengths[1]:
        return False
    with GFile(filename_a, "rb") as first, GFile(filename_b, "rb") as second:
        while block := first.read(_BLOCK):
            if block != second.read(_BLOCK):
                return False
    return True


def file_crc32(filename: Any, block_size: int = _BLOCK) -> str:
    """The check sum of a file.

    Args:
        filename: the path.
        block_size: how many bytes are read at once.

    Returns:
        The sum in hexadecimal digits, after "0x".

    Raises:
        NotFoundError: if there is none.
    """
    total = 0
    with GFile(filename, "rb") as file:
        while block := file.read(block_size):
            total = zlib.crc32(block, total)
    return f"{total:#x}"
