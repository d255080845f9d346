"""Static shapes: what is known of a tensor's shape while its graph is built."""

from __future__ import annotations

import operator
from typing import Any, Callable, Iterator, List, Optional, Sequence, Tuple, Union, overload

from troupe import _native
from troupe._src.set_module import set_module
from troupe._src.types import errors

DimensionLike = Union[int, "Dimension", None]


@set_module("troupe")
class Dimension:
    """The size of one dimension; `value` is None where it is unknown."""

    def __init__(self, value: DimensionLike) -> None:
        known = value.value if isinstance(value, Dimension) else value
        self._value = None if known is None else operator.index(known)
        if self._value is not None and self._value < 0:
            raise ValueError(f"Dimension {self._value} must be >= 0")

    @property
    def value(self) -> Optional[int]:
        return self._value

    def is_compatible_with(self, other: DimensionLike) -> bool:
        size = Dimension(other).value
        return self._value is None or size is None or self._value == size

    def assert_is_compatible_with(self, other: DimensionLike) -> None:
        if not self.is_compatible_with(other):
            raise ValueError(f"Dimensions {self} and {other} are not compatible")

    def merge_with(self, other: DimensionLike) -> Dimension:
        """The size that either knows; ValueError where both do and they differ."""
        self.assert_is_compatible_with(other)
        return Dimension(other) if self._value is None else self

    def __int__(self) -> int:
        return self.__index__()

    def __index__(self) -> int:
        if self._value is None:
            raise TypeError("the dimension is not known while the graph is built")
        return self._value

    def __eq__(self, other: object) -> bool:
        return self._value == (other.value if isinstance(other, Dimension) else other)

    def __hash__(self) -> int:
        return hash(self._value)

    def _combine(self, operator: Callable[[int, int], Any], x: DimensionLike, y: Any) -> Any:
        one, two = Dimension(x).value, Dimension(y).value
        return None if one is None or two is None else operator(one, two)

    def __add__(self, other: DimensionLike) -> Dimension:
        return Dimension(self._combine(operator.add, self, other))

    def __sub__(self, other: DimensionLike) -> Dimension:
        return Dimension(self._combine(operator.sub, self, other))

    def __rsub__(self, other: DimensionLike) -> Dimension:
        return Dimension(self._combine(operator.sub, other, self))

    def __mul__(self, other: DimensionLike) -> Dimension:
        return Dimension(self._combine(operator.mul, self, other))

    def __floordiv__(self, other: DimensionLike) -> Dimension:
        return Dimension(self._combine(operator.floordiv, self, other))

    def __rfloordiv__(self, other: DimensionLike) -> Dimension:
        return Dimension(self._combine(operator.floordiv, other, self))

    def __mod__(self, other: DimensionLike) -> Dimension:
        return Dimension(self._combine(operator.mod, self, other))

    def __rmod__(self, other: DimensionLike) -> Dimension:
        return Dimension(self._combine(operator.mod, other, self))

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


@set_module("troupe")
class TensorShape:
    """The sizes of a tensor's dimensions; each, or their number, may be unknown (None)."""

    def __init__(self, dims: ShapeLike) -> None:
        self._sizes = _sizes_of(dims)

    @property
    def rank(self) -> Optional[int]:
        return None if self._sizes is None else len(self._sizes)

    ndims = rank

    @property
    def dims(self) -> Optional[List[Dimension]]:
        return None if self._sizes is None else [Dimension(size) for size in self._sizes]

    def as_list(self) -> List[Optional[int]]:
        """The sizes; ValueError where not even their number is known."""
        return list(self._known())

    def _known(self) -> Tuple[Optional[int], ...]:
        if self._sizes is None:
            raise ValueError("as_list() is not defined on an unknown TensorShape.")
        return self._sizes

    def num_elements(self) -> Optional[int]:
        """The product of all sizes, or None where one is unknown."""
        if not self.is_fully_defined():
            return None
        count = 1
        for size in self.as_list():
            count *= size or 0
        return count

    def is_fully_defined(self) -> bool:
        return self._sizes is not None and None not in self._sizes

    def assert_is_fully_defined(self) -> None:
        if not self.is_fully_defined():
            raise ValueError(f"Shape {self} is not fully defined")

    def is_compatible_with(self, other: ShapeLike) -> bool:
        """True when some shape is compatible with both."""
        try:
            self.merge_with(other)
        except ValueError:
            return False
        return True

    def merge_with(self, other: ShapeLike) -> TensorShape:
        """The shape with the sizes that either knows; ValueError where two of them differ."""
        wanted = as_shape(other)
        try:
            return TensorShape(_native.merge_shapes(self._sizes, wanted._sizes))
        except errors.InvalidArgumentError:
            raise ValueError(f"Shapes {self} and {wanted} are not compatible") from None

    def assert_is_compatible_with(self, other: ShapeLike) -> None:
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {as_shape(other)} are incompatible")

    def most_specific_compatible_shape(self, other: ShapeLike) -> TensorShape:
        """The shape with the sizes that both have in common."""
        wanted = as_shape(other)
        if self._sizes is None or wanted._sizes is None or self.rank != wanted.rank:
            return TensorShape(None)
        both = zip(self._sizes, wanted._sizes)
        return TensorShape([one if one == two else None for one, two in both])

    def with_rank(self, rank: int) -> TensorShape:
        """The shape, of that rank; ValueError where it has another one."""
        return self.merge_with(unknown_shape(rank))

    def with_rank_at_least(self, rank: int) -> TensorShape:
        if self.rank is not None and self.rank < rank:
            raise ValueError(f"Shape {self} must have rank at least {rank}")
        return self

    def with_rank_at_most(self, rank: int) -> TensorShape:
        if self.rank is not None and self.rank > rank:
            raise ValueError(f"Shape {self} must have rank at most {rank}")
        return self

    def assert_has_rank(self, rank: int) -> None:
        if self.rank not in (None, rank):
            raise ValueError(f"Shape {self} must have rank {rank}")

    def assert_same_rank(self, other: ShapeLike) -> None:
        wanted = as_shape(other)
        if self.rank is not None and wanted.rank not in (None, self.rank):
            raise ValueError(f"Shapes {self} and {wanted} must have the same rank")

    def concatenate(self, other: ShapeLike) -> TensorShape:
        tail = as_shape(other)
        if self._sizes is None or tail._sizes is None:
            return TensorShape(None)
        return TensorShape(self._sizes + tail._sizes)

    @overload
    def __getitem__(self, key: int) -> Dimension: ...
    @overload
    def __getitem__(self, key: slice) -> TensorShape: ...
    def __getitem__(self, key: Union[int, slice]) -> Union[Dimension, TensorShape]:
        if self._sizes is None:
            return _slice_of_unknown(key) if isinstance(key, slice) else Dimension(None)
        if isinstance(key, slice):
            return TensorShape(self._sizes[key])
        return Dimension(self._sizes[key])

    def __len__(self) -> int:
        if self._sizes is None:
            raise ValueError("Cannot take the length of Shape with unknown rank.")
        return len(self._sizes)

    def __iter__(self) -> Iterator[Dimension]:
        return iter([Dimension(size) for size in self._known()])

    def __bool__(self) -> bool:
        return self._sizes is not None

    def __eq__(self, other: object) -> bool:
        try:
            return self._sizes == as_shape(other)._sizes
        except (TypeError, ValueError):
            return NotImplemented

    def __hash__(self) -> int:
        return hash(self._sizes)

    def __reduce__(self) -> Any:
        return TensorShape, (self._sizes,)

    def __repr__(self) -> str:
        return f"TensorShape({None if self._sizes is None else list(self._sizes)})"

    def __str__(self) -> str:
        if self._sizes is None:
            return "<unknown>"
        sizes = ["?" if size is None else str(size) for size in self._sizes]
        return f"({', '.join(sizes)}{',' if len(sizes) == 1 else ''})"


def _slice_of_unknown(key: slice) -> TensorShape:
    """The part of a shape of unknown rank: of a known rank where the bounds say one."""
    begin, end = key.start or 0, key.stop
    if key.step not in (None, 1) or end is None or begin < 0 or end < 0:
        return TensorShape(None)
    return unknown_shape(max(0, end - begin))


def dimension_value(dimension: Union[int, Dimension, None]) -> Optional[int]:
    """The size of a dimension, which may be a number already."""
    return dimension.value if isinstance(dimension, Dimension) else dimension


def dimension_at_index(shape: TensorShape, index: int) -> Dimension:
    """The dimension at that index, which is unknown where the rank is."""
    return Dimension(None) if shape.rank is None else shape[index]


def unknown_shape(rank: Optional[int] = None) -> TensorShape:
    """A shape of unknown sizes."""
    return TensorShape(None if rank is None else [None] * rank)


def as_dimension(value: DimensionLike) -> Dimension:
    """Converts to a Dimension."""
    return value if isinstance(value, Dimension) else Dimension(value)


def scalar() -> TensorShape:
    """The shape of a scalar."""
    return TensorShape([])


def vector(length: DimensionLike) -> TensorShape:
    """The shape of a vector."""
    return TensorShape([length])


def matrix(rows: DimensionLike, cols: DimensionLike) -> TensorShape:
    """The shape of a matrix."""
    return TensorShape([rows, cols])


ShapeLike = Union[TensorShape, Sequence[Any], int, Dimension, None, Any]


def _sizes_of(dims: ShapeLike) -> Optional[Tuple[Optional[int], ...]]:
    if dims is None:
        return None
    if isinstance(dims, TensorShape):
        return dims._sizes
    if isinstance(dims, (int, Dimension)):
        dims = [dims]
    sizes: List[Optional[int]] = []
    for size in dims:
        known = size.value if isinstance(size, Dimension) else size
        sizes.append(None if known is None or int(known) == -1 else int(known))
    return tuple(sizes)


def as_shape(shape: ShapeLike) -> TensorShape:
    """Converts to a TensorShape."""
    return shape if isinstance(shape, TensorShape) else TensorShape(shape)
