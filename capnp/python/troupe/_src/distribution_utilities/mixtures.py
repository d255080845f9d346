"""Statistics and shapes of mixtures of distributions."""

from __future__ import annotations

from typing import Any

from troupe._src.graph.elements import Tensor
from troupe._src.graph.scopes import name_scope
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.ops.creation_ops import ones
from troupe._src.ops.selection_ops import where_v2
from troupe._src.types import dtypes


def mixture_stddev(
    mixture_weight_vector: Tensor, mean_vector: Tensor, stddev_vector: Tensor
) -> Tensor:
    """The standard deviations of mixtures.

    Args:
        mixture_weight_vector: The probabilities of the parts, [mixtures, parts].
        mean_vector: Their means, of the same shape.
        stddev_vector: Their standard deviations, likewise.

    Returns:
        A number for each mixture.

    Raises:
        ValueError: The shapes differ.
    """
    mixture_weight_vector.shape.assert_has_rank(2)
    for text, each in (("means", mean_vector), ("stddevs", stddev_vector)):
        if not each.shape.is_compatible_with(mixture_weight_vector.shape):
            raise ValueError(f"Expecting {text} to have same shape as mixture weights.")
    squares = gen_ops.square(stddev_vector) + gen_ops.square(mean_vector)
    mean = math_ops.reduce_sum(mixture_weight_vector * mean_vector, 1)
    total = math_ops.reduce_sum(mixture_weight_vector * squares, 1)
    return gen_ops.sqrt(total - gen_ops.square(mean))


def pad_mixture_dimensions(
    x: Tensor, mixture_distribution: Any, categorical_distribution: Any, event_ndims: Any
) -> Tensor:
    """Probabilities of parts, with axes of size 1 for those of a batch and of events.

    Args:
        x: [..., parts].
        mixture_distribution: The mixture.
        categorical_distribution: The distribution of the parts, whose batch may have less axes.
        event_ndims: How many axes an event has.

    Returns:
        [..., 1s for the axes of the batch, parts, 1s for those of an event].
    """
    with name_scope("pad_mix_dims"):
        whole, parts = (
            array_ops.size(each.batch_shape_tensor())
            for each in (mixture_distribution, categorical_distribution)
        )
        added = where_v2(categorical_distribution.is_scalar_batch(), whole, whole - parts)
        sizes = array_ops.shape(x)
        middle = ones(array_ops.reshape(added, [1]), dtypes.int32)
        last = ones(array_ops.reshape(event_ndims, [1]), dtypes.int32)
        return array_ops.reshape(x, array_ops.concat([sizes[:-1], middle, sizes[-1:], last], 0))
