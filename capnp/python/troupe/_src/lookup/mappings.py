"""Functions of older programs that make the tables of a vocabulary, and look words up in them."""

from __future__ import annotations

from typing import Any, Optional

from troupe._src.graph.scopes import name_scope
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.lookup import index_tables
from troupe._src.lookup.index_tables import IndexTable
from troupe._src.lookup.tables import HashTable
from troupe._src.lookup.vocabularies import FastHashSpec, HasherSpec
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DType


def index_table_from_tensor(
    mapping: TensorLike,
    num_oov_buckets: int = 0,
    default_value: int = -1,
    hasher_spec: HasherSpec = FastHashSpec,
    dtype: DType = dtypes.string,
    name: Optional[str] = None,
) -> IndexTable:
    """A table from the elements of a vector to their places in it.

    As `tf.lookup` has had it before the vector was called `vocabulary_list`.

    Args:
        mapping: The vector, whose elements differ.
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
    _check(mapping)
    return index_tables.index_table_from_tensor(
        mapping, num_oov_buckets, default_value, hasher_spec, dtype, name
    )


def index_to_string_table_from_tensor(
    mapping: TensorLike, default_value: str = "UNK", name: Optional[str] = None
) -> HashTable:
    """A table from the places of a vector's strings to these.

    Args:
        mapping: A vector of strings.
        default_value: The string of other numbers.
        name: The scope of its nodes.

    Returns:
        The table, of int64 keys. `tf.tables_initializer` fills it.

    Raises:
        ValueError: There is no vector.
    """
    _check(mapping)
    return index_tables.index_to_string_table_from_tensor(mapping, default_value, name)


def string_to_index(
    tensor: Any, mapping: TensorLike, default_value: int = -1, name: Optional[str] = None
) -> Any:
    """The places that strings have in a vector.

    Args:
        tensor: The strings, a tensor or a SparseTensor.
        mapping: The vector, whose elements differ. `tf.tables_initializer` fills its table.
        default_value: The number of other strings.
        name: The scope of the table's nodes.

    Returns:
        The int64 numbers, a tensor or a SparseTensor of the same shape.

    Raises:
        ValueError: There is no vector.
    """
    return index_table_from_tensor(mapping, default_value=default_value, name=name).lookup(tensor)


def index_to_string(
    tensor: Any, mapping: TensorLike, default_value: str = "UNK", name: Optional[str] = None
) -> Any:
    """The strings that a vector has at some places.

    Args:
        tensor: The places, a tensor or a SparseTensor of int64.
        mapping: The vector of strings. `tf.tables_initializer` fills its table.
        default_value: The string of other numbers.
        name: The scope of the table's nodes.

    Returns:
        The strings, a tensor or a SparseTensor of the same shape.

    Raises:
        ValueError: There is no vector.
    """
    table = index_to_string_table_from_tensor(mapping, default_value, name)
    return table.lookup(tensor)


def string_to_index_table_from_file(
    vocabulary_file: Any = None,
    num_oov_buckets: int = 0,
    vocab_size: Optional[int] = None,
    default_value: int = -1,
    hasher_spec: HasherSpec = FastHashSpec,
    name: Optional[str] = None,
) -> IndexTable:
    """`index_table_from_file` of strings.

    Args:
        vocabulary_file: The file; a tensor, too.
        num_oov_buckets: How many numbers the other keys share, by their hash.
        vocab_size: How many lines count, which the file must have; all, unless given.
        default_value: The number of other keys, unless there are buckets for them.
        hasher_spec: Which hash gives other keys their numbers.
        name: The scope of its nodes.

    Returns:
        The table, of int64 numbers. `tf.tables_initializer` fills it.

    Raises:
        ValueError: There is no file, or a number that must be positive is not.
    """
    return index_tables.index_table_from_file(
        vocabulary_file, num_oov_buckets, vocab_size, default_value, hasher_spec, name=name
    )


def string_to_index_table_from_tensor(
    mapping: TensorLike,
    num_oov_buckets: int = 0,
    default_value: int = -1,
    hasher_spec: HasherSpec = FastHashSpec,
    name: Optional[str] = None,
) -> IndexTable:
    """`index_table_from_tensor` of strings.

    Args:
        mapping: The vector, whose elements differ.
        num_oov_buckets: How many numbers the other keys share, by their hash.
        default_value: The number of other keys, unless there are buckets for them.
        hasher_spec: Which hash gives other keys their numbers.
        name: The scope of its nodes.

    Returns:
        The table, of int64 numbers. `tf.tables_initializer` fills it.

    Raises:
        ValueError: There is no vector, it is not of strings, or num_oov_buckets is negative.
    """
    _check(mapping)
    with name_scope(name, "string_to_index") as scope:
        keys = convert_to_tensor(mapping)
    if keys.dtype.base_dtype != dtypes.string:
        raise ValueError("string_to_index_table_from_tensor requires string.")
    return index_table_from_tensor(
        keys, num_oov_buckets, default_value, hasher_spec, name=scope
    )


def _check(mapping: Any) -> None:
    if mapping is None:
        raise ValueError("mapping must be specified.")
