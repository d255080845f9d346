"""Files of this machine, under the names of TensorFlow's modules; errors are tf.errors."""

from __future__ import annotations

import contextlib
import glob
import os
import shutil
from typing import Any, Iterator, List, NamedTuple, Optional, Tuple

from troupe._src.platform.file_lines import Lines
from troupe._src.set_module import set_module
from troupe._src.types import errors

_ERRORS = (
    (FileNotFoundError, errors.NotFoundError),
    (FileExistsError, errors.AlreadyExistsError),
    (PermissionError, errors.PermissionDeniedError),
    ((IsADirectoryError, NotADirectoryError), errors.FailedPreconditionError),
)


@contextlib.contextmanager
def _as_op_errors() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        kinds = (op_error for kind, op_error in _ERRORS if isinstance(error, kind))
        name = f"{error.filename}; " if error.filename is not None else ""
        raise next(kinds, errors.UnknownError)(None, None, f"{name}{error.strerror}") from error


@set_module("troupe.gfile")
class GFile(Lines):
    """A file, which is opened when it is first read or written."""

    _MODES = ("r", "w", "a", "r+", "w+", "a+")

    def __init__(self, name: Any, mode: str = "r") -> None:
        """Names the file.

        Args:
            name: the path.
            mode: as for Python's `open`: "r", "w", "a", each also with "+" and "b".

        Raises:
            InvalidArgumentError: if the mode is another.
        """
        if mode.replace("b", "") not in self._MODES:
            raise errors.InvalidArgumentError(None, None, f"mode {mode} of {name!r} is unknown")
        self._name, self._mode = name, mode
        self._file: Any = None

    @property
    def name(self) -> Any:
        """The path."""
        return self._name

    @property
    def mode(self) -> str:
        """The mode."""
        return self._mode

    def _opened(self) -> Any:
        if self._file is None:
            with _as_op_errors():
                self._file = open(self._name, self._mode.replace("b", "") + "b")
        return self._file

    def _must(self, reads: bool) -> Any:
        allowed = "+" in self._mode or (self._mode[0] == "r") == reads
        if not allowed:
            verb = "read" if reads else "write"
            raise errors.PermissionDeniedError(None, None, f"File isn't open for {verb}ing")
        return self._opened()

    def _shown(self, content: bytes) -> Any:
        return content if "b" in self._mode else content.decode()

    def read(self, n: int = -1) -> Any:
        """The rest of the file, or a part of it.

        Args:
            n: the greatest number of bytes; -1 for all.

        Returns:
            A text, or bytes in a mode with "b".

        Raises:
            NotFoundError: if there is no such file.
            PermissionDeniedError: if the file is not open for reading.
        """
        with _as_op_errors():
            return self._shown(self._must(True).read(n))

    def readline(self) -> Any:
        """The next line with its end, empty behind the last one."""
        with _as_op_errors():
            return self._shown(self._must(True).readline())

    def write(self, file_content: Any) -> None:
        """Writes at the position, or at the end in mode "a".

        Args:
            file_content: a text, which is encoded as UTF-8, or bytes.

        Raises:
            PermissionDeniedError: if the file is not open for writing.
        """
        with _as_op_errors():
            content = file_content.encode() if isinstance(file_content, str) else file_content
            self._must(False).write(content)

    def seek(self, offset: Optional[int] = None, whence: int = 0, position: Any = None) -> None:
        """Moves the position.

        Args:
            offset: the distance in bytes.
            whence: from where: the start (0), the position (1) or the end (2).
            position: the former name of `offset`.
        """
        with _as_op_errors():
            self._opened().seek(position if offset is None else offset, whence)

    def tell(self) -> int:
        """The position, in bytes."""
        return int(self._opened().tell())

    def size(self) -> int:
        """The number of bytes."""
        return Stat(self._name).length

    def flush(self) -> None:
        """Gives what is written to the operating system."""
        if self._file is not None:
            with _as_op_errors():
                self._file.flush()

    def close(self) -> None:
        """Closes the file; one that is to be written exists afterwards."""
        if self._file is not None:
            with _as_op_errors():
                self._file.close()
            self._file = None
        elif self._mode[0] in "wa":
            self._opened().close()
            self._file = None

    def __enter__(self) -> GFile:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


FastGFile = Open = GFile


class FileStatistics(NamedTuple):
    """The size of a file, when it was changed, and whether it is a folder."""

    length: int
    mtime_nsec: int
    is_directory: bool


def Exists(filename: Any) -> bool:
    """True if there is a file or folder of that name.

    Args:
        filename: a path.

    Returns:
        Whether it exists.
    """
    return os.path.exists(filename)


def IsDirectory(dirname: Any) -> bool:
    """True if there is a folder of that name.

    Args:
        dirname: a path.

    Returns:
        Whether it is a folder.
    """
    return os.path.isdir(dirname)


def ListDirectory(dirname: Any) -> List[str]:
    """The names in a folder.

    Args:
        dirname: the path of the folder.

    Returns:
        The names, without the path, in any order.

    Raises:
        NotFoundError: if there is none.
    """
    if not IsDirectory(dirname):
        raise errors.NotFoundError(None, None, f"Could not find directory {dirname}")
    with _as_op_errors():
        return os.listdir(dirname)


def Glob(filename: Any) -> List[str]:
    """The files that match a pattern, or one of a list of them.

    Args:
        filename: a pattern with "*", "?" and "[...]", or a list of patterns.

    Returns:
        The paths, in order for each pattern.
    """
    patterns = filename if isinstance(filename, (list, tuple)) else [filename]
    return [name for pattern in patterns for name in sorted(glob.glob(os.fspath(pattern)))]


def MkDir(dirname: Any) -> None:
    """Makes a folder in one that exists.

    Args:
        dirname: the path of the folder.

    Raises:
        AlreadyExistsError: if it exists.
        NotFoundError: if the folder around it does not.
    """
    with _as_op_errors():
        os.mkdir(dirname)


def MakeDirs(dirname: Any) -> None:
    """Creates a folder and its parents; it may exist.

    Args:
        dirname: the path of the folder; nothing is done for an empty one, the current folder.

    Raises:
        AlreadyExistsError: if there is a file of that name.
    """
    if not dirname:
        return
    with _as_op_errors():
        os.makedirs(dirname, exist_ok=True)


def Remove(filename: Any) -> None:
    """Removes a file.

    Args:
        filename: the path.

    Raises:
        NotFoundError: if there is none.
    """
    with _as_op_errors():
        os.remove(filename)


def DeleteRecursively(dirname: Any) -> None:
    """Removes a folder with all that is in it.

    Args:
        dirname: the path of the folder.

    Raises:
        NotFoundError: if there is none.
    """
    with _as_op_errors():
        shutil.rmtree(dirname)


def Rename(oldname: Any, newname: Any, overwrite: bool = False) -> None:
    """Gives a file or folder another name.

    Args:
        oldname: the path.
        newname: the new path, on the same file system.
        overwrite: whether a file of that name is replaced.

    Raises:
        AlreadyExistsError: if the name exists, and is not to be replaced.
        NotFoundError: if there is none.
    """
    _check_free(newname, overwrite)
    with _as_op_errors():
        os.replace(oldname, newname)


def Copy(oldpath: Any, newpath: Any, overwrite: bool = False) -> None:
    """Copies a file.

    Args:
        oldpath: the path.
        newpath: the path of the copy.
        overwrite: whether a file of that name is replaced.

    Raises:
        AlreadyExistsError: if the path exists, and is not to be replaced.
        NotFoundError: if there is none.
    """
    _check_free(newpath, overwrite)
    with _as_op_errors():
        shutil.copyfile(oldpath, newpath)


def Stat(filename: Any) -> FileStatistics:
    """The length and the time of a file.

    Args:
        filename: the path.

    Returns:
        FileStatistics: `length` in bytes, `mtime_nsec` since 1970, and `is_directory`.

    Raises:
        NotFoundError: if there is none.
    """
    with _as_op_errors():
        found = os.stat(filename)
    return FileStatistics(found.st_size, found.st_mtime_ns, os.path.isdir(filename))


def Walk(top: Any, in_order: bool = True) -> Iterator[Tuple[str, List[str], List[str]]]:
    """A folder and all below it.

    Args:
        top: the path of the folder.
        in_order: whether a folder comes before those in it, or behind them.

    Returns:
        An iterator over (folder, names of its folders, names of its files).
    """
    return os.walk(top, topdown=in_order)


def get_matching_files(filename: Any) -> List[str]:
    """The files that match a pattern, as `Glob`.

    Args:
        filename: a pattern or a list of patterns.

    Returns:
        The paths.
    """
    return Glob(filename)


def read_file_to_string(filename: Any, binary_mode: bool = False) -> Any:
    """What is in a file.

    Args:
        filename: the path.
        binary_mode: whether bytes are wanted.

    Returns:
        A text, or bytes.

    Raises:
        NotFoundError: if there is none.
    """
    with GFile(filename, "rb" if binary_mode else "r") as file:
        return file.read()


def write_string_to_file(filename: Any, file_content: Any) -> None:
    """Writes a file, in place of what was in it.

    Args:
        filename: the path.
        file_content: a text, which is encoded as UTF-8, or bytes.

    Raises:
        NotFoundError: if its folder does not exist.
    """
    with GFile(filename, "w") as file:
        file.write(file_content)


def _check_free(path: Any, overwrite: bool) -> None:
    if not overwrite and os.path.exists(path):
        raise errors.AlreadyExistsError(None, None, f"file already exists: {path}")
