"""Messages of TensorFlow's formats, with the methods that programs know from protobuf."""

from __future__ import annotations

from typing import Any, ClassVar, Dict, Iterator, List, Optional, Tuple, Type, TypeVar

from troupe._src.messages import text_form
from troupe._src.messages.containers import make_container
from troupe._src.messages.fields import (
    Field,
    check_value,
    default_of,
    merge_fields,
    write_field,
)
from troupe._src.messages.reflection import FieldDescriptor, Reflection

M = TypeVar("M", bound="ProtoMessage")


class DecodeError(ValueError):
    """The bytes are no such message."""


class ProtoMessage(Reflection):
    """A message whose class declares its fields in `_fields`, by name.

    A message that is read from bytes takes them apart when a field is asked for, and is written as
    the same bytes until then.

    Args:
        **fields: the values of fields, by name.
    """

    _fields: ClassVar[Dict[str, Field]] = {}
    _names: ClassVar[Dict[int, str]] = {}
    _full_name: ClassVar[str] = ""

    def __init_subclass__(cls) -> None:
        cls._names = {field.number: name for name, field in cls._fields.items()}

    def __init__(self, **fields: Any) -> None:
        self.Clear()
        for name, value in fields.items():
            if name not in self._fields:
                raise ValueError(f'Protocol message {type(self).__name__} has no "{name}" field.')
            if value is not None:
                self._initialize(name, value)

    def Clear(self) -> None:
        """Sets all fields to their defaults."""
        self.__dict__.update(_values={}, _bytes=None, _unknown=b"", _is_given=False)

    # Fields.

    def __getattr__(self, name: str) -> Any:
        field = type(self)._fields.get(name)
        if field is None:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        values = self._loaded()
        if name in values:
            return values[name]
        if field.repeated or field.key is not None:
            values[name] = make_container(field)
        elif field.is_message:
            values[name] = field.make()
        else:
            return default_of(field.kind)
        return values[name]

    def __setattr__(self, name: str, value: Any) -> None:
        field = type(self)._fields.get(name)
        if field is None:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        if field.is_message or field.repeated or field.key is not None:
            raise AttributeError(
                f'Assignment not allowed to field "{name}" in protocol message object: '
                "use CopyFrom, extend or MergeFrom."
            )
        self._set(name, field, check_value(field, value))

    def _set(self, name: str, field: Field, value: Any) -> None:
        values = self._loaded()
        if field.oneof is None and value == default_of(field.kind):
            values.pop(name, None)
            return
        if field.oneof is not None:
            self._clear_oneof(field.oneof)
        values[name] = value

    def _clear_oneof(self, oneof: str) -> None:
        for name, field in self._fields.items():
            if field.oneof == oneof:
                self._values.pop(name, None)

    def _initialize(self, name: str, value: Any) -> None:
        field = self._fields[name]
        if field.key is not None or field.repeated:
            if field.repeated and field.is_message:
                for each in value:
                    held = getattr(self, name).add()
                    held.CopyFrom(field.message_class()(**each) if isinstance(each, dict) else each)
                return
            getattr(self, name).MergeFrom(value)
        elif field.is_message:
            held = field.message_class()(**value) if isinstance(value, dict) else value
            getattr(self, name).CopyFrom(held)
        else:
            setattr(self, name, value)

    def _loaded(self) -> Dict[str, Any]:
        """The values by name, for which its bytes are taken apart."""
        data = self._bytes
        if data is not None:
            self.__dict__["_bytes"] = None
            self._merge(data)
        values: Dict[str, Any] = self.__dict__["_values"]
        return values

    # Presence.

    def _is_present(self) -> bool:
        """Whether a message that holds it has it."""
        if self._is_given or self._bytes or self._unknown:
            return True
        return any(True for _ in self._set_fields())

    def _set_fields(self) -> Iterator[Tuple[str, Field, Any]]:
        """The fields that are written, in the order of their numbers."""
        values = self._loaded()
        for name, field in sorted(self._fields.items(), key=lambda item: item[1].number):
            if name not in values:
                continue
            value = values[name]
            if field.oneof is not None and self.WhichOneof(field.oneof) != name:
                continue
            if field.repeated or field.key is not None:
                if value:
                    yield name, field, value
            elif not field.is_message or value._is_present():
                yield name, field, value

    def WhichOneof(self, oneof_group: str) -> Optional[str]:
        """The name of the group's field that is set.

        Args:
            oneof_group: the name of the group.

        Returns:
            A name, or None.

        Raises:
            ValueError: if there is no such group.
        """
        names = [name for name, field in self._fields.items() if field.oneof == oneof_group]
        if not names:
            raise ValueError(f'Protocol message has no oneof "{oneof_group}" field.')
        values = self._loaded()
        # A number that is set clears the messages, so that a message with content came later.
        found = None
        for name in names:
            if name in values and not self._fields[name].is_message:
                found = found or name
            elif name in values and values[name]._is_present():
                return name
        return found

    def HasField(self, field_name: str) -> bool:
        """Whether a message, or a field of a group, is set.

        Args:
            field_name: its name.

        Returns:
            True or false.

        Raises:
            ValueError: if there is no such field.
        """
        field = self._fields.get(field_name)
        if field is None or field.repeated or field.key is not None:
            raise ValueError(f'Protocol message has no non-repeated field "{field_name}"')
        if field.oneof is not None:
            return self.WhichOneof(field.oneof) == field_name
        if not field.is_message:
            raise ValueError(f'Can\'t test non-optional, non-submessage field "{field_name}"')
        values = self._loaded()
        return field_name in values and bool(values[field_name]._is_present())

    def ClearField(self, field_name: str) -> None:
        """Sets a field to its default.

        Args:
            field_name: its name.

        Raises:
            ValueError: if there is no such field.
        """
        if field_name not in self._fields:
            raise ValueError(f'Protocol message has no "{field_name}" field.')
        self._loaded().pop(field_name, None)

    def SetInParent(self) -> None:
        """It counts as set, even without fields."""
        self.__dict__["_is_given"] = True

    def ListFields(self) -> List[Tuple[FieldDescriptor, Any]]:
        """The fields that are set with their values, in the order of their numbers."""
        found = self._set_fields()
        return [(FieldDescriptor(name, field), value) for name, field, value in found]

    @classmethod
    def _declared_fields(cls) -> Dict[str, Field]:
        return cls._fields

    def DiscardUnknownFields(self) -> None:
        """Forgets what bytes had besides the declared fields, also in the messages in it."""
        for _, field, value in self._set_fields():
            if field.is_message:
                inner = value.values() if field.key is not None else value
                for each in inner if field.repeated or field.key is not None else [value]:
                    each.DiscardUnknownFields()
        self._loaded()
        self.__dict__["_unknown"] = b""

    # Bytes.

    def SerializeToString(self, deterministic: Optional[bool] = None) -> bytes:
        """The bytes; maps are always in the order of their keys.

        Args:
            deterministic: has no effect.

        Returns:
            The bytes.
        """
        if self._bytes is not None:
            return bytes(self._bytes)
        parts = [write_field(field, value) for _, field, value in self._set_fields()]
        return b"".join(parts) + bytes(self._unknown)

    def MergeFromString(self, serialized: bytes) -> int:
        """Adds what the bytes say.

        Args:
            serialized: the bytes of a message of this type.

        Returns:
            Their number.

        Raises:
            DecodeError: if they are no such message.
        """
        serialized = bytes(serialized)
        self._check_bytes(serialized)
        self._loaded()
        self._merge(serialized)
        return len(serialized)

    def ParseFromString(self, serialized: bytes) -> int:
        """Reads a message of that type in place of this one.

        Args:
            serialized: the bytes of a message of this type.

        Returns:
            Their number.

        Raises:
            DecodeError: if they are no such message.
        """
        serialized = bytes(serialized)
        self._check_bytes(serialized)
        self.Clear()
        self.__dict__.update(_bytes=serialized, _is_given=True)
        return len(serialized)

    @classmethod
    def _of_bytes(cls: Type[M], serialized: bytes) -> M:
        """A message of bytes that are known to be one."""
        message = cls()
        message.__dict__.update(_bytes=serialized, _is_given=True)
        return message

    @classmethod
    def _check_bytes(cls, serialized: bytes) -> None:
        """DecodeError unless the bytes are a message of this class."""
        message = cls._of_bytes(serialized)
        for _, field, value in message._set_fields():
            if not field.is_message:
                continue
            inner = value.values() if field.key is not None else value
            for each in inner if field.repeated or field.key is not None else [value]:
                each._check_bytes(each.SerializeToString())

    def _merge(self, data: bytes) -> None:
        try:
            merge_fields(self, data)
        except (ValueError, RecursionError) as error:
            raise DecodeError(f"Error parsing message of {type(self).__name__}: {error}") from None

    # Whole messages.

    def MergeFrom(self, other: Any) -> None:
        """Adds the fields that are set in another message of its type.

        Args:
            other: the message.

        Raises:
            TypeError: if it is of another type.
        """
        self._check_type(other)
        self._loaded()
        self._merge(other.SerializeToString())

    def CopyFrom(self, other: Any) -> None:
        """Becomes a copy of another message of its type.

        Args:
            other: the message.

        Raises:
            TypeError: if it is of another type.
        """
        if other is self:
            return
        self._check_type(other)
        data = other.SerializeToString()
        self.Clear()
        self.__dict__.update(_bytes=data, _is_given=True)

    def _check_type(self, other: Any) -> None:
        # Also messages that protobuf's own package has made.
        if type(other).__name__ != type(self).__name__ or not hasattr(other, "SerializeToString"):
            raise TypeError(
                f"Parameter to MergeFrom() must be instance of same class: expected "
                f"{type(self).__name__} got {type(other).__name__}."
            )

    def __deepcopy__(self: M, memo: Any) -> M:
        return type(self)._of_bytes(self.SerializeToString())

    def __copy__(self: M) -> M:
        return self.__deepcopy__(None)

    def __reduce__(self) -> Any:
        return type(self).FromString, (self.SerializeToString(),)

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        assert isinstance(other, ProtoMessage)
        if self._bytes is not None and self._bytes == other._bytes:
            return True
        self._normalize()
        other._normalize()
        return self.SerializeToString() == other.SerializeToString()

    __hash__ = None  # type: ignore[assignment]

    def _normalize(self) -> None:
        """Takes its bytes apart, and those in it: equal messages may have different ones."""
        for _, field, value in self._set_fields():
            if field.is_message:
                many = field.repeated or field.key is not None
                inner = value.values() if field.key is not None else value
                for each in inner if many else [value]:
                    each._normalize()

    def __str__(self) -> str:
        return text_form.to_text(self)

    __repr__ = __str__
