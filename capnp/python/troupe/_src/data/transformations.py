"""Functions for `Dataset.apply`."""

from __future__ import annotations

from typing import Any, Callable, Optional

from troupe._src.data import nest
from troupe._src.data.dataset import Dataset
from troupe._src.data.mapping import (
    interleave_in_parallel,
    map_elements,
    scan_elements,
    take_elements_while,
)
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import raw_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types import dtypes

Transformation = Callable[[Dataset], Dataset]


def map_and_batch(
    map_func: Callable[..., Any],
    batch_size: Any,
    num_parallel_batches: Optional[int] = None,
    drop_remainder: TensorLike = False,
    num_parallel_calls: Optional[TensorLike] = None,
) -> Transformation:
    """Maps elements, several at a time, and batches the results.

    Args:
        map_func: A function of an element.
        batch_size: How many elements a batch has, an int64 scalar.
        num_parallel_batches: How many batches are computed at once, by default one.
        drop_remainder: Leaves out the last batch where it has fewer.
        num_parallel_calls: How many elements are computed at once.

    Returns:
        A function for `Dataset.apply`.

    Raises:
        ValueError: Both numbers of parallel calls are given.
    """
    if num_parallel_batches is not None and num_parallel_calls is not None:
        raise ValueError(
            "The `num_parallel_batches` and `num_parallel_calls` arguments are mutually exclusive."
        )
    if num_parallel_calls is None:
        num_parallel_calls = batch_size * (num_parallel_batches or 1)

    def transform(dataset: Dataset) -> Dataset:
        mapped = map_elements(dataset, map_func, num_parallel_calls, preserve_cardinality=True)
        return dataset._dataset(*mapped).batch(batch_size, drop_remainder)

    return transform


map_and_batch_with_legacy_function = map_and_batch


def shuffle_and_repeat(
    buffer_size: TensorLike, count: Optional[TensorLike] = None, seed: Optional[int] = None
) -> Transformation:
    """Shuffles the elements, in each repetition anew.

    Args:
        buffer_size: Among how many of the next elements each one is drawn.
        count: How often the elements are given; None and -1 for no end.
        seed: Of the order.

    Returns:
        A function for `Dataset.apply`.
    """
    return lambda dataset: dataset.shuffle(buffer_size, seed).repeat(count)


def prefetch_to_device(device: str, buffer_size: Optional[TensorLike] = None) -> Transformation:
    """Elements that are computed before they are asked for, as by `Dataset.prefetch`.

    Args:
        device: The device that uses them. Has no effect: each step sends an element to where it
            is used.
        buffer_size: How many; None and -1 let the runtime choose.

    Returns:
        A function for `Dataset.apply`.
    """
    return lambda dataset: dataset.prefetch(buffer_size)


def copy_to_device(target_device: str, source_device: str = "/cpu:0") -> Transformation:
    """The elements as they are: each step sends an element to where it is used.

    Args:
        target_device: The device that uses them. Has no effect.
        source_device: The device of the dataset. Has no effect: it is that of the iterator.

    Returns:
        A function for `Dataset.apply`.
    """
    return lambda dataset: dataset


class PrivateThreadPool:
    """Threads for the functions of a dataset; the runtime's own run them.

    Args:
        num_threads: Has no effect.
        display_name: Likewise.
        max_intra_op_parallelism: Likewise.
    """

    def __init__(
        self,
        num_threads: int,
        display_name: Optional[str] = None,
        max_intra_op_parallelism: int = 1,
    ) -> None:
        self.num_threads, self.display_name = num_threads, display_name


def override_threadpool(dataset: Dataset, thread_pool: PrivateThreadPool) -> Dataset:
    """The dataset as it is: the runtime's own threads run its functions.

    Args:
        dataset: The dataset.
        thread_pool: Has no effect.

    Returns:
        The dataset.
    """
    return dataset


def parallel_interleave(
    map_func: Callable[..., Any],
    cycle_length: TensorLike,
    block_length: TensorLike = 1,
    sloppy: Any = False,
    buffer_output_elements: Optional[TensorLike] = None,
    prefetch_input_elements: Optional[TensorLike] = None,
) -> Transformation:
    """As `Dataset.interleave`, with all datasets that take turns read at once.

    Args:
        map_func: A function of an element, which gives a dataset.
        cycle_length: How many datasets take turns.
        block_length: How many elements are taken of one before the next one's turn.
        sloppy: Whether a dataset whose next element is not there yet loses its turn; a bool scalar.
        buffer_output_elements: How many elements of each dataset are computed before they are asked
            for; by default two times `block_length`.
        prefetch_input_elements: Has no effect: the runtime chooses how many datasets are made
            ahead.

    Returns:
        A function for `Dataset.apply`.

    Raises:
        TypeError: From what it returns, where the function gives no dataset.
    """

    def apply(dataset: Dataset) -> Dataset:
        block = convert_to_tensor(block_length, dtypes.int64)
        ahead = 2 * block if buffer_output_elements is None else buffer_output_elements
        more = 0 if prefetch_input_elements is None else prefetch_input_elements
        turns = {
            "cycle_length": convert_to_tensor(cycle_length, dtypes.int64),
            "block_length": block,
            "sloppy": convert_to_tensor(sloppy, dtypes.bool_),
            "buffer_output_elements": convert_to_tensor(ahead, dtypes.int64),
            "prefetch_input_elements": convert_to_tensor(more, dtypes.int64),
        }
        return dataset._dataset(*interleave_in_parallel(dataset, map_func, turns))

    return apply


def enumerate_dataset(start: TensorLike = 0) -> Transformation:
    """Pairs of a number and an element.

    Args:
        start: The first number.

    Returns:
        A function for `Dataset.apply`.
    """
    return lambda dataset: dataset.enumerate(start)


def unbatch() -> Transformation:
    """The slices of each element along axis 0."""
    return lambda dataset: dataset.unbatch()


def batch_and_drop_remainder(batch_size: TensorLike) -> Transformation:
    """Batches of the elements, without a last one that has fewer.

    Args:
        batch_size: How many elements a batch has.

    Returns:
        A function for `Dataset.apply`.
    """
    return lambda dataset: dataset.batch(batch_size, drop_remainder=True)


def padded_batch_and_drop_remainder(
    batch_size: TensorLike, padded_shapes: Any, padding_values: Any = None
) -> Transformation:
    """As `Dataset.padded_batch`, without a last batch that has fewer elements.

    Args:
        batch_size: How many elements a batch has.
        padded_shapes: The shapes, in the structure of an element.
        padding_values: Scalars to pad with, in the same structure.

    Returns:
        A function for `Dataset.apply`.
    """
    return lambda dataset: dataset.padded_batch(
        batch_size, padded_shapes, padding_values, drop_remainder=True
    )


def sloppy_interleave(
    map_func: Callable[..., Any], cycle_length: TensorLike, block_length: TensorLike = 1
) -> Transformation:
    """As `parallel_interleave`, of which a dataset loses its turn whose next element is not there.

    Args:
        map_func: A function of an element, which gives a dataset.
        cycle_length: How many datasets take turns.
        block_length: How many elements are taken of one before the next one's turn.

    Returns:
        A function for `Dataset.apply`.
    """
    return parallel_interleave(map_func, cycle_length, block_length, sloppy=True)


def ignore_errors() -> Transformation:
    """The elements without those that could not be made.

    An input that stays where it failed, as at a file that is not there, ends with its error.

    Returns:
        A function for `Dataset.apply`.
    """
    return lambda dataset: dataset._dataset(
        raw_ops.IgnoreErrorsDataset(
            input_dataset=dataset._variant_tensor, **dataset._components.attrs()
        ),
        dataset._components,
    )


def unique() -> Transformation:
    """Each element the first time that it comes: int32, int64 or string tensors.

    Returns:
        A function for `Dataset.apply`.
    """
    return lambda dataset: dataset._dataset(
        raw_ops.UniqueDataset(input_dataset=dataset._variant_tensor, **dataset._components.attrs()),
        dataset._components,
    )


def scan(initial_state: Any, scan_func: Callable[..., Any]) -> Transformation:
    """What a function makes of a state and each element.

    Args:
        initial_state: The first state, nested tensors.
        scan_func: A function of the state and an element, which gives a pair: the next state, of
            the same structure and dtypes, and an element of the result.

    Returns:
        A function for `Dataset.apply`.

    Raises:
        TypeError: From what it returns, where the function gives no such pair.
    """
    return lambda dataset: dataset._dataset(*scan_elements(dataset, initial_state, scan_func))


def take_while(predicate: Callable[..., Any]) -> Transformation:
    """The elements before the first for which a function returns false.

    Args:
        predicate: A function of an element, whose result is a scalar bool.

    Returns:
        A function for `Dataset.apply`.

    Raises:
        ValueError: From what it returns, where the function gives no scalar bool.
    """
    return lambda dataset: dataset._dataset(*take_elements_while(dataset, predicate))


def sliding_window_batch(
    window_size: TensorLike,
    stride: Optional[TensorLike] = None,
    window_shift: Optional[TensorLike] = None,
    window_stride: TensorLike = 1,
) -> Transformation:
    """Batches of elements that follow each other, which overlap; all are full.

    Args:
        window_size: How many elements a batch has, an int64 scalar.
        stride: An older name of `window_shift`.
        window_shift: How many elements a batch begins behind the one before, by default 1.
        window_stride: The distance of the elements of a batch.

    Returns:
        A function for `Dataset.apply`.

    Raises:
        ValueError: Both names of the shift are given.
    """
    if stride is not None and window_shift is not None:
        raise ValueError("Cannot specify both `stride` and `window_shift`")
    shift = next((each for each in (window_shift, stride) if each is not None), 1)

    def batches(*windows: Any) -> Dataset:
        element = windows[0] if len(windows) == 1 else windows
        return Dataset.zip(nest.map_structure(lambda each: each.batch(window_size), element))

    return lambda dataset: dataset.window(
        window_size, shift, window_stride, drop_remainder=True
    ).flat_map(batches)
