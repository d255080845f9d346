"""Arrays as the inputs of models: batches of them are fed to placeholders."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, NamedTuple, Optional

import numpy as np

from troupe._src.ops.convert import is_tensor
from troupe._src.ops.creation_ops import placeholder
from troupe._src.types import dtypes
from troupe._src.types.dtypes import as_dtype

_SEED = 42  # of the order of examples


class Fed(NamedTuple):
    """An input function, and one that gives what is fed in a step, or None."""

    input_fn: Callable[[], Any]
    feed_fn: Optional[Callable[[], Dict[Any, Any]]]


def check_inputs(x: Any, y: Any, input_fn: Any, feed_fn: Any, batch_size: Any) -> None:
    """Does nothing for arrays or an input function.

    Raises:
        ValueError: There are neither, or both, or arguments that do not go with them.
    """
    if input_fn is not None:
        if x is not None or y is not None:
            raise ValueError("Can not provide both input_fn and x or y.")
        if batch_size is not None:
            raise ValueError("Can not provide both input_fn and batch_size.")
        return
    if x is None:
        raise ValueError("Either x or input_fn must be provided.")
    if is_tensor(x) or (y is not None and is_tensor(y)):
        raise ValueError("Inputs cannot be tensors. Please provide input_fn.")
    if feed_fn is not None:
        raise ValueError("Can not provide both feed_fn and x or y.")


def fed_inputs(
    x: Any,
    y: Any,
    batch_size: Optional[int],
    shuffle: bool = False,
    epochs: Optional[int] = 1,
) -> Fed:
    """The inputs of arrays.

    Args:
        x: An array of features, [examples, ...], or a dict of them, or a table of pandas.
        y: An array of labels, a dict of them, or None.
        batch_size: How many examples a step gets, by default all.
        shuffle: Whether their order is another one in each epoch.
        epochs: How often all are given; None for no end.

    Returns:
        The functions.

    Raises:
        ValueError: The size is not positive, or arrays have different lengths.
        TypeError: It is an iterator.
    """
    feeder = _Feeder(x, y, batch_size, shuffle, epochs)
    return Fed(feeder.inputs, feeder.feed)


class _Feeder:
    """Batches of arrays, and the placeholders that they are fed to."""

    def __init__(
        self, x: Any, y: Any, batch_size: Optional[int], shuffle: bool, epochs: Optional[int]
    ) -> None:
        self._x, self._y = _arrays(x), None if y is None else _arrays(y)
        self._x = {key: _with_columns(array) for key, array in self._x.items()}
        lengths = {len(array) for array in [*self._x.values(), *(self._y or {}).values()]}
        if len(lengths) != 1:
            raise ValueError(f"Arrays of features and labels have different lengths: {lengths}")
        (self._count,) = lengths
        if batch_size is not None and batch_size <= 0:
            raise ValueError(f"Invalid batch_size {batch_size}.")
        self._batch_size = self._count if batch_size is None else batch_size
        self._random = np.random.RandomState(_SEED) if shuffle else None
        self._epochs, self._epoch, self._offset = epochs, 0, 0
        self._order = self._new_order()
        self._fed: List[Any] = []  # pairs of a placeholder and its array

    def _new_order(self) -> Any:
        if self._random is None:
            return np.arange(self._count)
        return self._random.permutation(self._count)

    def inputs(self) -> Any:
        """The placeholders of features and labels, of the default graph."""
        self._fed = []
        features = self._placeholders(self._x, "input")
        return features, None if self._y is None else self._placeholders(self._y, "output")

    def _placeholders(self, arrays: Dict[Optional[str], Any], name: str) -> Any:
        made: Dict[Any, Any] = {}
        for key, array in arrays.items():
            is_text = array.dtype.kind in "OSU"
            kind = dtypes.string if is_text else as_dtype(array.dtype)
            full_name = name if key is None else f"{name}_{key}"
            made[key] = placeholder(kind, [None, *array.shape[1:]], full_name)
            self._fed.append((made[key], array))
        return made[None] if None in made else made

    def feed(self) -> Dict[Any, Any]:
        """What the next step is fed.

        Raises:
            StopIteration: All epochs have been given.
        """
        if self._epochs is not None and self._epoch >= self._epochs:
            raise StopIteration
        chosen = self._order[self._offset : self._offset + self._batch_size]
        self._offset += self._batch_size
        if self._offset >= self._count:
            self._order, self._offset = self._new_order(), 0
            self._epoch += 1
        return {tensor: array[chosen] for tensor, array in self._fed}


def _arrays(given: Any) -> Dict[Optional[str], Any]:
    """Arrays by name; one array has the name None."""
    if isinstance(given, dict):
        return {key: _array(value) for key, value in given.items()}
    return {None: _array(given)}


def _array(given: Any) -> Any:
    if hasattr(given, "__next__"):
        raise TypeError(
            f"{given!r} is an iterator, which models of arrays cannot take; use an input_fn with "
            "tf.data.Dataset.from_generator"
        )
    array = np.asarray(given)
    if array.ndim == 0:
        raise ValueError(f"{given!r} is no array of examples")
    return array


def _with_columns(array: Any) -> Any:
    """Features of one number have an axis for it."""
    return array.reshape(-1, 1) if array.ndim == 1 else array


def together(batches: List[Any]) -> Any:
    """The predictions of batches as those of one."""
    if not isinstance(batches[0], dict):
        return np.concatenate(batches)
    return {key: np.concatenate([each[key] for each in batches]) for key in batches[0]}
