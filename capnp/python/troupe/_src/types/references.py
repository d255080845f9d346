"""References, which tell objects apart where `==` of the objects makes a tensor."""

from __future__ import annotations

from typing import Any


class Reference:
    """A key of dicts and sets that stands for an object: equal to those of the same object.

    Args:
        value: The object.
    """

    __slots__ = ("_value", "__weakref__")

    def __init__(self, value: Any) -> None:
        self._value = value

    def deref(self) -> Any:
        """The object."""
        return self._value

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Reference):
            raise TypeError("Cannot compare wrapped object with unwrapped object")
        return self._value is other._value

    def __hash__(self) -> int:
        return id(self._value)

    def __repr__(self) -> str:
        return f"<Reference wrapping {self._value!r}>"


class Referable:
    """An object that references may stand for."""

    __slots__ = ()

    def experimental_ref(self) -> Reference:
        """What stands for it as a key of dicts and sets."""
        return Reference(self)
