"""The sizes of the dimensions of shapes."""

from __future__ import annotations

import operator
from typing import Any, Callable, Optional, Union

from troupe._src.set_module import set_module


@set_module("troupe")
class Dimension:
    """The size of one dimension; `value` is None where it is unknown.

    Args:
        value: A size, which may be a float or text that stands for an integer, another Dimension,
            or None.

    Raises:
        ValueError: The size is negative, or no integer.
        TypeError: It is no number.
    """

    def __init__(self, value: DimensionLike) -> None:
        known = value.value if isinstance(value, Dimension) else value
        self._value = None if known is None else int(known)
        if self._value != known and not isinstance(known, (str, bytes)):
            raise ValueError(f"Ambiguous dimension: {known}")
        if self._value is not None and self._value < 0:
            raise ValueError(f"Dimension {self._value} must be >= 0")

    @property
    def value(self) -> Optional[int]:
        """The size, or None."""
        return self._value

    def is_compatible_with(self, other: DimensionLike) -> bool:
        """Whether both are equal, or one is unknown.

        Args:
            other: A Dimension, a number or None.

        Returns:
            True or false.
        """
        size = Dimension(other).value
        return self._value is None or size is None or self._value == size

    def assert_is_compatible_with(self, other: DimensionLike) -> None:
        """Raises an error unless both are equal, or one is unknown.

        Args:
            other: A Dimension, a number or None.

        Raises:
            ValueError: They differ.
        """
        if not self.is_compatible_with(other):
            raise ValueError(f"Dimensions {self} and {other} are not compatible")

    def merge_with(self, other: DimensionLike) -> Dimension:
        """The size that either knows.

        Args:
            other: A Dimension, a number or None.

        Returns:
            A Dimension.

        Raises:
            ValueError: Both are known, and differ.
        """
        self.assert_is_compatible_with(other)
        return Dimension(other) if self._value is None else self

    def __int__(self) -> int:
        return self.__index__()

    def __index__(self) -> int:
        if self._value is None:
            raise TypeError("the dimension is not known while the graph is built")
        return self._value

    def __eq__(self, other: object) -> Any:
        """None where one of the two is unknown; so is what `!=` gives."""
        return self._combine(operator.eq, self, other)

    def __ne__(self, other: object) -> Any:
        return self._combine(operator.ne, self, other)

    def __hash__(self) -> int:
        return hash(self._value)

    def _combine(self, operator: Callable[[int, int], Any], x: Any, y: Any) -> Any:
        """NotImplemented where one is no size, as a list or a tensor, which may know what to do."""
        try:
            one, two = Dimension(x).value, Dimension(y).value
        except (TypeError, ValueError):
            return NotImplemented
        return None if one is None or two is None else operator(one, two)

    def _computed(self, operator: Callable[[int, int], Any], x: Any, y: Any) -> Any:
        result = self._combine(operator, x, y)
        return result if result is NotImplemented else Dimension(result)

    def __add__(self, other: DimensionLike) -> Dimension:
        return self._computed(operator.add, self, other)  # type: ignore[no-any-return]

    def __sub__(self, other: DimensionLike) -> Dimension:
        return self._computed(operator.sub, self, other)  # type: ignore[no-any-return]

    def __rsub__(self, other: DimensionLike) -> Dimension:
        return self._computed(operator.sub, other, self)  # type: ignore[no-any-return]

    def __mul__(self, other: DimensionLike) -> Dimension:
        return self._computed(operator.mul, self, other)  # type: ignore[no-any-return]

    def __floordiv__(self, other: DimensionLike) -> Dimension:
        return self._computed(operator.floordiv, self, other)  # type: ignore[no-any-return]

    def __rfloordiv__(self, other: DimensionLike) -> Dimension:
        return self._computed(operator.floordiv, other, self)  # type: ignore[no-any-return]

    def __mod__(self, other: DimensionLike) -> Dimension:
        return self._computed(operator.mod, self, other)  # type: ignore[no-any-return]

    def __rmod__(self, other: DimensionLike) -> Dimension:
        return self._computed(operator.mod, other, self)  # type: ignore[no-any-return]

    def __lt__(self, other: DimensionLike) -> Optional[bool]:
        """None where one of the two is unknown, as for the other comparisons of sizes."""
        return self._combine(operator.lt, self, other)  # type: ignore[no-any-return]

    def __le__(self, other: DimensionLike) -> Optional[bool]:
        return self._combine(operator.le, self, other)  # type: ignore[no-any-return]

    def __gt__(self, other: DimensionLike) -> Optional[bool]:
        return self._combine(operator.gt, self, other)  # type: ignore[no-any-return]

    def __ge__(self, other: DimensionLike) -> Optional[bool]:
        return self._combine(operator.ge, self, other)  # type: ignore[no-any-return]

    __radd__ = __add__
    __rmul__ = __mul__
    __div__ = __floordiv__

    def __truediv__(self, other: DimensionLike) -> Dimension:
        raise TypeError(
            "unsupported operand type(s) for /: 'Dimension' and "
            f"'{type(other).__name__}', please use // instead"
        )

    def __reduce__(self) -> Any:
        return Dimension, (self._value,)

    def __repr__(self) -> str:
        return f"Dimension({self._value})"

    def __str__(self) -> str:
        return "?" if self._value is None else str(self._value)


DimensionLike = Union[int, Dimension, None]


def dimension_value(dimension: Union[int, Dimension, None]) -> Optional[int]:
    """The size of a dimension, which may be a number already.

    Args:
        dimension: A Dimension, a number or None.

    Returns:
        A number or None.
    """
    return dimension.value if isinstance(dimension, Dimension) else dimension


def as_dimension(value: DimensionLike) -> Dimension:
    """Converts to a Dimension."""
    return value if isinstance(value, Dimension) else Dimension(value)
