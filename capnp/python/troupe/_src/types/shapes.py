"""Static shapes: what is known of a tensor's shape while its graph is built."""

from __future__ import annotations

from typing import Any, ClassVar, Iterator, List, Optional, Sequence, Tuple, Union, overload

from troupe import _native
from troupe._src.set_module import set_module
from troupe._src.types import errors
from troupe._src.types.dimensions import Dimension, DimensionLike


@set_module("troupe")
class TensorShape:
    """The sizes of a tensor's dimensions; each, or their number, may be unknown (None).

    Args:
        dims: Sizes, each a number, a Dimension, or None or -1 where it is unknown; one size for a
            vector; None where not even their number is known; or a TensorShapeProto.
    """

    # The class of messages of shapes; its module, which imports this one, says it.
    _message: ClassVar[Any]

    def __init__(self, dims: ShapeLike) -> None:
        self._sizes = _sizes_of(dims)

    @property
    def rank(self) -> Optional[int]:
        """The number of dimensions, or None."""
        return None if self._sizes is None else len(self._sizes)

    ndims = rank

    @property
    def dims(self) -> Optional[List[Dimension]]:
        """The dimensions, or None where their number is unknown."""
        return None if self._sizes is None else [Dimension(size) for size in self._sizes]

    _dims = dims  # by which programs that copy Keras's functions look at it

    def as_list(self) -> List[Optional[int]]:
        """The sizes; ValueError where not even their number is known."""
        return list(self._known())

    def _known(self) -> Tuple[Optional[int], ...]:
        if self._sizes is None:
            raise ValueError("as_list() is not defined on an unknown TensorShape.")
        return self._sizes

    def as_proto(self) -> Any:
        """The sizes as a TensorShapeProto."""
        return self._message._of_sizes(self._sizes)

    def num_elements(self) -> Optional[int]:
        """The product of all sizes, or None where one is unknown."""
        if not self.is_fully_defined():
            return None
        count = 1
        for size in self.as_list():
            count *= size or 0
        return count

    def is_fully_defined(self) -> bool:
        """True if all sizes are known."""
        return self._sizes is not None and None not in self._sizes

    def assert_is_fully_defined(self) -> None:
        """Raises a ValueError unless all sizes are known."""
        if not self.is_fully_defined():
            raise ValueError(f"Shape {self} is not fully defined")

    def is_compatible_with(self, other: ShapeLike) -> bool:
        """Whether some shape is compatible with both.

        Args:
            other: A TensorShape, or what stands for one: sizes, or None.

        Returns:
            True or false.
        """
        try:
            self.merge_with(other)
        except ValueError:
            return False
        return True

    def merge_with(self, other: ShapeLike) -> TensorShape:
        """The shape with the sizes that either knows.

        Args:
            other: A TensorShape, or what stands for one: sizes, or None.

        Returns:
            A TensorShape.

        Raises:
            ValueError: Two sizes, or the ranks, differ.
        """
        wanted = as_shape(other)
        try:
            return TensorShape(_native.merge_shapes(self._sizes, wanted._sizes))
        except errors.InvalidArgumentError:
            raise ValueError(f"Shapes {self} and {wanted} are not compatible") from None

    def assert_is_compatible_with(self, other: ShapeLike) -> None:
        """Raises an error unless some shape is compatible with both.

        Args:
            other: A TensorShape, or what stands for one: sizes, or None.

        Raises:
            ValueError: Two sizes, or the ranks, differ.
        """
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {as_shape(other)} are incompatible")

    def most_specific_compatible_shape(self, other: ShapeLike) -> TensorShape:
        """The shape with the sizes that both have in common.

        Args:
            other: A TensorShape, or what stands for one: sizes, or None.

        Returns:
            A TensorShape, of unknown rank where the ranks differ.
        """
        wanted = as_shape(other)
        if self._sizes is None or wanted._sizes is None or self.rank != wanted.rank:
            return TensorShape(None)
        both = zip(self._sizes, wanted._sizes)
        return TensorShape([one if one == two else None for one, two in both])

    def with_rank(self, rank: int) -> TensorShape:
        """The shape, of that rank.

        Args:
            rank: The number of dimensions.

        Returns:
            A TensorShape, of unknown sizes where the rank was unknown.

        Raises:
            ValueError: It has another rank.
        """
        return self.merge_with(unknown_shape(rank))

    def with_rank_at_least(self, rank: int) -> TensorShape:
        """The shape itself, once its rank is checked.

        Args:
            rank: The least number of dimensions.

        Returns:
            The shape.

        Raises:
            ValueError: It is known to have fewer.
        """
        if self.rank is not None and self.rank < rank:
            raise ValueError(f"Shape {self} must have rank at least {rank}")
        return self

    def with_rank_at_most(self, rank: int) -> TensorShape:
        """The shape itself, once its rank is checked.

        Args:
            rank: The greatest number of dimensions.

        Returns:
            The shape.

        Raises:
            ValueError: It is known to have more.
        """
        if self.rank is not None and self.rank > rank:
            raise ValueError(f"Shape {self} must have rank at most {rank}")
        return self

    def assert_has_rank(self, rank: int) -> None:
        """Raises an error unless the rank is that, or unknown.

        Args:
            rank: The number of dimensions.

        Raises:
            ValueError: It has another rank.
        """
        if self.rank not in (None, rank):
            raise ValueError(f"Shape {self} must have rank {rank}")

    def assert_same_rank(self, other: ShapeLike) -> None:
        """Raises an error unless both ranks are equal, or one is unknown.

        Args:
            other: A TensorShape, or what stands for one: sizes, or None.

        Raises:
            ValueError: They differ.
        """
        wanted = as_shape(other)
        if self.rank is not None and wanted.rank not in (None, self.rank):
            raise ValueError(f"Shapes {self} and {wanted} must have the same rank")

    def concatenate(self, other: ShapeLike) -> TensorShape:
        """The dimensions of both, one after the other.

        Args:
            other: A TensorShape, or what stands for one: sizes, or None.

        Returns:
            A TensorShape, of unknown rank where one of both is.
        """
        tail = as_shape(other)
        if self._sizes is None or tail._sizes is None:
            return TensorShape(None)
        return TensorShape(self._sizes + tail._sizes)

    def __add__(self, other: ShapeLike) -> TensorShape:
        return self.concatenate(other)

    def __radd__(self, other: ShapeLike) -> TensorShape:
        return as_shape(other).concatenate(self)

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


def dimension_at_index(shape: TensorShape, index: int) -> Dimension:
    """The dimension at that index, which is unknown where the rank is.

    Args:
        shape: A shape.
        index: The index, negative to count from the last.

    Returns:
        A Dimension, unknown where the rank is.

    Raises:
        IndexError: There is no such dimension.
    """
    return Dimension(None) if shape.rank is None else shape[index]


def unknown_shape(rank: Optional[int] = None) -> TensorShape:
    """A shape of unknown sizes."""
    return TensorShape(None if rank is None else [None] * rank)


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


def _is_index(value: Any) -> bool:
    """Whether it is an integer of NumPy, and no array."""
    return hasattr(value, "__index__") and not hasattr(value, "__len__")


def _sizes_of(dims: ShapeLike) -> Optional[Tuple[Optional[int], ...]]:
    if dims is None:
        return None
    if isinstance(dims, TensorShape):
        return dims._sizes
    if isinstance(dims, (int, Dimension)) or _is_index(dims):
        dims = [dims]
    unknown_rank = getattr(dims, "unknown_rank", None)
    if unknown_rank is not None:  # of a TensorShapeProto, of this package or of protobuf's
        message: Any = dims
        return None if unknown_rank else _sizes_of([dim.size for dim in message.dim])
    if isinstance(dims, (str, bytes)):
        raise TypeError(f"A TensorShape cannot be made of text: {dims!r}")
    return tuple(_size_of(size) for size in (dims if hasattr(dims, "__iter__") else [dims]))


def _size_of(size: Any) -> Optional[int]:
    known = size.value if isinstance(size, Dimension) else size
    if known is None or int(known) == -1:
        return None
    if not isinstance(known, (str, bytes)) and int(known) != known:
        raise ValueError(f"Ambiguous dimension: {known}")
    return int(known)


def as_shape(shape: ShapeLike) -> TensorShape:
    """Converts to a TensorShape."""
    return shape if isinstance(shape, TensorShape) else TensorShape(shape)


def known_sizes(shape: ShapeLike) -> List[int]:
    """The sizes of a shape; ValueError where one is not known."""
    sizes = as_shape(shape)
    if not sizes.is_fully_defined():
        raise ValueError(f"a known shape is needed, not {sizes}")
    return [int(size) for size in sizes]
