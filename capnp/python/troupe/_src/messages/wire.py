"""How protocol buffers write messages as bytes."""

from __future__ import annotations

import struct
from typing import Iterator, List, Tuple, Union

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


def varint(value: int) -> bytes:
    """A number of 64 bits; negative ones as their two's complement."""
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 128:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def bytes_field(number: int, value: bytes) -> bytes:
    return varint(number << 3 | BYTES) + varint(len(value)) + value


def signed(value: int) -> int:
    """The int64 with those 64 bits."""
    return value - (1 << 64) if value >> 63 else value


def read_varint(data: bytes, at: int) -> Tuple[int, int]:
    """The number there, and where it ends; ValueError where there is none."""
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(data):
            break
        value |= (data[at] & 127) << shift
        at += 1
        if data[at - 1] < 128:
            return value & ((1 << 64) - 1), at
    raise ValueError("Error parsing message: a number is not complete")


def read_fields(data: bytes) -> Iterator[Tuple[int, int, Union[int, bytes]]]:
    """The number, type and value of each field; ValueError where the bytes are no message."""
    at = 0
    while at < len(data):
        tag, at = read_varint(data, at)
        number, kind = tag >> 3, tag & 7
        if kind == VARINT:
            value, at = read_varint(data, at)
            yield number, kind, value
            continue
        if kind == BYTES:
            size, at = read_varint(data, at)
        elif kind in (FIXED32, FIXED64):
            size = 4 if kind == FIXED32 else 8
        else:
            raise ValueError(f"Error parsing message: a field of type {kind}")
        if number == 0 or size > len(data) - at:
            raise ValueError("Error parsing message: a field is not complete")
        yield number, kind, data[at : at + size]
        at += size


def read_floats(data: bytes) -> List[float]:
    if len(data) % 4:
        raise ValueError("Error parsing message: floats are not complete")
    return list(struct.unpack(f"<{len(data) // 4}f", data))


def read_ints(data: bytes) -> List[int]:
    values, at = [], 0
    while at < len(data):
        value, at = read_varint(data, at)
        values.append(signed(value))
    return values
