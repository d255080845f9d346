"""The fields of protocol buffers: how their values are checked, written as bytes and read."""

from __future__ import annotations

import struct
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

from troupe._src.messages.wire import (
    BYTES,
    FIXED32,
    FIXED64,
    VARINT,
    bytes_field,
    read_fields,
    read_varint,
    signed,
    varint,
)

_INT_RANGES = {
    "int32": (-(1 << 31), 1 << 31), "int64": (-(1 << 63), 1 << 63), "enum": (-(1 << 31), 1 << 31),
    "uint32": (0, 1 << 32), "uint64": (0, 1 << 64), "fixed32": (0, 1 << 32),
    "sint64": (-(1 << 63), 1 << 63),
}  # fmt: skip


class Field(NamedTuple):
    """One declared field of a message.

    `kind` is that of protobuf's language, or "message", whose class is `of`. A map has the kind of
    its values, and `key` that of its keys.
    """

    number: int
    kind: str
    of: Any = None  # the class of a message, a function that gives it, or the names of an enum
    repeated: bool = False
    key: Optional[str] = None
    oneof: Optional[str] = None

    @property
    def is_message(self) -> bool:
        return self.kind == "message"

    def make(self) -> Any:
        """An empty message of the field's class."""
        return self.message_class()()

    def message_class(self) -> Any:
        return self.of if isinstance(self.of, type) else self.of()


def default_of(kind: str) -> Any:
    return {"string": "", "bytes": b"", "bool": False, "float": 0.0, "double": 0.0}.get(kind, 0)


def check_value(field: Field, value: Any) -> Any:
    """The value as the field keeps it; TypeError or ValueError where it cannot be one."""
    kind = field.kind
    if kind == "string":
        return _check_text(value)
    if kind == "bytes":
        if not isinstance(value, bytes):
            kind = type(value).__name__
            raise TypeError(f"{value!r} has type {kind}, but expected one of: bytes")
        return value
    if kind in ("float", "double"):
        return _check_float(kind, value)
    if kind == "bool" and hasattr(value, "__index__"):
        return bool(value)
    if kind == "bool" and type(value).__name__ in ("bool_", "bool"):
        return bool(value)
    if kind == "enum" and isinstance(value, str) and value in (field.of or {}):
        return field.of[value]
    if isinstance(value, float) or not hasattr(value, "__index__"):
        raise TypeError(f"{value!r} has type {type(value).__name__}, but expected one of: int")
    low, high = _INT_RANGES[kind]
    if not low <= int(value) < high:
        raise ValueError(f"Value out of range: {value}")
    return int(value)


def _check_text(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode()
    if not isinstance(value, str):
        raise TypeError(
            f"{value!r} has type {type(value).__name__}, but expected one of: bytes, str"
        )
    return value


def _check_float(kind: str, value: Any) -> float:
    if isinstance(value, (str, bytes)) or not hasattr(value, "__float__"):
        raise TypeError(f"{value!r} has type {type(value).__name__}, but expected one of: float")
    if kind == "double":
        return float(value)
    try:
        return float(struct.unpack("<f", struct.pack("<f", value))[0])
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def _write_one(kind: str, value: Any) -> bytes:
    """The value without the tag of its field."""
    if kind == "message":
        value = value.SerializeToString()
    if kind == "string":
        value = value.encode()
    if isinstance(value, bytes):
        return varint(len(value)) + value
    if kind == "float":
        return struct.pack("<f", value)
    if kind == "double":
        return struct.pack("<d", value)
    if kind == "fixed32":
        return struct.pack("<I", value)
    if kind == "sint64":  # small where the absolute value is
        return varint((value << 1 ^ value >> 63) & ((1 << 64) - 1))
    return varint(int(value))


def _wire_type(kind: str) -> int:
    if kind in ("message", "string", "bytes"):
        return BYTES
    return {"float": FIXED32, "fixed32": FIXED32, "double": FIXED64}.get(kind, VARINT)


def write_one(number: int, kind: str, value: Any) -> bytes:
    return varint(number << 3 | _wire_type(kind)) + _write_one(kind, value)


def write_field(field: Field, value: Any) -> bytes:
    """All of a field's value; of a map or a list, of all elements."""
    if field.key is not None:
        return b"".join(
            bytes_field(
                field.number,
                write_one(1, field.key, key) + write_one(2, field.kind, value[key]),
            )
            for key in sorted(value)
        )
    if not field.repeated:
        return write_one(field.number, field.kind, value)
    if not value:
        return b""
    if _wire_type(field.kind) == BYTES:
        return b"".join(write_one(field.number, field.kind, each) for each in value)
    return bytes_field(field.number, b"".join(_write_one(field.kind, each) for each in value))


_FROM_BYTES: Dict[str, Callable[[bytes], Any]] = {
    "string": lambda data: data.decode(),
    "bytes": lambda data: data,
    "float": lambda data: struct.unpack("<f", data)[0],
    "double": lambda data: struct.unpack("<d", data)[0],
    "fixed32": lambda data: struct.unpack("<I", data)[0],
}


def from_varint(kind: str, value: int) -> Any:
    if kind == "bool":
        return bool(value)
    if kind in ("int32", "enum"):
        low = value & ((1 << 32) - 1)
        return low - (1 << 32) if low >> 31 else low
    if kind == "uint32":
        return value & ((1 << 32) - 1)
    if kind == "sint64":
        return value >> 1 ^ -(value & 1)
    return signed(value) if kind == "int64" else value


def read_one(kind: str, wire: int, data: Any) -> Any:
    """One value of that kind; ValueError where the bytes are none."""
    expected = _wire_type(kind)
    if wire != expected:
        raise ValueError(f"Error parsing message: a field of type {wire}, and not {expected}")
    if wire == VARINT:
        return from_varint(kind, data)
    return _FROM_BYTES[kind](data)


def read_packed(kind: str, data: bytes) -> List[Any]:
    """The values of a list of numbers in one field."""
    wire = _wire_type(kind)
    if wire == VARINT:
        values, at = [], 0
        while at < len(data):
            value, at = read_varint(data, at)
            values.append(from_varint(kind, value))
        return values
    size = 8 if wire == FIXED64 else 4
    if len(data) % size:
        raise ValueError("Error parsing message: numbers are not complete")
    return [_FROM_BYTES[kind](data[at : at + size]) for at in range(0, len(data), size)]


def is_packed(field: Field, wire: int) -> bool:
    return field.repeated and wire == BYTES and _wire_type(field.kind) != BYTES


def split_entry(fields: Any) -> Tuple[Any, Any]:
    """The key and the value of a map's entry, each as (wire type, data) or None."""
    parts = {number: (wire, data) for number, wire, data in fields}
    return parts.get(1), parts.get(2)


def merge_fields(message: Any, data: bytes) -> None:
    """Adds what the bytes say to a ProtoMessage; ValueError where they are no such message."""
    for number, wire, value in read_fields(data):
        name = message._names.get(number)
        if name is None:
            _keep_unknown(message, number, wire, value)
        else:
            _merge_field(message, name, message._fields[name], wire, value)


def _keep_unknown(message: Any, number: int, wire: int, value: Any) -> None:
    if wire == BYTES:
        kept = bytes_field(number, value)
    else:
        kept = varint(number << 3 | wire) + (varint(value) if isinstance(value, int) else value)
    message.__dict__["_unknown"] += kept


def _merge_field(message: Any, name: str, field: Field, wire: int, value: Any) -> None:
    if field.key is not None:
        _merge_entry(getattr(message, name), field, value)
    elif is_packed(field, wire):
        list.extend(getattr(message, name), read_packed(field.kind, value))
    elif field.is_message:
        if wire != BYTES:
            raise ValueError("a message is bytes")
        if field.repeated:
            getattr(message, name)._put(field.message_class()._of_bytes(value))
            return
        held = getattr(message, name)
        if field.oneof is not None and message.WhichOneof(field.oneof) not in (None, name):
            message._clear_oneof(field.oneof)
            held = getattr(message, name)
        held._loaded()
        held._merge(value)
        held.SetInParent()
    elif field.repeated:
        list.append(getattr(message, name), read_one(field.kind, wire, value))
    else:
        message._set(name, field, read_one(field.kind, wire, value))


def _merge_entry(to: Any, field: Field, data: Any) -> None:
    key, value = split_entry(read_fields(data))
    at = read_one(field.key or "", *key) if key else default_of(field.key or "")
    if field.is_message:
        to._put(at, field.message_class()._of_bytes(value[1] if value else b""))
    else:
        to[at] = read_one(field.kind, *value) if value else default_of(field.kind)
