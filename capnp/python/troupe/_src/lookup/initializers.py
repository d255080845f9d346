"""What fills a table: tensors, or the lines of a file."""

from __future__ import annotations

from typing import Any, Optional

from troupe._src.graph.elements import Operation, Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.graph.scopes import name_scope
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import raw_ops
from troupe._src.ops.array_ops import get_static_value
from troupe._src.ops.grouping_ops import group
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DType, DTypeLike, as_dtype


def tables_initializer(name: str = "init_all_tables") -> Operation:
    """An op that fills all tables of the default graph which are filled once."""
    initializers = get_default_graph().get_collection(GraphKeys.TABLE_INITIALIZERS)
    return group(*initializers, name=name)


class TableInitializerBase:
    """What fills a table of these dtypes."""

    def __init__(self, key_dtype: DTypeLike, value_dtype: DTypeLike) -> None:
        """Fills tables of some dtypes.

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
    def _shared_name(self) -> str:
        """A name for tables that this fills; empty for any."""
        return ""

    def initialize(self, table: Any) -> Operation:
        """Adds the op that fills the table, and puts it into the collection of such ops.

        Args:
            table: The table.

        Returns:
            The operation.

        Raises:
            TypeError: The table has other dtypes.
        """
        raise NotImplementedError

    def _check_dtypes(self, table: Any) -> None:
        if self._key_dtype != table.key_dtype:
            raise TypeError(
                f"Invalid key dtype, expected {table.key_dtype} but got {self._key_dtype}."
            )
        if self._value_dtype != table.value_dtype:
            raise TypeError(
                f"Invalid value dtype, expected {table.value_dtype} but got {self._value_dtype}."
            )


@set_module("troupe.lookup")
class KeyValueTensorInitializer(TableInitializerBase):
    """Fills a table with a vector of keys and one of their values."""

    def __init__(
        self,
        keys: TensorLike,
        values: TensorLike,
        key_dtype: Optional[DTypeLike] = None,
        value_dtype: Optional[DTypeLike] = None,
        name: Optional[str] = None,
    ) -> None:
        """Fills tables from tensors.

        Args:
            keys: The keys, which differ.
            values: Their values, a tensor of the same shape.
            key_dtype: The dtype of the keys, by default that of the tensor.
            value_dtype: The dtype of the values, by default that of the tensor.
        """
        self._keys = convert_to_tensor(keys, key_dtype, name="keys")
        self._values = convert_to_tensor(values, value_dtype, name="values")
        self._name = "key_value_init" if name is None else name
        super().__init__(self._keys.dtype.base_dtype, self._values.dtype.base_dtype)

    def initialize(self, table: Any) -> Operation:
        """Adds the op that fills the table, and puts it into the collection of such ops.

        Args:
            table: The table.

        Returns:
            The operation.

        Raises:
            TypeError: The table has other dtypes.
        """
        self._check_dtypes(table)
        with name_scope(self._name):
            op: Operation = raw_ops.LookupTableImportV2(
                table_handle=table.resource_handle, keys=self._keys, values=self._values
            )
        get_default_graph().add_to_collection(GraphKeys.TABLE_INITIALIZERS, op)
        return op


@set_module("troupe.lookup")
class TextFileIndex:
    """What stands for a column of a file: its lines, or their numbers from 0."""

    WHOLE_LINE = -2
    LINE_NUMBER = -1


@set_module("troupe.lookup")
class TextFileInitializer(TableInitializerBase):
    """Fills a table with an entry for each line of a file, which the table's task reads.

    Args:
        filename: The file; a tensor, too.
        key_dtype: The dtype of the keys.
        key_index: The column that has them, from 0, or a TextFileIndex.
        value_dtype: The dtype of the values.
        value_index: The column that has them, from 0, or a TextFileIndex.
        vocab_size: How many lines count, which the file must have; all, unless given.
        delimiter: What is between the columns, a character.
        name: The scope of the op.

    Raises:
        ValueError: There is no filename, or these columns have no such dtypes.
    """

    def __init__(
        self,
        filename: Any,
        key_dtype: DTypeLike,
        key_index: int,
        value_dtype: DTypeLike,
        value_index: int,
        vocab_size: Optional[int] = None,
        delimiter: str = "\t",
        name: Optional[str] = None,
    ) -> None:
        if not isinstance(filename, Tensor) and not filename:
            raise ValueError(f"Filename required for {name}.")
        super().__init__(key_dtype, value_dtype)
        _check_column("key", key_index, "Keys", self._key_dtype, may_be_integer=True)
        _check_column("value", value_index, "Values", self._value_dtype, may_be_integer=False)
        if vocab_size is not None and vocab_size <= 0:
            raise ValueError(f"Invalid vocab_size {vocab_size}.")
        self._filename = filename
        self._key_index = key_index
        self._value_index = value_index
        self._vocab_size = vocab_size
        self._delimiter = delimiter
        self._name = name

    @property
    def _shared_name(self) -> str:
        size = f"{self._vocab_size}_" if self._vocab_size else ""
        return f"hash_table_{self._filename}_{size}{self._key_index}_{self._value_index}"

    def initialize(self, table: Any) -> Operation:
        """Adds the op that fills the table, and puts it into the collection of such ops.

        Args:
            table: The table.

        Returns:
            The operation.

        Raises:
            TypeError: The table has other dtypes.
        """
        self._check_dtypes(table)
        graph = get_default_graph()
        with name_scope(self._name, "text_file_init"):
            filename = convert_to_tensor(self._filename, dtypes.string, name="asset_filepath")
            op: Operation = raw_ops.InitializeTableFromTextFileV2(
                table_handle=table.resource_handle,
                filename=filename,
                key_index=self._key_index,
                value_index=self._value_index,
                vocab_size=-1 if self._vocab_size is None else self._vocab_size,
                delimiter=self._delimiter,
            )
        graph.add_to_collection(GraphKeys.TABLE_INITIALIZERS, op)
        if get_static_value(filename) is not None:
            graph.add_to_collection(GraphKeys.ASSET_FILEPATHS, filename)
        return op


def _check_column(
    what: str, index: int, subject: str, dtype: DType, may_be_integer: bool
) -> None:
    if index < TextFileIndex.WHOLE_LINE:
        raise ValueError(f"Invalid {what} index {index}.")
    mismatch = f"Signature mismatch. {subject} must be"
    if index == TextFileIndex.LINE_NUMBER and dtype != dtypes.int64:
        raise ValueError(f"{mismatch} dtype {dtypes.int64}, got {dtype}.")
    if index == TextFileIndex.WHOLE_LINE and dtype != dtypes.string:
        if not may_be_integer:
            raise ValueError(f"{mismatch} dtype {dtypes.string}, got {dtype}.")
        if not dtype.is_integer:
            raise ValueError(f"{mismatch} integer or string, got {dtype}.")


class TextFileStringTableInitializer(TextFileInitializer):
    """Fills a table from numbers to strings, by default those of lines to these."""

    def __init__(
        self,
        filename: Any,
        key_column_index: int = TextFileIndex.LINE_NUMBER,
        value_column_index: int = TextFileIndex.WHOLE_LINE,
        vocab_size: Optional[int] = None,
        delimiter: str = "\t",
        name: str = "text_file_string_table_init",
    ) -> None:
        """Fills tables from numbers to strings.

        Args:
            filename: The file; a tensor, too.
            key_column_index: The column of the keys, or a TextFileIndex.
            value_column_index: The column of the values, or a TextFileIndex.
            vocab_size: How many lines count, which the file must have; all, unless given.
            delimiter: What is between the columns.
        """
        super().__init__(
            filename, dtypes.int64, key_column_index, dtypes.string, value_column_index,
            vocab_size, delimiter, name,
        )  # fmt: skip


class TextFileIdTableInitializer(TextFileInitializer):
    """Fills a table from strings or numbers to numbers, by default lines to those of them."""

    def __init__(
        self,
        filename: Any,
        key_column_index: int = TextFileIndex.WHOLE_LINE,
        value_column_index: int = TextFileIndex.LINE_NUMBER,
        vocab_size: Optional[int] = None,
        delimiter: str = "\t",
        name: str = "text_file_id_table_init",
        key_dtype: DTypeLike = dtypes.string,
    ) -> None:
        """Fills tables from strings to numbers.

        Args:
            filename: The file; a tensor, too.
            key_column_index: The column of the keys, or a TextFileIndex.
            value_column_index: The column of the values, or a TextFileIndex.
            vocab_size: How many lines count, which the file must have; all, unless given.
            delimiter: What is between the columns.
            key_dtype: The dtype of the keys.
        """
        super().__init__(
            filename, key_dtype, key_column_index, dtypes.int64, value_column_index,
            vocab_size, delimiter, name,
        )  # fmt: skip
