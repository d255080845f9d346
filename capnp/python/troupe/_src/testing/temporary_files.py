"""Temporary files and folders of a test, which its end removes."""

from __future__ import annotations

import contextlib
import enum
import os
import shutil
import tempfile
import unittest
from typing import Any, ContextManager, Iterator, Optional, TypeVar, Union

T = TypeVar("T")


class TempFileCleanup(enum.Enum):
    """When temporary files are removed: always, if the test has succeeded, or never."""

    ALWAYS = "always"
    SUCCESS = "success"
    OFF = "off"


class TemporaryFile(os.PathLike):  # type: ignore[type-arg]
    """A temporary file.

    Args:
        path: The path.
    """

    def __init__(self, path: str) -> None:
        self._path = path

    @property
    def full_path(self) -> str:
        """The path."""
        return self._path

    def __fspath__(self) -> str:
        return self._path

    def read_text(self, encoding: str = "utf8", errors: str = "strict") -> str:
        """The content.

        Args:
            encoding: Its encoding.
            errors: What is done with bytes that are none of it.

        Returns:
            A text.
        """
        with open(self._path, encoding=encoding, errors=errors) as file:
            return file.read()

    def read_bytes(self) -> bytes:
        """The content."""
        with open(self._path, "rb") as file:
            return file.read()

    def write_text(
        self, text: str, mode: str = "w", encoding: str = "utf8", errors: str = "strict"
    ) -> None:
        """Writes a text.

        Args:
            text: The text.
            mode: As of `open`.
            encoding: The encoding.
            errors: What is done with what has none there.
        """
        with open(self._path, mode, encoding=encoding, errors=errors) as file:
            file.write(text)

    def write_bytes(self, data: bytes, mode: str = "wb") -> None:
        """Writes bytes.

        Args:
            data: The bytes.
            mode: As of `open`.
        """
        with open(self._path, mode) as file:
            file.write(data)

    @contextlib.contextmanager
    def open_text(
        self, mode: str = "rt", encoding: str = "utf8", errors: str = "strict"
    ) -> Iterator[Any]:
        """A context with the open file; so is `open`.

        Args:
            mode: As of `open`.
            encoding: The encoding.
            errors: What is done with what has none there.

        Yields:
            The file.
        """
        with open(self._path, mode, encoding=encoding, errors=errors) as file:
            yield file

    open = open_text

    @contextlib.contextmanager
    def open_bytes(self, mode: str = "rb") -> Iterator[Any]:
        """A context with the open file, of bytes.

        Args:
            mode: As of `open`.

        Yields:
            The file.
        """
        with open(self._path, mode) as file:
            yield file


class TemporaryFolder(os.PathLike):  # type: ignore[type-arg]
    """A temporary folder.

    Args:
        path: The path.
    """

    def __init__(self, path: str) -> None:
        self._path = path

    @property
    def full_path(self) -> str:
        """The path."""
        return self._path

    def __fspath__(self) -> str:
        return self._path

    def create_file(
        self, file_path: Optional[str] = None, content: Union[str, bytes, None] = None,
        mode: str = "w", encoding: str = "utf8", errors: str = "strict",
    ) -> TemporaryFile:  # fmt: skip
        """Makes a file in it.

        Args:
            file_path: Its path in the folder; by default one of its own.
            content: A text or bytes.
            mode: As of `open`.
            encoding: The encoding of a text.
            errors: What is done with what has none there.

        Returns:
            The file.
        """
        if file_path is None:
            handle, path = tempfile.mkstemp(dir=self._path)
            os.close(handle)
        else:
            path = os.path.join(self._path, file_path)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf8"):
                pass
        file = TemporaryFile(path)
        if isinstance(content, bytes):
            file.write_bytes(content, mode if "b" in mode else f"{mode}b")
        elif content:
            file.write_text(content, mode, encoding, errors)
        return file

    def mkdir(self, dir_path: Optional[str] = None) -> TemporaryFolder:
        """Makes a folder in it.

        Args:
            dir_path: Its path in the folder; by default one of its own.

        Returns:
            The other folder.
        """
        path = os.path.join(self._path, dir_path or "") if dir_path else None
        path = path or tempfile.mkdtemp(dir=self._path)
        os.makedirs(path, exist_ok=True)
        return TemporaryFolder(path)


class TemporaryFiles(unittest.TestCase):
    """The methods of tests that make temporary files, as those of absl."""

    tempfile_cleanup = TempFileCleanup.ALWAYS

    def get_temp_dir(self) -> str:
        """A folder of the test."""
        raise NotImplementedError

    def create_tempdir(
        self, name: Optional[str] = None, cleanup: Optional[TempFileCleanup] = None
    ) -> TemporaryFolder:
        """Makes an empty folder.

        Args:
            name: Its path in a folder of the test; by default one of its own.
            cleanup: When it is removed, by default `tempfile_cleanup`.

        Returns:
            The folder, which is a path with `create_file` and `mkdir`.
        """
        base = self._folder()
        path = os.path.join(base, name) if name else tempfile.mkdtemp(dir=base)
        shutil.rmtree(path, ignore_errors=True)
        os.makedirs(path)
        self._remove_later(path, cleanup)
        return TemporaryFolder(path)

    def create_tempfile(
        self, file_path: Optional[str] = None, content: Union[str, bytes, None] = None,
        mode: str = "w", encoding: str = "utf8", errors: str = "strict",
        cleanup: Optional[TempFileCleanup] = None,
    ) -> TemporaryFile:  # fmt: skip
        """Makes a file.

        Args:
            file_path: Its path in a folder of the test; by default one of its own.
            content: A text or bytes.
            mode: As of `open`.
            encoding: The encoding of a text.
            errors: What is done with what has none there.
            cleanup: When it is removed, by default `tempfile_cleanup`.

        Returns:
            The file, which is a path with `read_text`, `write_text` and `open`.
        """
        folder = TemporaryFolder(self._folder())
        file = folder.create_file(file_path, content, mode, encoding, errors)
        self._remove_later(file.full_path, cleanup)
        return file

    def enter_context(self, manager: ContextManager[T]) -> T:
        """Enters a context until the end of the test.

        Args:
            manager: The context.

        Returns:
            What it gives.
        """
        value = manager.__enter__()
        self.addCleanup(manager.__exit__, None, None, None)
        return value

    def _folder(self) -> str:
        path = os.path.join(self.get_temp_dir(), type(self).__name__, self._testMethodName)
        os.makedirs(path, exist_ok=True)
        return path

    def _remove_later(self, path: str, cleanup: Optional[TempFileCleanup]) -> None:
        chosen = cleanup or self.tempfile_cleanup
        outcome = getattr(self, "_outcome", None)

        def remove() -> None:
            if chosen is TempFileCleanup.SUCCESS and not getattr(outcome, "success", True):
                return
            if os.path.isdir(path):
                shutil.rmtree(path, ignore_errors=True)
            elif os.path.exists(path):
                os.remove(path)

        if chosen is not TempFileCleanup.OFF:
            self.addCleanup(remove)
