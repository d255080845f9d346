"""Ragged tensors of dense and sparse ones, and the reverse."""

from __future__ import annotations

from typing import Any, List, Optional, Type, TypeVar

from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import control_dependencies, name_scope
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import (
    array_ops, creation_ops, gen_ops, math_ops, raw_ops, rearrange_ops, segment_ops, selection_ops,
)  # fmt: skip
from troupe._src.ops.assert_ops import Assert
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.ops.sparse_tensor import (
    SparseTensor, SparseTensorValue, convert_to_tensor_or_sparse_tensor,
)  # fmt: skip
from troupe._src.ragged import rows
from troupe._src.ragged.factories import RaggedFactories
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DType, DTypeLike, as_dtype

Self = TypeVar("Self", bound="RaggedConversions")


class RaggedConversions(RaggedFactories):
    """The functions between ragged tensors and others."""

    @classmethod
    def from_tensor(
        cls: Type[Self], tensor: TensorLike, lengths: Any = None,
        padding: Optional[TensorLike] = None, ragged_rank: int = 1, name: Optional[str] = None,
        row_splits_dtype: DTypeLike = dtypes.int64,
    ) -> Self:  # fmt: skip
        """The rows of a dense tensor.

        Args:
            tensor: A tensor of a rank greater than `ragged_rank`.
            lengths: How much of each row is kept: a vector, or a list of vectors of what is kept
                along axis 1, 2 and so on; None for all of it.
            padding: The value at the ends of rows that is left out: of the shape of what a row
                has; None for none.
            ragged_rank: The number of ragged axes.
            name: The name scope of the nodes.
            row_splits_dtype: int32 or int64.

        Returns:
            A ragged tensor.

        Raises:
            ValueError: Both lengths and a padding are given, or the rank is too small.
            TypeError: `ragged_rank` is no integer.
        """
        dtype = as_dtype(row_splits_dtype)
        if lengths is not None and padding is not None:
            raise ValueError("Specify lengths or padding, but not both")
        if not isinstance(ragged_rank, int):
            raise TypeError(f"ragged_rank expected int, got {ragged_rank!r}")
        if ragged_rank <= 0:
            raise ValueError(f"ragged_rank must be greater than 0; got {ragged_rank}")
        with name_scope(name, "RaggedFromTensor", [tensor, lengths, padding]):
            dense = convert_to_tensor(tensor, name="tensor")
            dense.shape.with_rank_at_least(ragged_rank + 1)
            if _is_nested(lengths):
                nested: Self = _with_nested_lengths(cls, dense, lengths)
                return nested
            sizes = array_ops.shape(dense, out_type=dtype)
            splits = _uniform_splits(sizes, ragged_rank)
            if padding is not None:
                outer = _joined_axes(dense, sizes, ragged_rank - 1)
                lengths = _lengths_without(outer, padding, dtype)
            if lengths is not None:
                kept = rows.to_int_tensor(lengths, "lengths", dtype)
                inner: Any = _with_lengths(cls, _joined_axes(dense, sizes, ragged_rank - 1), kept)
            else:
                inner = cls(_joined_axes(dense, sizes, ragged_rank), splits[-1], internal=True)
            found: Self = cls.from_nested_row_splits(inner, splits[:-1], validate=False)
            return found

    def to_tensor(
        self, default_value: Optional[TensorLike] = None, name: Optional[str] = None
    ) -> Tensor:
        """A dense tensor, in which rows are as long as the longest.

        Args:
            default_value: What is behind the end of a row, in a shape that broadcasts to that of
                what rows have; by default zero, or an empty string.
            name: The name scope of the nodes.

        Returns:
            A tensor of the same rank.

        Raises:
            ValueError: The default value has too many axes.
        """
        with name_scope(name, "RaggedToTensor", [self, default_value]):
            values, splits = self._values, self._row_splits
            default = default_value
            if default is not None:
                default = convert_to_tensor(default, self.dtype, name="default_value")
            if isinstance(values, RaggedConversions):
                values = values.to_tensor(default)
            sizes = array_ops.shape(values, out_type=splits.dtype)
            filler = _filler(values, default)
            count = rows.size_of_longest(splits)
            places = array_ops.expand_dims(splits[:-1], 1) + math_ops.range(count)
            is_value = gen_ops.less(places, array_ops.expand_dims(splits[1:], 1))
            # Behind the values is the default, which all other places name.
            behind = creation_ops.fill(array_ops.shape(places), sizes[0])
            with_filler = array_ops.concat([values, array_ops.expand_dims(filler, 0)], axis=0)
            return selection_ops.gather(
                with_filler, selection_ops.where(is_value, places, behind)
            )

    @classmethod
    def from_sparse(
        cls: Type[Self], st_input: Any, name: Optional[str] = None,
        row_splits_dtype: DTypeLike = dtypes.int64,
    ) -> Self:  # fmt: skip
        """The rows of a sparse tensor whose elements are at the beginnings of rows.

        Args:
            st_input: A SparseTensor of rank 2. Steps fail where a row has a gap.
            name: The name scope of the nodes.
            row_splits_dtype: int32 or int64.

        Returns:
            A ragged tensor.

        Raises:
            TypeError: The input is no sparse tensor.
            ValueError: Its rank is not 2.
        """
        dtype = as_dtype(row_splits_dtype)
        if not isinstance(st_input, (SparseTensor, SparseTensorValue)):
            raise TypeError(f"Expected SparseTensor, got {type(st_input).__name__}")
        with name_scope(name, "RaggedFromSparse", [st_input]):
            sparse = convert_to_tensor_or_sparse_tensor(st_input)
            ranks = [sparse.dense_shape.shape[0].value, sparse.indices.shape[1].value]
            if 2 not in ranks:
                raise ValueError("rank(st_input) must be 2")
            with control_dependencies([_check_no_gaps(sparse.indices)]):
                rowids = math_ops.cast(sparse.indices[:, 0], dtype)
                count = math_ops.cast(sparse.dense_shape[0], dtype)
                return cls.from_value_rowids(sparse.values, rowids, count, validate=False)

    def to_sparse(self, name: Optional[str] = None) -> SparseTensor:
        """A sparse tensor with an entry for each element.

        Args:
            name: The name of the node.

        Returns:
            A SparseTensor of the same rank.
        """
        with name_scope(name, "RaggedToSparse", [self]):
            return SparseTensor(
                *raw_ops.RaggedTensorToSparse(
                    rt_nested_splits=list(self.nested_row_splits), rt_dense_values=self.flat_values
                )
            )


def _is_nested(lengths: Any) -> bool:
    """Whether they are a list of vectors."""
    is_list = isinstance(lengths, (list, tuple)) and len(lengths) > 0
    return is_list and not isinstance(lengths[0], (int, float))


def _with_nested_lengths(cls: Any, dense: Tensor, lengths: Any) -> Any:
    dense.shape.with_rank_at_least(len(lengths) + 1)
    count = math_ops.reduce_sum(convert_to_tensor(lengths[-1]))
    ones = creation_ops.fill([count], True)
    kept = cls.from_nested_row_lengths(ones, lengths, validate=False)
    mask = _padded_to(kept.to_tensor(default_value=False), dense)
    values = rearrange_ops.boolean_mask(dense, mask)
    return cls.from_nested_row_lengths(values, lengths, validate=False)


def _padded_to(mask: Tensor, dense: Tensor) -> Tensor:
    """The mask, with nothing more from what the longest rows do not reach."""
    rank = mask.shape.rank
    sizes = array_ops.shape(dense)[:rank]
    missing = gen_ops.maximum(sizes - array_ops.shape(mask), 0)
    paddings = array_ops.stack([creation_ops.zeros_like(missing), missing], axis=1)
    padded: Tensor = raw_ops.Pad(input=mask, paddings=paddings)
    return padded


def _uniform_splits(sizes: Tensor, count: int) -> List[Tensor]:
    """The splits of the first ragged axes of what is dense."""
    outer = segment_ops.cumprod(sizes)
    return [
        math_ops.range(constant(0, sizes.dtype), outer[axis] + 1) * sizes[axis + 1]
        for axis in range(count)
    ]


def _joined_axes(dense: Tensor, sizes: Tensor, count: int) -> Tensor:
    """With the first axis and `count` that follow as one."""
    if count == 0:
        return dense
    first = math_ops.reduce_prod(sizes[: count + 1], axis=0, keepdims=True)
    return array_ops.reshape(dense, array_ops.concat([first, sizes[count + 1 :]], axis=0))


def _lengths_without(dense: Tensor, padding: Any, dtype: DType) -> Tensor:
    """How much of each row comes before nothing but paddings."""
    filler = convert_to_tensor(padding, dense.dtype, name="padding")
    filler.shape.assert_is_compatible_with(dense.shape[2:])
    same = gen_ops.equal(filler, dense)
    sizes = array_ops.shape(dense)
    inner = math_ops.reduce_prod(sizes[2:], axis=0, keepdims=True)
    same = array_ops.reshape(same, array_ops.concat([sizes[:2], inner], axis=0))
    is_value = gen_ops.logical_not(math_ops.reduce_all(same, axis=2))
    columns = array_ops.shape(dense, out_type=dtype)[1]
    numbers = math_ops.range(constant(1, dtype), columns + 1)
    lengths = math_ops.cast(is_value, dtype) * numbers
    return gen_ops.maximum(math_ops.reduce_max(lengths, axis=1), constant(0, dtype))


def _with_lengths(cls: Any, dense: Tensor, lengths: Tensor) -> Any:
    lengths.shape.assert_has_rank(1)
    columns = array_ops.shape(dense, out_type=lengths.dtype)[1]
    kept = gen_ops.maximum(gen_ops.minimum(lengths, columns), constant(0, lengths.dtype))
    mask = rearrange_ops.sequence_mask(kept, maxlen=columns)
    values = rearrange_ops.boolean_mask(dense, mask)
    return cls.from_row_splits(values, rows.lengths_to_splits(kept), validate=False)


def _filler(values: Tensor, default: Optional[Tensor]) -> Tensor:
    """What a place behind the end of a row has, in the shape of a value."""
    if values.shape.rank is not None and values.shape[1:].is_fully_defined():
        sizes: Any = values.shape[1:].as_list()
    else:
        sizes = array_ops.shape(values)[1:]
    if default is None:
        return creation_ops.zeros(sizes, values.dtype)
    if values.shape.rank is not None:
        default.shape.with_rank_at_most(values.shape.rank - 1)
    return default if default.shape.rank == 0 and sizes == [] else array_ops.broadcast_to(
        default, sizes
    )


def _check_no_gaps(indices: Tensor) -> Any:
    """Fails unless the entries of each row have the columns 0, 1 and so on."""
    row, column = indices[:, 0], indices[:, 1]
    is_first = gen_ops.not_equal(row[1:], row[:-1])
    expected = selection_ops.where(
        is_first, creation_ops.zeros_like(column[1:]), column[:-1] + 1
    )
    holds = gen_ops.logical_and(
        math_ops.reduce_all(gen_ops.equal(column[:1], 0)),
        math_ops.reduce_all(gen_ops.equal(column[1:], expected)),
    )
    return Assert(holds, ["SparseTensor is not right-ragged", "SparseTensor.indices =", indices])
