"""Columns of other ones: crosses, and categories with weights."""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from troupe._src.feature_columns.categories import HashedCategoricalColumn
from troupe._src.feature_columns.column import CategoricalColumn, IdsAndWeights, Transformed
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops, raw_ops
from troupe._src.ops.sparse_tensor import SparseTensor
from troupe._src.parsing.feature_configs import VarLenFeature
from troupe._src.sparse.crosses import sparse_cross_hashed
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DType, DTypeLike, as_dtype


class _CrossedFields(NamedTuple):
    keys: Tuple[Any, ...]
    hash_bucket_size: int
    hash_key: Optional[int]


class CrossedColumn(_CrossedFields, CategoricalColumn):
    """All combinations of the categories of several columns, hashed."""

    @property
    def name(self) -> str:
        return "_X_".join(sorted(_leaf_names(self)))

    @property
    def parse_example_spec(self) -> Dict[str, Any]:
        spec: Dict[str, Any] = {}
        for key in self.keys:
            spec.update(
                {key: VarLenFeature(dtypes.string)}
                if isinstance(key, str)
                else key.parse_example_spec
            )
        return spec

    def transform(self, features: Transformed) -> SparseTensor:
        given: List[Any] = []
        for leaf in _leaves(self):
            if isinstance(leaf, str):
                given.append(features.get(leaf))
                continue
            found = leaf.ids_and_weights(features)
            if found.weights is not None:
                raise ValueError(
                    "crossed_column does not support weight_tensor, but the given column populates "
                    f"weight_tensor. Given column: {leaf.name}"
                )
            given.append(found.ids)
        return sparse_cross_hashed(given, self.hash_bucket_size, self.hash_key)

    @property
    def num_buckets(self) -> int:
        return self.hash_bucket_size


def _leaves(column: CrossedColumn) -> List[Any]:
    """The features and columns that are crossed, also those of crosses among them."""
    found: List[Any] = []
    for key in column.keys:
        found += _leaves(key) if isinstance(key, CrossedColumn) else [key]
    return found


def _leaf_names(column: CrossedColumn) -> List[str]:
    return [leaf if isinstance(leaf, str) else leaf.name for leaf in _leaves(column)]


class _WeightedFields(NamedTuple):
    categorical_column: Any
    weight_feature_key: str
    dtype: DType


class WeightedCategoricalColumn(_WeightedFields, CategoricalColumn):
    """Categories with the weights of another feature."""

    @property
    def name(self) -> str:
        return f"{self.categorical_column.name}_weighted_by_{self.weight_feature_key}"

    @property
    def parse_example_spec(self) -> Dict[str, Any]:
        spec = dict(self.categorical_column.parse_example_spec)
        if self.weight_feature_key in spec:
            raise ValueError(
                f"Parse config {spec[self.weight_feature_key]} already exists for "
                f"{self.weight_feature_key}."
            )
        spec[self.weight_feature_key] = VarLenFeature(self.dtype)
        return spec

    @property
    def num_buckets(self) -> int:
        return int(self.categorical_column.num_buckets)

    def transform(self, features: Transformed) -> SparseTensor:
        given = features.get(self.weight_feature_key)
        if given.dtype.base_dtype != self.dtype:
            raise ValueError(f"Bad dtype, expected {self.dtype}, but got {given.dtype}.")
        if not isinstance(given, SparseTensor):
            # No weight is absent, whatever it is.
            indices = raw_ops.Where(input=creation_ops.ones_like(given, dtype=dtypes.bool_))
            shape = math_ops.cast(array_ops.shape(given), dtypes.int64)
            given = SparseTensor(indices, gen_ops.gather_nd(given, indices), shape)
        return given._with_values(math_ops.cast(given.values, dtypes.float32))

    def ids_and_weights(self, features: Transformed) -> IdsAndWeights:
        ids = self.categorical_column.ids_and_weights(features).ids
        return IdsAndWeights(ids, features.get(self))


def crossed_column(
    keys: Sequence[Any], hash_bucket_size: int, hash_key: Optional[int] = None
) -> CrossedColumn:
    """All combinations of the categories of several columns, hashed.

    Args:
        keys: Two or more: names of features of strings, or columns of categories that are not
            hashed themselves.
        hash_bucket_size: How many categories there are.
        hash_key: What the hashes depend on.

    Returns:
        The column.

    Raises:
        ValueError: There are fewer than two, one is something else, or the number is wrong.
    """
    if not hash_bucket_size or hash_bucket_size < 1:
        raise ValueError(f"hash_bucket_size must be > 1. hash_bucket_size: {hash_bucket_size}")
    if not keys or len(keys) < 2:
        raise ValueError(f"keys must be a list with length > 1. Given: {keys}")
    for key in keys:
        if not isinstance(key, (str, CategoricalColumn)):
            raise ValueError(
                "Unsupported key type. All keys must be either string, or categorical column "
                f"except HashedCategoricalColumn. Given: {key}"
            )
        if isinstance(key, HashedCategoricalColumn):
            raise ValueError(
                "categorical_column_with_hash_bucket is not supported for crossing. Hashing before "
                "crossing will increase probability of collision. Instead, use the feature name as "
                f"a string. Given: {key}"
            )
    return CrossedColumn(tuple(keys), hash_bucket_size, hash_key)


def weighted_categorical_column(
    categorical_column: Any, weight_feature_key: str, dtype: DTypeLike = dtypes.float32
) -> WeightedCategoricalColumn:
    """Categories with the weights of another feature.

    Args:
        categorical_column: The column of the categories.
        weight_feature_key: The name of the feature of weights, one for each category.
        dtype: The dtype of that feature.

    Returns:
        The column.

    Raises:
        ValueError: The dtype is not one of numbers.
    """
    kind = as_dtype(dtype)
    if not (kind.is_integer or kind.is_floating):
        raise ValueError(f"dtype {dtype} is not convertible to float.")
    return WeightedCategoricalColumn(categorical_column, weight_feature_key, kind)
