"""Shapes with ragged axes, as tensors, and the broadcast to them."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence, Tuple

from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import control_dependencies, name_scope
from troupe._src.ops import array_ops, gen_ops, math_ops, selection_ops
from troupe._src.ops.assert_ops import Assert
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.ragged import rows
from troupe._src.ragged.parts import RaggedParts
from troupe._src.ragged.tensor import convert_to_tensor_or_ragged_tensor
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DType, DTypeLike, as_dtype


class RaggedTensorDynamicShape:
    """The sizes of the axes of a ragged tensor.

    The first axes are partitioned: the size of each is a scalar where it is uniform, or where it is
    ragged a vector of the lengths of its rows. The inner axes are uniform.
    """

    def __init__(
        self,
        partitioned_dim_sizes: Sequence[Any],
        inner_dim_sizes: Any,
        dim_size_dtype: Optional[DTypeLike] = None,
    ) -> None:
        """Of the sizes.

        Args:
            partitioned_dim_sizes: Scalars and vectors; the first is a scalar, the last a vector.
            inner_dim_sizes: A vector.
            dim_size_dtype: int32 or int64; by default the dtype of the lengths of rows.

        Raises:
            ValueError: The sizes have other ranks, or lengths two dtypes.
        """
        with name_scope(None, "RaggedTensorDynamicShape"):
            sizes = [
                convert_to_tensor(size, name=f"partitioned_dimension_size_{axis}")
                for axis, size in enumerate(partitioned_dim_sizes)
            ]
            inner = convert_to_tensor(inner_dim_sizes, name="inner_dim_sizes")
            _check_partitioned(sizes)
            inner.shape.assert_has_rank(1)
            dtype = _dtype_of(sizes) if dim_size_dtype is None else as_dtype(dim_size_dtype)
            self._partitioned_dim_sizes = tuple(math_ops.cast(size, dtype) for size in sizes)
            self._inner_dim_sizes = math_ops.cast(inner, dtype)

    @classmethod
    def from_dim_sizes(cls, dim_sizes: Sequence[Any]) -> RaggedTensorDynamicShape:
        """Of the size of each axis.

        Args:
            dim_sizes: Scalars, and vectors of the lengths of rows.

        Returns:
            The shape.

        Raises:
            ValueError: A size is neither.
        """
        with name_scope(None, "RaggedTensorDynamicShapeFromDimensionSizes"):
            sizes = [
                convert_to_tensor(size, preferred_dtype=dtypes.int64, name="dim_sizes")
                for size in dim_sizes
            ]
            ranks = [size.shape.rank for size in sizes]
            if not set(ranks) <= {0, 1}:
                raise ValueError("Each dim_size must be a scalar or a vector")
            count = max((axis + 1 for axis, rank in enumerate(ranks) if rank == 1), default=0)
            inner = sizes[count:]
            return cls(sizes[:count], array_ops.stack(inner) if inner else _no_sizes())

    @classmethod
    def from_tensor(
        cls, rt_input: Any, dim_size_dtype: Optional[DTypeLike] = None
    ) -> RaggedTensorDynamicShape:
        """That of a tensor, or a ragged one.

        Args:
            rt_input: The tensor.
            dim_size_dtype: int32 or int64; by default the dtype of the splits.

        Returns:
            The shape.
        """
        with name_scope(None, "RaggedTensorDynamicShapeFromTensor", [rt_input]):
            tensor = convert_to_tensor_or_ragged_tensor(rt_input)
            if not isinstance(tensor, RaggedParts):
                return cls([], array_ops.shape(tensor), dim_size_dtype)
            sizes = [tensor.nrows(), *tensor.nested_row_lengths()]
            return cls(sizes, array_ops.shape(tensor.flat_values)[1:], dim_size_dtype)

    @property
    def partitioned_dim_sizes(self) -> Tuple[Tensor, ...]:
        """The sizes of the first axes."""
        return self._partitioned_dim_sizes

    @property
    def inner_dim_sizes(self) -> Tensor:
        """The sizes of the other axes, a vector."""
        return self._inner_dim_sizes

    @property
    def num_partitioned_dimensions(self) -> int:
        """The number of the first axes."""
        return len(self._partitioned_dim_sizes)

    @property
    def num_inner_dimensions(self) -> Optional[int]:
        """The number of the other axes; None where it is unknown."""
        return self._inner_dim_sizes.shape[0].value

    @property
    def rank(self) -> Optional[int]:
        """The number of all axes; None where it is unknown."""
        inner = self.num_inner_dimensions
        return None if inner is None else len(self._partitioned_dim_sizes) + inner

    @property
    def dim_size_dtype(self) -> DType:
        """The dtype of the sizes."""
        return self._inner_dim_sizes.dtype

    def dimension_size(self, axis: int) -> Tensor:
        """The size of an axis.

        Args:
            axis: Its number.

        Returns:
            A scalar, or a vector of the lengths of its rows.

        Raises:
            TypeError: The number is no integer.
        """
        if not isinstance(axis, int):
            raise TypeError("axis must be an integer")
        outer = len(self._partitioned_dim_sizes)
        if axis < outer:
            return self._partitioned_dim_sizes[axis]
        return self._inner_dim_sizes[axis - outer]

    def is_ragged(self, axis: int) -> bool:
        """Whether the rows along an axis have different lengths.

        Args:
            axis: Its number.

        Returns:
            The answer.

        Raises:
            TypeError: The number is no integer.
            ValueError: There is no such axis.
        """
        if not isinstance(axis, int):
            raise TypeError("axis must be an integer")
        if axis < 0:
            raise ValueError("Negative axis values are not supported")
        if self.rank is not None and axis >= self.rank:
            raise ValueError(f"Expected axis={axis} < rank={self.rank}")
        sizes = self._partitioned_dim_sizes
        return axis < len(sizes) and sizes[axis].shape.rank == 1

    def num_slices_in_dimension(self, axis: int) -> Tensor:
        """How many slices there are along an axis, in all rows of it.

        Args:
            axis: Its number; -1 for the whole.

        Returns:
            A scalar.
        """
        if axis < 0:
            return constant(1, self.dim_size_dtype)
        if self.is_ragged(axis):
            return math_ops.reduce_sum(self._partitioned_dim_sizes[axis])
        return self.dimension_size(axis) * self.num_slices_in_dimension(axis - 1)

    def broadcast_to_rank(self, rank: int) -> RaggedTensorDynamicShape:
        """With axes of size 1 before it.

        Args:
            rank: How many axes the result has.

        Returns:
            The shape.

        Raises:
            ValueError: There are more already, or it is unknown how many.
        """
        if self.rank is None:
            raise ValueError("Unable to broadcast: self.rank is unknown")
        count = rank - self.rank
        if count < 0:
            raise ValueError(
                f"Unable to broadcast: rank={rank} must be greater than self.rank={self.rank}."
            )
        if count == 0:
            return self
        if self._partitioned_dim_sizes:
            outer = (*[1] * count, *self._partitioned_dim_sizes)
            return RaggedTensorDynamicShape(outer, self._inner_dim_sizes)
        ones = constant([1] * count, self.dim_size_dtype)
        return RaggedTensorDynamicShape(
            [], array_ops.concat([ones, self._inner_dim_sizes], axis=0), self.dim_size_dtype
        )

    def broadcast_dimension(self, axis: int, lengths: Any) -> RaggedTensorDynamicShape:
        """With an axis broadcast to a size, or to the lengths of rows. Steps fail where it cannot.

        Args:
            axis: Its number.
            lengths: A scalar or a vector.

        Returns:
            The shape.

        Raises:
            ValueError: The lengths have another rank, or the first axis would be ragged.
        """
        wanted = rows.to_int_tensor(lengths, "lengths", self.dim_size_dtype)
        if wanted.shape.rank not in (0, 1):
            raise ValueError("lengths must be a scalar or vector of known rank")
        is_scalar = wanted.shape.rank == 0
        size = self.dimension_size(axis)
        if self.is_ragged(axis):
            fits = gen_ops.equal(wanted, 1) if is_scalar else _are_equal(wanted, size)
        else:
            fits = gen_ops.equal(size, 1)
            if is_scalar:
                either = gen_ops.logical_or(gen_ops.equal(wanted, 1), gen_ops.equal(size, wanted))
                fits = gen_ops.logical_or(fits, either)
        shown = ["Unable to broadcast: dimension size mismatch in dimension", axis, "lengths=",
                 wanted, "dim_size=", size]  # fmt: skip
        with control_dependencies([Assert(fits, shown, summarize=10)]):
            if axis >= self.num_partitioned_dimensions:
                return self._with_inner(axis, wanted, size)
            if self.is_ragged(axis):
                inner = array_ops.identity(self._inner_dim_sizes)
                return RaggedTensorDynamicShape(self._partitioned_dim_sizes, inner)
            return self._with_partitioned(axis, wanted, size)

    def _with_partitioned(
        self, axis: int, lengths: Tensor, size: Tensor
    ) -> RaggedTensorDynamicShape:
        """In place of a uniform axis; the rows of those below it are repeated with it."""
        if lengths.shape.rank == 0:
            is_one = gen_ops.equal(size, 1)
            repeats = selection_ops.where(is_one, lengths, constant(1, lengths.dtype))
            lengths = selection_ops.where(is_one, lengths, size)
            zero = constant(0, lengths.dtype)
            splits = array_ops.stack([zero, self.num_slices_in_dimension(axis)])
        else:
            splits = math_ops.range(array_ops.size(lengths, out_type=self.dim_size_dtype) + 1)
            repeats = lengths
        sizes: List[Tensor] = [*self._partitioned_dim_sizes[:axis], lengths]
        for below in self._partitioned_dim_sizes[axis + 1 :]:
            if below.shape.rank == 0:
                sizes.append(below)
                splits = splits * below
            else:
                sizes.append(rows.repeat_ranges(below, splits, repeats))
                splits = selection_ops.gather(rows.lengths_to_splits(below), splits)
        return RaggedTensorDynamicShape(sizes, self._inner_dim_sizes)

    def _with_inner(self, axis: int, lengths: Tensor, size: Tensor) -> RaggedTensorDynamicShape:
        place = axis - self.num_partitioned_dimensions
        inner = self._inner_dim_sizes
        if lengths.shape.rank == 0:
            new = selection_ops.where(gen_ops.equal(size, 1), lengths, size)
            sizes = [inner[:place], array_ops.reshape(new, [1]), inner[place + 1 :]]
            return RaggedTensorDynamicShape(
                self._partitioned_dim_sizes, array_ops.concat(sizes, axis=0), self.dim_size_dtype
            )
        if axis == 0:
            raise ValueError("Unable to broadcast: outermost dimension must be uniform.")
        between = [inner[each] for each in range(place)]
        outer = [*self._partitioned_dim_sizes, *between, lengths]
        return RaggedTensorDynamicShape(outer, inner[place + 1 :])

    def with_dim_size_dtype(self, dtype: DTypeLike) -> RaggedTensorDynamicShape:
        """With sizes of another dtype.

        Args:
            dtype: int32 or int64.

        Returns:
            The shape.

        Raises:
            ValueError: The dtype is another.
        """
        wanted = as_dtype(dtype)
        if wanted not in rows.INDEX_DTYPES:
            raise ValueError("dtype must be int32 or int64")
        if wanted == self.dim_size_dtype:
            return self
        return RaggedTensorDynamicShape(
            self._partitioned_dim_sizes, self._inner_dim_sizes, dim_size_dtype=wanted
        )

    def __repr__(self) -> str:
        return (
            f"RaggedTensorDynamicShape(partitioned_dim_sizes={self._partitioned_dim_sizes!r}, "
            f"inner_dim_sizes={self._inner_dim_sizes!r})"
        )


def _no_sizes() -> Tensor:
    return constant([], dtypes.int64, [0])


def _check_partitioned(sizes: Sequence[Tensor]) -> None:
    for axis, size in enumerate(sizes):
        if size.shape.rank is None:
            raise ValueError(f"rank of partitioned_dim_sizes[{axis}] is unknown")
        size.shape.with_rank_at_most(1)
    if sizes and sizes[0].shape.rank == 1:
        raise ValueError("outermost partitioned dimension must be uniform")
    if sizes and sizes[-1].shape.rank == 0:
        raise ValueError("innermost partitioned dimension must be ragged")


def _dtype_of(sizes: Sequence[Tensor]) -> DType:
    found = {size.dtype for size in sizes if size.shape.rank == 1}
    if len(found) > 1:
        raise ValueError("partitioned_dim_sizes must have matching dtypes")
    return next(iter(found), dtypes.int64)


def _are_equal(one: Tensor, other: Tensor) -> Tensor:
    return math_ops.reduce_all(gen_ops.equal(one, other))
