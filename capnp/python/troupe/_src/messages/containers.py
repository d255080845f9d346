"""Lists and maps of protocol buffers, which check what is put into them."""

from __future__ import annotations

from typing import Any, Dict, Iterable, List

from troupe._src.messages.fields import Field, check_value, default_of


class RepeatedScalars(List[Any]):
    """A list of numbers or texts."""

    def __init__(self, field: Field, values: Iterable[Any] = ()) -> None:
        self._field = field
        super().__init__(check_value(field, value) for value in values)

    def append(self, value: Any) -> None:
        super().append(check_value(self._field, value))

    def insert(self, index: Any, value: Any) -> None:
        super().insert(index, check_value(self._field, value))

    def extend(self, values: Iterable[Any]) -> None:
        super().extend([check_value(self._field, value) for value in values or ()])

    MergeFrom = extend

    def __iadd__(self, values: Iterable[Any]) -> RepeatedScalars:  # type: ignore[misc]
        self.extend(values)
        return self

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(index, slice):
            super().__setitem__(index, [check_value(self._field, each) for each in value])
        else:
            super().__setitem__(index, check_value(self._field, value))

    def __deepcopy__(self, memo: Any) -> List[Any]:
        return list(self)

    __hash__ = None


class RepeatedMessages(List[Any]):
    """A list of messages. It keeps copies of those that it is given."""

    def __init__(self, field: Field) -> None:
        super().__init__()
        self._field = field

    def add(self, **fields: Any) -> Any:
        """A new message at the end."""
        made = self._field.message_class()(**fields)
        super().append(made)
        return made

    def append(self, value: Any) -> None:
        self.add().CopyFrom(value)

    def insert(self, index: Any, value: Any) -> None:
        copy = self._field.make()
        copy.CopyFrom(value)
        super().insert(index, copy)

    def extend(self, values: Iterable[Any]) -> None:
        for value in list(values):
            self.append(value)

    MergeFrom = extend

    def __iadd__(self, values: Iterable[Any]) -> RepeatedMessages:  # type: ignore[misc]
        self.extend(values)
        return self

    def __setitem__(self, index: Any, value: Any) -> None:
        raise TypeError("a message in a list cannot be assigned: use CopyFrom")

    def __deepcopy__(self, memo: Any) -> List[Any]:
        return list(self)

    __hash__ = None

    def _put(self, message: Any) -> None:
        """Adds just that one."""
        super().append(message)


class MessageMap(Dict[Any, Any]):
    """Messages by their keys; one that is asked for is there from then on."""

    def __init__(self, field: Field) -> None:
        super().__init__()
        self._field = field

    def __missing__(self, key: Any) -> Any:
        made = self._field.make()
        super().__setitem__(self._key(key), made)
        return made

    def get_or_create(self, key: Any) -> Any:
        return self[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        raise ValueError(f"Direct assignment of submessage not allowed: use [{key!r}].CopyFrom")

    def update(self, *others: Any, **items: Any) -> None:
        raise ValueError("messages of a map cannot be assigned: use MergeFrom")

    def MergeFrom(self, other: Any) -> None:
        for key, value in other.items():
            self[key].CopyFrom(value)

    def _key(self, key: Any) -> Any:
        return check_value(Field(1, self._field.key or "string"), key)

    def _put(self, key: Any, message: Any) -> None:
        super().__setitem__(key, message)


class ScalarMap(Dict[Any, Any]):
    """Numbers or texts by their keys; one that is asked for is there from then on."""

    def __init__(self, field: Field) -> None:
        super().__init__()
        self._field = field

    def __missing__(self, key: Any) -> Any:
        self[key] = default_of(self._field.kind)
        return self[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        key = check_value(Field(1, self._field.key or "string"), key)
        super().__setitem__(key, check_value(self._field, value))

    def update(self, *others: Any, **items: Any) -> None:
        for key, value in dict(*others, **items).items():
            self[key] = value

    MergeFrom = update


def make_container(field: Field) -> Any:
    """The empty list or map of a field."""
    if field.key is not None:
        return MessageMap(field) if field.is_message else ScalarMap(field)
    return RepeatedMessages(field) if field.is_message else RepeatedScalars(field)
