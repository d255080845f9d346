"""Tables in buckets, whose keys may be vectors."""

from __future__ import annotations

from typing import Any, Dict, Optional, Tuple

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.scopes import control_dependencies, name_scope
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.lookup.saved_tables import add_to_saved, saved_values
from troupe._src.lookup.tables import _TableWithHandle
from troupe._src.ops import raw_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.set_module import set_module
from troupe._src.types.dtypes import DTypeLike


@set_module("troupe.lookup.experimental")
class DenseHashTable(_TableWithHandle):
    """A table that steps change, in buckets, with scalars or vectors as keys and as values.

    Args:
        key_dtype: The dtype of the keys.
        value_dtype: The dtype of the values.
        default_value: The value of keys that it does not have; all values have its shape.
        empty_key: What no key may be, a constant; all keys have its shape.
        deleted_key: What no key may be either, another constant.
        initial_num_buckets: A power of two.
        name: The name of its node.
        checkpoint: Whether other programs find it by this name, and savers save it.
    """

    _keeps_device = True

    def __init__(
        self,
        key_dtype: DTypeLike,
        value_dtype: DTypeLike,
        default_value: TensorLike,
        empty_key: TensorLike,
        deleted_key: TensorLike,
        initial_num_buckets: Optional[int] = None,
        name: str = "MutableDenseHashTable",
        checkpoint: bool = True,
    ) -> None:
        super().__init__(key_dtype, value_dtype)
        self._default_value = convert_to_tensor(default_value, self._value_dtype)
        empty = convert_to_tensor(empty_key, self._key_dtype, name="empty_key")
        deleted = convert_to_tensor(deleted_key, self._key_dtype, name="deleted_key")
        self._key_rank = empty.shape.rank or 0
        with control_dependencies(None):
            self._handle = raw_ops.MutableDenseHashTableV2(
                empty_key=empty,
                deleted_key=deleted,
                use_node_name_sharing=checkpoint,
                value_dtype=self._value_dtype,
                value_shape=self._default_value.shape,
                initial_num_buckets=initial_num_buckets or 131072,
                name=name,
            )
        if checkpoint:
            add_to_saved(self, name)

    def lookup(self, keys: TensorLike, name: Optional[str] = None) -> Tensor:
        """The values of the keys.

        Args:
            keys: The keys, a tensor of the table's dtype; its last axes are those of a key.

        Returns:
            A tensor of the shape of the keys, with the axes of a value instead of those of a key;
            the default value for keys that the table lacks.
        """
        with name_scope(name, f"{self.name}_lookup_table_find"):
            given = convert_to_tensor(keys, self._key_dtype, name="keys")
            values = self._find(given)
        if given.shape.rank is not None:
            sizes = given.shape.as_list()
            values.set_shape(
                sizes[: len(sizes) - self._key_rank] + self._default_value.shape.as_list()
            )
        return values

    def insert_or_assign(
        self, keys: TensorLike, values: TensorLike, name: Optional[str] = None
    ) -> Operation:
        """Gives each key its value; of equal keys the last one counts.

        Args:
            keys: The keys, a tensor of the table's dtype; its last axes are those of a key.
            values: Their values, a tensor of the table's dtype.

        Returns:
            The operation.
        """
        with name_scope(name, f"{self.name}_lookup_table_insert"), self._on_its_device():
            op: Operation = raw_ops.LookupTableInsertV2(
                table_handle=self._handle,
                keys=convert_to_tensor(keys, self._key_dtype, name="keys"),
                values=convert_to_tensor(values, self._value_dtype, name="values"),
            )
        return op

    def insert(self, keys: TensorLike, values: TensorLike, name: Optional[str] = None) -> Operation:
        """As insert_or_assign().

        Args:
            keys: The keys, a tensor of the table's dtype; its last axes are those of a key.
            values: Their values, a tensor of the table's dtype.

        Returns:
            The operation.
        """
        return self.insert_or_assign(keys, values, name)

    def erase(self, keys: TensorLike, name: Optional[str] = None) -> Operation:
        """Removes the keys with their values; keys that it does not have are ignored.

        Args:
            keys: The keys, a tensor of the table's dtype; its last axes are those of a key.

        Returns:
            The operation.

        Raises:
            TypeError: The keys have another dtype.
        """
        self._check_keys(keys)
        with name_scope(name, f"{self.name}_lookup_table_remove"), self._on_its_device():
            op: Operation = raw_ops.LookupTableRemoveV2(table_handle=self._handle, keys=keys)
        return op

    def remove(self, keys: TensorLike, name: Optional[str] = None) -> Operation:
        """As erase().

        Args:
            keys: The keys, a tensor of the table's dtype; its last axes are those of a key.

        Returns:
            The operation.

        Raises:
            TypeError: The keys have another dtype.
        """
        return self.erase(keys, name)

    def export(self, name: Optional[str] = None) -> Tuple[Tensor, Tensor]:
        """The keys and the values of all buckets, a row each, also of those without a key."""
        with name_scope(name, f"{self.name}_lookup_table_export_values"):
            return self._export()

    def _gather_saveables_for_checkpoint(self) -> Dict[str, Any]:
        return saved_values(self)
