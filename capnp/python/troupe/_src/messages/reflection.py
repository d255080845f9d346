"""What all messages tell of their fields and do with their bytes, and the methods of protobuf that
change nothing here.
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple, Type, TypeVar

from troupe._src.messages.fields import Field

R = TypeVar("R", bound="Reflection")

_TYPES = {
    "double": 1, "float": 2, "int64": 3, "uint64": 4, "int32": 5, "fixed32": 7, "bool": 8,
    "string": 9, "message": 11, "bytes": 12, "uint32": 13, "enum": 14,
}  # fmt: skip


def fields_of(text: str) -> Dict[str, Tuple[int, str]]:
    """Number and kind of each field.

    Args:
        text: Words such as "name=1:string"; a kind with "*" is that of a list.

    Returns:
        {name: (number, kind)}.
    """
    found = {}
    for word in text.split():
        name, _, rest = word.partition("=")
        number, _, kind = rest.partition(":")
        found[name] = (int(number), kind)
    return found


class FieldDescriptor:
    """What a field is: `name`, `number`, `type` and `label`, by protobuf's numbers.

    Args:
        name: Its name.
        field: Its declaration.
    """

    LABEL_OPTIONAL, LABEL_REQUIRED, LABEL_REPEATED = 1, 2, 3
    TYPE_MESSAGE, TYPE_STRING, TYPE_BYTES, TYPE_ENUM = 11, 9, 12, 14

    def __init__(self, name: str, field: Field) -> None:
        self.name, self.number, self._field = name, field.number, field
        is_many = field.repeated or field.key is not None
        self.label = self.LABEL_REPEATED if is_many else self.LABEL_OPTIONAL
        self.type = self.TYPE_MESSAGE if field.key is not None else _TYPES[field.kind]

    @property
    def message_type(self) -> Any:
        """The descriptor of its messages, or None; that of a map has no class here."""
        is_one = self._field.is_message and self._field.key is None
        return self._field.message_class().DESCRIPTOR if is_one else None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FieldDescriptor) and self._field == other._field

    def __hash__(self) -> int:
        return hash(self.number)

    def __repr__(self) -> str:
        return f"<FieldDescriptor {self.name}={self.number}>"


class Descriptor:
    """What a message is: `name`, `full_name`, `fields`, `fields_by_name`, `oneofs_by_name`.

    Args:
        kind: The class of messages.
    """

    def __init__(self, kind: Any) -> None:
        self.name = kind.__name__.lstrip("_")
        self.full_name = getattr(kind, "_full_name", "") or f"tensorflow.{self.name}"
        declared: Dict[str, Field] = kind._declared_fields()
        self.fields = [FieldDescriptor(name, field) for name, field in declared.items()]
        self.fields_by_name = {each.name: each for each in self.fields}
        self.fields_by_number = {each.number: each for each in self.fields}
        self.oneofs_by_name: Dict[str, List[FieldDescriptor]] = {}
        for each in self.fields:
            if each._field.oneof is not None:
                self.oneofs_by_name.setdefault(each._field.oneof, []).append(each)

    def __repr__(self) -> str:
        return f"<Descriptor {self.full_name}>"


class EnumNames:
    """The names of numbers.

    Args:
        **numbers: The numbers, by name.
    """

    def __init__(self, **numbers: int) -> None:
        self._numbers = numbers

    def Value(self, name: str) -> int:
        """The number of a name.

        Args:
            name: The name.

        Returns:
            The number.

        Raises:
            ValueError: There is no such name.
        """
        if name not in self._numbers:
            raise ValueError(f"Enum has no value defined for name {name!r}")
        return self._numbers[name]

    def Name(self, number: int) -> str:
        """The name of a number.

        Args:
            number: The number.

        Returns:
            The name.

        Raises:
            ValueError: There is no such number.
        """
        for name, each in self._numbers.items():
            if each == number:
                return name
        raise ValueError(f"Enum has no name defined for value {number}")

    def keys(self) -> List[str]:
        """The names."""
        return list(self._numbers)

    def values(self) -> List[int]:
        """The numbers."""
        return list(self._numbers.values())

    def items(self) -> List[Tuple[str, int]]:
        """Pairs of a name and a number."""
        return list(self._numbers.items())


class _OfClass:
    """The descriptor of the class that it is asked of."""

    def __get__(self, message: Any, kind: Any) -> Descriptor:
        return Descriptor(kind)


class Reflection:
    """What a message has by the fields that its class declares: a descriptor, a form as bytes."""

    DESCRIPTOR: Any = _OfClass()

    def IsInitialized(self) -> bool:
        """True: no field is required."""
        return True

    def FindInitializationErrors(self) -> List[str]:
        """An empty list: no field is required."""
        return []

    def DiscardUnknownFields(self) -> None:
        """Forgets what bytes had besides the declared fields."""
        self.__dict__.pop("_unknown", None)

    def UnknownFields(self) -> List[Any]:
        """An empty list: they are kept as bytes alone."""
        return []

    def HasExtension(self, field_descriptor: Any) -> bool:
        """KeyError: no message has extensions.

        Args:
            field_descriptor: The extension.

        Returns:
            Nothing.

        Raises:
            KeyError: Always.
        """
        raise KeyError(field_descriptor)

    def ClearExtension(self, field_descriptor: Any) -> None:
        """KeyError, as `HasExtension`.

        Args:
            field_descriptor: The extension.

        Raises:
            KeyError: Always.
        """
        raise KeyError(field_descriptor)

    def Clear(self) -> None:
        """Sets all fields to their defaults."""
        raise NotImplementedError

    def SerializeToString(self, deterministic: Optional[bool] = None) -> bytes:
        """The bytes; maps are always in the order of their keys.

        Args:
            deterministic: has no effect.

        Returns:
            Bytes, as protobuf writes them.
        """
        raise NotImplementedError

    def SerializePartialToString(self, deterministic: Optional[bool] = None) -> bytes:
        """The bytes, as `SerializeToString`.

        Args:
            deterministic: has no effect.

        Returns:
            Bytes, as protobuf writes them.
        """
        return self.SerializeToString(deterministic)

    def ByteSize(self) -> int:
        """The number of bytes that it is written as."""
        return len(self.SerializeToString())

    def MergeFromString(self, serialized: bytes) -> int:
        """Adds what the bytes say.

        Args:
            serialized: the bytes of a message of this type.

        Returns:
            Their number.

        Raises:
            ValueError: if they are no such message.
        """
        raise NotImplementedError

    def ParseFromString(self, serialized: bytes) -> int:
        """Reads a message of that type in place of this one.

        Args:
            serialized: the bytes of a message of this type.

        Returns:
            Their number.

        Raises:
            ValueError: if they are no such message.
        """
        self.Clear()
        return self.MergeFromString(serialized)

    @classmethod
    def FromString(cls: Type[R], serialized: bytes) -> R:
        """A message of bytes.

        Args:
            serialized: the bytes of a message of this type.

        Returns:
            The message.

        Raises:
            ValueError: if they are no such message.
        """
        message: Any = cls()
        message.ParseFromString(serialized)
        result: R = message
        return result
