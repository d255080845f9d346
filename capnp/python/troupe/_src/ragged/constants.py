"""Ragged tensors of nested lists, and those that steps are fed."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Sequence, Tuple

import numpy as np

from troupe._src.graph.scopes import name_scope
from troupe._src.ops import convert, creation_ops
from troupe._src.ragged.tensor import RaggedTensor, is_ragged
from troupe._src.ragged.value import RaggedTensorValue
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DType, DTypeLike, as_dtype
from troupe._src.types.shapes import ShapeLike, TensorShape


def constant(
    pylist: Any,
    dtype: Optional[DTypeLike] = None,
    ragged_rank: Optional[int] = None,
    inner_shape: Optional[Sequence[int]] = None,
    name: Optional[str] = None,
    row_splits_dtype: DTypeLike = dtypes.int64,
) -> Any:
    """A ragged tensor of nested lists, in which the values have one depth.

    Args:
        pylist: Lists of lists and so on, of numbers or texts.
        dtype: The dtype, by default that of the values.
        ragged_rank: The number of ragged axes, by default all that the inner shape leaves.
        inner_shape: The sizes of the axes that are uniform; by default there are none, or what
            `ragged_rank` leaves.
        name: The name scope of the nodes.
        row_splits_dtype: int32 or int64.

    Returns:
        A ragged tensor; a tensor where no axis is ragged.

    Raises:
        ValueError: Values have different depths, or do not fit the other arguments.
        TypeError: `pylist` is a ragged tensor already.
    """

    def in_rows(values: Any, splits: List[int]) -> Any:
        ends = convert.constant(splits, row_splits_dtype)
        return RaggedTensor.from_row_splits(values, ends, validate=False)

    def flat(values: Any, shape: Any) -> Any:
        wanted = None if dtype is None else as_dtype(dtype)
        array = convert.to_array(values, wanted)
        if shape is not None and array.size != np.prod(shape, dtype=np.int64):
            raise TypeError(f"Expected a value of shape {tuple(shape)}, got {array.shape}.")
        return convert.constant(array if shape is None else array.reshape(shape), wanted)

    with name_scope(name, "RaggedConstant"):
        return _nested(in_rows, flat, pylist, ragged_rank, inner_shape)


def constant_value(
    pylist: Any,
    dtype: Any = None,
    ragged_rank: Optional[int] = None,
    inner_shape: Optional[Sequence[int]] = None,
    row_splits_dtype: DTypeLike = "int64",
) -> Any:
    """As `constant`, with arrays.

    Args:
        pylist: Lists of lists and so on, of numbers or texts.
        dtype: The dtype, also as one of NumPy, by default that of the values.
        ragged_rank: The number of ragged axes, by default all that the inner shape leaves.
        inner_shape: The sizes of the axes that are uniform.
        row_splits_dtype: int32 or int64.

    Returns:
        A RaggedTensorValue; an array where no axis is ragged.

    Raises:
        ValueError: Values have different depths, or do not fit the other arguments.
        TypeError: `pylist` is a ragged tensor already.
    """
    wanted = dtype.as_numpy_dtype if isinstance(dtype, DType) else dtype
    splits_dtype = as_dtype(row_splits_dtype).as_numpy_dtype

    def in_rows(values: Any, splits: List[int]) -> Any:
        return RaggedTensorValue(values, np.array(splits, dtype=splits_dtype))

    def flat(values: Any, shape: Any) -> Any:
        array = np.array(values, dtype=wanted)
        return array if shape is None else array.reshape(shape)

    return _nested(in_rows, flat, pylist, ragged_rank, inner_shape)


def placeholder(
    dtype: DTypeLike, ragged_rank: int, value_shape: ShapeLike = None, name: Optional[str] = None
) -> Any:
    """A ragged tensor that each step that needs it must feed, with a RaggedTensorValue.

    Args:
        dtype: The dtype of the values.
        ragged_rank: The number of ragged axes.
        value_shape: The shape of each of the innermost values; None for an unknown one.
        name: The name scope of the nodes.

    Returns:
        A ragged tensor with splits of int64; a placeholder of a tensor where no axis is ragged.
    """
    if ragged_rank == 0:
        return creation_ops.placeholder(dtype, value_shape, name)
    with name_scope(name, "RaggedPlaceholder"):
        shape = TensorShape([None]).concatenate(value_shape)
        found: Any = creation_ops.placeholder(dtype, shape, "flat_values")
        for axis in reversed(range(ragged_rank)):
            splits = creation_ops.placeholder(dtypes.int64, [None], f"row_splits_{axis}")
            found = RaggedTensor(found, splits, internal=True)
        return found


def _nested(
    in_rows: Callable[[Any, List[int]], Any],
    flat: Callable[[Any, Any], Any],
    pylist: Any,
    ragged_rank: Optional[int],
    inner_shape: Optional[Sequence[int]],
) -> Any:
    if is_ragged(pylist):
        raise TypeError("pylist may not be a RaggedTensor or RaggedTensorValue.")
    inner = None if inner_shape is None else tuple(inner_shape)
    if not _is_list(pylist):
        if ragged_rank:
            raise ValueError(f"Invalid pylist={pylist!r}: incompatible with {ragged_rank=}")
        if inner:
            raise ValueError(f"Invalid pylist={pylist!r}: incompatible with {inner_shape=}")
        return flat(pylist, ())
    count = _count_of_ragged_axes(pylist, ragged_rank, inner)
    if count == 0:
        return flat(pylist, inner)
    if inner is None:
        inner = () if ragged_rank is None else _inner_shape(pylist, count)
    levels = []
    values: Any = pylist
    for _ in range(count):
        splits = [0]
        for row in values:
            splits.append(splits[-1] + len(row))
        values = [value for row in values for value in row]
        levels.append(splits)
    found = flat(values, (len(values), *inner))
    for splits in reversed(levels):
        found = in_rows(found, splits)
    return found


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple)) or np.ndim(value) != 0


def _count_of_ragged_axes(
    pylist: Any, ragged_rank: Optional[int], inner: Optional[Tuple[int, ...]]
) -> int:
    if ragged_rank is not None and ragged_rank < 0:
        raise ValueError(f"Invalid {ragged_rank=}: must be nonnegative")
    depth, most = _depths(pylist)
    if depth is not None and most > depth:
        raise ValueError(
            f"Invalid pylist={pylist!r}: empty list nesting is greater than scalar value nesting"
        )
    if ragged_rank is not None:
        if inner is not None:
            wanted = ragged_rank + len(inner) + 1
            if (depth is not None and wanted != depth) or (depth is None and wanted < most):
                raise ValueError(
                    f"Invalid pylist={pylist!r}: incompatible with {ragged_rank=} and "
                    f"dim(inner_shape)={len(inner)}"
                )
        return ragged_rank
    uniform = 0 if inner is None else len(inner)
    if most - uniform < 2:
        return 0
    return max(1, most - 1 if depth is None else depth - 1 - uniform)


def _depths(value: Any) -> Tuple[Optional[int], int]:
    """How deep values are, None without any, and how deep lists are."""
    if not _is_list(value):
        return 0, 0
    depth, most = None, 1
    for child in value:
        of_child, most_of_child = _depths(child)
        if of_child is not None:
            if depth not in (None, of_child + 1):
                raise ValueError("all scalar values must have the same nesting depth")
            depth = of_child + 1
        most = max(most, most_of_child + 1)
    return depth, most


def _inner_shape(pylist: Any, ragged_rank: int) -> Tuple[int, ...]:
    """The shape that all values behind the ragged axes have."""
    values = list(pylist)
    for axis in range(ragged_rank):
        if not all(_is_list(value) for value in values):
            raise ValueError(
                f"pylist has scalar values depth {axis + 1}, but {ragged_rank=} requires scalar "
                f"value depth greater than {ragged_rank}"
            )
        values = [inner for value in values for inner in value]
    shape = _shape_of_first(values)
    _check_shape(values, shape)
    return shape[1:]


def _shape_of_first(value: Any) -> Tuple[int, ...]:
    if not _is_list(value):
        return ()
    return (len(value), *_shape_of_first(value[0])) if len(value) else (0,)


def _check_shape(value: Any, shape: Tuple[int, ...]) -> None:
    is_list = _is_list(value)
    if is_list != bool(shape) or (is_list and len(value) != shape[0]):
        raise ValueError("inner values have inconsistent shape")
    for child in value if is_list else ():
        _check_shape(child, shape[1:])
