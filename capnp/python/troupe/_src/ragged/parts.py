"""What ragged tensors consist of."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Tuple, TypeVar

from troupe._src.framework.dispatch import note_ragged
from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import Graph
from troupe._src.graph.operand import Operand
from troupe._src.graph.scopes import name_scope
from troupe._src.ops import array_ops, creation_ops, math_ops, selection_ops
from troupe._src.ragged import rows
from troupe._src.ragged.spec import RaggedTensorSpec
from troupe._src.types.dtypes import DType, DTypeLike, as_dtype
from troupe._src.types.shapes import TensorShape, dimension_at_index

Self = TypeVar("Self", bound="RaggedParts")


class RaggedParts(Operand):
    """A tensor of values, or a ragged one, and where rows of them begin and end."""

    def __init__(
        self,
        values: Any,
        row_splits: Tensor,
        cached_row_lengths: Optional[Tensor] = None,
        cached_value_rowids: Optional[Tensor] = None,
        cached_nrows: Optional[Tensor] = None,
        internal: bool = False,
    ) -> None:
        """For this package alone: programs call the functions `from_`.

        Args:
            values: A tensor of rank 1 or higher, or a ragged tensor.
            row_splits: An int32 or int64 vector.
            cached_row_lengths: The length of each row, where it is known.
            cached_value_rowids: The row of each value, where it is known.
            cached_nrows: The number of rows, where it is known.
            internal: Whether the caller is of this package.

        Raises:
            ValueError: The caller is not, or the shapes or dtypes are others.
            TypeError: An argument is no tensor.
        """
        if not internal:
            raise ValueError(
                "RaggedTensor constructor is private; please use one of the factory methods "
                "instead (e.g., RaggedTensor.from_row_lengths())"
            )
        if not isinstance(row_splits, Tensor):
            raise TypeError(f"Row-partitioning argument must be a Tensor, got {row_splits!r}")
        if not isinstance(values, (Tensor, RaggedParts)):
            raise TypeError(f"values must be a Tensor or RaggedTensor, got {values!r}")
        if row_splits.dtype not in rows.INDEX_DTYPES:
            raise ValueError("Row-partitioning argument must be int32 or int64")
        if row_splits.shape.rank is None:
            row_splits.set_shape([None])
        row_splits.shape.assert_has_rank(1)
        values.shape.with_rank_at_least(1)
        if isinstance(values, RaggedParts) and values.row_splits.dtype != row_splits.dtype:
            raise ValueError("row_splits and values.row_splits must have the same dtype")
        note_ragged(type(self))
        self._values: Any = values
        self._row_splits = row_splits
        self._cached: Dict[str, Optional[Tensor]] = {
            "lengths": cached_row_lengths,
            "rowids": cached_value_rowids,
            "nrows": cached_nrows,
        }
        for tensor in filter(lambda each: each is not None, self._cached.values()):
            if not isinstance(tensor, Tensor) or tensor.dtype not in rows.INDEX_DTYPES:
                raise TypeError("Cached value must be an int32 or int64 Tensor or None.")

    @property
    def dtype(self) -> DType:
        """The dtype of the values."""
        found: DType = self._values.dtype
        return found

    @property
    def shape(self) -> TensorShape:
        """The static shape, in which the sizes of ragged axes are unknown."""
        count = dimension_at_index(self._row_splits.shape, 0).value
        nrows = None if count is None else count - 1
        return TensorShape([nrows, None]).concatenate(self._values.shape[1:])

    def get_shape(self) -> TensorShape:
        """The static shape, as `shape`.

        Returns:
            The shape.
        """
        return self.shape

    @property
    def ragged_rank(self) -> int:
        """The number of ragged axes: how often splits must be applied to the values."""
        return len(self.nested_row_splits)

    @property
    def values(self) -> Any:
        """The values of all rows: a tensor, or a ragged one."""
        return self._values

    @property
    def row_splits(self) -> Tensor:
        """Where each row begins in the values, and the last ends."""
        return self._row_splits

    @property
    def flat_values(self) -> Tensor:
        """The innermost values, a tensor."""
        found: Tensor = getattr(self._values, "flat_values", self._values)
        return found

    @property
    def nested_row_splits(self) -> Tuple[Tensor, ...]:
        """The splits of all ragged axes, from the outermost."""
        return (self._row_splits, *getattr(self._values, "nested_row_splits", ()))

    @property
    def graph(self) -> Graph:
        """The graph that has its tensors."""
        return self._row_splits.graph

    @property
    def op(self) -> Operation:
        """The operation that computes the innermost values."""
        return self.flat_values.op

    def consumers(self) -> List[Operation]:
        """The nodes that have one of its tensors as an input.

        Returns:
            A list, each of them once.
        """
        users = [user for part in self._components for user in part.consumers()]
        return list(dict.fromkeys(users))

    @property
    def _components(self) -> List[Tensor]:
        """The tensors that a step computes for it."""
        return [self.flat_values, *self.nested_row_splits]

    def _of_components(self: Self, tensors: Sequence[Any]) -> Self:
        """One that is made of other tensors."""
        found: Any = tensors[0]
        for splits in reversed(tensors[1:]):
            found = type(self)(found, splits, internal=True)
        made: Self = found
        return made

    @property
    def _type_spec(self) -> RaggedTensorSpec:
        return RaggedTensorSpec(self.shape, self.dtype, self.ragged_rank, self._row_splits.dtype)

    def _shape_invariant_to_type_spec(self, shape: Any) -> RaggedTensorSpec:
        return RaggedTensorSpec(shape, self.dtype, self.ragged_rank, self._row_splits.dtype)

    # Rows.

    def nrows(self, out_type: Optional[DTypeLike] = None, name: Optional[str] = None) -> Tensor:
        """The number of rows.

        Args:
            out_type: int32 or int64; by default the dtype of the splits.
            name: The name scope of the nodes.

        Returns:
            A scalar.
        """
        dtype = self._row_splits.dtype if out_type is None else as_dtype(out_type)
        with name_scope(name, "RaggedNRows", [self]):
            known = self._cached["nrows"]
            if known is not None:
                return math_ops.cast(known, dtype)
            return array_ops.shape(self._row_splits, out_type=dtype)[0] - 1

    def row_starts(self, name: Optional[str] = None) -> Tensor:
        """Where each row begins in the values.

        Args:
            name: The name scope of the nodes.

        Returns:
            A vector.
        """
        with name_scope(name, "RaggedRowStarts", [self]):
            return self._row_splits[:-1]

    def row_limits(self, name: Optional[str] = None) -> Tensor:
        """Where each row ends in the values.

        Args:
            name: The name scope of the nodes.

        Returns:
            A vector.
        """
        with name_scope(name, "RaggedRowLimits", [self]):
            return self._row_splits[1:]

    def row_lengths(self, axis: int = 1, name: Optional[str] = None) -> Any:
        """The length of each row along an axis.

        Args:
            axis: The axis.
            name: The name scope of the nodes.

        Returns:
            Integers: a vector for axis 1, a ragged tensor for greater ones, and for axis 0 a
            scalar, the number of rows.
        """
        with name_scope(name, "RaggedRowLengths", [self]):
            axis = rows.positive_axis(axis, self.shape.rank)
            if axis == 0:
                return self.nrows()
            if axis == 1:
                known = self._cached["lengths"]
                return rows.splits_to_lengths(self._row_splits) if known is None else known
            if isinstance(self._values, RaggedParts):
                return self.with_values(self._values.row_lengths(axis - 1))
            sizes = array_ops.shape(self._values, out_type=self._row_splits.dtype)
            return self.with_values(creation_ops.fill(sizes[: axis - 1], sizes[axis - 1]))

    def nested_row_lengths(self, name: Optional[str] = None) -> Tuple[Tensor, ...]:
        """The lengths of the rows of all ragged axes, from the outermost.

        Args:
            name: The name scope of the nodes.

        Returns:
            As many vectors as there are ragged axes.
        """
        with name_scope(name, "RaggedNestedRowLengths", [self]):
            is_inner = isinstance(self._values, RaggedParts)
            inner = self._values.nested_row_lengths() if is_inner else ()
            return (self.row_lengths(), *inner)

    def value_rowids(self, name: Optional[str] = None) -> Tensor:
        """The row of each value.

        Args:
            name: The name scope of the nodes.

        Returns:
            A vector of as many numbers as there are values.
        """
        known = self._cached["rowids"]
        if known is not None:
            return known
        with name_scope(name, "RaggedValueRowIds", [self]):
            return rows.row_splits_to_segment_ids(self._row_splits)

    def nested_value_rowids(self, name: Optional[str] = None) -> Tuple[Tensor, ...]:
        """The row of each value of all ragged axes, from the outermost.

        Args:
            name: The name scope of the nodes.

        Returns:
            As many vectors as there are ragged axes.
        """
        with name_scope(name, "RaggedNestedValueRowIds", [self]):
            is_inner = isinstance(self._values, RaggedParts)
            inner = self._values.nested_value_rowids() if is_inner else ()
            return (self.value_rowids(), *inner)

    def bounding_shape(
        self, axis: Any = None, name: Optional[str] = None, out_type: Optional[DTypeLike] = None
    ) -> Tensor:
        """The shape of the smallest dense tensor that holds all rows.

        Args:
            axis: The axes of which the sizes are wanted, also as a tensor; None for all.
            name: The name scope of the nodes.
            out_type: int32 or int64; by default the dtype of the splits.

        Returns:
            A vector of sizes; for one axis a scalar.
        """
        dtype = self._row_splits.dtype if out_type is None else as_dtype(out_type)
        with name_scope(name, "RaggedBoundingBox", [self, axis]):
            if isinstance(axis, int) and axis == 0:
                return self.nrows(dtype)
            longest = [rows.size_of_longest(splits) for splits in self.nested_row_splits]
            if isinstance(axis, int) and axis == 1:
                return math_ops.cast(longest[0], dtype)
            outer = [self.nrows(dtype), *(math_ops.cast(size, dtype) for size in longest)]
            inner = array_ops.shape(self.flat_values, out_type=dtype)[1:]
            sizes = array_ops.concat([array_ops.stack(outer), inner], axis=0)
            return sizes if axis is None else selection_ops.gather(sizes, axis)

    # Other values in the same rows, and splits of another dtype.

    def with_values(self: Self, new_values: Any) -> Self:
        """The same rows of other values.

        Args:
            new_values: As many values: a tensor of rank 1 or higher, or a ragged tensor.

        Returns:
            A ragged tensor.

        Raises:
            ValueError: The numbers of values differ, or the dtypes of splits do.
        """
        new_values.shape.with_rank_at_least(1)
        self._values.shape[:1].assert_is_compatible_with(new_values.shape[:1])
        if isinstance(new_values, RaggedParts):
            if new_values.row_splits.dtype != self._row_splits.dtype:
                raise ValueError(
                    "self and new_values have mismatched row_splits dtypes; use "
                    "RaggedTensor.with_row_splits_dtype() to convert them to compatible dtypes."
                )
        cached = self._cached
        return type(self)(
            new_values, self._row_splits, cached["lengths"], cached["rowids"], cached["nrows"],
            internal=True,
        )  # fmt: skip

    def with_flat_values(self: Self, new_values: Any) -> Self:
        """The same rows of all axes, of other values at the innermost.

        Args:
            new_values: As many values: a tensor of rank 1 or higher, or a ragged tensor.

        Returns:
            A ragged tensor.
        """
        if isinstance(self._values, RaggedParts):
            return self.with_values(self._values.with_flat_values(new_values))
        return self.with_values(new_values)

    def with_row_splits_dtype(self: Self, dtype: DTypeLike) -> Self:
        """The same with splits of another dtype.

        Args:
            dtype: int32 or int64.

        Returns:
            A ragged tensor; itself where its splits have that dtype.

        Raises:
            ValueError: The dtype is another.
        """
        wanted = as_dtype(dtype)
        if wanted not in rows.INDEX_DTYPES:
            raise ValueError("dtype must be int32 or int64")
        if self._row_splits.dtype == wanted:
            return self
        values = self._values
        if isinstance(values, RaggedParts):
            values = values.with_row_splits_dtype(wanted)
        lengths, rowids, nrows = (
            None if self._cached[key] is None else math_ops.cast(self._cached[key], wanted)
            for key in ("lengths", "rowids", "nrows")
        )
        splits = math_ops.cast(self._row_splits, wanted)
        return type(self)(values, splits, lengths, rowids, nrows, internal=True)

    def to_list(self) -> List[Any]:
        """What eager execution has; a step's value has it, too.

        Raises:
            ValueError: Always.
        """
        raise ValueError(
            "RaggedTensor.to_list() is only supported in eager mode; in graph mode, evaluate the "
            "RaggedTensor first and then use RaggedTensorValue.to_list()."
        )

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        """Its value in a step of the session, by default the default session.

        Args:
            feed_dict: Values of fed tensors, as for `tf.Session.run`.
            session: The session, or None.

        Returns:
            A RaggedTensorValue.
        """
        return self.graph._session_for(session).run(self, feed_dict)

    def __bool__(self) -> bool:
        raise TypeError("RaggedTensor may not be used as a boolean.")

    def __iter__(self) -> Any:
        raise TypeError("RaggedTensor objects are only iterable in eager execution.")

    def __repr__(self) -> str:
        return f"tf.RaggedTensor(values={self._values}, row_splits={self._row_splits})"
