"""Functions for `Dataset.apply`."""

from __future__ import annotations

from typing import Any, Callable, Optional

from troupe._src.data.dataset import Dataset

Transformation = Callable[[Dataset], Dataset]


def map_and_batch(
    map_func: Callable[..., Any],
    batch_size: Any,
    num_parallel_batches: Optional[int] = None,
    drop_remainder: Any = False,
    num_parallel_calls: Any = None,
) -> Transformation:
    """Maps elements, with so many calls at a time, and batches the results.

    Raises:
        ValueError: Both numbers of parallel calls are given.
    """
    if num_parallel_batches is not None and num_parallel_calls is not None:
        raise ValueError(
            "The `num_parallel_batches` and `num_parallel_calls` arguments are mutually exclusive."
        )
    if num_parallel_calls is None:
        num_parallel_calls = batch_size * (num_parallel_batches or 1)
    return lambda dataset: dataset.map(map_func, num_parallel_calls).batch(
        batch_size, drop_remainder
    )


def shuffle_and_repeat(
    buffer_size: Any, count: Any = None, seed: Optional[int] = None
) -> Transformation:
    """Shuffles the elements, in each repetition anew."""
    return lambda dataset: dataset.shuffle(buffer_size, seed).repeat(count)


def unbatch() -> Transformation:
    """The slices of each element along axis 0."""
    return lambda dataset: dataset.unbatch()
