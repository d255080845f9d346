"""Input functions for arrays: `numpy_input_fn` and `pandas_input_fn`."""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple, Union

import numpy as np

from troupe._src.data.dataset import Dataset
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DType, as_dtype
from troupe._src.types.shapes import TensorShape

InputFn = Callable[[], Any]


def numpy_input_fn(
    x: Any,
    y: Any = None,
    batch_size: int = 128,
    num_epochs: Optional[int] = 1,
    shuffle: Optional[bool] = None,
    queue_capacity: int = 1000,
    num_threads: int = 1,
) -> InputFn:
    """An input function that gives batches of arrays.

    Args:
        x: The features: an array, or a dict of arrays, of as many examples each.
        y: The labels: an array, a dict of arrays, or None.
        batch_size: How many examples a batch has; the last one may have fewer.
        num_epochs: How often each example is given; None for any number of times, and then all
            batches are whole.
        shuffle: True for a random order, other in each epoch.
        queue_capacity: Among how many examples the next one is chosen where they are shuffled.
        num_threads: Ignored: the batches are cut in one thread.

    Returns:
        The function, which returns features, or `(features, labels)`.

    Raises:
        ValueError: `shuffle` is not given, the arrays have other lengths, or labels have the names
            of features.
        TypeError: The features are no arrays.
    """
    if not isinstance(shuffle, bool):
        raise ValueError(
            "shuffle must be provided and explicitly set as boolean (it is recommended to set it "
            f"as True for training); got {shuffle}"
        )

    def input_fn() -> Any:
        columns, pack = _columns(x, y)
        _check_lengths(columns)
        dataset = _batches(list(columns.values()), batch_size, num_epochs, shuffle)
        return pack(dataset.make_one_shot_iterator().get_next())

    return input_fn


def _columns(x: Any, y: Any) -> Tuple[Dict[Any, np.ndarray], Callable[[Any], Any]]:
    """All arrays by names, and what makes features and labels of a list of tensors."""
    if not isinstance(x, (dict, np.ndarray)):
        raise TypeError(f"x must be a dict or array; got {type(x).__name__}")
    if isinstance(x, dict) and not x:
        raise ValueError("x cannot be an empty dict")
    if isinstance(y, dict) and not y:
        raise ValueError("y cannot be empty dict, use None instead.")
    if isinstance(x, dict) and isinstance(y, dict) and set(x) & set(y):
        raise ValueError(f"{set(x) & set(y)} in both x and y")
    features = x if isinstance(x, dict) else {"__direct_np_input__": x}
    labels = {} if y is None else y if isinstance(y, dict) else {"__target_key__": y}
    columns = {key: np.asarray(value) for part in (features, labels) for key, value in part.items()}
    count = len(features)

    def pack(tensors: Any) -> Any:
        given, wanted = list(tensors[:count]), list(tensors[count:])
        first = dict(zip(features, given)) if isinstance(x, dict) else given[0]
        if y is None:
            return first
        return first, dict(zip(labels, wanted)) if isinstance(y, dict) else wanted[0]

    return columns, pack


def _check_lengths(columns: Dict[Any, np.ndarray]) -> None:
    lengths = {key: len(value) for key, value in columns.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(
            f"Length of tensors in x and y is mismatched. All must be equal: {lengths}"
        )


def _batches(
    arrays: List[np.ndarray], batch_size: int, num_epochs: Optional[int], shuffle: bool
) -> Dataset:
    """The batches as a dataset that a generator of this program fills."""

    def generate() -> Iterator[Tuple[np.ndarray, ...]]:
        random = np.random.RandomState()
        rest = np.zeros(0, np.int64)
        epoch = 0
        while num_epochs is None or epoch < num_epochs:
            count = len(arrays[0])
            order = random.permutation(count) if shuffle else np.arange(count)
            rest, epoch = np.concatenate([rest, order]), epoch + 1
            while len(rest) >= batch_size:
                chosen, rest = rest[:batch_size], rest[batch_size:]
                yield tuple(array[chosen] for array in arrays)
            if num_epochs is None and count == 0:
                return
        if len(rest):
            yield tuple(array[rest] for array in arrays)

    arrays = [array.astype(object) if array.dtype.kind in "US" else array for array in arrays]
    types = tuple(_dtype(array) for array in arrays)
    shapes = tuple(TensorShape([None, *array.shape[1:]]) for array in arrays)
    return Dataset.from_generator(generate, types, shapes)


def _dtype(array: np.ndarray) -> DType:
    """That of its tensors; an array of objects has texts."""
    return dtypes.string if array.dtype == object else as_dtype(array.dtype)


def pandas_input_fn(
    x: Any,
    y: Any = None,
    batch_size: int = 128,
    num_epochs: Optional[int] = 1,
    shuffle: Optional[bool] = None,
    queue_capacity: int = 1000,
    num_threads: int = 1,
    target_column: str = "target",
) -> InputFn:
    """An input function that gives batches of a DataFrame of pandas.

    Args:
        x: The DataFrame, whose columns are the features.
        y: The labels, a Series with the same index or a DataFrame; or None.
        batch_size: As of `numpy_input_fn`.
        num_epochs: As of `numpy_input_fn`.
        shuffle: As of `numpy_input_fn`.
        queue_capacity: As of `numpy_input_fn`.
        num_threads: As of `numpy_input_fn`.
        target_column: The name of the labels' column, which no feature may have.

    Returns:
        The function, which returns a dict of features, or `(features, labels)`.

    Raises:
        ValueError: `shuffle` is not given, the indices differ, or a feature has that name.
        TypeError: `shuffle` is no bool.
    """
    if not isinstance(shuffle, bool):
        raise ValueError(
            "shuffle must be provided and explicitly set as boolean (it is recommended to set it "
            f"as True for training); got {shuffle}"
        )
    if not isinstance(target_column, str):
        raise TypeError("target_column must be a string type")
    features = {column: x[column].values for column in x.columns}
    labels: Optional[Union[np.ndarray, Dict[Any, np.ndarray]]] = None
    if y is not None:
        if target_column in features:
            raise ValueError(
                f"Cannot use name {target_column} for target column: DataFrame already has a "
                f"column with that name: {list(features)}"
            )
        if not np.array_equal(x.index, y.index):
            raise ValueError("Index for x and y are mismatched.")
        is_frame = hasattr(y, "columns")
        labels = {column: y[column].values for column in y.columns} if is_frame else y.values
    return numpy_input_fn(
        features, labels, batch_size, num_epochs, shuffle, queue_capacity, num_threads
    )
