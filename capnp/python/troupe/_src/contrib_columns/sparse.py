"""Columns of categories: numbers, hashes, and words of a vocabulary."""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from troupe._src.contrib_columns.column import ContribColumn, WideArguments, of_rank
from troupe._src.feature_columns.column import CategoricalColumn, IdsAndWeights, Transformed
from troupe._src.lookup.index_tables import index_table_from_file, index_table_from_tensor
from troupe._src.model_layers.sparse_ids import dense_to_sparse_tensor
from troupe._src.ops import gen_ops, math_ops
from troupe._src.ops.sparse_tensor import SparseTensor
from troupe._src.parsing.feature_configs import VarLenFeature
from troupe._src.platform import logging
from troupe._src.sparse.arrangement import sparse_concat
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DType


class SparseIdLookupConfig(NamedTuple):
    """The vocabulary of a column: a file, or its words."""

    vocabulary_file: Optional[str] = None
    keys: Optional[Tuple[Any, ...]] = None
    num_oov_buckets: int = 0
    vocab_size: Optional[int] = None
    default_value: int = -1

    def __repr__(self) -> str:
        pairs = (f"{name}={value!r}" for name, value in zip(self._fields, self))
        return f"_SparseIdLookupConfig({', '.join(pairs)})"


class _SparseFields(NamedTuple):
    column_name: str
    is_integerized: bool
    bucket_size: Optional[int]
    lookup_config: Optional[SparseIdLookupConfig]
    combiner: str
    dtype: DType


class SparseColumn(ContribColumn, CategoricalColumn, _SparseFields):
    """A feature of categories, whose weights are combined: "sum", "mean" or "sqrtn"."""

    @property
    def name(self) -> str:
        return self.column_name

    @property
    def length(self) -> int:
        """How many categories there are."""
        if self.bucket_size is not None:
            return self.bucket_size
        assert self.lookup_config is not None and self.lookup_config.vocab_size is not None
        return self.lookup_config.vocab_size + self.lookup_config.num_oov_buckets

    @property
    def num_buckets(self) -> int:
        return self.length

    @property
    def config(self) -> Dict[str, Any]:
        return {self.column_name: VarLenFeature(self.dtype)}

    def id_tensor(self, input_tensor: Any) -> Any:
        """The categories of what it has made of features."""
        return input_tensor

    def weight_tensor(self, input_tensor: Any) -> Any:
        """Their weights, of which there are none."""
        return None

    def is_compatible(self, other_column: Any) -> bool:
        """Whether another column may have the same categories.

        Args:
            other_column: The column.

        Returns:
            Whether they have one vocabulary, or else as many categories of one dtype.
        """
        if self.lookup_config and other_column.lookup_config:
            return bool(self.lookup_config == other_column.lookup_config)
        kinds = self.dtype, other_column.dtype
        is_one_kind = kinds[0] == kinds[1] or all(kind.is_integer for kind in kinds)
        if self.length != other_column.length or not is_one_kind:
            return False
        logging.warning(
            "Columns %s and %s may have different vocabularies", self.name, other_column.name
        )
        return True

    def transform(self, features: Transformed) -> SparseTensor:
        given = features.get(self.name)
        if not isinstance(given, SparseTensor):
            absent = "" if given.dtype == dtypes.string else -1
            given = dense_to_sparse_tensor(of_rank(given, 2, self.name), ignore_value=absent)
        return self._do_transform(given)

    def _do_transform(self, input_tensor: SparseTensor) -> SparseTensor:
        raise NotImplementedError

    def ids_and_weights(self, features: Transformed) -> IdsAndWeights:
        made = features.get(self)
        return IdsAndWeights(self.id_tensor(made), self.weight_tensor(made))

    def _to_dnn_input_layer(
        self,
        input_tensor: Any,
        weight_collections: Any = None,
        trainable: bool = True,
        output_rank: int = 2,
    ) -> Any:
        raise ValueError(
            "SparseColumn is not supported in DNN. "
            f"Please use embedding_column or one_hot_column. column: {self}"
        )

    def _wide_embedding_lookup_arguments(self, input_tensor: Any) -> WideArguments:
        ids, weights = self.id_tensor(input_tensor), self.weight_tensor(input_tensor)
        return WideArguments(ids, weights, self.length, self.combiner)


class SparseColumnIntegerized(SparseColumn):
    """A feature whose numbers are the categories, from the first one again behind the last one."""

    def _do_transform(self, input_tensor: SparseTensor) -> SparseTensor:
        assert self.bucket_size is not None
        return input_tensor._with_values(
            gen_ops.floormod(input_tensor.values, self.bucket_size, name="mod")
        )


class SparseColumnHashed(SparseColumn):
    """A feature whose categories are hashes of its values: one, or one for each pair of keys."""

    hash_keys: Optional[List[List[int]]] = None

    def _do_transform(self, input_tensor: SparseTensor) -> SparseTensor:
        assert self.bucket_size is not None
        words, count = _words(self.dtype, input_tensor.values), self.bucket_size
        if not self.hash_keys:
            hashes = gen_ops.string_to_hash_bucket_fast(words, count, name="lookup")
            return input_tensor._with_values(hashes)
        found = [
            input_tensor._with_values(gen_ops.string_to_hash_bucket_strong(words, count, key))
            for key in self.hash_keys
        ]
        return sparse_concat(axis=1, sp_inputs=found, name="lookup")


class SparseColumnKeys(SparseColumn):
    """A feature whose categories are the places of its values in a list."""

    def _do_transform(self, input_tensor: SparseTensor) -> SparseTensor:
        lookup = self.lookup_config
        assert lookup is not None and lookup.keys is not None
        kind = dtypes.int64 if self.dtype.is_integer else self.dtype
        table = index_table_from_tensor(
            list(lookup.keys), default_value=lookup.default_value, dtype=kind, name="lookup"
        )
        values = input_tensor.values
        wide = math_ops.cast(values, kind) if self.dtype.is_integer else values
        return input_tensor._with_values(table.lookup(wide))


class SparseColumnVocabulary(SparseColumn):
    """A feature whose categories are the lines of a file that has its values."""

    def _do_transform(self, input_tensor: SparseTensor) -> SparseTensor:
        lookup = self.lookup_config
        assert lookup is not None and lookup.vocabulary_file is not None
        table = index_table_from_file(
            lookup.vocabulary_file,
            num_oov_buckets=lookup.num_oov_buckets,
            vocab_size=lookup.vocab_size,
            default_value=lookup.default_value,
            name=f"{self.name}_lookup",
        )
        return input_tensor._with_values(table.lookup(_words(self.dtype, input_tensor.values)))


def _words(kind: DType, values: Any) -> Any:
    return gen_ops.as_string(values) if kind.is_integer else values


def _checked(
    column_name: str,
    kind: DType,
    bucket_size: Optional[int] = None,
    lookup: Optional[SparseIdLookupConfig] = None,
    is_integerized: bool = False,
    combiner: str = "sum",
) -> Tuple[Any, ...]:
    """The fields of a column."""
    if is_integerized and not kind.is_integer:
        raise ValueError(
            "dtype must be an integer if is_integerized is True. "
            f"dtype: {kind}, column_name: {column_name}."
        )
    if kind != dtypes.string and not kind.is_integer:
        raise ValueError(
            f"dtype must be string or integer. dtype: {kind}, column_name: {column_name}"
        )
    if bucket_size is None and lookup is None:
        missing = "bucket_size must be set if is_integerized is True" if is_integerized else (
            "one of bucket_size or lookup_config must be set"
        )  # fmt: skip
        raise ValueError(f"{missing}. column_name: {column_name}")
    if bucket_size is not None and bucket_size < 1:
        raise ValueError(
            f"bucket_size must be at least 1. bucket_size: {bucket_size}, "
            f"column_name: {column_name}"
        )
    return column_name, is_integerized, bucket_size, lookup, combiner, kind


def sparse_column_with_integerized_feature(
    column_name: str, bucket_size: int, combiner: str = "sum", dtype: DType = dtypes.int64
) -> SparseColumnIntegerized:
    """A feature whose numbers are the categories; behind the last one begins the first one again.

    Args:
        column_name: The name of the feature.
        bucket_size: How many categories there are.
        combiner: How the weights of an example's categories become one, in a weighted sum: "sum",
            "mean" or "sqrtn".
        dtype: The dtype of the feature.

    Returns:
        The column.

    Raises:
        ValueError: There are no categories, or the dtype is none of integers.
    """
    return SparseColumnIntegerized(
        *_checked(column_name, dtype, bucket_size, None, True, combiner)
    )


def sparse_column_with_hash_bucket(
    column_name: str,
    hash_bucket_size: int,
    combiner: str = "sum",
    dtype: DType = dtypes.string,
    hash_keys: Optional[List[List[int]]] = None,
) -> SparseColumnHashed:
    """A feature whose categories are hashes of its values.

    Args:
        column_name: The name of the feature.
        hash_bucket_size: How many categories there are.
        combiner: As of `sparse_column_with_integerized_feature`.
        dtype: The dtype of the feature, string or an integer.
        hash_keys: Pairs of integers, for each of which a value has a hash; None for one that
            depends on no key.

    Returns:
        The column.

    Raises:
        ValueError: The number, the dtype or the keys are wrong.
    """
    if hash_keys is not None:
        if not isinstance(hash_keys, list) or not hash_keys:
            raise ValueError("hash_keys must be a non-empty list.")
        for pair in hash_keys:
            is_pair = isinstance(pair, list) and len(pair) == 2
            if not is_pair or not all(isinstance(each, int) for each in pair):
                raise ValueError("Each element of hash_keys must be a pair of integers.")
    fields = _checked(column_name, dtype, hash_bucket_size, combiner=combiner)
    column = SparseColumnHashed(*fields)
    column.hash_keys = hash_keys
    return column


def sparse_column_with_keys(
    column_name: str,
    keys: Sequence[Any],
    default_value: int = -1,
    combiner: str = "sum",
    dtype: DType = dtypes.string,
) -> SparseColumnKeys:
    """A feature whose categories are the places of its values in a list.

    Args:
        column_name: The name of the feature.
        keys: The values.
        default_value: The category of other values; -1 is none.
        combiner: As of `sparse_column_with_integerized_feature`.
        dtype: The dtype of the feature, string or an integer.

    Returns:
        The column.

    Raises:
        ValueError: The dtype is another one.
    """
    words = tuple(keys)
    lookup = SparseIdLookupConfig(
        keys=words, vocab_size=len(words), default_value=default_value
    )
    return SparseColumnKeys(*_checked(column_name, dtype, lookup=lookup, combiner=combiner))


def sparse_column_with_vocabulary_file(
    column_name: str,
    vocabulary_file: str,
    num_oov_buckets: int = 0,
    vocab_size: Optional[int] = None,
    default_value: int = -1,
    combiner: str = "sum",
    dtype: DType = dtypes.string,
) -> SparseColumnVocabulary:
    """A feature whose categories are the lines of a file that has its values.

    Args:
        column_name: The name of the feature.
        vocabulary_file: The file.
        num_oov_buckets: How many categories other values share, by their hash.
        vocab_size: How many lines count.
        default_value: Or the one category that other values have; -1 is none.
        combiner: As of `sparse_column_with_integerized_feature`.
        dtype: The dtype of the feature, string or an integer.

    Returns:
        The column.

    Raises:
        ValueError: The number of lines is missing, or the dtype is another one.
    """
    if vocab_size is None:
        raise ValueError(f"vocab_size should be defined. column_name: {column_name}")
    lookup = SparseIdLookupConfig(
        vocabulary_file=vocabulary_file,
        num_oov_buckets=num_oov_buckets,
        vocab_size=vocab_size,
        default_value=default_value,
    )
    return SparseColumnVocabulary(*_checked(column_name, dtype, lookup=lookup, combiner=combiner))
