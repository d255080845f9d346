"""How the bytes of a message are added to its fields."""

from __future__ import annotations

from typing import Any

from troupe._src.messages.fields import (
    Field,
    default_of,
    is_packed,
    read_one,
    read_packed,
    split_entry,
)
from troupe._src.messages.wire import BYTES, bytes_field, read_fields, varint


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
