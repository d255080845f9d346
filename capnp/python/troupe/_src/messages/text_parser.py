"""Reads the text form of protocol buffers."""

from __future__ import annotations

import re
from typing import Any, List, Optional, Tuple

_TOKEN = re.compile(
    r"""(?P<blank>\s+|\#[^\n]*)"""
    r"""|(?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')"""
    r"""|(?P<word>[-+]?[\w.](?:[\w.]|(?<=[eE])[-+])*|-)"""
    r"""|(?P<mark>[{}<>\[\]:;,])"""
)
_ESCAPE = re.compile(rb"\\(?:([0-7]{1,3})|[xX]([0-9a-fA-F]{1,2})|(.))", re.DOTALL)
_LETTERS = {
    b"n": b"\n", b"r": b"\r", b"t": b"\t", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"v": b"\v",
    b'"': b'"', b"'": b"'", b"\\": b"\\", b"?": b"?",
}  # fmt: skip
_CLOSING = {"{": "}", "<": ">"}
_BOOLS = {"true": True, "t": True, "1": True, "True": True}
_BOOLS.update({"false": False, "f": False, "0": False, "False": False})


class ParseError(ValueError):
    """The text is no such message."""


def parse_text(text: Any, message: Any) -> Any:
    """Adds to a message what a text says.

    Args:
        text: A str, or UTF-8.
        message: The message.

    Returns:
        The message.

    Raises:
        ParseError: Says the line, and what is wrong there.
    """
    content = text.decode() if isinstance(text, bytes) else text
    tokens = _Tokens(content)
    while not tokens.is_at_end():
        _read_field(tokens, message)
    return message


class _Tokens:
    """The words of a text, the next one first."""

    def __init__(self, text: str) -> None:
        self._found: List[Tuple[str, str, int]] = []
        at = 0
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None:
                line = text.count("\n", 0, at) + 1
                raise ParseError(f"{line} : unexpected character {text[at]!r}")
            if match.lastgroup != "blank":
                self._found.append((match.lastgroup or "", match.group(), at))
            at = match.end()
        self._text = text
        self._at = 0

    def is_at_end(self) -> bool:
        return self._at >= len(self._found)

    def peek(self) -> str:
        return "" if self.is_at_end() else self._found[self._at][1]

    def take(self, mark: str) -> bool:
        """Passes over that mark, if it comes next."""
        if self.peek() != mark or self._found[self._at][0] != "mark":
            return False
        self._at += 1
        return True

    def need(self, mark: str) -> None:
        if not self.take(mark):
            raise self.fault(f'Expected "{mark}"')

    def next(self, kind: str) -> str:
        if self.is_at_end() or self._found[self._at][0] != kind:
            raise self.fault(f"Expected a {kind}")
        self._at += 1
        return self._found[self._at - 1][1]

    def texts(self) -> bytes:
        """The bytes of all texts that follow each other."""
        parts = [_unescaped(self.next("text"), self)]
        while not self.is_at_end() and self._found[self._at][0] == "text":
            parts.append(_unescaped(self.next("text"), self))
        return b"".join(parts)

    def fault(self, why: str) -> ParseError:
        at = len(self._text) if self.is_at_end() else self._found[self._at][2]
        return ParseError(f'{self._text.count(chr(10), 0, at) + 1} : {why}, found "{self.peek()}"')


def _unescaped(quoted: str, tokens: _Tokens) -> bytes:
    def replace(match: Any) -> bytes:
        octal, hexadecimal, letter = match.groups()
        if octal:
            return bytes([int(octal, 8) & 0xFF])
        if hexadecimal:
            return bytes([int(hexadecimal, 16)])
        if letter not in _LETTERS:
            raise tokens.fault(f"unknown escape {letter!r}")
        return _LETTERS[letter]

    return _ESCAPE.sub(replace, quoted[1:-1].encode())


def _read_field(tokens: _Tokens, message: Any) -> None:
    name = tokens.next("word")
    field = message._fields.get(name)
    if field is None:
        raise tokens.fault(f'Message type "{type(message).__name__}" has no field named "{name}"')
    has_colon = tokens.take(":")
    if not has_colon and not field.is_message and field.key is None:
        raise tokens.fault('Expected ":"')
    if tokens.take("["):
        while not tokens.take("]"):
            _read_value(tokens, message, name, field)
            tokens.take(",")
    else:
        _read_value(tokens, message, name, field)
    if not tokens.take(";"):
        tokens.take(",")


def _read_value(tokens: _Tokens, message: Any, name: str, field: Any) -> None:
    """Reads one value of a field."""
    if field.key is not None:
        _read_entry(tokens, getattr(message, name), field)
    elif field.is_message:
        held = getattr(message, name)
        if field.repeated:
            held = held.add()
        elif field.oneof is not None and message.WhichOneof(field.oneof) not in (None, name):
            message._clear_oneof(field.oneof)
            held = getattr(message, name)
        held.SetInParent()
        _read_message(tokens, held)
    elif field.repeated:
        getattr(message, name).append(_scalar(tokens, field))
    else:
        setattr(message, name, _scalar(tokens, field))


def _closing_mark(tokens: _Tokens) -> str:
    for opening, closing in _CLOSING.items():
        if tokens.take(opening):
            return closing
    raise tokens.fault('Expected "{"')


def _read_message(tokens: _Tokens, message: Any) -> None:
    closing = _closing_mark(tokens)
    while not tokens.take(closing):
        _read_field(tokens, message)


def _read_entry(tokens: _Tokens, to: Any, field: Any) -> None:
    """One element of a map."""
    closing = _closing_mark(tokens)
    key: Any = None
    value: Any = field.make() if field.is_message else None
    while not tokens.take(closing):
        name = tokens.next("word")
        tokens.take(":")
        if name == "key":
            key = _scalar(tokens, field._replace(kind=field.key, of=None))
        elif name != "value":
            raise tokens.fault(f'An entry of a map has no field "{name}"')
        elif field.is_message:
            _read_message(tokens, value)
        else:
            value = _scalar(tokens, field)
        if not tokens.take(";"):
            tokens.take(",")
    if key is None:
        raise tokens.fault("An entry of a map has no key")
    if field.is_message:
        to[key].CopyFrom(value)
    else:
        to[key] = value


def _scalar(tokens: _Tokens, field: Any) -> Any:
    if field.kind in ("string", "bytes"):
        data = tokens.texts()
        return data.decode() if field.kind == "string" else data
    word = tokens.next("word")
    try:
        value = _number(word, field)
    except ValueError:
        value = None
    if value is None:
        raise tokens.fault(f'"{word}" is no {field.kind}')
    return value


def _number(word: str, field: Any) -> Optional[Any]:
    if field.kind == "bool":
        return _BOOLS.get(word)
    if field.kind == "enum" and word in (field.of or {}):
        return field.of[word]
    if field.kind in ("float", "double"):
        return float(word[:-1] if word[-1] in "fF" and word[-3:].lower() != "inf" else word)
    return int(word, 0)
