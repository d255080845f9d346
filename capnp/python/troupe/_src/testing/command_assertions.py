"""Assertions on commands, on what is written to streams, and on messages of graphs."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import subprocess
import tempfile
from typing import Any, Iterator, Mapping, Optional, Sequence, Tuple, Union

from troupe._src.testing.collection_assertions import CollectionAssertions, Regexes

Command = Union[str, Sequence[str]]


class CapturedWrites:
    """What is written to a stream within a context.

    Args:
        path: The file that has it.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._contents: Optional[str] = None

    def contents(self) -> str:
        """The text until now, or that of the context which has ended."""
        if self._contents is not None:
            return self._contents
        with open(self._path, encoding="utf-8") as file:
            return file.read()


class CommandAssertions(CollectionAssertions):
    """Assertions that absl and TensorFlow add to those of unittest."""

    def assertCommandSucceeds(
        self, command: Command, regexes: Regexes = (b"",),
        env: Optional[Mapping[str, str]] = None, close_fds: bool = True, msg: Any = None,
    ) -> None:  # fmt: skip
        """A command ends with 0, and its output has a match of one of the expressions.

        Args:
            command: A list of words, or a text for the shell.
            regexes: Regular expressions.
            env: The environment; by default it has no variables.
            close_fds: Whether the command gets no open files.
            msg: What the failure says, too.
        """
        code, output = _run(command, env, close_fds)
        said = self._formatMessage(msg, f"{command} ended with {code}: {output!r}")
        self.assertEqual(code, 0, said)
        self.assertRegexMatch(output, _as_bytes(regexes), said)

    def assertCommandFails(
        self, command: Command, regexes: Regexes, env: Optional[Mapping[str, str]] = None,
        close_fds: bool = True, msg: Any = None,
    ) -> None:  # fmt: skip
        """A command does not end with 0, and its output has a match of one of the expressions.

        Args:
            command: As of `assertCommandSucceeds`.
            regexes: Regular expressions.
            env: The environment; by default it has no variables.
            close_fds: Whether the command gets no open files.
            msg: What the failure says, too.
        """
        code, output = _run(command, env, close_fds)
        said = self._formatMessage(msg, f"{command} ended with {code}: {output!r}")
        self.assertNotEqual(code, 0, said)
        self.assertRegexMatch(output, _as_bytes(regexes), said)

    def assertNotStartsWith(self, actual: str, unexpected_start: str, msg: Any = None) -> None:
        """A text does not begin with another.

        Args:
            actual: The text.
            unexpected_start: The other one.
            msg: What the failure says, too.
        """
        if actual.startswith(unexpected_start):
            self.fail(self._formatMessage(msg, f"{actual!r} does start with {unexpected_start!r}"))

    def assertNotEndsWith(self, actual: str, unexpected_end: str, msg: Any = None) -> None:
        """A text does not end with another.

        Args:
            actual: The text.
            unexpected_end: The other one.
            msg: What the failure says, too.
        """
        if actual.endswith(unexpected_end):
            self.fail(self._formatMessage(msg, f"{actual!r} does end with {unexpected_end!r}"))

    def assertDataclassEqual(self, first: Any, second: Any, msg: Any = None) -> None:
        """Two objects of a dataclass are equal; the failure names the fields that differ.

        Args:
            first: The one.
            second: The other.
            msg: What the failure says, too.
        """
        for each in (first, second):
            if not dataclasses.is_dataclass(each) or isinstance(each, type):
                self.fail(self._formatMessage(msg, f"{each!r} is no dataclass instance"))
        if first == second:
            return
        if type(first) is not type(second):
            kinds = f"{type(first)} != {type(second)}"
            self.fail(self._formatMessage(msg, f"Found different dataclass types: {kinds}"))
        pairs = [
            (field.name, getattr(first, field.name), getattr(second, field.name))
            for field in dataclasses.fields(first)
            if field.compare
        ]
        told = [f"{name}: {one!r} != {other!r}" for name, one, other in pairs if one != other]
        self.fail(self._formatMessage(msg, "\n".join(told) or "they are not equal"))

    @contextlib.contextmanager
    def captureWritesToStream(self, stream: Any) -> Iterator[CapturedWrites]:
        """A context that keeps what is written to a stream, also by native code.

        Args:
            stream: A stream with a file descriptor, such as sys.stderr.

        Yields:
            An object whose `contents()` is the text.
        """
        descriptor = stream.fileno()
        stream.flush()
        kept = os.dup(descriptor)
        with tempfile.NamedTemporaryFile() as file:
            os.dup2(file.fileno(), descriptor)
            captured = CapturedWrites(file.name)
            try:
                yield captured
            finally:
                stream.flush()
                captured._contents = captured.contents()
                os.dup2(kept, descriptor)
                os.close(kept)


def _run(
    command: Command, env: Optional[Mapping[str, str]], close_fds: bool
) -> Tuple[int, bytes]:
    """The exit status, and all output."""
    done = subprocess.run(
        command, env=dict(env or {}), close_fds=close_fds, shell=isinstance(command, str),
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout


def _as_bytes(regexes: Regexes) -> Any:
    listed = [regexes] if isinstance(regexes, (str, bytes)) else regexes
    return [each.encode() if isinstance(each, str) else each for each in listed]
