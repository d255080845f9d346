"""Base classes of the objects that stand for TensorFlow's protocol buffers."""

from __future__ import annotations

import copy
from typing import Any, Dict, Iterator, Tuple

from troupe._src.messages.text_form import text_of_all


class Record:
    """A message that the package fills in; its fields are attributes.

    Args:
        **fields: Their values, by name.
    """

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)

    def __repr__(self) -> str:
        shown = {key: value for key, value in self.__dict__.items() if not key.startswith("_")}
        fields = ", ".join(f"{key}={value!r}" for key, value in shown.items())
        return f"{type(self).__name__}({fields})"


class Options:
    """A message that the program fills in, by keywords or attributes; other fields are refused.

    Args:
        **fields: the values of fields, by name.

    Raises:
        ValueError: if it has no such field.
    """

    _fields: Dict[str, Any] = {}  # name -> default value, or the class of a submessage

    def __init__(self, **fields: Any) -> None:
        self.Clear()
        for name, value in fields.items():
            if name not in self._fields:
                raise ValueError(f'{type(self).__name__} has no "{name}" field.')
            if value is not None:
                setattr(self, name, copy.copy(value))

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._fields:
            raise AttributeError(f'{type(self).__name__} has no "{name}" field.')
        self.__dict__[name] = value

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f'{type(self).__name__} has no "{name}" field.')

    def Clear(self) -> None:
        """Sets all fields to their defaults."""
        for name, default in self._fields.items():
            value = default() if isinstance(default, type) else copy.copy(default)
            self.__dict__[name] = value

    def CopyFrom(self, other: Any) -> None:
        """Copies all fields.

        Args:
            other: options of the same class.
        """
        self.__dict__.update(copy.deepcopy(other.__dict__))

    def MergeFrom(self, other: Any) -> None:
        """Copies the fields that are set; lists are appended.

        Args:
            other: options of the same class.
        """
        for name in other._fields:
            if not other.HasField(name):
                continue
            value, merged = getattr(self, name), copy.deepcopy(getattr(other, name))
            if isinstance(value, Options):
                value.MergeFrom(merged)
            elif isinstance(value, dict):
                value.update(merged)
            else:
                is_list = isinstance(value, list)
                setattr(self, name, type(value)(value + merged) if is_list else merged)

    def HasField(self, name: str) -> bool:
        """Whether a value is not the default.

        Args:
            name: the name of the field.

        Returns:
            True or false.
        """
        default = self._fields[name]
        return bool(getattr(self, name) != (default() if isinstance(default, type) else default))

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    __hash__ = None  # type: ignore[assignment]

    def _text_fields(self) -> Iterator[Tuple[str, Any]]:
        """Its fields that are set."""
        for name in self._fields:
            if self.HasField(name):
                yield name, getattr(self, name)

    def __str__(self) -> str:
        return text_of_all(self)

    def __repr__(self) -> str:
        names = [name for name in self._fields if self.HasField(name)]
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__name__}({fields})"


class AnyOptions(Options):
    """Options without effect: fields of any name, which may have fields themselves."""

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)

    def __setattr__(self, name: str, value: Any) -> None:
        self.__dict__[name] = value

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self.__dict__.setdefault(name, AnyOptions())

    def MergeFrom(self, other: Any) -> None:
        self.CopyFrom(other)

    def _text_fields(self) -> Iterator[Tuple[str, Any]]:
        for name, value in self.__dict__.items():
            if not isinstance(value, AnyOptions) or value.__dict__:
                yield name, value

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={value!r}" for name, value in self.__dict__.items())
        return f"{type(self).__name__}({fields})"
