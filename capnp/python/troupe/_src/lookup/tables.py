"""Tables: from keys to values, in containers."""

from __future__ import annotations

import uuid
from contextlib import nullcontext
from typing import Any, ContextManager, Dict, Optional, Tuple

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.scopes import colocate_with, control_dependencies, name_scope
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.lookup.initializers import TableInitializerBase
from troupe._src.lookup.saved_tables import add_to_saved, saved_values
from troupe._src.ops import raw_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.sparse_tensor import SparseTensor
from troupe._src.set_module import set_module
from troupe._src.types.dtypes import DType, DTypeLike, as_dtype


class LookupInterface:
    """A table from keys of one dtype to values of one dtype."""

    def __init__(self, key_dtype: DTypeLike, value_dtype: DTypeLike) -> None:
        """Makes a table of some dtypes.

        Args:
            key_dtype: The dtype of the keys.
            value_dtype: The dtype of the values.
        """
        self._key_dtype = as_dtype(key_dtype)
        self._value_dtype = as_dtype(value_dtype)

    @property
    def key_dtype(self) -> DType:
        """The dtype of the keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> DType:
        """The dtype of the values."""
        return self._value_dtype

    @property
    def name(self) -> Optional[str]:
        """The name of the table's node, without its scope."""
        raise NotImplementedError

    @property
    def resource_handle(self) -> Any:
        """The tensor that stands for the table in a step, or None."""
        raise NotImplementedError

    def size(self, name: Optional[str] = None) -> Tensor:
        """The number of its keys."""
        raise NotImplementedError

    def lookup(self, keys: Any, name: Optional[str] = None) -> Any:
        """The values of the keys.

        Args:
            keys: The keys, a tensor or a SparseTensor of the table's dtype.

        Returns:
            The values, a tensor or a SparseTensor of the shape of the keys.

        Raises:
            TypeError: The keys have another dtype.
        """
        raise NotImplementedError

    def _check_keys(self, keys: Any) -> None:
        if keys.dtype.base_dtype != self._key_dtype:
            raise TypeError(
                f"Signature mismatch. Keys must be dtype {self._key_dtype}, got {keys.dtype}."
            )


class _TableWithHandle(LookupInterface):
    """A table that has a resource of its own."""

    _handle: Tensor
    _default_value: Tensor
    _keeps_device = False  # whether its nodes are on its device, in scopes of other devices, too

    def _on_its_device(self) -> ContextManager[None]:
        """A scope of nodes that use the table."""
        is_here = self._keeps_device and get_default_graph() is self._handle.graph
        return colocate_with(self._handle.op) if is_here else nullcontext()

    @property
    def resource_handle(self) -> Tensor:
        """The tensor that stands for the table in a step."""
        return self._handle

    @property
    def name(self) -> Optional[str]:
        return self._handle.op.name.split("/")[-1]

    def size(self, name: Optional[str] = None) -> Tensor:
        """The number of its keys, an int64."""
        with name_scope(name, f"{self.name}_Size"), self._on_its_device():
            size: Tensor = raw_ops.LookupTableSizeV2(table_handle=self._handle)
        return size

    def _find(self, keys: Any) -> Tensor:
        with self._on_its_device():
            values: Tensor = raw_ops.LookupTableFindV2(
                table_handle=self._handle, keys=keys, default_value=self._default_value
            )
        return values

    def _export(self) -> Tuple[Tensor, Tensor]:
        with self._on_its_device():
            keys, values = raw_ops.LookupTableExportV2(
                table_handle=self._handle, Tkeys=self._key_dtype, Tvalues=self._value_dtype
            )
        return keys, values


class StaticHashTable(_TableWithHandle):
    """A table that is filled once, by its initializer, before it is used.

    Args:
        initializer: What fills it; it says the dtypes of keys and values.
        default_value: The value of keys that it does not have, a scalar.
        name: The name of its node.
    """

    def __init__(
        self,
        initializer: TableInitializerBase,
        default_value: TensorLike,
        name: Optional[str] = None,
    ) -> None:
        # Filled from the same file, it is the same table.
        self._make(initializer, default_value, initializer._shared_name, name)

    def _make(
        self, initializer: TableInitializerBase, default_value: TensorLike,
        shared_name: Optional[str], name: Optional[str],
    ) -> None:  # fmt: skip
        super().__init__(initializer.key_dtype, initializer.value_dtype)
        self._default_value = convert_to_tensor(default_value, self._value_dtype)
        if self._default_value.shape.rank not in (None, 0):
            raise ValueError(
                f"the default value must be a scalar, not of shape {self._default_value.shape}"
            )
        self._initializer = initializer
        with control_dependencies(None):
            self._handle = raw_ops.HashTableV2(
                shared_name=shared_name or f"hash_table_{uuid.uuid4()}",
                key_dtype=self._key_dtype,
                value_dtype=self._value_dtype,
                name=name or "hash_table",
            )
            self._init_op = initializer.initialize(self)

    @property
    def default_value(self) -> Tensor:
        """The value of keys that the table lacks."""
        return self._default_value

    def lookup(self, keys: Any, name: Optional[str] = None) -> Any:
        """The values of the keys.

        Args:
            keys: The keys, a tensor or a SparseTensor of the table's dtype.

        Returns:
            The values, a tensor or a SparseTensor of the shape of the keys.

        Raises:
            TypeError: The keys have another dtype.
        """
        self._check_keys(keys)
        of = keys.values if isinstance(keys, SparseTensor) else keys
        with name_scope(name, f"{self.name}_Lookup"):
            values = self._find(of)
        values.set_shape(of.shape)
        if isinstance(keys, SparseTensor):
            return SparseTensor(keys.indices, values, keys.dense_shape)
        return values

    def export(self, name: Optional[str] = None) -> Tuple[Tensor, Tensor]:
        """All keys, in their order, and the value of each."""
        with name_scope(name, f"{self.name}_Export"):
            return self._export()


@set_module("troupe.lookup")
class StaticHashTableV1(StaticHashTable):
    """A `StaticHashTable`, whose `initializer` fills it."""

    @property
    def initializer(self) -> Operation:
        """The op that fills it."""
        return self._init_op


StaticHashTableV1.__name__ = StaticHashTableV1.__qualname__ = "StaticHashTable"


class HashTable(StaticHashTableV1):
    """A StaticHashTable, as older programs have it.

    Args:
        initializer: What fills it; it says the dtypes of keys and values.
        default_value: The value of keys that it does not have, a scalar.
        shared_name: Tables of that name are one table, which the first that is filled fills. By
            default tables that the same file fills are.
        name: The name of its node.
    """

    def __init__(
        self,
        initializer: TableInitializerBase,
        default_value: TensorLike,
        shared_name: Optional[str] = None,
        name: Optional[str] = None,
    ) -> None:
        self._make(initializer, default_value, shared_name or initializer._shared_name, name)

    @property
    def init(self) -> Operation:
        """The op that fills the table, as `initializer`."""
        return self.initializer


class MutableHashTable(_TableWithHandle):
    """A table that steps change.

    Args:
        key_dtype: The dtype of the keys.
        value_dtype: The dtype of the values.
        default_value: The value of keys that it does not have: a scalar, or a vector, and then all
            values are such vectors.
        name: The name of its node.
        checkpoint: Whether other programs find it by this name, and savers save it.
    """

    _keeps_device = True

    def __init__(
        self,
        key_dtype: DTypeLike,
        value_dtype: DTypeLike,
        default_value: TensorLike,
        name: str = "MutableHashTable",
        checkpoint: bool = True,
    ) -> None:
        super().__init__(key_dtype, value_dtype)
        self._default_value = convert_to_tensor(default_value, self._value_dtype)
        attrs: Dict[str, Any] = {
            "use_node_name_sharing": checkpoint,
            "key_dtype": self._key_dtype,
            "value_dtype": self._value_dtype,
            "name": name,
        }
        shape = self._default_value.shape
        with control_dependencies(None):
            self._handle = (
                raw_ops.MutableHashTableV2(**attrs)
                if shape.rank == 0
                else raw_ops.MutableHashTableOfTensorsV2(value_shape=shape, **attrs)
            )
        if checkpoint:
            add_to_saved(self, name)

    def lookup(self, keys: Any, name: Optional[str] = None) -> Tensor:
        """The values of the keys.

        Args:
            keys: The keys, a tensor of the table's dtype.

        Returns:
            A tensor of the shape of the keys and of a value; the default value for keys that the
            table lacks.
        """
        with name_scope(name, f"{self.name}_lookup_table_find"):
            return self._find(convert_to_tensor(keys, self._key_dtype, name="keys"))

    def insert(self, keys: Any, values: Any, name: Optional[str] = None) -> Operation:
        """Gives each key its value; of equal keys the last one counts.

        Args:
            keys: The keys, a tensor of the table's dtype.
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

    def remove(self, keys: Any, name: Optional[str] = None) -> Operation:
        """Removes the keys with their values; keys that it does not have are ignored.

        Args:
            keys: The keys, a tensor of the table's dtype.

        Returns:
            The operation.

        Raises:
            TypeError: The keys have another dtype.
        """
        self._check_keys(keys)
        with name_scope(name, f"{self.name}_lookup_table_remove"), self._on_its_device():
            op: Operation = raw_ops.LookupTableRemoveV2(table_handle=self._handle, keys=keys)
        return op

    def export(self, name: Optional[str] = None) -> Tuple[Tensor, Tensor]:
        """All keys, in their order, and the value of each."""
        with name_scope(name, f"{self.name}_lookup_table_export_values"):
            return self._export()

    def _gather_saveables_for_checkpoint(self) -> Dict[str, Any]:
        return saved_values(self)
