"""The value of a ragged tensor."""

from __future__ import annotations

from typing import Any, List, Tuple

import numpy as np

from troupe._src.framework.dispatch import note_ragged
from troupe._src.set_module import set_module


@set_module("troupe.ragged")
class RaggedTensorValue:
    """Arrays of a ragged tensor: what fetching one gives, and feeding one takes."""

    def __init__(self, values: Any, row_splits: np.ndarray[Any, Any]) -> None:
        """Of the values of all rows, and where rows begin and end.

        Args:
            values: An array, or a value of which the rows are rows of this one.
            row_splits: An int32 or int64 vector: row i lies between splits i and i + 1.

        Raises:
            TypeError: An argument is no such array.
            ValueError: The splits of the values have another dtype.
        """
        is_vector = isinstance(row_splits, (np.ndarray, np.generic)) and row_splits.ndim == 1
        if not is_vector or row_splits.dtype not in (np.int32, np.int64):
            raise TypeError("row_splits must be a 1D int32 or int64 numpy array")
        if not isinstance(values, (np.ndarray, np.generic, RaggedTensorValue)):
            raise TypeError("values must be a numpy array or a RaggedTensorValue")
        if isinstance(values, RaggedTensorValue) and values.row_splits.dtype != row_splits.dtype:
            raise ValueError("row_splits and values.row_splits must have the same dtype")
        note_ragged(RaggedTensorValue)
        self._values: Any = values
        self._row_splits = row_splits

    @property
    def values(self) -> Any:
        """The values of all rows."""
        return self._values

    @property
    def row_splits(self) -> np.ndarray[Any, Any]:
        """Where each row begins, and the last ends."""
        return self._row_splits

    @property
    def dtype(self) -> Any:
        """NumPy's dtype of the values."""
        return self._values.dtype

    @property
    def flat_values(self) -> np.ndarray[Any, Any]:
        """The array of the values at the innermost."""
        inner = self._values
        found: np.ndarray[Any, Any] = getattr(inner, "flat_values", inner)
        return found

    @property
    def nested_row_splits(self) -> Tuple[np.ndarray[Any, Any], ...]:
        """The splits of all ragged axes, from the outermost."""
        return (self._row_splits, *getattr(self._values, "nested_row_splits", ()))

    @property
    def ragged_rank(self) -> int:
        """The number of ragged axes."""
        return len(self.nested_row_splits)

    @property
    def shape(self) -> Tuple[Any, ...]:
        """The sizes, with None for those of ragged axes."""
        return (len(self._row_splits) - 1, None, *self._values.shape[1:])

    def to_list(self) -> List[Any]:
        """The rows as nested lists.

        Returns:
            A list of the rows.
        """
        is_inner = isinstance(self._values, RaggedTensorValue)
        values = self._values.to_list() if is_inner else self._values.tolist()
        splits = self._row_splits
        return [values[begin:end] for begin, end in zip(splits[:-1], splits[1:])]

    def __str__(self) -> str:
        return f"<tf.RaggedTensorValue {self.to_list()}>"

    def __repr__(self) -> str:
        return f"tf.RaggedTensorValue(values={self._values!r}, row_splits={self._row_splits!r})"
