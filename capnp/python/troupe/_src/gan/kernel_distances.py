"""Distances by a kernel, of activations for real and for generated images."""

from __future__ import annotations

from typing import Any, Callable, Optional, Tuple

from troupe._src.control_flow.conditional import cond
from troupe._src.control_flow.functional import map_fn
from troupe._src.gan.classifier_scores import in_batches
from troupe._src.graph.elements import Tensor
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.linalg.matrix_ops import trace
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops
from troupe._src.ops.convert import constant
from troupe._src.ops.segment_ops import cumsum
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike

Classifier = Callable[[Tensor], Any]


def kernel_classifier_distance(
    real_images: Tensor, generated_images: Tensor, classifier_fn: Classifier,
    num_classifier_batches: int = 1, max_block_size: TensorLike = 1024,
    dtype: Optional[DTypeLike] = None,
) -> Tensor:  # fmt: skip
    """`kernel_classifier_distance_from_activations` of the activations that a classifier gives.

    Args:
        real_images: Real images.
        generated_images: Generated images.
        classifier_fn: Gives activations [batch, size] of images.
        num_classifier_batches: Into how many parts the images are divided, which are classified one
            after the other.
        max_block_size: As of that function.
        dtype: As of that function.

    Returns:
        A scalar.
    """
    return kernel_classifier_distance_and_std(
        real_images, generated_images, classifier_fn, num_classifier_batches, max_block_size, dtype
    )[0]


def kernel_classifier_distance_and_std(
    real_images: Tensor, generated_images: Tensor, classifier_fn: Classifier,
    num_classifier_batches: int = 1, max_block_size: TensorLike = 1024,
    dtype: Optional[DTypeLike] = None,
) -> Tuple[Tensor, Tensor]:  # fmt: skip
    """`kernel_classifier_distance`, and its standard error.

    Args:
        real_images: Real images.
        generated_images: Generated images.
        classifier_fn: Gives activations [batch, size] of images.
        num_classifier_batches: Into how many parts the images are divided, which are classified one
            after the other.
        max_block_size: As of `kernel_classifier_distance_from_activations`.
        dtype: As of that function.

    Returns:
        Two scalars.
    """
    return kernel_classifier_distance_and_std_from_activations(
        in_batches(real_images, classifier_fn, num_classifier_batches),
        in_batches(generated_images, classifier_fn, num_classifier_batches),
        max_block_size, dtype,
    )  # fmt: skip


def kernel_classifier_distance_from_activations(
    real_activations: Tensor, generated_activations: Tensor, max_block_size: TensorLike = 1024,
    dtype: Optional[DTypeLike] = None,
) -> Tensor:  # fmt: skip
    """E k(x, x') + E k(y, y') - 2 E k(x, y) with k(x, y) = (x y / size + 1)^3.

    With the activations of an Inception network it is the KID (arXiv:1801.01401). The estimate has
    no bias, also of few images. It is the mean over blocks of images, whose order must be random.

    Args:
        real_activations: [images, size].
        generated_activations: [images, size].
        max_block_size: How many images a block has at most, a number or a scalar tensor.
        dtype: The dtype that is computed in, by default that of the activations.

    Returns:
        A scalar.

    Raises:
        ValueError: The activations are of other ranks, sizes or dtypes.
    """
    return kernel_classifier_distance_and_std_from_activations(
        real_activations, generated_activations, max_block_size, dtype
    )[0]


def kernel_classifier_distance_and_std_from_activations(
    real_activations: Tensor, generated_activations: Tensor, max_block_size: TensorLike = 1024,
    dtype: Optional[DTypeLike] = None,
) -> Tuple[Tensor, Tensor]:  # fmt: skip
    """`kernel_classifier_distance_from_activations`, and its standard error.

    Args:
        real_activations: [images, size].
        generated_activations: [images, size].
        max_block_size: How many images a block has at most; of more blocks the error is known
            better.
        dtype: The dtype that is computed in, by default that of the activations.

    Returns:
        Two scalars; the second one is no number where there is one block.

    Raises:
        ValueError: The activations are of other ranks, sizes or dtypes.
    """
    for each in (real_activations, generated_activations):
        each.shape.assert_has_rank(2)
    real_activations.shape[1:].assert_is_compatible_with(generated_activations.shape[1:])
    if dtype is not None:
        real_activations = math_ops.cast(real_activations, dtype)
        generated_activations = math_ops.cast(generated_activations, dtype)
    used = real_activations.dtype
    if generated_activations.dtype != used:
        raise ValueError(f"activations of {used} and of {generated_activations.dtype}")
    real_count = array_ops.shape(real_activations)[0]
    generated_count = array_ops.shape(generated_activations)[0]
    greater = math_ops.cast(gen_ops.maximum(real_count, generated_count), dtypes.float64)
    parts = gen_ops.ceil(greater / math_ops.cast(max_block_size, dtypes.float64))
    blocks = math_ops.cast(parts, dtypes.int32)
    real_ends, generated_ends = _ends(real_count, blocks), _ends(generated_count, blocks)
    size = math_ops.cast(array_ops.shape(real_activations)[1], used)

    def of_block(index: Tensor) -> Tensor:
        real = real_activations[real_ends[index] : real_ends[index + 1]]
        generated = generated_activations[generated_ends[index] : generated_ends[index + 1]]
        mixed = math_ops.reduce_mean(_kernel(real, generated, size))
        return _mean_of_pairs(real, size) + _mean_of_pairs(generated, size) - 2.0 * mixed

    estimates = map_fn(of_block, math_ops.range(blocks), dtype=used, back_prop=False)
    mean = math_ops.reduce_mean(estimates)
    count = math_ops.cast(blocks, used)
    variance = cond(
        gen_ops.less_equal(blocks, 1),
        lambda: constant(float("nan"), used),
        lambda: math_ops.reduce_sum(gen_ops.square(estimates - mean)) / (count - 1.0),
    )
    return mean, gen_ops.sqrt(variance / count)


def _ends(count: Tensor, blocks: Tensor) -> Tensor:
    """Where blocks of almost the same size end, the last ones with one more; 0 is before them."""
    size = count // blocks
    longer = count - size * blocks
    sizes = [creation_ops.fill([blocks - longer], size), creation_ops.fill([longer], size + 1)]
    return array_ops.concat([[0], cumsum(array_ops.concat(sizes, 0))], 0)


def _kernel(one: Tensor, other: Tensor, size: Tensor) -> Tensor:
    product = math_ops.matmul(one, other, transpose_b=True) / size + 1.0
    return product * product * product


def _mean_of_pairs(activations: Tensor, size: Tensor) -> Tensor:
    """The mean over all pairs of two different images."""
    products = _kernel(activations, activations, size)
    count = math_ops.cast(array_ops.shape(activations)[0], activations.dtype)
    return (math_ops.reduce_sum(products) - trace(products)) / (count * (count - 1.0))
