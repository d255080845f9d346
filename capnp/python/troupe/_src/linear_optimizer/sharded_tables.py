"""A table whose keys are spread over several tables."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Tuple

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.lookup.dense_table import DenseHashTable
from troupe._src.ops import arithmetic_ops, array_ops, gen_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.grouping_ops import group
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike, as_dtype


@set_module("troupe.contrib.linear_optimizer")
class ShardedMutableDenseHashTable:
    """Tables in buckets, each of which has the keys whose first number, modulo their count, is its.

    Args:
        key_dtype: The dtype of the keys.
        value_dtype: The dtype of the values.
        default_value: The value of keys that it does not have; all values have its shape.
        empty_key: What no key may be, a constant; all keys have its shape.
        deleted_key: What no key may be either, another constant.
        num_shards: How many tables there are.
        checkpoint: Whether savers save them.
        name: The name of the tables.
    """

    def __init__(
        self,
        key_dtype: DTypeLike,
        value_dtype: DTypeLike,
        default_value: TensorLike,
        empty_key: TensorLike,
        deleted_key: TensorLike,
        num_shards: int = 1,
        checkpoint: bool = True,
        name: str = "ShardedMutableHashTable",
    ) -> None:
        self._key_dtype, self._value_dtype = as_dtype(key_dtype), as_dtype(value_dtype)
        with name_scope(name, "sharded_mutable_hash_table") as scope:
            self._name = scope
            self._shards = [
                DenseHashTable(
                    key_dtype,
                    value_dtype,
                    default_value,
                    empty_key,
                    deleted_key,
                    checkpoint=checkpoint,
                    name=f"{name}-{index + 1}-of-{num_shards}",
                )
                for index in range(num_shards)
            ]

    @property
    def name(self) -> str:
        """The scope of its nodes."""
        return self._name

    @property
    def table_shards(self) -> List[DenseHashTable]:
        """The tables."""
        return self._shards

    def size(self, name: Optional[str] = None) -> Tensor:
        """How many keys there are, a scalar of int64."""
        with name_scope(name, "sharded_mutable_hash_table_size"):
            return arithmetic_ops.add_n([shard.size() for shard in self._shards])

    def lookup(self, keys: TensorLike, name: Optional[str] = None) -> Tensor:
        """The values of keys.

        Args:
            keys: The keys, a vector, or a matrix whose rows are keys.

        Returns:
            A tensor with a value for each key; the default value for those that it lacks.

        Raises:
            TypeError: The keys have another dtype.
            ValueError: They are neither a vector nor a matrix.
        """
        given = self._checked(keys)
        if len(self._shards) == 1:
            return self._shards[0].lookup(given, name=name)
        apart = self._spread_by(given)
        values = [
            shard.lookup(part, name=name) for shard, part in zip(self._shards, apart(given))
        ]
        places = apart(math_ops.range(array_ops.shape(given)[0]))
        found: Tensor = gen_ops.dynamic_stitch(places, values)
        found.set_shape([given.shape[0]] + values[0].shape[1:].as_list())
        return found

    def insert(self, keys: TensorLike, values: TensorLike, name: Optional[str] = None) -> Operation:
        """Gives each key its value.

        Args:
            keys: The keys, a vector, or a matrix whose rows are keys.
            values: A value for each of them.

        Returns:
            The operation.

        Raises:
            TypeError: The keys have another dtype.
            ValueError: They are neither a vector nor a matrix.
        """
        given = self._checked(keys)
        if len(self._shards) == 1:
            return self._shards[0].insert(given, values, name=name)
        apart = self._spread_by(given)
        given_values = convert_to_tensor(values, self._value_dtype)
        parts = zip(self._shards, apart(given), apart(given_values))
        done: Operation = group(*[shard.insert(each, of, name=name) for shard, each, of in parts])
        return done

    def export_sharded(self, name: Optional[str] = None) -> Tuple[List[Tensor], List[Tensor]]:
        """The keys of all tables, and their values, also of buckets that have no key."""
        pairs = [shard.export(name=name) for shard in self._shards]
        return [keys for keys, _ in pairs], [values for _, values in pairs]

    def _checked(self, keys: TensorLike) -> Tensor:
        given = convert_to_tensor(keys, preferred_dtype=self._key_dtype)
        if given.dtype.base_dtype != self._key_dtype:
            raise TypeError(
                f"Signature mismatch. Keys must be dtype {self._key_dtype}, got {given.dtype}."
            )
        if given.shape.rank not in (1, 2):
            raise ValueError(f"Expected a vector or matrix for keys, got {given.shape}.")
        return given

    def _spread_by(self, keys: Tensor) -> Callable[[Any], List[Tensor]]:
        """What cuts a tensor with a row for each key into one for each table."""
        count = len(self._shards)
        firsts = keys[:, 0] if keys.shape.rank == 2 else keys
        shards = math_ops.cast(arithmetic_ops.abs(firsts) % count, dtypes.int32)
        return lambda rows: gen_ops.dynamic_partition(rows, shards, count)
