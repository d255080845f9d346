"""Ragged tensors of values, and of what says where their rows are."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence, Tuple, Type, TypeVar

import numpy as np

from troupe._src.checks.rank_ops import assert_rank, assert_rank_at_least
from troupe._src.framework.static_values import get_static_value
from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import array_ops, assert_ops, math_ops, segment_ops
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.ragged import rows
from troupe._src.ragged.parts import RaggedParts
from troupe._src.types import dtypes

Self = TypeVar("Self", bound="RaggedFactories")


class RaggedFactories(RaggedParts):
    """The functions that make ragged tensors of their parts."""

    @classmethod
    def from_row_splits(
        cls: Type[Self], values: Any, row_splits: TensorLike, name: Optional[str] = None,
        validate: bool = True,
    ) -> Self:  # fmt: skip
        """Row i has the values between the splits i and i + 1.

        Args:
            values: A tensor of rank 1 or higher, or a ragged tensor.
            row_splits: int32 or int64, from 0 to the number of values, which do not fall.
            name: The name scope of the nodes.
            validate: Whether steps check the splits.

        Returns:
            A ragged tensor.

        Raises:
            ValueError: The splits are no such vector.
        """
        _check_flag(validate)
        if isinstance(row_splits, (list, tuple)) and not row_splits:
            raise ValueError("row_splits tensor may not be empty.")
        with name_scope(name, "RaggedFromRowSplits", [values, row_splits]):
            values, splits = _converted(values, row_splits, "row_splits")
            if validate:
                message = "Arguments to from_row_splits do not form a valid RaggedTensor"
                splits = rows.after(
                    [
                        *_rank_checks(values, splits, message),
                        assert_ops.assert_equal(
                            splits[0], constant(0, splits.dtype), message=message
                        ),
                        _check_not_falling(splits, message),
                        assert_ops.assert_equal(
                            splits[-1], row_count(values, splits.dtype), message=message
                        ),
                    ],
                    splits,
                )
            return cls(values, splits, internal=True)

    @classmethod
    def from_value_rowids(
        cls: Type[Self], values: Any, value_rowids: TensorLike,
        nrows: Optional[TensorLike] = None, name: Optional[str] = None, validate: bool = True,
    ) -> Self:  # fmt: skip
        """Each value is in the row with its number.

        Args:
            values: A tensor of rank 1 or higher, or a ragged tensor.
            value_rowids: int32 or int64, one for each value, which do not fall.
            nrows: The number of rows; by default one more than the last of these numbers.
            name: The name scope of the nodes.
            validate: Whether steps check the numbers.

        Returns:
            A ragged tensor.

        Raises:
            ValueError: The numbers are no such vector, or there are too few rows.
        """
        _check_flag(validate)
        with name_scope(name, "RaggedFromValueRowIds", [values, value_rowids, nrows]):
            values, rowids = _converted(values, value_rowids, "value_rowids")
            count = _count_of_rows(rowids, nrows)
            count.shape.assert_has_rank(0)
            values.shape[:1].assert_is_compatible_with(rowids.shape)
            if validate:
                message = "Arguments to from_value_rowids do not form a valid RaggedTensor"
                rowids = rows.after(
                    [
                        *_rank_checks(values, rowids, message),
                        assert_rank(count, 0, message=message),
                        assert_ops.assert_equal(
                            row_count(values), row_count(rowids), message=message
                        ),
                        assert_ops.assert_non_negative(rowids[:1], message=message),
                        _check_not_falling(rowids, message),
                        assert_ops.assert_less(rowids[-1:], count, message=message),
                    ],
                    rowids,
                )
            size = math_ops.cast(count, dtypes.int32)
            lengths = segment_ops.bincount(
                math_ops.cast(rowids, dtypes.int32), minlength=size, maxlength=size,
                dtype=rowids.dtype,
            )  # fmt: skip
            splits = rows.lengths_to_splits(lengths)
            known = get_static_value(count)
            if known is not None:
                lengths.set_shape([int(known)])
                splits.set_shape([int(known) + 1])
            return cls(values, splits, lengths, rowids, count, internal=True)

    @classmethod
    def from_row_lengths(
        cls: Type[Self], values: Any, row_lengths: TensorLike, name: Optional[str] = None,
        validate: bool = True,
    ) -> Self:  # fmt: skip
        """Rows of those lengths.

        Args:
            values: A tensor of rank 1 or higher, or a ragged tensor.
            row_lengths: int32 or int64, whose sum is the number of values.
            name: The name scope of the nodes.
            validate: Whether steps check the lengths.

        Returns:
            A ragged tensor.

        Raises:
            ValueError: The lengths are no such vector.
        """
        _check_flag(validate)
        with name_scope(name, "RaggedFromRowLengths", [values, row_lengths]):
            values, lengths = _converted(values, row_lengths, "row_lengths")
            if validate:
                message = "Arguments to from_row_lengths do not form a valid RaggedTensor"
                lengths = rows.after(
                    [
                        *_rank_checks(values, lengths, message),
                        assert_ops.assert_non_negative(lengths, message=message),
                        assert_ops.assert_equal(
                            math_ops.reduce_sum(lengths), row_count(values, lengths.dtype),
                            message=message,
                        ),
                    ],
                    lengths,
                )  # fmt: skip
            return cls(values, rows.lengths_to_splits(lengths), lengths, internal=True)

    @classmethod
    def from_row_starts(
        cls: Type[Self], values: Any, row_starts: TensorLike, name: Optional[str] = None,
        validate: bool = True,
    ) -> Self:  # fmt: skip
        """Rows that begin at those values; the last takes what is left.

        Args:
            values: A tensor of rank 1 or higher, or a ragged tensor.
            row_starts: int32 or int64, from 0 on, which do not fall.
            name: The name scope of the nodes.
            validate: Whether steps check them.

        Returns:
            A ragged tensor.

        Raises:
            ValueError: They are no such vector.
        """
        _check_flag(validate)
        with name_scope(name, "RaggedFromRowStarts", [values, row_starts]):
            values, starts = _converted(values, row_starts, "row_starts")
            count = row_count(values, starts.dtype)
            if validate:
                message = "Arguments to from_row_starts do not form a valid RaggedTensor"
                starts = rows.after(
                    [
                        *_rank_checks(values, starts, message),
                        assert_ops.assert_equal(
                            starts[:1], constant(0, starts.dtype), message=message
                        ),
                        _check_not_falling(starts, message),
                        assert_ops.assert_less_equal(starts[-1:], count, message=message),
                    ],
                    starts,
                )
            splits = array_ops.concat([starts, array_ops.reshape(count, [1])], axis=0)
            return cls(values, splits, internal=True)

    @classmethod
    def from_row_limits(
        cls: Type[Self], values: Any, row_limits: TensorLike, name: Optional[str] = None,
        validate: bool = True,
    ) -> Self:  # fmt: skip
        """Rows that end before those values.

        Args:
            values: A tensor of rank 1 or higher, or a ragged tensor.
            row_limits: int32 or int64, up to the number of values, which do not fall.
            name: The name scope of the nodes.
            validate: Whether steps check them.

        Returns:
            A ragged tensor.

        Raises:
            ValueError: They are no such vector.
        """
        _check_flag(validate)
        with name_scope(name, "RaggedFromRowLimits", [values, row_limits]):
            values, limits = _converted(values, row_limits, "row_limits")
            if validate:
                message = "Arguments to from_row_limits do not form a valid RaggedTensor"
                count = row_count(values, limits.dtype)
                limits = rows.after(
                    [
                        *_rank_checks(values, limits, message),
                        assert_ops.assert_non_negative(limits[:1], message=message),
                        _check_not_falling(limits, message),
                        assert_ops.assert_equal(limits[-1:], count, message=message),
                    ],
                    limits,
                )
            splits = array_ops.concat([constant([0], limits.dtype), limits], axis=0)
            return cls(values, splits, internal=True)

    @classmethod
    def from_nested_row_splits(
        cls, flat_values: Any, nested_row_splits: Sequence[TensorLike],
        name: Optional[str] = None, validate: bool = True,
    ) -> Any:  # fmt: skip
        """Rows of rows, by the splits of each ragged axis.

        Args:
            flat_values: A tensor of rank 1 or higher.
            nested_row_splits: The splits of the outermost axis first.
            name: The name scope of the nodes.
            validate: Whether steps check the splits.

        Returns:
            A ragged tensor; the values where there are no splits.

        Raises:
            TypeError: The splits are a tensor.
        """
        _check_flag(validate)
        _check_list(nested_row_splits, "nested_row_splits")
        with name_scope(name, "RaggedFromNestedRowSplits", [flat_values, *nested_row_splits]):
            for splits in reversed(nested_row_splits):
                flat_values = cls.from_row_splits(flat_values, splits, validate=validate)
            return flat_values

    @classmethod
    def from_nested_row_lengths(
        cls, flat_values: Any, nested_row_lengths: Sequence[TensorLike],
        name: Optional[str] = None, validate: bool = True,
    ) -> Any:  # fmt: skip
        """Rows of rows, by the lengths of rows of each ragged axis.

        Args:
            flat_values: A tensor of rank 1 or higher.
            nested_row_lengths: The lengths of the outermost axis first.
            name: The name scope of the nodes.
            validate: Whether steps check the lengths.

        Returns:
            A ragged tensor; the values where there are no lengths.

        Raises:
            TypeError: The lengths are a tensor.
        """
        _check_flag(validate)
        _check_list(nested_row_lengths, "nested_row_lengths")
        with name_scope(name, "RaggedFromNestedRowlengths", [flat_values, *nested_row_lengths]):
            for lengths in reversed(nested_row_lengths):
                flat_values = cls.from_row_lengths(flat_values, lengths, validate=validate)
            return flat_values

    @classmethod
    def from_nested_value_rowids(
        cls, flat_values: Any, nested_value_rowids: Sequence[TensorLike],
        nested_nrows: Optional[Sequence[Any]] = None, name: Optional[str] = None,
        validate: bool = True,
    ) -> Any:  # fmt: skip
        """Rows of rows, by the row of each value of each ragged axis.

        Args:
            flat_values: A tensor of rank 1 or higher.
            nested_value_rowids: The numbers of rows of the outermost axis first.
            nested_nrows: How many rows each axis has; by default what the numbers say.
            name: The name scope of the nodes.
            validate: Whether steps check the numbers.

        Returns:
            A ragged tensor; the values where there are no numbers.

        Raises:
            TypeError: The numbers are a tensor.
            ValueError: The lists have different lengths.
        """
        _check_flag(validate)
        _check_list(nested_value_rowids, "nested_value_rowids")
        counts: List[Any] = [None] * len(nested_value_rowids)
        if nested_nrows is not None:
            _check_list(nested_nrows, "nested_nrows")
            counts = list(nested_nrows)
        if len(counts) != len(nested_value_rowids):
            raise ValueError("nested_nrows must have the same length as nested_value_rowids")
        with name_scope(name, "RaggedFromNestedValueRowIds", [flat_values]):
            for rowids, count in reversed(list(zip(nested_value_rowids, counts))):
                flat_values = cls.from_value_rowids(flat_values, rowids, count, validate=validate)
            return flat_values


def row_count(values: Any, dtype: Any = dtypes.int32) -> Tensor:
    """How many values there are along the first axis."""
    if isinstance(values, RaggedParts):
        return values.nrows(dtype)
    return array_ops.shape(values, out_type=dtype)[0]


def _converted(values: Any, partition: Any, name: str) -> Tuple[Any, Tensor]:
    """Values, and a vector of int32 or int64 in the dtype of their splits."""
    if isinstance(values, RaggedParts):
        dtype = values.row_splits.dtype
        if not isinstance(partition, Tensor):
            partition = convert_to_tensor(partition, dtype, name=name)
    else:
        values = convert_to_tensor(values, name="values")
        is_narrow = isinstance(partition, np.ndarray) and partition.dtype == np.int32
        preferred = dtypes.int32 if is_narrow else dtypes.int64
        partition = convert_to_tensor(partition, preferred_dtype=preferred, name=name)
        dtype = partition.dtype
    if partition.dtype not in rows.INDEX_DTYPES:
        raise ValueError(f"{name} must have dtype int32 or int64")
    if partition.dtype != dtype:
        raise ValueError(
            f"dtype mismatch: {name} ({partition.dtype}) vs values.row_splits ({dtype})"
        )
    partition.shape.assert_has_rank(1)
    return values, partition


def _count_of_rows(rowids: Tensor, nrows: Any) -> Tensor:
    known = get_static_value(rowids)
    last = None if known is None else int(known[-1]) if known.size else -1
    if nrows is None and last is None:
        before_first = constant([-1], rowids.dtype)
        return array_ops.concat([rowids[-1:], before_first], axis=0)[0] + 1
    if nrows is None:
        assert last is not None
        return constant(last + 1, rowids.dtype, name="nrows")
    count = convert_to_tensor(nrows, rowids.dtype, name="nrows")
    known_count = get_static_value(count)
    if known_count is not None and known_count < 0:
        raise ValueError(f"Expected nrows >= 0; got {known_count}")
    if known_count is not None and last is not None and known_count < last + 1:
        raise ValueError(
            f"Expected nrows >= value_rowids[-1] + 1; got nrows={known_count}, "
            f"value_rowids[-1]={last}"
        )
    return count


def _rank_checks(values: Any, partition: Tensor, message: str) -> List[Any]:
    checks: List[Any] = [assert_rank(partition, 1, message=message)]
    if not isinstance(values, RaggedParts):
        checks.append(assert_rank_at_least(values, 1))
    return checks


def _check_not_falling(tensor: Tensor, message: str) -> Any:
    return assert_ops.assert_non_negative(tensor[1:] - tensor[:-1], message=message)


def _check_flag(validate: Any) -> None:
    if not isinstance(validate, bool):
        raise TypeError("validate must have type bool")


def _check_list(value: Any, name: str) -> None:
    if isinstance(value, Tensor):
        raise TypeError(f"{name} must be a list of Tensors")
