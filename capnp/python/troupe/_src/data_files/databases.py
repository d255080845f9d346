"""Datasets of what databases hold."""

from __future__ import annotations

from typing import Any

from troupe._src.data import nest
from troupe._src.data.components import Components
from troupe._src.data.dataset import Dataset
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import raw_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.dtypes import as_dtype
from troupe._src.types.shapes import TensorShape


@set_module("troupe.data.experimental")
class SqlDataset(Dataset):
    """The rows of a query; an element is a scalar for each column.

    Args:
        driver_name: The kind of the database, a string scalar; "sqlite" is the only one.
        data_source_name: The path of the database, a string scalar.
        query: A statement of SQL, a string scalar. It can use no other database.
        output_types: The dtype of each column, in a tuple: strings, bools, float64, and integers of
            at most 32 bits or int64.

    Raises:
        troupe.errors.InvalidArgumentError: In the step: a dtype that a column cannot have, another
            number of columns, or no database of that kind.
    """

    def __init__(
        self,
        driver_name: TensorLike,
        data_source_name: TensorLike,
        query: TensorLike,
        output_types: Any,
    ) -> None:
        columns = [as_dtype(each) for each in nest.flatten(output_types)]
        shapes = [TensorShape([]) for _ in columns]
        self._components = Components(
            nest.pack_as(output_types, list(columns)), nest.pack_as(output_types, list(shapes))
        )
        self._variant_tensor = raw_ops.SqlDataset(
            driver_name=convert_to_tensor(driver_name, dtypes.string),
            data_source_name=convert_to_tensor(data_source_name, dtypes.string),
            query=convert_to_tensor(query, dtypes.string),
            output_types=list(columns),
            output_shapes=list(shapes),
        )


@set_module("troupe.contrib.data")
class LMDBDataset(Dataset):
    """The entries of LMDB files, one file after the other, in the order of their keys; an element
    is a key and its value.

    Args:
        filenames: Names of files, or of folders with a file data.mdb: a string scalar or vector.
    """

    def __init__(self, filenames: TensorLike) -> None:
        strings, scalars = (dtypes.string, dtypes.string), (TensorShape([]), TensorShape([]))
        self._components = Components(strings, scalars)
        self._variant_tensor = raw_ops.LMDBDataset(
            filenames=convert_to_tensor(filenames, dtypes.string),
            output_types=list(strings),
            output_shapes=list(scalars),
        )
