"""`google.protobuf.text_format` and `message` of this package's messages, without protobuf.

Programs that import them read and print graphs as text with them. The installed package, where
there is one, knows its own messages only; then the messages' own text form (`str`) remains.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
import types
from typing import Any, Dict, Iterable, Optional, Sequence

from troupe._src.messages.proto_message import DecodeError, ProtoMessage
from troupe._src.messages.text_parser import ParseError, parse_text


def message_to_string(
    message: Any, as_utf8: bool = False, as_one_line: bool = False, **kwargs: Any
) -> str:
    """The text form of a message.

    Args:
        message: The message.
        as_utf8: Has no effect: other characters than ASCII are always escaped.
        as_one_line: Puts spaces instead of the ends of lines.
        **kwargs: Options of protobuf, which are refused unless they are false.

    Returns:
        The text.

    Raises:
        NotImplementedError: An option is set.
    """
    for name, value in kwargs.items():
        if value:
            raise NotImplementedError(f"text_format has no option {name} in this package")
    text = str(message)
    return " ".join(line.strip() for line in text.splitlines()) if as_one_line else text


def print_message(message: Any, out: Any, indent: int = 0, **kwargs: Any) -> None:
    """Writes the text form of a message.

    Args:
        message: The message.
        out: A file of text.
        indent: How many spaces begin a line.
        **kwargs: Those of `message_to_string`.
    """
    for line in message_to_string(message, **kwargs).splitlines():
        out.write(" " * indent + line + "\n")


def merge(text: Any, message: Any, *_: Any, **__: Any) -> Any:
    """Adds the fields of a text to a message.

    Args:
        text: The text, or its bytes.
        message: A message of this package, such as a GraphDef.

    Returns:
        The message.

    Raises:
        ParseError: The text is not one of such a message.
        TypeError: The message has no text form that is read.
    """
    if not isinstance(message, ProtoMessage):
        raise TypeError(f"text_format reads no {type(message).__name__} in this package")
    return parse_text(text, message)


def merge_lines(lines: Iterable[Any], message: Any, *_: Any, **__: Any) -> Any:
    """Adds the fields of lines of a text to a message, as `merge`."""
    whole = [line.decode() if isinstance(line, bytes) else str(line) for line in lines]
    return merge("\n".join(whole), message)


class EncodeError(ValueError):
    """A message cannot be written."""


_NAMES: Dict[str, Dict[str, Any]] = {
    "google": {},
    "google.protobuf": {},
    "google.protobuf.message": {
        "DecodeError": DecodeError, "EncodeError": EncodeError, "Message": ProtoMessage,
    },
    "google.protobuf.text_format": {
        "MessageToString": message_to_string, "PrintMessage": print_message,
        "Parse": merge, "Merge": merge, "ParseLines": merge_lines, "MergeLines": merge_lines,
        "ParseError": ParseError,
    },
}  # fmt: skip


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Makes these modules; the last finder, so that those of an installed package come first."""

    def find_spec(
        self, name: str, path: Optional[Sequence[str]] = None, target: Any = None
    ) -> Optional[importlib.machinery.ModuleSpec]:
        if name not in _NAMES:
            return None
        is_package = any(other.startswith(f"{name}.") for other in _NAMES)
        return importlib.machinery.ModuleSpec(name, self, is_package=is_package)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        return types.ModuleType(spec.name, "What programs of TensorFlow 1 import of protobuf.")

    def exec_module(self, module: types.ModuleType) -> None:
        vars(module).update(_NAMES[module.__name__])


def install() -> None:
    """Lets programs import the modules."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.append(_Finder())
