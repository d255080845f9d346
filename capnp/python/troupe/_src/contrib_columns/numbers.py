"""Columns of numbers: as they are, and in buckets."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from troupe._src.contrib_columns.column import ContribColumn, WideArguments, of_rank
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
from troupe._src.parsing.feature_configs import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    VarLenFeature,
)
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DType
from troupe._src.types.shapes import TensorShape

Normalizer = Optional[Callable[[Any], Any]]


class _VarLenFields(NamedTuple):
    column_name: str
    default_value: Optional[float]
    dtype: DType
    normalizer: Normalizer
    is_sparse: bool


class RealValuedVarLenColumn(ContribColumn, _VarLenFields):
    """A feature of any number of numbers: sparse, or with a value behind shorter ones."""

    _left_out = ("normalizer",)

    @property
    def name(self) -> str:
        return self.column_name

    @property
    def normalizer_fn(self) -> Normalizer:
        """What is applied to the numbers."""
        return self.normalizer

    @property
    def config(self) -> Dict[str, Any]:
        if self.is_sparse:
            return {self.column_name: VarLenFeature(self.dtype)}
        padded = FixedLenSequenceFeature(
            [], self.dtype, allow_missing=True, default_value=self.default_value
        )
        return {self.column_name: padded}

    def transform(self, features: Transformed) -> Any:
        given = features.get(self.name)
        if self.normalizer is not None:
            if isinstance(given, SparseTensor):
                given = given._with_values(self.normalizer(given.values))
            else:
                given = self.normalizer(given)
        return math_ops.cast(given, dtypes.float32)

    def _to_dense_tensor(self, input_tensor: Any) -> Any:
        if self.is_sparse:
            raise ValueError(
                f"Set is_sparse to False if you want a dense Tensor for column_name: {self.name}"
            )
        return input_tensor

    def _to_dnn_input_layer(
        self,
        input_tensor: Any,
        weight_collections: Any = None,
        trainable: bool = True,
        output_rank: int = 2,
    ) -> Tensor:
        numbers: Tensor = of_rank(self._to_dense_tensor(input_tensor), output_rank, self.name)
        return numbers


class _RealFields(NamedTuple):
    column_name: str
    dimension: int
    default_value: Optional[Tuple[float, ...]]
    dtype: DType
    normalizer: Normalizer


class RealValuedColumn(ContribColumn, DenseColumn, _RealFields):
    """A feature of as many numbers for each example."""

    _left_out = ("normalizer",)

    @property
    def name(self) -> str:
        return self.column_name

    @property
    def normalizer_fn(self) -> Normalizer:
        """What is applied to the numbers."""
        return self.normalizer

    @property
    def config(self) -> Dict[str, Any]:
        default = None if self.default_value is None else list(self.default_value)
        return {self.column_name: FixedLenFeature([self.dimension], self.dtype, default)}

    def transform(self, features: Transformed) -> Tensor:
        given = features.get(self.name)
        normalized = given if self.normalizer is None else self.normalizer(given)
        return math_ops.cast(normalized, dtypes.float32)

    def _to_dense_tensor(self, input_tensor: Any) -> Any:
        return input_tensor

    def _to_dnn_input_layer(
        self,
        input_tensor: Any,
        weight_collections: Any = None,
        trainable: bool = True,
        output_rank: int = 2,
    ) -> Tensor:
        numbers = math_ops.cast(input_tensor, dtypes.float32)
        found: Tensor = of_rank(numbers, output_rank, self.name)
        return found

    @property
    def variable_shape(self) -> TensorShape:
        return TensorShape([self.dimension])

    def dense_tensor(self, features: Transformed, variables: VariableOptions) -> Tensor:
        found: Tensor = features.get(self)
        return found


class _BucketizedFields(NamedTuple):
    source_column: RealValuedColumn
    boundaries: Tuple[float, ...]


class BucketizedColumn(ContribColumn, DenseColumn, CategoricalColumn, _BucketizedFields):
    """The buckets of a feature's numbers: one-hot, or as categories."""

    @property
    def name(self) -> str:
        return f"{self.source_column.name}_bucketized"

    @property
    def length(self) -> int:
        """How many buckets a number may be in."""
        return len(self.boundaries) + 1

    @property
    def num_buckets(self) -> int:
        return self.length * self.source_column.dimension

    @property
    def config(self) -> Dict[str, Any]:
        return self.source_column.config

    def transform(self, features: Transformed) -> Tensor:
        numbers, limits = features.get(self.source_column), list(self.boundaries)
        return gen_ops.bucketize(numbers, boundaries=limits, name="bucketize")

    def to_sparse_tensor(self, input_tensor: Tensor) -> SparseTensor:
        """The buckets as categories; those of each number of an example are its own.

        Args:
            input_tensor: What the column has made of features.

        Returns:
            A sparse tensor of int64, [batch, numbers].
        """
        numbers = self.source_column.dimension
        batch = array_ops.shape(input_tensor, name="shape")[0]
        rows = math_ops.range(0, batch)
        row_of = array_ops.reshape(gen_ops.tile(array_ops.expand_dims(rows, 1), [1, numbers]), [-1])
        place = gen_ops.tile(math_ops.range(0, numbers), array_ops.reshape(batch, [1]))
        ids = array_ops.reshape(input_tensor, [-1], name="reshape") + self.length * place
        indices = math_ops.cast(array_ops.stack([row_of, place], axis=1), dtypes.int64)
        sizes = math_ops.cast(array_ops.stack([batch, numbers]), dtypes.int64)
        return SparseTensor(indices, math_ops.cast(ids, dtypes.int64), sizes)

    def _to_dnn_input_layer(
        self,
        input_tensor: Any,
        weight_collections: Any = None,
        trainable: bool = True,
        output_rank: int = 2,
    ) -> Tensor:
        if output_rank != 2:
            raise ValueError("BucketizedColumn currently only supports output_rank=2")
        buckets = math_ops.cast(input_tensor, dtypes.int64)
        each = creation_ops.one_hot(buckets, self.length, 1.0, 0.0, name="one_hot")
        return array_ops.reshape(each, [-1, self.num_buckets], name="reshape")

    def _wide_embedding_lookup_arguments(self, input_tensor: Any) -> WideArguments:
        return WideArguments(self.to_sparse_tensor(input_tensor), None, self.num_buckets, "sum")

    def ids_and_weights(self, features: Transformed) -> IdsAndWeights:
        return IdsAndWeights(self.to_sparse_tensor(features.get(self)), None)

    @property
    def variable_shape(self) -> TensorShape:
        return TensorShape([self.num_buckets])

    def dense_tensor(self, features: Transformed, variables: VariableOptions) -> Tensor:
        return self._to_dnn_input_layer(features.get(self))


def real_valued_column(
    column_name: str,
    dimension: int = 1,
    default_value: Any = None,
    dtype: DType = dtypes.float32,
    normalizer: Normalizer = None,
) -> RealValuedColumn:
    """A feature of numbers.

    Args:
        column_name: The name of the feature.
        dimension: How many numbers an example has.
        default_value: What examples without it have: a number, or a list of as many.
        dtype: The dtype of parsed examples; a model sees float32.
        normalizer: Applied to the tensor.

    Returns:
        The column.

    Raises:
        TypeError: The number is no integer, or the default no number of the dtype.
        ValueError: The number is not positive, the default has another length, or the dtype is none
            of numbers.
    """
    if not isinstance(dimension, int):
        raise TypeError(
            f"dimension must be an integer. dimension: {dimension}, column_name: {column_name}"
        )
    if dimension < 1:
        raise ValueError(
            "dimension must be greater than 0. "
            f"dimension: {dimension}, column_name: {column_name}"
        )
    if not (dtype.is_integer or dtype.is_floating):
        raise ValueError(
            f"dtype must be convertible to float. dtype: {dtype}, column_name: {column_name}"
        )
    default = _default(default_value, dimension, dtype, column_name)
    return RealValuedColumn(column_name, dimension, default, dtype, normalizer)


def _default(value: Any, dimension: int, kind: DType, name: str) -> Optional[Tuple[float, ...]]:
    """The default of each number."""
    if value is None:
        return None
    if isinstance(value, list) and len(value) != dimension:
        raise ValueError(
            "The length of default_value must be equal to dimension. "
            f"default_value: {value}, dimension: {dimension}, column_name: {name}"
        )
    numbers: List[Any] = value if isinstance(value, list) else [value] * dimension
    allowed: Tuple[type, ...] = (int,) if kind.is_integer else (int, float)
    if not all(isinstance(number, allowed) for number in numbers):
        raise TypeError(
            "default_value must be compatible with dtype. "
            f"default_value: {value}, dtype: {kind}, column_name: {name}"
        )
    return tuple(number if kind.is_integer else float(number) for number in numbers)


def real_valued_var_len_column(
    column_name: str,
    default_value: Optional[float] = None,
    dtype: DType = dtypes.float32,
    normalizer: Normalizer = None,
    is_sparse: bool = False,
) -> RealValuedVarLenColumn:
    """A feature of any number of numbers.

    Args:
        column_name: The name of the feature.
        default_value: What stands behind the numbers of shorter examples, unless it is sparse.
        dtype: The dtype of parsed examples; a model sees float32.
        normalizer: Applied to the numbers.
        is_sparse: Whether the feature is a sparse tensor.

    Returns:
        The column.

    Raises:
        TypeError: The dtype is none of numbers.
        ValueError: The default is missing, or a list.
    """
    if not (dtype.is_integer or dtype.is_floating):
        raise TypeError(
            f"dtype must be convertible to float. dtype: {dtype}, column_name: {column_name}"
        )
    if default_value is None and not is_sparse:
        raise ValueError(
            "default_value must be provided when is_sparse=False to parse a padded Tensor. "
            f"column_name: {column_name}"
        )
    if isinstance(default_value, list):
        raise ValueError(
            "Only scalar default value. "
            f"default_value: {default_value}, column_name: {column_name}"
        )
    if default_value is not None:
        default_value = int(default_value) if dtype.is_integer else float(default_value)
    return RealValuedVarLenColumn(column_name, default_value, dtype, normalizer, is_sparse)


def bucketized_column(source_column: Any, boundaries: Sequence[float]) -> BucketizedColumn:
    """The buckets of a feature's numbers.

    Args:
        source_column: A `real_valued_column`.
        boundaries: Where a bucket ends and the next one begins, ascending; equal ones count once.

    Returns:
        The column, of a bucket more than there are boundaries.

    Raises:
        TypeError: It is no such column.
        ValueError: There are no boundaries, or they do not ascend.
    """
    if not isinstance(source_column, RealValuedColumn):
        raise TypeError(
            "source_column must be an instance of _RealValuedColumn. "
            f"source_column: {source_column}"
        )
    if not isinstance(boundaries, (list, tuple)) or not boundaries:
        raise ValueError(
            f"boundaries must be a non-empty list or tuple. boundaries: {boundaries}"
        )
    if any(one > other for one, other in zip(boundaries, boundaries[1:])):
        raise ValueError(f"boundaries must be a sorted list. boundaries: {boundaries}")
    return BucketizedColumn(source_column, tuple(dict.fromkeys(boundaries)))
