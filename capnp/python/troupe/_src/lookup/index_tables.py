"""Functions that make the tables of a vocabulary: from words to numbers, and back."""

from __future__ import annotations

from typing import Any, Optional, Union

from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.lookup.initializers import (
    KeyValueTensorInitializer,
    TextFileIdTableInitializer,
    TextFileIndex,
    TextFileStringTableInitializer,
)
from troupe._src.lookup.tables import HashTable
from troupe._src.lookup.vocabularies import FastHashSpec, HasherSpec, IdTableWithHashBuckets
from troupe._src.ops import array_ops, math_ops, raw_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DType

IndexTable = Union[HashTable, IdTableWithHashBuckets]


def index_table_from_file(
    vocabulary_file: Any = None,
    num_oov_buckets: int = 0,
    vocab_size: Optional[int] = None,
    default_value: int = -1,
    hasher_spec: HasherSpec = FastHashSpec,
    key_dtype: DType = dtypes.string,
    name: Optional[str] = None,
    key_column_index: int = TextFileIndex.WHOLE_LINE,
    value_column_index: int = TextFileIndex.LINE_NUMBER,
    delimiter: str = "\t",
) -> IndexTable:
    """A table from the lines of a file to their numbers, from 0.

    Args:
        vocabulary_file: The file; a tensor, too.
        num_oov_buckets: How many numbers the other keys share, by their hash.
        vocab_size: How many lines count, which the file must have; all, unless given.
        default_value: The number of other keys, unless there are buckets for them.
        hasher_spec: Which hash gives other keys their numbers.
        key_dtype: The dtype of the keys, string or an integer.
        name: The scope of its nodes.
        key_column_index: The column of the keys, or a TextFileIndex.
        value_column_index: The column of the numbers, or a TextFileIndex.
        delimiter: What is between the columns.

    Returns:
        The table, of int64 numbers. `tf.tables_initializer` fills it.

    Raises:
        ValueError: There is no file, or a number that must be positive is not.
        TypeError: There are no keys of such a dtype.
    """
    _check_file(vocabulary_file)
    _check_buckets(num_oov_buckets, key_dtype)
    if vocab_size is not None and vocab_size < 1:
        is_tensor = isinstance(vocabulary_file, Tensor)
        shown = array_ops.get_static_value(vocabulary_file) if is_tensor else vocabulary_file
        raise ValueError(
            f"vocab_size must be greater than 0, got {vocab_size}. vocabulary_file: {shown}"
        )
    with name_scope(name, "string_to_index"):
        initializer = TextFileIdTableInitializer(
            vocabulary_file,
            key_column_index=key_column_index,
            value_column_index=value_column_index,
            vocab_size=vocab_size,
            delimiter=delimiter,
            name="table_init",
            key_dtype=dtypes.int64 if key_dtype.is_integer else key_dtype,
        )
        table = HashTable(initializer, default_value)
        return _with_buckets(table, num_oov_buckets, hasher_spec, key_dtype)


def index_table_from_tensor(
    vocabulary_list: TensorLike,
    num_oov_buckets: int = 0,
    default_value: int = -1,
    hasher_spec: HasherSpec = FastHashSpec,
    dtype: DType = dtypes.string,
    name: Optional[str] = None,
) -> IndexTable:
    """A table from the elements of a vector to their places in it.

    Args:
        vocabulary_list: The vector, whose elements differ.
        num_oov_buckets: How many numbers the other keys share, by their hash.
        default_value: The number of other keys, unless there are buckets for them.
        hasher_spec: Which hash gives other keys their numbers.
        dtype: The dtype of the keys that are looked up, string or an integer.
        name: The scope of its nodes.

    Returns:
        The table, of int64 numbers. `tf.tables_initializer` fills it.

    Raises:
        ValueError: There is no vector, it has another dtype, or num_oov_buckets is negative.
        TypeError: There are no keys of such a dtype.
    """
    _check_vocabulary(vocabulary_list)
    _check_buckets(num_oov_buckets, dtype)
    with name_scope(name, "string_to_index"):
        keys = convert_to_tensor(vocabulary_list)
        if keys.dtype.is_integer != dtype.is_integer:
            wanted = "integer" if dtype.is_integer else "non-integer"
            raise ValueError(f"Expected {wanted}, got {keys.dtype}.")
        if not dtype.is_integer and keys.dtype.base_dtype != dtype:
            raise ValueError(f"Expected {dtype}, got {keys.dtype}.")
        if keys.dtype.is_integer:
            keys = math_ops.cast(keys, dtypes.int64)
        initializer = KeyValueTensorInitializer(
            keys, _places(keys), keys.dtype.base_dtype, dtypes.int64, name="table_init"
        )
        table = HashTable(initializer, default_value)
        return _with_buckets(table, num_oov_buckets, hasher_spec, dtype)


def index_to_string_table_from_file(
    vocabulary_file: Any,
    vocab_size: Optional[int] = None,
    default_value: str = "UNK",
    name: Optional[str] = None,
    key_column_index: int = TextFileIndex.LINE_NUMBER,
    value_column_index: int = TextFileIndex.WHOLE_LINE,
    delimiter: str = "\t",
) -> HashTable:
    """A table from the numbers of a file's lines, from 0, to these.

    Args:
        vocabulary_file: The file; a tensor, too.
        vocab_size: How many lines count, which the file must have; all, unless given.
        default_value: The string of other numbers.
        key_column_index: The column of the numbers, or a TextFileIndex.
        value_column_index: The column of the strings, or a TextFileIndex.
        delimiter: What is between the columns.

    Returns:
        The table, of int64 keys. `tf.tables_initializer` fills it.

    Raises:
        ValueError: There is no file, or `vocab_size` is not positive.
    """
    _check_file(vocabulary_file)
    if vocab_size is not None and vocab_size < 1:
        raise ValueError(f"vocab_size must be greater than 0, got {vocab_size}.")
    with name_scope(name, "index_to_string"):
        initializer = TextFileStringTableInitializer(
            vocabulary_file,
            key_column_index=key_column_index,
            value_column_index=value_column_index,
            vocab_size=vocab_size,
            delimiter=delimiter,
            name="table_init",
        )
        return HashTable(initializer, default_value)


def index_to_string_table_from_tensor(
    vocabulary_list: TensorLike, default_value: str = "UNK", name: Optional[str] = None
) -> HashTable:
    """A table from the places of a vector's strings to these.

    Args:
        vocabulary_list: A vector of strings.
        default_value: The string of other numbers.

    Returns:
        The table, of int64 keys. `tf.tables_initializer` fills it.

    Raises:
        ValueError: There is no vector.
    """
    _check_vocabulary(vocabulary_list)
    with name_scope(name, "index_to_string"):
        values = convert_to_tensor(vocabulary_list, dtypes.string)
        initializer = KeyValueTensorInitializer(
            _places(values), values, dtypes.int64, dtypes.string, name="table_init"
        )
        return HashTable(initializer, default_value)


def _places(vector: Tensor) -> Tensor:
    count = math_ops.cast(array_ops.size(vector), dtypes.int64)
    zero, one = (convert_to_tensor(value, dtypes.int64) for value in (0, 1))
    places: Tensor = raw_ops.Range(start=zero, limit=count, delta=one)
    return places


def _with_buckets(
    table: HashTable, num_oov_buckets: int, hasher_spec: HasherSpec, key_dtype: DType
) -> IndexTable:
    if num_oov_buckets == 0:
        return table
    return IdTableWithHashBuckets(table, num_oov_buckets, hasher_spec, key_dtype=key_dtype)


def _check_file(vocabulary_file: Any) -> None:
    if vocabulary_file is None or (isinstance(vocabulary_file, str) and not vocabulary_file):
        raise ValueError("vocabulary_file must be specified and must not be empty.")


def _check_vocabulary(vocabulary_list: Any) -> None:
    if vocabulary_list is None:
        raise ValueError("vocabulary_list must be specified.")


def _check_buckets(num_oov_buckets: int, key_dtype: DType) -> None:
    if num_oov_buckets < 0:
        raise ValueError(
            f"num_oov_buckets must be greater or equal than 0, got {num_oov_buckets}."
        )
    if not key_dtype.is_integer and key_dtype.base_dtype != dtypes.string:
        raise TypeError("Only integer and string keys are supported.")
