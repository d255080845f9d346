"""Columns of numbers for categories: indicators and embeddings."""

from __future__ import annotations

import math
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from troupe._src.feature_columns.column import (
    CategoricalColumn,
    DenseColumn,
    IdsAndWeights,
    SequenceDenseColumn,
    SequenceTensor,
    Transformed,
    VariableOptions,
)
from troupe._src.feature_columns.sequences import SequenceCategoricalColumn, sequence_lengths
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.nn.embedding_ops import safe_embedding_lookup_sparse
from troupe._src.ops import creation_ops, gen_ops, math_ops, raw_ops
from troupe._src.sparse.arrangement import sparse_retain
from troupe._src.sparse.conversions import sparse_merge, sparse_tensor_to_dense
from troupe._src.types import dtypes
from troupe._src.types.shapes import TensorShape
from troupe._src.variables.initializers import TruncatedNormal
from troupe._src.variables.variable_scope import get_variable
from troupe._src.warm_starting.init_from_checkpoint import init_from_checkpoint


class _OfCategories(DenseColumn, SequenceDenseColumn):
    """Numbers for the categories of a column, of sequences if it is one of sequences."""

    categorical_column: Any

    @property
    def parse_example_spec(self) -> Dict[str, Any]:
        spec: Dict[str, Any] = self.categorical_column.parse_example_spec
        return spec

    def transform(self, features: Transformed) -> IdsAndWeights:
        found: IdsAndWeights = self.categorical_column.ids_and_weights(features)
        return found

    def dense_tensor(self, features: Transformed, variables: VariableOptions) -> Tensor:
        if isinstance(self.categorical_column, SequenceCategoricalColumn):
            raise ValueError(
                f"In column {self.name}: its categories are those of sequences, which only "
                "sequence_input_layer takes. Use a categorical_column_with_* instead, or "
                "sequence_input_layer instead of input_layer."
            )
        return self._numbers(features, variables)

    def sequence_dense_tensor(
        self, features: Transformed, variables: VariableOptions
    ) -> SequenceTensor:
        if not isinstance(self.categorical_column, SequenceCategoricalColumn):
            raise ValueError(
                f"In column {self.name}: categorical_column must be of type "
                "SequenceCategoricalColumn to use sequence_input_layer. Use a "
                f"sequence_categorical_column_with_*. Given: {self.categorical_column}"
            )
        lengths = sequence_lengths(features.get(self).ids)
        return SequenceTensor(self._numbers(features, variables), lengths)

    def _numbers(self, features: Transformed, variables: VariableOptions) -> Tensor:
        """Of the categories in the last axis together."""
        raise NotImplementedError


class _IndicatorFields(NamedTuple):
    categorical_column: Any


class IndicatorColumn(_IndicatorFields, _OfCategories):
    """How often an example has each category, or the weights of its categories."""

    @property
    def name(self) -> str:
        return f"{self.categorical_column.name}_indicator"

    @property
    def variable_shape(self) -> TensorShape:
        return TensorShape([1, self.categorical_column.num_buckets])

    def _numbers(self, features: Transformed, variables: VariableOptions) -> Tensor:
        ids, weights = features.get(self)
        count = self.categorical_column.num_buckets
        if weights is None:
            dense = sparse_tensor_to_dense(ids, default_value=-1)
            return math_ops.reduce_sum(creation_ops.one_hot(dense, count, 1.0, 0.0), axis=[-2])
        is_category = gen_ops.greater_equal(ids.values, 0)  # -1 stands for none
        ids, weights = sparse_retain(ids, is_category), sparse_retain(weights, is_category)
        kept = sparse_merge(ids, weights, count)
        return raw_ops.ScatterNd(indices=kept.indices, updates=kept.values, shape=kept.dense_shape)


class _EmbeddingFields(NamedTuple):
    categorical_column: Any
    dimension: int
    combiner: str
    initializer: Callable[..., Any]
    ckpt_to_load_from: Optional[str]
    tensor_name_in_ckpt: Optional[str]
    max_norm: Optional[float]
    trainable: bool


class EmbeddingColumn(_EmbeddingFields, _OfCategories):
    """The combination of the rows of a table that an example's categories name."""

    @property
    def name(self) -> str:
        return f"{self.categorical_column.name}_embedding"

    @property
    def variable_shape(self) -> TensorShape:
        return TensorShape([self.dimension])

    def _numbers(self, features: Transformed, variables: VariableOptions) -> Tensor:
        return self._looked_up(features, self._table(variables))

    def _table(self, variables: VariableOptions) -> Any:
        table = get_variable(
            "embedding_weights",
            shape=[self.categorical_column.num_buckets, self.dimension],
            dtype=dtypes.float32,
            initializer=self.initializer,
            trainable=self.trainable and variables.trainable,
            collections=list(variables.collections),
        )
        if self.ckpt_to_load_from is not None:
            init_from_checkpoint(self.ckpt_to_load_from, {str(self.tensor_name_in_ckpt): table})
        return table

    def _looked_up(self, features: Transformed, table: Any) -> Tensor:
        ids, weights = features.get(self)
        return safe_embedding_lookup_sparse(
            table,
            ids,
            weights,
            combiner=self.combiner,
            name=f"{self.name}_weights",
            max_norm=self.max_norm,
        )


class _SharedFields(NamedTuple):
    categorical_column: Any
    dimension: int
    combiner: str
    initializer: Callable[..., Any]
    shared_embedding_collection_name: str
    ckpt_to_load_from: Optional[str]
    tensor_name_in_ckpt: Optional[str]
    max_norm: Optional[float]
    trainable: bool


class SharedEmbeddingColumn(_SharedFields, EmbeddingColumn):  # type: ignore[misc]
    """An embedding whose table is that of other columns of the graph, too."""

    @property
    def name(self) -> str:
        return f"{self.categorical_column.name}_shared_embedding"

    @property
    def _scope_name(self) -> str:
        return str(self.shared_embedding_collection_name)

    def _numbers(self, features: Transformed, variables: VariableOptions) -> Tensor:
        name = self.shared_embedding_collection_name
        shared = get_default_graph().get_collection_ref(name)
        if not shared:
            shared.append(self._table(variables))
        table = shared[0]
        wanted = [self.categorical_column.num_buckets, self.dimension]
        if table.get_shape().as_list() != wanted:
            raise ValueError(
                f"Shared embedding collection {name} contains variable {table.name} of unexpected "
                f"shape {table.get_shape()}. Expected shape is {wanted}."
            )
        return self._looked_up(features, table)


def indicator_column(categorical_column: Any) -> IndicatorColumn:
    """How often an example has each category.

    Args:
        categorical_column: The column of the categories.

    Returns:
        The column, of numbers.
    """
    return IndicatorColumn(categorical_column)


def embedding_column(
    categorical_column: Any,
    dimension: int,
    combiner: str = "mean",
    initializer: Any = None,
    ckpt_to_load_from: Optional[str] = None,
    tensor_name_in_ckpt: Optional[str] = None,
    max_norm: Optional[float] = None,
    trainable: bool = True,
) -> EmbeddingColumn:
    """The combination of the rows of a table that an example's categories name.

    Args:
        categorical_column: The column of the categories.
        dimension: The size of a row.
        combiner: "mean", "sqrtn" or "sum", of an example's rows.
        initializer: That of the table, by default one of truncated normals.
        ckpt_to_load_from: Or a checkpoint with its first values.
        tensor_name_in_ckpt: The name of the table there.
        max_norm: Rows are scaled to this norm at most.
        trainable: Whether trainings change the table.

    Returns:
        The column, of numbers.

    Raises:
        ValueError: The size is wrong, one of checkpoint and name is missing, or the initializer is
            no function.
    """
    return EmbeddingColumn(
        categorical_column,
        _dimension(dimension),
        combiner,
        _initializer(initializer, dimension, categorical_column),
        *_checkpoint(ckpt_to_load_from, tensor_name_in_ckpt),
        max_norm,
        trainable,
    )


def shared_embedding_columns(
    categorical_columns: Sequence[Any],
    dimension: int,
    combiner: str = "mean",
    initializer: Any = None,
    shared_embedding_collection_name: Optional[str] = None,
    ckpt_to_load_from: Optional[str] = None,
    tensor_name_in_ckpt: Optional[str] = None,
    max_norm: Optional[float] = None,
    trainable: bool = True,
) -> List[SharedEmbeddingColumn]:
    """Embeddings of several columns by one table.

    Args:
        categorical_columns: The columns, of as many categories each.
        dimension: As of `embedding_column`.
        combiner: As of `embedding_column`.
        initializer: As of `embedding_column`.
        shared_embedding_collection_name: The name of the table's collection and scope, by default
            made of the columns' names.
        ckpt_to_load_from: As of `embedding_column`.
        tensor_name_in_ckpt: As of `embedding_column`.
        max_norm: As of `embedding_column`.
        trainable: As of `embedding_column`.

    Returns:
        A column for each of them, in order.

    Raises:
        ValueError: As of `embedding_column`, and where the columns are of different classes or
            numbers of categories.
    """
    columns = sorted(categorical_columns, key=lambda column: str(column.name))
    first = columns[0]
    for column in columns:
        if not isinstance(column, CategoricalColumn) or type(column) is not type(first):
            raise ValueError(
                "To use shared_embedding_column, all categorical_columns must have the same type. "
                f"Given column: {first} of type: {type(first)} does not match given column: "
                f"{column} of type: {type(column)}"
            )
        if column.num_buckets != first.num_buckets:
            raise ValueError(
                "To use shared_embedding_column, all categorical_columns must have the same number "
                f"of buckets. Given column: {first} with buckets: {first.num_buckets} does not "
                f"match column: {column} with buckets: {column.num_buckets}"
            )
    names = "_".join(column.name for column in columns)
    chosen = _initializer(initializer, dimension, first)
    return [
        SharedEmbeddingColumn(
            column,
            _dimension(dimension),
            combiner,
            chosen,
            shared_embedding_collection_name or f"{names}_shared_embedding",
            *_checkpoint(ckpt_to_load_from, tensor_name_in_ckpt),
            max_norm,
            trainable,
        )
        for column in categorical_columns
    ]


def _dimension(dimension: Any) -> int:
    if dimension is None or dimension < 1:
        raise ValueError(f"Invalid dimension {dimension}.")
    return int(dimension)


def _initializer(given: Any, dimension: int, column: Any) -> Callable[..., Any]:
    if given is not None and not callable(given):
        raise ValueError(
            f"initializer must be callable if specified. Embedding of column_name: {column.name}"
        )
    return given or TruncatedNormal(0.0, 1 / math.sqrt(dimension))


def _checkpoint(path: Optional[str], name: Optional[str]) -> Tuple[Optional[str], Optional[str]]:
    if (path is None) != (name is None):
        raise ValueError("Must specify both `ckpt_to_load_from` and `tensor_name_in_ckpt` or none.")
    return path, name
