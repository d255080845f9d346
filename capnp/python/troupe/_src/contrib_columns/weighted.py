"""Columns of categories with weights, and of numbers that say which categories an example has."""

from __future__ import annotations

from typing import Any, Dict, NamedTuple, Optional

from troupe._src.contrib_columns.column import ContribColumn, WideArguments
from troupe._src.feature_columns.column import (
    CategoricalColumn,
    DenseColumn,
    IdsAndWeights,
    Transformed,
    VariableOptions,
)
from troupe._src.graph.elements import Tensor
from troupe._src.model_layers.flattening import inner_flatten
from troupe._src.model_layers.sparse_ids import dense_to_sparse_tensor
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops, raw_ops
from troupe._src.ops.sparse_tensor import SparseTensor
from troupe._src.parsing.feature_configs import VarLenFeature
from troupe._src.sparse.arrangement import sparse_retain
from troupe._src.sparse.conversions import sparse_merge, sparse_tensor_to_dense
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DType
from troupe._src.types.shapes import TensorShape


class _WeightedFields(NamedTuple):
    sparse_id_column: Any
    weight_column_name: str
    dtype: DType


class WeightedSparseColumn(ContribColumn, CategoricalColumn, _WeightedFields):
    """The categories of a column, with the weights of another feature."""

    @property
    def name(self) -> str:
        return f"{self.sparse_id_column.name}_weighted_by_{self.weight_column_name}"

    @property
    def length(self) -> int:
        """How many categories there are."""
        return int(self.sparse_id_column.length)

    @property
    def num_buckets(self) -> int:
        return self.length

    @property
    def config(self) -> Dict[str, Any]:
        weights = VarLenFeature(self.dtype)
        return {**self.sparse_id_column.config, self.weight_column_name: weights}

    @property
    def lookup_config(self) -> Any:
        """The vocabulary of its categories."""
        return self.sparse_id_column.lookup_config

    def id_tensor(self, input_tensor: Any) -> Any:
        """The categories of what it has made of features."""
        return input_tensor[0]

    def weight_tensor(self, input_tensor: Any) -> Any:
        """Their weights."""
        return input_tensor[1]

    def is_compatible(self, other_column: Any) -> bool:
        """Whether another column, with weights or without, may have the same categories.

        Args:
            other_column: The column.

        Returns:
            What `is_compatible` of the columns of categories says.
        """
        is_weighted = isinstance(other_column, WeightedSparseColumn)
        other = other_column.sparse_id_column if is_weighted else other_column
        return bool(self.sparse_id_column.is_compatible(other))

    def transform(self, features: Transformed) -> IdsAndWeights:
        ids, weights = features.get(self.sparse_id_column), features.get(self.weight_column_name)
        if not isinstance(weights, SparseTensor):
            weights = dense_to_sparse_tensor(weights)
        if not self.dtype.is_floating:
            weights = math_ops.cast(weights, dtypes.float32)
        return IdsAndWeights(ids, weights)

    def ids_and_weights(self, features: Transformed) -> IdsAndWeights:
        found: IdsAndWeights = features.get(self)
        return found

    def _to_dnn_input_layer(
        self,
        input_tensor: Any,
        weight_collections: Any = None,
        trainable: bool = True,
        output_rank: int = 2,
    ) -> Any:
        raise ValueError(
            "WeightedSparseColumn is not supported in DNN. "
            f"Please use embedding_column or one_hot_column. column: {self}"
        )

    def _wide_embedding_lookup_arguments(self, input_tensor: Any) -> WideArguments:
        ids, weights = input_tensor
        return WideArguments(ids, weights, self.length, self.sparse_id_column.combiner)


class _OneHotFields(NamedTuple):
    sparse_id_column: Any


class OneHotColumn(ContribColumn, DenseColumn, _OneHotFields):
    """How often an example has each category, or the sums of the weights of each."""

    @property
    def name(self) -> str:
        return f"{self.sparse_id_column.name}_one_hot"

    @property
    def length(self) -> int:
        """How many categories there are."""
        return int(self.sparse_id_column.length)

    @property
    def config(self) -> Dict[str, Any]:
        return dict(self.sparse_id_column.config)

    def insert_transformed_feature(self, columns_to_tensors: Dict[Any, Any]) -> None:
        if self.sparse_id_column not in columns_to_tensors:
            self.sparse_id_column.insert_transformed_feature(columns_to_tensors)
        columns_to_tensors[self] = columns_to_tensors[self.sparse_id_column]

    def _to_dnn_input_layer(
        self,
        input_tensor: Any,
        weight_collections: Any = None,
        trainable: bool = True,
        output_rank: int = 2,
    ) -> Tensor:
        ids = inner_flatten(self.sparse_id_column.id_tensor(input_tensor), output_rank)
        weights: Optional[SparseTensor] = self.sparse_id_column.weight_tensor(input_tensor)
        if weights is None:
            dense = sparse_tensor_to_dense(ids, default_value=-1)
            each = creation_ops.one_hot(dense, depth=self.length, on_value=1.0, off_value=0.0)
            return math_ops.reduce_sum(each, axis=[output_rank - 1])
        is_category = gen_ops.greater_equal(ids.values, 0)  # -1 stands for none
        ids, weights = sparse_retain(ids, is_category), sparse_retain(weights, is_category)
        kept = sparse_merge(ids, weights, self.length)
        numbers = raw_ops.ScatterNd(
            indices=kept.indices, updates=kept.values, shape=kept.dense_shape
        )
        sizes = array_ops.concat([array_ops.shape(numbers)[:-1], [self.length]], 0)
        return array_ops.reshape(numbers, sizes)

    @property
    def variable_shape(self) -> TensorShape:
        return TensorShape([self.length])

    def transform(self, features: Transformed) -> Tensor:
        return self._to_dnn_input_layer(features.get(self.sparse_id_column))

    def dense_tensor(self, features: Transformed, variables: VariableOptions) -> Tensor:
        found: Tensor = features.get(self)
        return found


def weighted_sparse_column(
    sparse_id_column: Any, weight_column_name: str, dtype: DType = dtypes.float32
) -> WeightedSparseColumn:
    """The categories of a column, with weights.

    Args:
        sparse_id_column: A `sparse_column_with_...`.
        weight_column_name: The name of the feature of the weights; it has a weight for each
            category.
        dtype: Its dtype; a model sees float32.

    Returns:
        The column.

    Raises:
        ValueError: The dtype is none of numbers.
    """
    if not (dtype.is_integer or dtype.is_floating):
        raise ValueError(f"dtype is not convertible to float. Given {dtype}")
    return WeightedSparseColumn(sparse_id_column, weight_column_name, dtype)


def one_hot_column(sparse_id_column: Any) -> OneHotColumn:
    """How often an example has each category, as numbers for a network.

    Args:
        sparse_id_column: A `sparse_column_with_...`, or one with weights, of which the numbers are
            sums then.

    Returns:
        The column.
    """
    return OneHotColumn(sparse_id_column)
