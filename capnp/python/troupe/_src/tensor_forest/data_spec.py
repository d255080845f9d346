"""Columns of features as the tensors that trees take, and their description."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Tuple

from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.sparse_tensor import SparseTensor
from troupe._src.platform import logging
from troupe._src.sparse.arrangement import sparse_concat
from troupe._src.sparse.conversions import sparse_tensor_to_dense
from troupe._src.types import dtypes

# The types of columns: numbers, and all that is only equal or not.
DATA_FLOAT = 0
DATA_CATEGORICAL = 1

DTYPE_TO_FTYPE = {
    dtypes.string: DATA_CATEGORICAL,
    dtypes.int32: DATA_CATEGORICAL,
    dtypes.int64: DATA_CATEGORICAL,
    dtypes.float32: DATA_FLOAT,
    dtypes.float64: DATA_FLOAT,
}


def CastToFloat(tensor: Any) -> Any:
    """Numbers of a tensor's elements, which are equal where these are.

    Args:
        tensor: Strings, integers or floats.

    Returns:
        A tensor of float32, or the tensor itself if it has floats.
    """
    if tensor.dtype == dtypes.string:
        return gen_ops.reinterpret_string_to_float(tensor)
    return math_ops.cast(tensor, dtypes.float32) if tensor.dtype.is_integer else tensor


class DataColumn:
    """A column of features: its name, type and how many features it has."""

    def __init__(self) -> None:
        self.name, self.original_type, self.size = "", "", 0  # type: Any, Any, Any

    def SerializeToString(self) -> str:
        """The column as text."""
        return f"name: {self.name} original_type: {self.original_type} size: {self.size}"


class DataColumnCollection:
    """Columns in their order."""

    def __init__(self) -> None:
        self.cols: List[DataColumn] = []

    def add(self) -> DataColumn:
        """Adds a column.

        Returns:
            The column.
        """
        self.cols.append(DataColumn())
        return self.cols[-1]

    def size(self) -> int:
        """How many there are."""
        return len(self.cols)

    def SerializeToString(self) -> str:
        """The columns as text."""
        return "".join(f"{{{column.SerializeToString()}}}" for column in self.cols)


class TensorForestDataSpec:
    """The dense and the sparse columns of examples."""

    def __init__(self) -> None:
        self.sparse, self.dense = DataColumnCollection(), DataColumnCollection()
        self.dense_features_size: Any = 0

    def chosen(self, features: Sequence[int]) -> TensorForestDataSpec:
        """The description of some dense features, each of which is a column.

        Args:
            features: Their positions.

        Returns:
            The description.
        """
        types = [each.original_type for each in self.dense.cols for _ in range(int(each.size))]
        found = TensorForestDataSpec()
        for at in features:
            _describe(found.dense.add(), f"feature_{at}", types[at], 1)
        found.dense_features_size = len(features)
        return found

    def SerializeToString(self) -> str:
        """The description as the ops of trees take it."""
        return (
            f"dense_features_size: {int(self.dense_features_size)} "
            f"dense: [{self.dense.SerializeToString()}] sparse: [{self.sparse.SerializeToString()}]"
        )


def GetColumnName(column_key: Any, col_num: int) -> str:
    """The name of a column.

    Args:
        column_key: Its key in a dict.
        col_num: Its position.

    Returns:
        The key if it is a text, else what it has as its `column_name`, else the position.
    """
    if isinstance(column_key, str):
        return column_key
    return str(getattr(column_key, "column_name", col_num))


Parsed = Tuple[Optional[Any], Optional[SparseTensor], TensorForestDataSpec]


def ParseDataTensorOrDict(data: Any) -> Parsed:
    """The features of examples as one dense and one sparse tensor.

    Args:
        data: A matrix of numbers, [batch, features], a SparseTensor, or such ones by names; a
            sparse tensor of float32 in a dict is left out.

    Returns:
        The dense matrix and the sparse one, None where there are none, and the description of
        their columns.

    Raises:
        KeyError: Trees take no tensors of that dtype.
    """
    spec = TensorForestDataSpec()
    if isinstance(data, dict):
        return _parse_dict(data, spec)
    if isinstance(data, SparseTensor):
        _describe(spec.sparse.add(), "sparse_features", DTYPE_TO_FTYPE[data.dtype], -1)
        return None, data, spec
    dense = convert_to_tensor(data)
    size = dense.shape[1]
    _describe(spec.dense.add(), "dense_features", DTYPE_TO_FTYPE[dense.dtype], size)
    spec.dense_features_size = size
    return dense, None, spec


def _parse_dict(data: Dict[Any, Any], spec: TensorForestDataSpec) -> Parsed:
    dense: List[Any] = []
    sparse: List[Any] = []
    for key in sorted(data, key=lambda key: GetColumnName(key, 0)):
        value = data[key]
        if isinstance(value, SparseTensor):
            if value.dtype == dtypes.float32:
                logging.info("TensorForest does not support sparse continuous.")
                continue
            if spec.sparse.size() == 0:
                _describe(spec.sparse.add(), "all_sparse", DATA_CATEGORICAL, -1)
            numbers = CastToFloat(value.values)
            sparse.append(SparseTensor(value.indices, numbers, value.dense_shape))
            continue
        size = 1 if value.shape.rank == 1 else int(value.shape[1])
        name = GetColumnName(key, len(dense))
        _describe(spec.dense.add(), name, DTYPE_TO_FTYPE[value.dtype], size)
        spec.dense_features_size += size
        dense.append(CastToFloat(value))
    if not dense:
        spec.dense_features_size = 0
    logging.info(spec.SerializeToString())
    return (
        array_ops.concat(dense, 1) if dense else None,
        sparse_concat(1, sparse) if sparse else None,
        spec,
    )


def _describe(column: DataColumn, name: str, original_type: int, size: Any) -> None:
    column.name, column.original_type, column.size = name, original_type, size


def ParseLabelTensorOrDict(labels: Any) -> Any:
    """The labels of examples as one tensor of float32.

    Args:
        labels: A tensor, a SparseTensor, or tensors [batch, columns] by names.

    Returns:
        The tensor; what a sparse one lacks is -1.
    """
    if isinstance(labels, dict):
        columns = [labels[key] for key in sorted(labels)]
        return math_ops.cast(array_ops.concat(columns, 1), dtypes.float32)
    if isinstance(labels, SparseTensor):
        labels = sparse_tensor_to_dense(labels, default_value=-1)
    return math_ops.cast(labels, dtypes.float32)
