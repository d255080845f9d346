"""Columns of categories: numbers, words of a vocabulary, and hashes."""

from __future__ import annotations

from typing import Any, Dict, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from troupe._src.feature_columns.column import CategoricalColumn, Transformed
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.lookup.index_tables import index_table_from_file, index_table_from_tensor
from troupe._src.ops import array_ops, gen_ops, math_ops, raw_ops, selection_ops
from troupe._src.ops.assert_ops import assert_greater_equal, assert_less
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.sparse_tensor import SparseTensor
from troupe._src.parsing.feature_configs import VarLenFeature
from troupe._src.platform.gfile import Open
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DType, DTypeLike, as_dtype


def sparse_feature(features: Transformed, key: str) -> SparseTensor:
    """A feature as a sparse tensor, without what stands for nothing: "" and -1."""
    given = features.get(key)
    if isinstance(given, SparseTensor):
        return given
    absent = "" if given.dtype == dtypes.string else -1
    indices = raw_ops.Where(input=gen_ops.not_equal(given, convert_to_tensor(absent, given.dtype)))
    shape = math_ops.cast(array_ops.shape(given), dtypes.int64)
    return SparseTensor(indices, raw_ops.GatherNd(params=given, indices=indices), shape)


class _OfFeature(CategoricalColumn):
    """A column of one feature, of strings or of integers."""

    key: str
    dtype: DType

    @property
    def name(self) -> str:
        return self.key

    @property
    def parse_example_spec(self) -> Dict[str, Any]:
        return {self.key: VarLenFeature(self.dtype)}

    def transform(self, features: Transformed) -> SparseTensor:
        given = sparse_feature(features, self.key)
        if given.dtype.is_integer != self.dtype.is_integer:
            raise ValueError(
                "Column dtype and SparseTensors dtype must be compatible. "
                f"key: {self.key}, column dtype: {self.dtype}, tensor dtype: {given.dtype}"
            )
        return given._with_values(self._ids(given.values))

    def _ids(self, values: Tensor) -> Tensor:
        raise NotImplementedError


class _IdentityFields(NamedTuple):
    key: str
    number_buckets: int
    default_value: Optional[int]


class IdentityCategoricalColumn(_IdentityFields, _OfFeature):
    """A feature whose numbers are the categories."""

    dtype = dtypes.int64

    @property
    def num_buckets(self) -> int:
        return self.number_buckets

    def _ids(self, values: Tensor) -> Tensor:
        ids, count = math_ops.cast(values, dtypes.int64), self.number_buckets
        if self.default_value is None:
            checks = [
                assert_less(ids, math_ops.cast(count, dtypes.int64), message="id >= num_buckets"),
                assert_greater_equal(ids, math_ops.cast(0, dtypes.int64), message="id < 0"),
            ]
            with get_default_graph().control_dependencies(checks):
                return array_ops.identity(ids)
        is_outside = gen_ops.logical_or(gen_ops.less(ids, 0), gen_ops.greater_equal(ids, count))
        default = convert_to_tensor(self.default_value, dtypes.int64)
        return selection_ops.where_v2(is_outside, default, ids)


class _HashedFields(NamedTuple):
    key: str
    hash_bucket_size: int
    dtype: DType


class HashedCategoricalColumn(_HashedFields, _OfFeature):
    """A feature whose categories are hashes of its values."""

    @property
    def num_buckets(self) -> int:
        return self.hash_bucket_size

    def _ids(self, values: Tensor) -> Tensor:
        words = values if self.dtype == dtypes.string else gen_ops.as_string(values)
        return gen_ops.string_to_hash_bucket_fast(words, self.hash_bucket_size)


class _ListFields(NamedTuple):
    key: str
    vocabulary_list: Tuple[Any, ...]
    dtype: DType
    default_value: int
    num_oov_buckets: int


class VocabularyListCategoricalColumn(_ListFields, _OfFeature):
    """A feature whose categories are the places of its values in a list."""

    @property
    def num_buckets(self) -> int:
        return len(self.vocabulary_list) + self.num_oov_buckets

    def _ids(self, values: Tensor) -> Tensor:
        table = index_table_from_tensor(
            list(self.vocabulary_list),
            num_oov_buckets=self.num_oov_buckets,
            default_value=self.default_value,
            dtype=dtypes.int64 if self.dtype.is_integer else self.dtype,
            name=f"{self.key}_lookup",
        )
        is_integer = self.dtype.is_integer
        found: Tensor = table.lookup(math_ops.cast(values, dtypes.int64) if is_integer else values)
        return found


class _FileFields(NamedTuple):
    key: str
    vocabulary_file: str
    vocabulary_size: int
    num_oov_buckets: int
    dtype: DType
    default_value: int


class VocabularyFileCategoricalColumn(_FileFields, _OfFeature):
    """A feature whose categories are the lines of a file that has its values."""

    @property
    def num_buckets(self) -> int:
        return self.vocabulary_size + self.num_oov_buckets

    def _ids(self, values: Tensor) -> Tensor:
        table = index_table_from_file(
            self.vocabulary_file,
            num_oov_buckets=self.num_oov_buckets,
            vocab_size=self.vocabulary_size,
            default_value=self.default_value,
            key_dtype=dtypes.int64 if self.dtype.is_integer else self.dtype,
            name=f"{self.key}_lookup",
        )
        is_integer = self.dtype.is_integer
        found: Tensor = table.lookup(math_ops.cast(values, dtypes.int64) if is_integer else values)
        return found


def categorical_column_with_identity(
    key: str, num_buckets: int, default_value: Optional[int] = None
) -> IdentityCategoricalColumn:
    """A feature whose numbers are the categories.

    Args:
        key: The name of the feature.
        num_buckets: The numbers are below it.
        default_value: The category of other numbers; else they are an error of the step.

    Returns:
        The column.

    Raises:
        ValueError: There are no categories, or the default is none of them.
    """
    if num_buckets < 1:
        raise ValueError(f"num_buckets {num_buckets} < 1, column_name {key}")
    if default_value is not None and not 0 <= default_value < num_buckets:
        raise ValueError(
            f"default_value {default_value} not in range [0, {num_buckets}), column_name {key}"
        )
    return IdentityCategoricalColumn(_key(key), num_buckets, default_value)


def categorical_column_with_hash_bucket(
    key: str, hash_bucket_size: int, dtype: DTypeLike = dtypes.string
) -> HashedCategoricalColumn:
    """A feature whose categories are hashes of its values.

    Args:
        key: The name of the feature.
        hash_bucket_size: How many categories there are.
        dtype: The dtype of the feature, string or an integer.

    Returns:
        The column.

    Raises:
        ValueError: The number or the dtype is wrong.
    """
    if hash_bucket_size is None:
        raise ValueError(f"hash_bucket_size must be set. key: {key}")
    if hash_bucket_size < 1:
        raise ValueError(
            f"hash_bucket_size must be at least 1. hash_bucket_size: {hash_bucket_size}, key: {key}"
        )
    return HashedCategoricalColumn(_key(key), hash_bucket_size, _dtype(dtype, key))


def categorical_column_with_vocabulary_list(
    key: str,
    vocabulary_list: Sequence[Any],
    dtype: Optional[DTypeLike] = None,
    default_value: int = -1,
    num_oov_buckets: int = 0,
) -> VocabularyListCategoricalColumn:
    """A feature whose categories are the places of its values in a list.

    Args:
        key: The name of the feature.
        vocabulary_list: The values, each once.
        dtype: The dtype of the feature, by default that of the list.
        default_value: The category of other values; -1 is none.
        num_oov_buckets: Or how many categories they share, by their hash.

    Returns:
        The column.

    Raises:
        ValueError: The list is empty, or has a value twice; both ways for other values are given;
            or the dtypes differ.
    """
    words = tuple(vocabulary_list or ())
    if not words:
        raise ValueError(f"vocabulary_list {vocabulary_list} must be non-empty, column_name: {key}")
    if len(set(words)) != len(words):
        raise ValueError(f"Duplicate keys in vocabulary_list {vocabulary_list}, column_name: {key}")
    own = (
        as_dtype(np.array(words).dtype) if not isinstance(words[0], (str, bytes)) else dtypes.string
    )
    chosen = own if dtype is None else _dtype(dtype, key)
    if chosen.is_integer != own.is_integer:
        raise ValueError(
            f"dtype {chosen} and vocabulary dtype {own} do not match, column_name: {key}"
        )
    _check_other(default_value, num_oov_buckets, key)
    return VocabularyListCategoricalColumn(
        _key(key), words, _dtype(chosen, key), default_value, num_oov_buckets
    )


def categorical_column_with_vocabulary_file(
    key: str,
    vocabulary_file: str,
    vocabulary_size: Optional[int] = None,
    num_oov_buckets: int = 0,
    default_value: Optional[int] = None,
    dtype: DTypeLike = dtypes.string,
) -> VocabularyFileCategoricalColumn:
    """A feature whose categories are the lines of a file that has its values.

    Args:
        key: The name of the feature.
        vocabulary_file: The file, a value in each line.
        vocabulary_size: How many lines count, by default all that there are now.
        num_oov_buckets: How many categories other values share, by their hash.
        default_value: Or the one category that they have; -1, the default, is none.
        dtype: The dtype of the feature, string or an integer.

    Returns:
        The column.

    Raises:
        ValueError: There is no such file, a number is wrong, or both ways for other values are
            given.
    """
    if not vocabulary_file:
        raise ValueError(f"Missing vocabulary_file in {key}.")
    if vocabulary_size is None:
        with Open(vocabulary_file) as file:
            vocabulary_size = sum(1 for _ in file)
    if vocabulary_size < 1:
        raise ValueError(f"Invalid vocabulary_size in {key}.")
    _check_other(-1 if default_value is None else default_value, num_oov_buckets, key)
    return VocabularyFileCategoricalColumn(
        _key(key),
        vocabulary_file,
        vocabulary_size,
        num_oov_buckets,
        _dtype(dtype, key),
        -1 if default_value is None else default_value,
    )


def _key(key: Any) -> str:
    if not isinstance(key, str):
        raise ValueError(f"key must be a string. Got: type {type(key)}. Given key: {key}.")
    return key


def _dtype(dtype: Any, key: str) -> DType:
    kind = as_dtype(dtype)
    if kind != dtypes.string and not kind.is_integer:
        raise ValueError(f"dtype must be string or integer. dtype: {kind}, column_name: {key}")
    return kind


def _check_other(default_value: int, num_oov_buckets: int, key: str) -> None:
    if num_oov_buckets < 0:
        raise ValueError(f"Invalid num_oov_buckets {num_oov_buckets} in {key}.")
    if num_oov_buckets and default_value != -1:
        raise ValueError(f"Can't specify both num_oov_buckets and default_value in {key}.")
