"""Frames of pandas as arrays."""

from __future__ import annotations

import sys
from typing import Any, List

from troupe._src.set_module import set_module

_MODULE = "troupe.contrib.learn"
_DTYPES = frozenset(
    "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 bool".split()
)


def _is_frame(data: Any) -> bool:
    pandas = sys.modules.get("pandas")  # whoever has a frame has imported it
    return pandas is not None and isinstance(data, pandas.DataFrame)


def _others(data: Any) -> List[Any]:
    """The columns that are no numbers."""
    return [column for column in data if data[column].dtype.name not in _DTYPES]


@set_module(_MODULE)
def extract_pandas_data(data: Any) -> Any:
    """The numbers of a frame as an array of floats.

    Args:
        data: The frame; something else is returned as it is.

    Returns:
        An array, [rows, columns].

    Raises:
        ValueError: A column has no numbers.
    """
    if not _is_frame(data):
        return data
    others = [f"'{column}' type='{data[column].dtype.name}'" for column in _others(data)]
    if others:
        raise ValueError(
            "Data types for extracting pandas data must be int, float, or bool. Found: "
            + ", ".join(others)
        )
    return data.values.astype("float")


@set_module(_MODULE)
def extract_pandas_matrix(data: Any) -> Any:
    """A frame as an array.

    Args:
        data: The frame; something else is returned as it is.

    Returns:
        An array, [rows, columns].
    """
    return data.values if _is_frame(data) else data


@set_module(_MODULE)
def extract_pandas_labels(labels: Any) -> Any:
    """A frame of one column of numbers as an array.

    Args:
        labels: The frame; something else is returned as it is.

    Returns:
        An array, [rows, 1].

    Raises:
        ValueError: There are several columns, or no numbers.
    """
    if not _is_frame(labels):
        return labels
    if len(labels.columns) > 1:
        raise ValueError("Only one column for labels is allowed.")
    others = [f"'{column}' type={labels[column].dtype.name}" for column in _others(labels)]
    if others:
        raise ValueError(
            "Data types for extracting labels must be int, float, or bool. Found: "
            + ", ".join(others)
        )
    return labels.values
