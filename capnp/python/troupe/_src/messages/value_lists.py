"""Messages with lists of values: bytes, floats or integers."""

from __future__ import annotations

import copy
import struct
from typing import Any, Dict, Iterable, Iterator, List, Optional, Tuple, TypeVar

import numpy as np

from troupe._src.messages.fields import Field
from troupe._src.messages.reflection import FieldDescriptor, Reflection
from troupe._src.messages.text_form import text_of_all
from troupe._src.messages.wire import (
    BYTES,
    bytes_field,
    read_fields,
    read_floats,
    read_ints,
    varint,
)
from troupe._src.set_module import set_module

M = TypeVar("M", bound="Message")


class Message(Reflection):
    """A message that can be written as bytes and read from them."""

    _declared: Dict[str, Field] = {}

    def _merge_field(self, number: int, kind: int, value: Any) -> None:
        raise NotImplementedError

    def MergeFromString(self, serialized: bytes) -> int:
        """Adds what the bytes say.

        Args:
            serialized: the bytes of a message of this type.

        Returns:
            Their number.

        Raises:
            ValueError: if they are no such message.
        """
        for number, kind, value in read_fields(bytes(serialized)):
            self._merge_field(number, kind, value)
        return len(serialized)

    def Clear(self) -> None:
        """Sets all fields to their defaults."""
        self.__init__()  # type: ignore[misc]

    def CopyFrom(self, other: Any) -> None:
        """Becomes a copy of another message of its type.

        Args:
            other: the message.

        Raises:
            TypeError: if it is of another type.
        """
        if type(other) is not type(self):
            raise TypeError(f"expected {type(self).__name__}, not {type(other).__name__}")
        self.__dict__.update(copy.deepcopy(other.__dict__))

    def MergeFrom(self, other: Any) -> None:
        """Adds the fields that are set in another message of its type.

        Args:
            other: the message.

        Raises:
            TypeError: if it is of another type.
        """
        if type(other) is not type(self):
            raise TypeError(f"expected {type(self).__name__}, not {type(other).__name__}")
        self.MergeFromString(other.SerializeToString())

    def SetInParent(self) -> None:
        """It counts as set, even without fields."""
        self.__dict__["_is_given"] = True

    def ClearField(self, field_name: str) -> None:
        """Sets a field to its default.

        Args:
            field_name: its name.

        Raises:
            ValueError: if there is no such field.
        """
        self._field(field_name)
        setattr(self, field_name, getattr(type(self)(), field_name))

    def HasField(self, field_name: str) -> bool:
        """Whether a message in it is set.

        Args:
            field_name: its name.

        Returns:
            True or false.

        Raises:
            ValueError: if there is no such field, or it is a list.
        """
        field = self._field(field_name)
        if field.repeated or field.key is not None:
            raise ValueError(f'Protocol message has no non-repeated field "{field_name}"')
        return bool(getattr(self, field_name)._is_present())

    def WhichOneof(self, oneof_group: str) -> Optional[str]:
        """ValueError: no fields are alternatives.

        Args:
            oneof_group: the name of the group.

        Returns:
            Nothing.

        Raises:
            ValueError: always.
        """
        raise ValueError(f'Protocol message has no oneof "{oneof_group}" field.')

    def ListFields(self) -> List[Tuple[FieldDescriptor, Any]]:
        """The fields that are set with their values, in the order of their numbers."""
        found = [(name, value) for name, value in self._text_fields() if _is_set(value)]
        return [(FieldDescriptor(name, self._declared[name]), value) for name, value in found]

    @classmethod
    def _declared_fields(cls) -> Dict[str, Field]:
        return cls._declared

    def _field(self, name: str) -> Field:
        if name not in self._declared:
            raise ValueError(f'Protocol message {type(self).__name__} has no "{name}" field.')
        return self._declared[name]

    def _is_present(self) -> bool:
        """Whether a message that holds it has it."""
        return "_is_given" in self.__dict__ or bool(self.SerializeToString())

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Message)
            and type(self) is type(other)
            and self.SerializeToString() == other.SerializeToString()
        )

    __hash__ = None  # type: ignore[assignment]

    def _text_fields(self) -> Iterator[Tuple[str, Any]]:
        """Its fields that are set."""
        raise NotImplementedError

    def __str__(self) -> str:
        return text_of_all(self)


def _is_set(value: Any) -> bool:
    return value._is_present() if isinstance(value, Message) else bool(value)


class _Values(Message):
    """A list of values of one type.

    Args:
        value: the values.

    Raises:
        TypeError: if one is of another type.
    """

    def __init__(self, value: Iterable[Any] = ()) -> None:
        self.value: List[Any] = list(value)
        self.SerializeToString()  # refuses what cannot be written

    def _text_fields(self) -> Iterator[Tuple[str, Any]]:
        yield "value", self.value

    def __repr__(self) -> str:
        return f"{type(self).__name__}(value={self.value!r})"


@set_module("troupe.train")
class BytesList(_Values):
    """Values that are bytes."""

    _declared = {"value": Field(1, "bytes", repeated=True)}

    def SerializeToString(self, deterministic: Optional[bool] = None) -> bytes:
        for value in self.value:
            if not isinstance(value, bytes):
                raise TypeError(f"{value!r} has type {type(value).__name__}, but expected bytes")
        return b"".join(bytes_field(1, value) for value in self.value)

    def _merge_field(self, number: int, kind: int, value: Any) -> None:
        if number == 1 and kind == BYTES:
            self.value.append(value)


@set_module("troupe.train")
class FloatList(_Values):
    """Values that are numbers of 32 bits."""

    _declared = {"value": Field(1, "float", repeated=True)}

    def __init__(self, value: Iterable[Any] = ()) -> None:
        super().__init__(value)
        self.value = read_floats(self._packed())

    def _packed(self) -> bytes:
        try:
            return struct.pack(f"<{len(self.value)}f", *self.value)
        except (struct.error, OverflowError) as error:
            raise TypeError(f"{self.value!r} are not all numbers of 32 bits: {error}") from None

    def SerializeToString(self, deterministic: Optional[bool] = None) -> bytes:
        return bytes_field(1, self._packed()) if self.value else b""

    def _merge_field(self, number: int, kind: int, value: Any) -> None:
        if number == 1 and isinstance(value, bytes):
            self.value += read_floats(value)


@set_module("troupe.train")
class Int64List(_Values):
    """Values that are integers of 64 bits."""

    _declared = {"value": Field(1, "int64", repeated=True)}

    def __init__(self, value: Iterable[Any] = ()) -> None:
        super().__init__(value)
        self.value = [int(each) for each in self.value]

    def SerializeToString(self, deterministic: Optional[bool] = None) -> bytes:
        for value in self.value:
            # NumPy's bools were indices when programs for TensorFlow 1 were written.
            is_index = hasattr(value, "__index__") or isinstance(value, np.bool_)
            if isinstance(value, float) or not is_index:
                raise TypeError(f"{value!r} has type {type(value).__name__}, but expected int")
            if not -(1 << 63) <= int(value) < 1 << 63:
                raise ValueError(f"Value out of range: {value}")
        packed = b"".join(varint(int(value)) for value in self.value)
        return bytes_field(1, packed) if packed else b""

    def _merge_field(self, number: int, kind: int, value: Any) -> None:
        if number == 1:
            self.value += read_ints(value if isinstance(value, bytes) else varint(value))
