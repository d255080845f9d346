"""Examples: named lists of values, which programs write into records and ops parse."""

from __future__ import annotations

import copy
from typing import Any, Dict, Generic, Iterable, Iterator, List, Optional, Tuple, Type, Union

from troupe._src.messages.fields import Field
from troupe._src.messages.value_lists import BytesList, FloatList, Int64List, M, Message, _Values
from troupe._src.messages.wire import BYTES, bytes_field, read_fields
from troupe._src.set_module import set_module

_KINDS: Dict[str, Type[_Values]] = {
    "bytes_list": BytesList,
    "float_list": FloatList,
    "int64_list": Int64List,
}


@set_module("troupe.train")
class Feature(Message):
    """A list of bytes, of floats or of integers; or none of them.

    Args:
        bytes_list: the list, if it is one of bytes.
        float_list: the list, if it is one of floats.
        int64_list: the list, if it is one of integers.
    """

    _declared = {
        name: Field(number, "message", kind, oneof="kind")
        for number, (name, kind) in enumerate(_KINDS.items(), start=1)
    }

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
        """The list of bytes, empty where it is not set."""
        values = self._list("bytes_list")
        assert isinstance(values, BytesList)
        return values

    @property
    def float_list(self) -> FloatList:
        """The list of floats, empty where it is not set."""
        values = self._list("float_list")
        assert isinstance(values, FloatList)
        return values

    @property
    def int64_list(self) -> Int64List:
        """The list of integers, empty where it is not set."""
        values = self._list("int64_list")
        assert isinstance(values, Int64List)
        return values

    def WhichOneof(self, oneof_group: str) -> Optional[str]:
        """The name of the list that it has.

        Args:
            oneof_group: "kind".

        Returns:
            "bytes_list", "float_list", "int64_list", or None.

        Raises:
            ValueError: if the group is another.
        """
        if oneof_group != "kind":
            raise ValueError(f'Protocol message has no oneof "{oneof_group}" field.')
        # A list that was empty when the program got it may have values now.
        for kind, values in self._lists.items():
            if kind != self._kind and (values.value or "_is_given" in vars(values)):
                self._kind = kind
        self._lists = {k: v for k, v in self._lists.items() if k == self._kind or not v.value}
        return self._kind

    def HasField(self, field_name: str) -> bool:
        """Whether it has that list.

        Args:
            field_name: the name of a list.

        Returns:
            True or false.
        """
        self._field(field_name)
        return self.WhichOneof("kind") == field_name

    def ClearField(self, field_name: str) -> None:
        """Takes a list away.

        Args:
            field_name: the name of a list, or "kind" for the one that it has.
        """
        own = self.WhichOneof("kind")
        if field_name != "kind":
            self._field(field_name)
        if own in (field_name, None) or field_name == "kind":
            self._kind, self._lists = None, {}

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

    def _text_fields(self) -> Iterator[Tuple[str, Any]]:
        kind = self.WhichOneof("kind")
        if kind is not None:
            yield kind, self._lists[kind]

    def __repr__(self) -> str:
        kind = self.WhichOneof("kind")
        return f"Feature({kind}={self._lists[kind]!r})" if kind else "Feature()"


class _Elements(List[Feature]):
    """The features of a list. It keeps copies of those that it is given."""

    def add(self, **lists: _Values) -> Feature:
        """A new feature at the end."""
        made = Feature(**lists)  # type: ignore[arg-type]
        super().append(made)
        return made

    def append(self, value: Feature) -> None:
        self.add().CopyFrom(value)

    def extend(self, values: Iterable[Feature]) -> None:
        for value in list(values):
            self.append(value)

    MergeFrom = extend

    def __iadd__(self, values: Iterable[Feature]) -> _Elements:  # type: ignore[misc, override]
        self.extend(values)
        return self

    def __setitem__(self, index: Any, value: Any) -> None:
        raise TypeError("a feature in a list cannot be assigned: use CopyFrom")


@set_module("troupe.train")
class FeatureList(Message):
    """A list of features.

    Args:
        feature: the features, which are copied.
    """

    _declared = {"feature": Field(1, "message", Feature, repeated=True)}

    def __init__(self, feature: Iterable[Feature] = ()) -> None:
        self.feature = _Elements()
        self.feature.extend(feature)

    def SerializeToString(self, deterministic: Optional[bool] = None) -> bytes:
        return b"".join(bytes_field(1, each.SerializeToString()) for each in self.feature)

    def _merge_field(self, number: int, kind: int, value: Any) -> None:
        if number == 1 and kind == BYTES:
            self.feature.append(Feature.FromString(value))

    def _text_fields(self) -> Iterator[Tuple[str, Any]]:
        yield "feature", self.feature

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
    """Features by their names.

    Args:
        feature: a dict of Feature messages, which are copied.
    """

    _declared = {"feature": Field(1, "message", Feature, key="string")}

    def __init__(self, feature: Optional[Dict[str, Feature]] = None) -> None:
        self.feature: _Map[Feature] = _Map(Feature, feature)

    def SerializeToString(self, deterministic: Optional[bool] = None) -> bytes:
        return self.feature._serialized()

    def _merge_field(self, number: int, kind: int, value: Any) -> None:
        if number == 1 and kind == BYTES:
            self.feature._merge_entry(value)

    def _text_fields(self) -> Iterator[Tuple[str, Any]]:
        yield "feature", self.feature

    def __repr__(self) -> str:
        return f"Features(feature={dict(self.feature)!r})"


@set_module("troupe.train")
class FeatureLists(Message):
    """Lists of features by their names.

    Args:
        feature_list: a dict of FeatureList messages, which are copied.
    """

    _declared = {"feature_list": Field(1, "message", FeatureList, key="string")}

    def __init__(self, feature_list: Optional[Dict[str, FeatureList]] = None) -> None:
        self.feature_list: _Map[FeatureList] = _Map(FeatureList, feature_list)

    def SerializeToString(self, deterministic: Optional[bool] = None) -> bytes:
        return self.feature_list._serialized()

    def _merge_field(self, number: int, kind: int, value: Any) -> None:
        if number == 1 and kind == BYTES:
            self.feature_list._merge_entry(value)

    def _text_fields(self) -> Iterator[Tuple[str, Any]]:
        yield "feature_list", self.feature_list

    def __repr__(self) -> str:
        return f"FeatureLists(feature_list={dict(self.feature_list)!r})"


@set_module("troupe.train")
class Example(Message):
    """Features that belong together.

    Args:
        features: the features, which are copied.
    """

    _declared = {"features": Field(1, "message", Features)}

    def __init__(self, features: Optional[Features] = None) -> None:
        self.features = Features(features.feature if features else None)

    def SerializeToString(self, deterministic: Optional[bool] = None) -> bytes:
        return _present(1, self.features)

    def _merge_field(self, number: int, kind: int, value: Any) -> None:
        if number == 1 and kind == BYTES:
            self.features.MergeFromString(value)

    def _text_fields(self) -> Iterator[Tuple[str, Any]]:
        if self.features.feature:
            yield "features", self.features

    def __repr__(self) -> str:
        return f"Example(features={self.features!r})"


@set_module("troupe.train")
class SequenceExample(Message):
    """Features that belong together, and lists whose elements are features.

    Args:
        context: the features, which are copied.
        feature_lists: the lists, which are copied.
    """

    _declared = {
        "context": Field(1, "message", Features),
        "feature_lists": Field(2, "message", FeatureLists),
    }

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

    def _text_fields(self) -> Iterator[Tuple[str, Any]]:
        if self.context.feature:
            yield "context", self.context
        if self.feature_lists.feature_list:
            yield "feature_lists", self.feature_lists

    def __repr__(self) -> str:
        return f"SequenceExample(context={self.context!r}, feature_lists={self.feature_lists!r})"


def _present(number: int, message: Message) -> bytes:
    """The field of a message, unless it is not set."""
    return bytes_field(number, message.SerializeToString()) if message._is_present() else b""
