"""Functions for `Dataset.apply` that TensorFlow has in `tf.contrib.data` only."""

from __future__ import annotations

from typing import Any, Callable

from troupe._src.data.transformations import Transformation, parallel_interleave
from troupe._src.graph.tensor_like import TensorLike


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
    """As `parallel_interleave`. The elements are in the order of the turns here, too.

    Args:
        map_func: A function of an element, which gives a dataset.
        cycle_length: How many datasets take turns.
        block_length: How many elements are taken of one before the next one's turn.

    Returns:
        A function for `Dataset.apply`.
    """
    return parallel_interleave(map_func, cycle_length, block_length, sloppy=True)
