"""Tables of the states of models, by when they are."""

from __future__ import annotations

from typing import Any

from troupe._src.control_flow import nest
from troupe._src.graph.scopes import control_dependencies
from troupe._src.lookup.dense_table import DenseHashTable
from troupe._src.ops import array_ops, creation_ops, gen_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.grouping_ops import group
from troupe._src.types import dtypes


def replicate_state(start_state: Any, batch_size: Any) -> Any:
    """The same state for each series of a batch.

    Args:
        start_state: A tensor, or a nested structure of them.
        batch_size: The number of series.

    Returns:
        The structure, with a first axis of that size.
    """

    def replicated(value: Any) -> Any:
        tensor = convert_to_tensor(value)
        others = creation_ops.ones([array_ops.rank(tensor)], dtypes.int32)
        multiples = array_ops.concat([array_ops.reshape(batch_size, [1]), others], 0)
        return gen_ops.tile(array_ops.expand_dims(tensor, 0), multiples)

    return nest.map_structure(replicated, start_state)


class _TensorTable:
    """A table of tensors of one shape, which it keeps as vectors."""

    def __init__(self, default_value: Any, name: str, **options: Any) -> None:
        self._default_value = default_value
        self._shape = array_ops.shape(default_value)
        self._table = DenseHashTable(
            value_dtype=default_value.dtype, name=name,
            default_value=array_ops.reshape(default_value, [-1]), **options,
        )  # fmt: skip

    def insert(self, keys: Any, values: Any) -> Any:
        flat_keys = array_ops.reshape(keys, [-1])
        sizes = array_ops.stack([array_ops.size(flat_keys), array_ops.size(self._default_value)])
        return self._table.insert(flat_keys, array_ops.reshape(values, sizes))

    def lookup(self, keys: Any) -> Any:
        found = self._table.lookup(array_ops.reshape(keys, [-1]))
        return array_ops.reshape(
            found, array_ops.concat([array_ops.shape(keys), self._shape], 0)
        )


class TupleOfTensorsLookup:
    """A table of structures of tensors, by integers.

    Args:
        key_dtype: The dtype of the keys.
        default_values: The structure of keys that it does not have.
        empty_key: What no key may be.
        deleted_key: What no key may be either.
        name: The prefix of the names of its tables, one for each tensor.
        checkpoint: Whether savers save it.
    """

    def __init__(
        self, key_dtype: Any, default_values: Any, empty_key: Any, deleted_key: Any, name: str,
        checkpoint: bool = True,
    ) -> None:  # fmt: skip
        self._default_values = nest.map_structure(convert_to_tensor, default_values)
        self._tables = [
            _TensorTable(
                value, f"{name}_{number}", key_dtype=key_dtype, empty_key=empty_key,
                deleted_key=deleted_key, checkpoint=checkpoint,
            )
            for number, value in enumerate(nest.flatten(self._default_values))
        ]  # fmt: skip

    def lookup(self, keys: Any) -> Any:
        """The structures of keys.

        Args:
            keys: The keys, of any shape.

        Returns:
            The structure; its tensors begin with the shape of the keys.
        """
        found = [table.lookup(keys) for table in self._tables]
        return nest.pack_sequence_as(self._default_values, found)

    def insert(self, keys: Any, values: Any) -> Any:
        """Gives each key its structure.

        Args:
            keys: The keys, of any shape.
            values: The structure; its tensors begin with the shape of the keys.

        Returns:
            The operation.

        Raises:
            ValueError: It is another structure.
        """
        nest.assert_same_structure(self._default_values, values)
        given = [array_ops.identity(value) for value in nest.flatten(values)]
        with control_dependencies(given):
            inserts = [table.insert(keys, value) for table, value in zip(self._tables, given)]
        return group(*inserts)
