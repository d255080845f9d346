"""Columns of sequences: categories and numbers, a step of a sequence after the other."""

from __future__ import annotations

from typing import Any, Callable, Dict, NamedTuple, Optional, Sequence, Tuple

from troupe._src.feature_columns.categories import (
    categorical_column_with_hash_bucket,
    categorical_column_with_identity,
    categorical_column_with_vocabulary_file,
    categorical_column_with_vocabulary_list,
)
from troupe._src.feature_columns.column import (
    CategoricalColumn,
    IdsAndWeights,
    SequenceDenseColumn,
    SequenceTensor,
    Transformed,
    VariableOptions,
)
from troupe._src.feature_columns.numbers import numeric_column
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.ops.sparse_tensor import SparseTensor
from troupe._src.parsing.feature_configs import VarLenFeature
from troupe._src.sparse.arrangement import sparse_reshape
from troupe._src.sparse.conversions import sparse_tensor_to_dense
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DType, DTypeLike
from troupe._src.types.shapes import TensorShape


def sequence_lengths(given: SparseTensor, numbers_each: int = 1) -> Tensor:
    """The steps of each row of a sparse tensor, [batch].

    Args:
        given: [batch, numbers, ...], where a row has numbers up to its last one.
        numbers_each: How many numbers make a step.

    Returns:
        A tensor of int64.
    """
    with get_default_graph().name_scope("sequence_length"):
        rows, ends = given.indices[:, 0], given.indices[:, 1] + 1
        last = gen_ops.unsorted_segment_max(ends, rows, given.dense_shape[0])
        # A row without numbers has the lowest of all int64.
        return (gen_ops.maximum(last, 0) + (numbers_each - 1)) // numbers_each


class _CategoricalFields(NamedTuple):
    categorical_column: Any


class SequenceCategoricalColumn(_CategoricalFields, CategoricalColumn):
    """Categories for each step of sequences."""

    @property
    def name(self) -> str:
        return str(self.categorical_column.name)

    @property
    def parse_example_spec(self) -> Dict[str, Any]:
        spec: Dict[str, Any] = self.categorical_column.parse_example_spec
        return spec

    @property
    def num_buckets(self) -> int:
        return int(self.categorical_column.num_buckets)

    def transform(self, features: Transformed) -> SparseTensor:
        found: SparseTensor = self.categorical_column.transform(features)
        return found

    def ids_and_weights(self, features: Transformed) -> IdsAndWeights:
        """[batch, steps, categories of the step]: one category where the feature has two axes."""
        ids, weights = self.categorical_column.ids_and_weights(features)
        sizes = ids.dense_shape
        each = math_ops.reduce_prod(sizes[2:])
        shape = array_ops.stack([sizes[0], sizes[1], each])
        weights = None if weights is None else sparse_reshape(weights, shape)
        return IdsAndWeights(sparse_reshape(ids, shape), weights)


class _NumericFields(NamedTuple):
    key: str
    shape: Tuple[int, ...]
    default_value: Any
    dtype: DType
    normalizer_fn: Optional[Callable[[Any], Any]]


class SequenceNumericColumn(_NumericFields, SequenceDenseColumn):
    """Numbers for each step of sequences."""

    @property
    def name(self) -> str:
        return self.key

    @property
    def parse_example_spec(self) -> Dict[str, Any]:
        return {self.key: VarLenFeature(self.dtype)}

    def transform(self, features: Transformed) -> SparseTensor:
        given = features.get(self.key)
        if not isinstance(given, SparseTensor):
            raise TypeError(f"a sequence of numbers must be a SparseTensor. key: {self.key}")
        found: SparseTensor = given if self.normalizer_fn is None else self.normalizer_fn(given)
        return found

    @property
    def variable_shape(self) -> TensorShape:
        return TensorShape(list(self.shape))

    def sequence_dense_tensor(
        self, features: Transformed, variables: VariableOptions
    ) -> SequenceTensor:
        """With three axes a step is the third one, else as many numbers as the shape has."""
        given = features.get(self)
        dense = sparse_tensor_to_dense(given, self.default_value)
        shape = array_ops.stack([array_ops.shape(dense)[0], -1, *self.shape])
        count = 1 if given.shape.rank == 3 else int(self.variable_shape.num_elements() or 1)
        return SequenceTensor(array_ops.reshape(dense, shape), sequence_lengths(given, count))


def sequence_categorical_column_with_identity(
    key: str, num_buckets: int, default_value: Optional[int] = None
) -> SequenceCategoricalColumn:
    """A feature of sequences whose numbers are the categories.

    Args:
        key: As of `categorical_column_with_identity`, and so are the others.
        num_buckets: The numbers are below it.
        default_value: The category of other numbers.

    Returns:
        The column, for embeddings and indicators of a `sequence_input_layer`.

    Raises:
        ValueError: As there.
    """
    return SequenceCategoricalColumn(
        categorical_column_with_identity(key, num_buckets, default_value)
    )


def sequence_categorical_column_with_hash_bucket(
    key: str, hash_bucket_size: int, dtype: DTypeLike = dtypes.string
) -> SequenceCategoricalColumn:
    """A feature of sequences whose categories are hashes of its values.

    Args:
        key: As of `categorical_column_with_hash_bucket`, and so are the others.
        hash_bucket_size: How many categories there are.
        dtype: The dtype of the feature.

    Returns:
        The column, for embeddings and indicators of a `sequence_input_layer`.

    Raises:
        ValueError: As there.
    """
    return SequenceCategoricalColumn(
        categorical_column_with_hash_bucket(key, hash_bucket_size, dtype)
    )


def sequence_categorical_column_with_vocabulary_file(
    key: str,
    vocabulary_file: str,
    vocabulary_size: Optional[int] = None,
    num_oov_buckets: int = 0,
    default_value: Optional[int] = None,
    dtype: DTypeLike = dtypes.string,
) -> SequenceCategoricalColumn:
    """A feature of sequences whose categories are the lines of a file that has its values.

    Args:
        key: As of `categorical_column_with_vocabulary_file`, and so are the others.
        vocabulary_file: The file.
        vocabulary_size: How many lines count.
        num_oov_buckets: How many categories other values share.
        default_value: Or the one category that they have.
        dtype: The dtype of the feature.

    Returns:
        The column, for embeddings and indicators of a `sequence_input_layer`.

    Raises:
        ValueError: As there.
    """
    return SequenceCategoricalColumn(
        categorical_column_with_vocabulary_file(
            key, vocabulary_file, vocabulary_size, num_oov_buckets, default_value, dtype
        )
    )


def sequence_categorical_column_with_vocabulary_list(
    key: str,
    vocabulary_list: Sequence[Any],
    dtype: Optional[DTypeLike] = None,
    default_value: int = -1,
    num_oov_buckets: int = 0,
) -> SequenceCategoricalColumn:
    """A feature of sequences whose categories are the places of its values in a list.

    Args:
        key: As of `categorical_column_with_vocabulary_list`, and so are the others.
        vocabulary_list: The values.
        dtype: The dtype of the feature.
        default_value: The category of other values.
        num_oov_buckets: Or how many categories they share.

    Returns:
        The column, for embeddings and indicators of a `sequence_input_layer`.

    Raises:
        ValueError: As there.
    """
    return SequenceCategoricalColumn(
        categorical_column_with_vocabulary_list(
            key, vocabulary_list, dtype, default_value, num_oov_buckets
        )
    )


def sequence_numeric_column(
    key: str,
    shape: Any = (1,),
    default_value: float = 0.0,
    dtype: DTypeLike = dtypes.float32,
    normalizer_fn: Optional[Callable[[Any], Any]] = None,
) -> SequenceNumericColumn:
    """A feature of sequences of numbers.

    Args:
        key: The name of the feature, a sparse tensor.
        shape: The shape of a step's numbers. An example has so many for each step.
        default_value: What follows the end of a sequence.
        dtype: The dtype of the numbers.
        normalizer_fn: Applied to the sparse tensor.

    Returns:
        The column, for a `sequence_input_layer`.

    Raises:
        TypeError: The shape has something else than numbers, or the function is none.
        ValueError: The shape is not positive, or the dtype not one of numbers.
    """
    plain = numeric_column(key, shape, None, dtype, normalizer_fn)
    return SequenceNumericColumn(key, plain.shape, default_value, plain.dtype, normalizer_fn)
