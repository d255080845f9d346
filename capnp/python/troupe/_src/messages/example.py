"""Examples: named lists of values, which programs write into records and ops parse."""

from __future__ import annotations

import copy
import struct
from typing import Any, Dict, Generic, Iterable, List, Optional, Type, TypeVar, Union

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


class Message:
    """A message that can be written as bytes and read from them."""

    def SerializeToString(self, deterministic: Optional[bool] = None) -> bytes:
        """The bytes; maps are always in the order of their keys."""
        raise NotImplementedError

    def _merge_field(self, number: int, kind: int, value: Any) -> None:
        raise NotImplementedError

    def MergeFromString(self, serialized: bytes) -> int:
        """Adds what the bytes say; ValueError where they are no such message."""
        for number, kind, value in read_fields(bytes(serialized)):
            self._merge_field(number, kind, value)
        return len(serialized)

    def ParseFromString(self, serialized: bytes) -> int:
        """Reads a message of that type in place of this one."""
        self.Clear()
        return self.MergeFromString(serialized)

    @classmethod
    def FromString(cls: Type[M], serialized: bytes) -> M:
        message = cls()
        message.MergeFromString(serialized)
        return message

    def Clear(self) -> None:
        """Sets all fields to their defaults."""
        self.__init__()  # type: ignore[misc]

    def CopyFrom(self, other: Any) -> None:
        """Becomes a copy of another message of its type."""
        if type(other) is not type(self):
            raise TypeError(f"expected {type(self).__name__}, not {type(other).__name__}")
        self.__dict__.update(copy.deepcopy(other.__dict__))

    def ByteSize(self) -> int:
        return len(self.SerializeToString())

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Message)
            and type(self) is type(other)
            and self.SerializeToString() == other.SerializeToString()
        )

    __hash__ = None  # type: ignore[assignment]


class _Values(Message):
    """A list of values of one type."""

    def __init__(self, value: Iterable[Any] = ()) -> None:
        self.value: List[Any] = list(value)
        self.SerializeToString()  # refuses what cannot be written

    def __repr__(self) -> str:
        return f"{type(self).__name__}(value={self.value!r})"


@set_module("troupe.train")
class BytesList(_Values):
    """Values that are bytes."""

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

    def __init__(self, value: Iterable[Any] = ()) -> None:
        super().__init__(value)
        self.value = [int(each) for each in self.value]

    def SerializeToString(self, deterministic: Optional[bool] = None) -> bytes:
        for value in self.value:
            if isinstance(value, float) or not hasattr(value, "__index__"):
                raise TypeError(f"{value!r} has type {type(value).__name__}, but expected int")
            if not -(1 << 63) <= int(value) < 1 << 63:
                raise ValueError(f"Value out of range: {value}")
        packed = b"".join(varint(int(value)) for value in self.value)
        return bytes_field(1, packed) if packed else b""

    def _merge_field(self, number: int, kind: int, value: Any) -> None:
        if number == 1:
            self.value += read_ints(value if isinstance(value, bytes) else varint(value))


_KINDS: Dict[str, Type[_Values]] = {
    "bytes_list": BytesList,
    "float_list": FloatList,
    "int64_list": Int64List,
}


@set_module("troupe.train")
class Feature(Message):
    """A list of bytes, of floats or of integers; or none of them."""

    def __init__(
        self,
        bytes_list: Optional[BytesList] = None,
        float_list: Optional[FloatList] = None,
        int64_list: Optional[Int64List] = None,
    ) -> None:
        self._kind: Optional[str] = None
        self._lists: Dict[str, _Values] = {}
        given = {"bytes_list": bytes_list, "float_list": float_list, "int64_list": int64_list}
        for kind, values in given.items():
            if values is not None:
                self._list(kind).CopyFrom(values)
                self._kind = kind

    @property
    def bytes_list(self) -> BytesList:
        values = self._list("bytes_list")
        assert isinstance(values, BytesList)
        return values

    @property
    def float_list(self) -> FloatList:
        values = self._list("float_list")
        assert isinstance(values, FloatList)
        return values

    @property
    def int64_list(self) -> Int64List:
        values = self._list("int64_list")
        assert isinstance(values, Int64List)
        return values

    def WhichOneof(self, oneof_group: str) -> Optional[str]:
        """The name of the list that it has."""
        if oneof_group != "kind":
            raise ValueError(f'Protocol message has no oneof "{oneof_group}" field.')
        # A list that was empty when the program got it may have values now.
        for kind, values in self._lists.items():
            if kind != self._kind and values.value:
                self._kind = kind
        self._lists = {k: v for k, v in self._lists.items() if k == self._kind or not v.value}
        return self._kind

    def HasField(self, field_name: str) -> bool:
        return self.WhichOneof("kind") == field_name

    def SerializeToString(self, deterministic: Optional[bool] = None) -> bytes:
        kind = self.WhichOneof("kind")
        if kind is None:
            return b""
        return bytes_field(list(_KINDS).index(kind) + 1, self._lists[kind].SerializeToString())

    def _list(self, kind: str) -> _Values:
        if kind not in self._lists or (self._kind not in (None, kind)):
            self.WhichOneof("kind")
        return self._lists.setdefault(kind, _KINDS[kind]())

    def _merge_field(self, number: int, kind: int, value: Any) -> None:
        if 1 <= number <= len(_KINDS) and kind == BYTES:
            name = list(_KINDS)[number - 1]
            if self._kind not in (None, name):
                self._lists.clear()
            self._list(name).MergeFromString(value)
            self._kind = name

    def __repr__(self) -> str:
        kind = self.WhichOneof("kind")
        return f"Feature({kind}={self._lists[kind]!r})" if kind else "Feature()"


@set_module("troupe.train")
class FeatureList(Message):
    """A list of features."""

    def __init__(self, feature: Iterable[Feature] = ()) -> None:
        self.feature: List[Feature] = copy.deepcopy(list(feature))

    def SerializeToString(self, deterministic: Optional[bool] = None) -> bytes:
        return b"".join(bytes_field(1, each.SerializeToString()) for each in self.feature)

    def _merge_field(self, number: int, kind: int, value: Any) -> None:
        if number == 1 and kind == BYTES:
            self.feature.append(Feature.FromString(value))

    def __repr__(self) -> str:
        return f"FeatureList(feature={self.feature!r})"


class _Map(Dict[str, M], Generic[M]):
    """Messages by their keys; one that is asked for is there from then on."""

    def __init__(self, kind: Type[M], items: Any) -> None:
        super().__init__(copy.deepcopy(dict(items or {})))
        self._of = kind

    def __missing__(self, key: str) -> M:
        made = self[key] = self._of()
        return made

    def get_or_create(self, key: str) -> M:
        return self[key]

    def __deepcopy__(self, memo: Any) -> _Map[M]:
        return _Map(self._of, self)

    def _serialized(self) -> bytes:
        return b"".join(
            bytes_field(
                1, bytes_field(1, key.encode()) + bytes_field(2, self[key].SerializeToString())
            )
            for key in sorted(self)
        )

    def _merge_entry(self, entry: bytes) -> None:
        parts: Dict[int, Union[int, bytes]] = {n: value for n, _, value in read_fields(entry)}
        key, value = parts.get(1, b""), parts.get(2, b"")
        if isinstance(key, bytes) and isinstance(value, bytes):
            self[key.decode()] = self._of.FromString(value)


@set_module("troupe.train")
class Features(Message):
    """Features by their names."""

    def __init__(self, feature: Optional[Dict[str, Feature]] = None) -> None:
        self.feature: _Map[Feature] = _Map(Feature, feature)

    def SerializeToString(self, deterministic: Optional[bool] = None) -> bytes:
        return self.feature._serialized()

    def _merge_field(self, number: int, kind: int, value: Any) -> None:
        if number == 1 and kind == BYTES:
            self.feature._merge_entry(value)

    def __repr__(self) -> str:
        return f"Features(feature={dict(self.feature)!r})"


@set_module("troupe.train")
class FeatureLists(Message):
    """Lists of features by their names."""

    def __init__(self, feature_list: Optional[Dict[str, FeatureList]] = None) -> None:
        self.feature_list: _Map[FeatureList] = _Map(FeatureList, feature_list)

    def SerializeToString(self, deterministic: Optional[bool] = None) -> bytes:
        return self.feature_list._serialized()

    def _merge_field(self, number: int, kind: int, value: Any) -> None:
        if number == 1 and kind == BYTES:
            self.feature_list._merge_entry(value)

    def __repr__(self) -> str:
        return f"FeatureLists(feature_list={dict(self.feature_list)!r})"


@set_module("troupe.train")
class Example(Message):
    """Features that belong together."""

    def __init__(self, features: Optional[Features] = None) -> None:
        self.features = Features(features.feature if features else None)

    def SerializeToString(self, deterministic: Optional[bool] = None) -> bytes:
        return _present(1, self.features)

    def _merge_field(self, number: int, kind: int, value: Any) -> None:
        if number == 1 and kind == BYTES:
            self.features.MergeFromString(value)

    def __repr__(self) -> str:
        return f"Example(features={self.features!r})"


@set_module("troupe.train")
class SequenceExample(Message):
    """Features that belong together, and lists whose elements are features."""

    def __init__(
        self, context: Optional[Features] = None, feature_lists: Optional[FeatureLists] = None
    ) -> None:
        self.context = Features(context.feature if context else None)
        self.feature_lists = FeatureLists(feature_lists.feature_list if feature_lists else None)

    def SerializeToString(self, deterministic: Optional[bool] = None) -> bytes:
        return _present(1, self.context) + _present(2, self.feature_lists)

    def _merge_field(self, number: int, kind: int, value: Any) -> None:
        if kind == BYTES and number in (1, 2):
            part: Message = self.context if number == 1 else self.feature_lists
            part.MergeFromString(value)

    def __repr__(self) -> str:
        return f"SequenceExample(context={self.context!r}, feature_lists={self.feature_lists!r})"


def _present(number: int, message: Message) -> bytes:
    """The field of a message, unless nothing is in it."""
    serialized = message.SerializeToString()
    return bytes_field(number, serialized) if serialized else b""
