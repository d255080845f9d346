"""Tables of vocabularies, whose unknown words get numbers by their hash."""

from __future__ import annotations

from typing import Any, Dict, NamedTuple, Optional, Sequence, Tuple

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.lookup.initializers import TableInitializerBase
from troupe._src.lookup.tables import HashTable, LookupInterface, StaticHashTable
from troupe._src.ops import grouping_ops, math_ops, raw_ops, selection_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.sparse_tensor import SparseTensor
from troupe._src.set_module import set_module
from troupe._src.strings.string_ops import string_to_hash_bucket
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DType


class HasherSpec(NamedTuple):
    """Which hash gives unknown words their numbers: "fasthash", "legacy" or "stronghash"."""

    hasher: str
    key: Any


FastHashSpec = HasherSpec("fasthash", None)


def StrongHashSpec(key: Sequence[int]) -> HasherSpec:  # noqa: N802
    """A hash with a key.

    Args:
        key: The key, two unsigned integers.

    Returns:
        The hash, for tables with buckets.

    Raises:
        ValueError: There are not two numbers.
        TypeError: They are no integers.
    """
    if len(key) != 2:
        raise ValueError(f"key must have size 2, got {len(key)}.")
    if not all(isinstance(part, int) for part in key):
        raise TypeError(f"Invalid key {key}. Must be unsigned integer values.")
    return HasherSpec("stronghash", key)


def _bucket(words: Tensor, count: int, spec: HasherSpec) -> Tensor:
    """The numbers of words by their hash, below `count`."""
    texts = words if words.dtype.base_dtype == dtypes.string else raw_ops.AsString(input=words)
    options: Dict[str, Any] = {"num_buckets": count, "name": "hash_bucket"}
    if spec.hasher == "fasthash":
        bucket: Tensor = raw_ops.StringToHashBucketFast(input=texts, **options)
        return bucket
    if spec.hasher == "legacy":
        return string_to_hash_bucket(texts, **options)
    if spec.hasher == "stronghash":
        bucket = raw_ops.StringToHashBucketStrong(input=texts, key=spec.key, **options)
        return bucket
    raise ValueError(f"Unknown hasher {spec.hasher}")


class _TableWithBuckets(LookupInterface):
    """A table whose further keys get the numbers behind those of its own."""

    def __init__(
        self,
        table: Optional[StaticHashTable],
        num_oov_buckets: int,
        hasher_spec: HasherSpec,
        key_dtype: DType,
        name: Optional[str],
    ) -> None:
        """Makes a table of a vocabulary and of buckets for other keys.

        Args:
            table: The numbers of the vocabulary; None for buckets alone.
            num_oov_buckets: How many numbers the other keys share, by their hash.
            hasher_spec: Which hash gives other keys their numbers.
            key_dtype: The dtype of the keys, string or an integer.

        Raises:
            TypeError: There are no keys of such a dtype.
        """
        if not key_dtype.is_integer and key_dtype != dtypes.string:
            raise TypeError(f"Invalid key_dtype, expected integer or string, got {key_dtype}.")
        super().__init__(key_dtype, dtypes.int64)
        self._table = table
        self._num_oov_buckets = num_oov_buckets
        self._hasher_spec = hasher_spec
        self._table_name = name.rstrip("/").split("/")[-1] if name else None

    @property
    def name(self) -> Optional[str]:
        return self._table_name

    @property
    def resource_handle(self) -> Optional[Tensor]:
        """The tensor that stands for the table in a step; None for buckets alone."""
        return None if self._table is None else self._table.resource_handle

    @property
    def initializer(self) -> Operation:
        """The op that fills it."""
        return grouping_ops.no_op("init") if self._table is None else self._table._init_op

    @property
    def init(self) -> Operation:
        """The op that fills the table, as `initializer`."""
        return self.initializer

    def size(self, name: Optional[str] = None) -> Tensor:
        """How many numbers its keys may have, an int64."""
        with name_scope(name, f"{self.name}_Size"):
            size = convert_to_tensor(0, dtypes.int64) if self._table is None else self._table.size()
            return size + self._num_oov_buckets

    def lookup(self, keys: Any, name: Optional[str] = None) -> Any:
        """The numbers of the keys.

        Args:
            keys: The keys, a tensor or a SparseTensor of the table's dtype.

        Returns:
            int64 numbers, a tensor or a SparseTensor of the shape of the keys.

        Raises:
            TypeError: The keys have another dtype.
        """
        self._check_keys(keys)
        words = keys.values if isinstance(keys, SparseTensor) else keys
        if self._table is not None and self._table.key_dtype == dtypes.int64:
            words = math_ops.cast(words, dtypes.int64)
        ids = self._ids(words, name)
        if isinstance(keys, SparseTensor):
            return SparseTensor(keys.indices, ids, keys.dense_shape)
        return ids

    def _ids(self, words: Tensor, name: Optional[str]) -> Tensor:
        if self._table is not None and self._num_oov_buckets == 0:
            ids: Tensor = self._table.lookup(words, name=name)
            return ids
        with name_scope(name, f"{self.name}_Lookup"):
            buckets = _bucket(words, self._num_oov_buckets, self._hasher_spec)
            if self._table is None:
                return buckets
            ids = self._table.lookup(words)
            is_known = raw_ops.NotEqual(x=ids, y=self._table.default_value)
            return selection_ops.where_v2(is_known, ids, buckets + self._table.size())


def _check_table_dtypes(key_dtype: DType, value_dtype: DType, of_lookup: DType) -> None:
    supported: Tuple[DType, ...] = (dtypes.int64, dtypes.string)
    if key_dtype not in supported:
        raise TypeError(f"Invalid key dtype, expected one of {supported}, but got {of_lookup}.")
    if key_dtype.is_integer != of_lookup.is_integer:
        wanted = "integer" if of_lookup.is_integer else "non-integer"
        raise TypeError(f"Invalid key dtype, expected {wanted} but got {key_dtype}.")
    if value_dtype != dtypes.int64:
        raise TypeError(f"Invalid value dtype, expected {dtypes.int64} but got {value_dtype}.")


class IdTableWithHashBuckets(_TableWithBuckets):
    """A table to int64, or none, whose further keys get the numbers behind those of its own.

    Args:
        table: The table; None: all keys get numbers by their hash.
        num_oov_buckets: How many numbers the further keys share.
        hasher_spec: Which hash gives them these.
        name: Its name, for scopes.
        key_dtype: The dtype of the keys that are looked up, by default that of the table's.

    Raises:
        ValueError: There is no table, and no numbers for further keys.
        TypeError: The table has other dtypes, or there is no such hash.
    """

    def __init__(
        self,
        table: Optional[StaticHashTable],
        num_oov_buckets: int,
        hasher_spec: HasherSpec = FastHashSpec,
        name: Optional[str] = None,
        key_dtype: Optional[DType] = None,
    ) -> None:
        if table is not None:
            key_dtype = table.key_dtype if key_dtype is None else key_dtype
            _check_table_dtypes(table.key_dtype, table.value_dtype, key_dtype)
            name = name or table.name
        else:
            if num_oov_buckets <= 0:
                raise ValueError("oov_buckets must be > 0 if no table is supplied.")
            key_dtype = dtypes.string if key_dtype is None else key_dtype
            name = name or "hash_bucket"
        if not isinstance(hasher_spec, HasherSpec):
            raise TypeError(f"hasher_spec must be of type HasherSpec, got {hasher_spec}")
        super().__init__(table, num_oov_buckets, hasher_spec, key_dtype, name)


@set_module("troupe.lookup")
class StaticVocabularyTable(_TableWithBuckets):
    """A table of words to int64, whose unknown words get numbers by their hash.

    Args:
        initializer: What fills it; None: all words get numbers by their hash.
        num_oov_buckets: How many numbers the unknown words share.
        lookup_key_dtype: The dtype of the words, by default that of the initializer.
        name: Its name, for scopes.

    Raises:
        ValueError: There are no numbers for unknown words.
        TypeError: The initializer has other dtypes.
    """

    def __init__(
        self,
        initializer: Optional[TableInitializerBase],
        num_oov_buckets: int,
        lookup_key_dtype: Optional[DType] = None,
        name: Optional[str] = None,
    ) -> None:
        if num_oov_buckets <= 0:
            raise ValueError("oov_buckets must be > 0.")
        table = None
        key_dtype = dtypes.string
        if initializer is not None:
            key_dtype = lookup_key_dtype or initializer.key_dtype
            _check_table_dtypes(initializer.key_dtype, initializer.value_dtype, key_dtype)
            table = HashTable(initializer, default_value=-1)
            name = name or table.name
        super().__init__(table, num_oov_buckets, FastHashSpec, key_dtype, name or "hash_bucket")
