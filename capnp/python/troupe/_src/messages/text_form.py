"""The text form of protocol buffers."""

from __future__ import annotations

import struct
from typing import Any, Iterator, List

_ESCAPES = {0x22: '\\"', 0x27: "\\'", 0x5C: "\\\\", 0x0A: "\\n", 0x0D: "\\r", 0x09: "\\t"}


def quote(value: Any) -> str:
    """Bytes, or the UTF-8 of a text, in double quotes."""
    data = value.encode() if isinstance(value, str) else value
    return '"' + "".join(_escape(byte) for byte in data) + '"'


def _escape(byte: int) -> str:
    if byte in _ESCAPES:
        return _ESCAPES[byte]
    return chr(byte) if 0x20 <= byte < 0x7F else f"\\{byte:03o}"


def _scalar(field: Any, value: Any) -> str:
    if field.kind in ("string", "bytes"):
        return quote(value)
    if field.kind == "bool":
        return "true" if value else "false"
    if field.kind == "enum" and field.of:
        names = {number: name for name, number in field.of.items()}
        return str(names.get(value, value))
    if field.kind == "float":
        return _shortest(value)
    return repr(value)


def _shortest(value: float) -> str:
    """As few digits as give the same number of 32 bits."""
    for digits in range(6, 10):
        text = f"{value:.{digits}g}"
        if value != value or struct.pack("<f", float(text)) == struct.pack("<f", value):
            break
    return text if any(c in text for c in ".einf") else text + ".0"


def _entries(field: Any, value: Any) -> Iterator[Any]:
    """The elements of a field."""
    if field.repeated:
        yield from value
    else:
        yield value


def _write(message: Any, indent: str, lines: List[str]) -> None:
    for name, field, value in message._set_fields():
        if field.key is not None:
            for key in sorted(value):
                lines.append(f"{indent}{name} {{")
                shown = quote(key) if isinstance(key, str) else str(key)
                lines.append(f"{indent}  key: {shown}")
                if field.is_message:
                    lines.append(f"{indent}  value {{")
                    _write(value[key], indent + "    ", lines)
                    lines.append(f"{indent}  }}")
                else:
                    lines.append(f"{indent}  value: {_scalar(field, value[key])}")
                lines.append(f"{indent}}}")
            continue
        for each in _entries(field, value):
            if field.is_message:
                lines.append(f"{indent}{name} {{")
                _write(each, indent + "  ", lines)
                lines.append(f"{indent}}}")
            else:
                lines.append(f"{indent}{name}: {_scalar(field, each)}")


def to_text(message: Any) -> str:
    """One line a field, as protobuf's text_format writes it."""
    lines: List[str] = []
    _write(message, "", lines)
    return "".join(line + "\n" for line in lines)


def text_of(name: str, value: Any, indent: str = "") -> List[str]:
    """The lines of a field that is no declared one: by what its value is."""
    if isinstance(value, dict):
        lines: List[str] = []
        for key in sorted(value):
            entry = (("key", key), ("value", value[key]))
            inner = [line for part in entry for line in text_of(*part, indent + "  ")]
            lines += [f"{indent}{name} {{", *inner, f"{indent}}}"]
        return lines
    if isinstance(value, (list, tuple)):
        return [line for each in value for line in text_of(name, each, indent)]
    if hasattr(value, "_text_fields"):
        inner = [
            line
            for key, each in value._text_fields()
            for line in text_of(key, each, indent + "  ")
        ]
        return [f"{indent}{name} {{", *inner, f"{indent}}}"]
    if hasattr(value, "_set_fields"):
        inner = []
        _write(value, indent + "  ", inner)
        return [f"{indent}{name} {{", *inner, f"{indent}}}"]
    if isinstance(value, bool):
        return [f"{indent}{name}: {'true' if value else 'false'}"]
    if isinstance(value, (str, bytes)):
        return [f"{indent}{name}: {quote(value)}"]
    if isinstance(value, float):
        # Whether it has 64 bits is not known, unless 32 are too few.
        return [f"{indent}{name}: {_shortest(value) if _is_single(value) else repr(value)}"]
    return [f"{indent}{name}: {value}"]


def _is_single(value: float) -> bool:
    """Whether as few digits as give that number of 32 bits say all of it."""
    if abs(value) > 3e38:
        return value in (float("inf"), float("-inf"))
    (rounded,) = struct.unpack("<f", struct.pack("<f", value))
    return value != value or rounded == value or float(_shortest(value)) == value


def text_of_all(message: Any) -> str:
    """One line a field of a message whose `_text_fields` gives names and values."""
    lines = [line for name, value in message._text_fields() for line in text_of(name, value)]
    return "".join(line + "\n" for line in lines)
