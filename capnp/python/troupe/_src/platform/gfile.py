"""Files of this machine, under the names of TensorFlow's modules; errors are tf.errors."""

from __future__ import annotations

import contextlib
import glob
import os
import shutil
from typing import Any, Iterator, List, NamedTuple, Optional, Tuple

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
class GFile:
    """A file, which is opened when it is first read or written."""

    _MODES = ("r", "w", "a", "r+", "w+", "a+")

    def __init__(self, name: Any, mode: str = "r") -> None:
        if mode.replace("b", "") not in self._MODES:
            raise errors.InvalidArgumentError(None, None, f"mode {mode} of {name!r} is unknown")
        self._name, self._mode = name, mode
        self._file: Any = None

    @property
    def name(self) -> Any:
        return self._name

    @property
    def mode(self) -> str:
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
        """The rest of the file, or at most n characters or bytes of it."""
        with _as_op_errors():
            return self._shown(self._must(True).read(n))

    def readline(self) -> Any:
        with _as_op_errors():
            return self._shown(self._must(True).readline())

    def readlines(self) -> List[Any]:
        return list(self)

    def write(self, file_content: Any) -> None:
        with _as_op_errors():
            content = file_content.encode() if isinstance(file_content, str) else file_content
            self._must(False).write(content)

    def seek(self, offset: Optional[int] = None, whence: int = 0, position: Any = None) -> None:
        """Moves by `offset` from the start (0), the position (1) or the end (2)."""
        with _as_op_errors():
            self._opened().seek(position if offset is None else offset, whence)

    def tell(self) -> int:
        return int(self._opened().tell())

    def size(self) -> int:
        """The number of bytes."""
        return Stat(self._name).length

    def flush(self) -> None:
        if self._file is not None:
            with _as_op_errors():
                self._file.flush()

    def close(self) -> None:
        if self._file is not None:
            with _as_op_errors():
                self._file.close()
            self._file = None
        elif self._mode[0] in "wa":
            self._opened().close()
            self._file = None

    def __iter__(self) -> Iterator[Any]:
        return map(self._shown, self._must(True))

    def __next__(self) -> Any:
        line = self.readline()
        if not line:
            raise StopIteration
        return line

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
    """True if there is a file or folder of that name."""
    return os.path.exists(filename)


def IsDirectory(dirname: Any) -> bool:
    """True if there is a folder of that name."""
    return os.path.isdir(dirname)


def ListDirectory(dirname: Any) -> List[str]:
    """The names in a folder; NotFoundError where there is none."""
    if not IsDirectory(dirname):
        raise errors.NotFoundError(None, None, f"Could not find directory {dirname}")
    with _as_op_errors():
        return os.listdir(dirname)


def Glob(filename: Any) -> List[str]:
    """The files that match a pattern, or one of a list of them."""
    patterns = filename if isinstance(filename, (list, tuple)) else [filename]
    return [name for pattern in patterns for name in sorted(glob.glob(os.fspath(pattern)))]


def MkDir(dirname: Any) -> None:
    """Makes a folder in one that exists."""
    with _as_op_errors():
        os.mkdir(dirname)


def MakeDirs(dirname: Any) -> None:
    """Creates a folder and its parents; it may exist."""
    with _as_op_errors():
        os.makedirs(dirname, exist_ok=True)


def Remove(filename: Any) -> None:
    """Removes a file."""
    with _as_op_errors():
        os.remove(filename)


def DeleteRecursively(dirname: Any) -> None:
    """Removes a folder with all that is in it."""
    with _as_op_errors():
        shutil.rmtree(dirname)


def Rename(oldname: Any, newname: Any, overwrite: bool = False) -> None:
    """Gives a file another name; an existing one only with `overwrite`."""
    _check_free(newname, overwrite)
    with _as_op_errors():
        os.replace(oldname, newname)


def Copy(oldpath: Any, newpath: Any, overwrite: bool = False) -> None:
    """Copies a file; over an existing one only with `overwrite`."""
    _check_free(newpath, overwrite)
    with _as_op_errors():
        shutil.copyfile(oldpath, newpath)


def Stat(filename: Any) -> FileStatistics:
    """The length and the time of a file."""
    with _as_op_errors():
        found = os.stat(filename)
    return FileStatistics(found.st_size, found.st_mtime_ns, os.path.isdir(filename))


def Walk(top: Any, in_order: bool = True) -> Iterator[Tuple[str, List[str], List[str]]]:
    """(folder, its folders, its files) for a folder and all below it."""
    return os.walk(top, topdown=in_order)


def get_matching_files(filename: Any) -> List[str]:
    return Glob(filename)


def read_file_to_string(filename: Any, binary_mode: bool = False) -> Any:
    """What is in a file."""
    with GFile(filename, "rb" if binary_mode else "r") as file:
        return file.read()


def write_string_to_file(filename: Any, file_content: Any) -> None:
    with GFile(filename, "w") as file:
        file.write(file_content)


def _check_free(path: Any, overwrite: bool) -> None:
    if not overwrite and os.path.exists(path):
        raise errors.AlreadyExistsError(None, None, f"file already exists: {path}")
