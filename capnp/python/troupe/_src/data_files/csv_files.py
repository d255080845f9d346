"""Data sets in files of comma-separated values."""

from __future__ import annotations

import csv
from typing import Any, List, NamedTuple, Optional

import numpy as np

from troupe._src.platform.gfile import Open
from troupe._src.set_module import set_module
from troupe._src.types.paths import PathLike


@set_module("troupe.contrib.learn.datasets.base")
class Dataset(NamedTuple):
    """The features and labels of examples."""

    data: Any
    target: Any


def load_csv_with_header(
    filename: PathLike, target_dtype: Any, features_dtype: Any, target_column: int = -1
) -> Dataset:
    """The examples of a file whose first row begins with the numbers of examples and of features.

    Args:
        filename: Its path.
        target_dtype: The NumPy type of labels.
        features_dtype: The NumPy type of features.
        target_column: The column of labels.

    Returns:
        The examples.

    Raises:
        ValueError: There are other numbers of examples or features.
    """
    rows = _rows(filename)
    count, features = int(rows[0][0]), int(rows[0][1])
    found = _dataset(rows[1:], target_dtype, features_dtype, target_column)
    if found.data.shape != (count, features):
        raise ValueError(
            f"{filename} has {found.data.shape} examples and features, and its header says "
            f"{(count, features)}"
        )
    return found


def load_csv_without_header(
    filename: PathLike, target_dtype: Any, features_dtype: Any, target_column: int = -1
) -> Dataset:
    """The examples of a file, one in each row.

    Args:
        filename: Its path.
        target_dtype: The NumPy type of labels.
        features_dtype: The NumPy type of features.
        target_column: The column of labels.

    Returns:
        The examples.

    Raises:
        ValueError: A value is not of its type.
    """
    return _dataset(_rows(filename), target_dtype, features_dtype, target_column)


def _rows(filename: PathLike) -> List[List[str]]:
    with Open(filename, "r") as file:
        return [row for row in csv.reader(file) if row]


def _dataset(rows: List[List[str]], target_dtype: Any, features_dtype: Any, column: int) -> Dataset:
    target = [row.pop(column) for row in rows]
    return Dataset(np.array(rows).astype(features_dtype), np.array(target).astype(target_dtype))


def load_iris(data_path: Optional[PathLike] = None) -> Dataset:
    """Fisher's irises.

    Args:
        data_path: The file, which the package does not have.

    Returns:
        The examples.

    Raises:
        ValueError: There is no path.
    """
    return load_csv_with_header(_given(data_path, "iris.csv"), np.int64, np.float64)


def load_boston(data_path: Optional[PathLike] = None) -> Dataset:
    """The prices of houses in Boston.

    Args:
        data_path: The file, which the package does not have.

    Returns:
        The examples.

    Raises:
        ValueError: There is no path.
    """
    path = _given(data_path, "boston_house_prices.csv")
    return load_csv_with_header(path, np.float64, np.float64)


def _given(path: Optional[PathLike], name: str) -> PathLike:
    if path is None:
        raise ValueError(f"data_path is missing: the package does not have the file {name}")
    return path
