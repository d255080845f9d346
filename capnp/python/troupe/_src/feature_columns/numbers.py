"""Columns of numbers: as they are, and in buckets."""

from __future__ import annotations

from typing import Any, Callable, Dict, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from troupe._src.feature_columns.column import (
    CategoricalColumn,
    DenseColumn,
    IdsAndWeights,
    Transformed,
    VariableOptions,
)
from troupe._src.graph.elements import Tensor
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops
from troupe._src.ops.sparse_tensor import SparseTensor
from troupe._src.parsing.feature_configs import FixedLenFeature
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DType, DTypeLike, as_dtype
from troupe._src.types.shapes import TensorShape


class _NumericFields(NamedTuple):
    key: str
    shape: Tuple[int, ...]
    default_value: Any
    dtype: DType
    normalizer_fn: Optional[Callable[[Any], Any]]


class NumericColumn(_NumericFields, DenseColumn):
    """A feature of numbers."""

    @property
    def name(self) -> str:
        return self.key

    @property
    def parse_example_spec(self) -> Dict[str, Any]:
        return {self.key: FixedLenFeature(self.shape, self.dtype, self.default_value)}

    def transform(self, features: Transformed) -> Tensor:
        given = features.get(self.key)
        if isinstance(given, SparseTensor):
            raise ValueError(
                "The corresponding Tensor of numerical column must be a Tensor. SparseTensor is "
                f"not supported. key: {self.key}"
            )
        value = given if self.normalizer_fn is None else self.normalizer_fn(given)
        return math_ops.cast(value, dtypes.float32)

    @property
    def variable_shape(self) -> TensorShape:
        return TensorShape(list(self.shape))

    def dense_tensor(self, features: Transformed, variables: VariableOptions) -> Tensor:
        found: Tensor = features.get(self)
        return found


class _BucketizedFields(NamedTuple):
    source_column: NumericColumn
    boundaries: Tuple[float, ...]


class BucketizedColumn(_BucketizedFields, DenseColumn, CategoricalColumn):
    """The buckets of a feature's numbers: one-hot, or as categories."""

    @property
    def name(self) -> str:
        return f"{self.source_column.name}_bucketized"

    @property
    def parse_example_spec(self) -> Dict[str, Any]:
        return self.source_column.parse_example_spec

    def transform(self, features: Transformed) -> Tensor:
        source = features.get(self.source_column)
        return gen_ops.bucketize(source, boundaries=list(self.boundaries))

    @property
    def _count(self) -> int:
        return len(self.boundaries) + 1

    @property
    def variable_shape(self) -> TensorShape:
        return TensorShape([*self.source_column.shape, self._count])

    def dense_tensor(self, features: Transformed, variables: VariableOptions) -> Tensor:
        return creation_ops.one_hot(features.get(self), self._count, 1.0, 0.0)

    @property
    def num_buckets(self) -> int:
        return self._count * self.source_column.shape[0]

    def ids_and_weights(self, features: Transformed) -> IdsAndWeights:
        """Each number of an example is a category of its own."""
        buckets = features.get(self)
        batch, numbers = array_ops.shape(buckets)[0], self.source_column.shape[0]
        rows = math_ops.range(batch)
        each = math_ops.range(numbers)
        row_of = array_ops.reshape(gen_ops.tile(array_ops.expand_dims(rows, 1), [1, numbers]), [-1])
        place = gen_ops.tile(each, array_ops.reshape(batch, [1]))
        ids = array_ops.reshape(buckets, [-1]) + self._count * place
        indices = math_ops.cast(array_ops.stack([row_of, place], axis=1), dtypes.int64)
        shape = math_ops.cast(array_ops.stack([batch, numbers]), dtypes.int64)
        return IdsAndWeights(SparseTensor(indices, math_ops.cast(ids, dtypes.int64), shape), None)


def numeric_column(
    key: str,
    shape: Any = (1,),
    default_value: Any = None,
    dtype: DTypeLike = dtypes.float32,
    normalizer_fn: Optional[Callable[[Any], Any]] = None,
) -> NumericColumn:
    """A feature of numbers.

    Args:
        key: The name of the feature.
        shape: The shape of an example's numbers.
        default_value: What examples without it have: a number, or as many as the shape has.
        dtype: The dtype of parsed examples; a model sees float32.
        normalizer_fn: Applied to the tensor.

    Returns:
        The column.

    Raises:
        TypeError: The key is no text, the default no number, or the function no function.
        ValueError: The shape is not positive, or the dtype not one of numbers.
    """
    sizes = _sizes(shape, key)
    kind = as_dtype(dtype)
    if not (kind.is_integer or kind.is_floating):
        raise ValueError(f"dtype must be convertible to float. dtype: {dtype}, key: {key}")
    if normalizer_fn is not None and not callable(normalizer_fn):
        raise TypeError(f"normalizer_fn must be a callable. Given: {normalizer_fn}")
    if not isinstance(key, str):
        raise ValueError(f"key must be a string. Got: type {type(key)}. Given key: {key}.")
    return NumericColumn(key, sizes, _default(default_value, sizes, kind, key), kind, normalizer_fn)


def _sizes(shape: Any, key: str) -> Tuple[int, ...]:
    sizes = tuple(shape) if isinstance(shape, (list, tuple)) else (shape,)
    if any(not isinstance(size, (int, np.integer)) for size in sizes):
        raise TypeError(f"shape dimensions must be integer. shape: {shape}, key: {key}")
    if any(size < 1 for size in sizes):
        raise ValueError(f"shape dimensions must be greater than 0. shape: {shape}, key: {key}")
    return tuple(int(size) for size in sizes)


def _default(value: Any, sizes: Tuple[int, ...], kind: DType, key: str) -> Any:
    """The default as nested tuples of that shape."""
    if value is None:
        return None
    array = np.asarray(value)
    if array.dtype.kind not in "iuf" or (array.dtype.kind == "f" and kind.is_integer):
        raise TypeError(
            f"default_value must be compatible with dtype. default_value: {value}, dtype: {kind}, "
            f"key: {key}"
        )
    if array.ndim and array.shape != sizes:
        raise ValueError(
            "The shape of default_value must be equal to given shape. default_value: "
            f"{value}, shape: {sizes}, key: {key}"
        )
    return _tuples(np.broadcast_to(array, sizes).astype(kind.as_numpy_dtype).tolist())


def _tuples(value: Any) -> Any:
    return tuple(_tuples(each) for each in value) if isinstance(value, list) else value


def bucketized_column(source_column: Any, boundaries: Sequence[float]) -> BucketizedColumn:
    """The buckets of a feature's numbers.

    Args:
        source_column: A numeric column of one axis.
        boundaries: Where a bucket ends and the next one begins, ascending.

    Returns:
        The column, of `len(boundaries) + 1` buckets for each number.

    Raises:
        ValueError: It is no such column, or the boundaries do not ascend.
    """
    if not isinstance(source_column, NumericColumn):
        raise ValueError(
            "source_column must be a column generated with numeric_column(). "
            f"Given: {source_column}"
        )
    if len(source_column.shape) > 1:
        raise ValueError(f"source_column must be one-dimensional column. Given: {source_column}")
    limits = tuple(boundaries) if isinstance(boundaries, (list, tuple)) else ()
    if not limits or any(one >= other for one, other in zip(limits, limits[1:])):
        raise ValueError("boundaries must be a sorted list.")
    return BucketizedColumn(source_column, limits)
