"""Distances between normal distributions, of activations for real and for generated images."""

from __future__ import annotations

from typing import Any, Callable, List

from troupe._src.gan.classifier_scores import in_batches
from troupe._src.graph.elements import Tensor
from troupe._src.linalg.matrix_ops import trace
from troupe._src.nn.norm_ops import moments
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.ops.rearrange_ops import svd
from troupe._src.ops.selection_ops import where
from troupe._src.types import dtypes


def _exact(*activations: Tensor) -> List[Tensor]:
    for each in activations:
        each.shape.assert_has_rank(2)
    return [math_ops.cast(each, dtypes.float64) for each in activations]


def _square_root(matrix: Tensor) -> Tensor:
    """The root of a symmetric matrix; singular values of almost 0 are left as they are."""
    values, left, right = svd(matrix)
    roots = where(gen_ops.less(values, 1e-10), values, gen_ops.sqrt(values))
    return math_ops.matmul(left * roots, right, transpose_b=True)


def trace_sqrt_product(sigma: Tensor, sigma_v: Tensor) -> Tensor:
    """The trace of the root of the product of two covariance matrices.

    The product need not be symmetric. With A as the root of the first one, A sigma_v A is, and has
    the same eigenvalues.

    Args:
        sigma: A covariance matrix.
        sigma_v: Another one.

    Returns:
        A scalar.
    """
    root = _square_root(sigma)
    return trace(_square_root(math_ops.matmul(root, math_ops.matmul(sigma_v, root))))


def frechet_classifier_distance(
    real_images: Tensor, generated_images: Tensor, classifier_fn: Callable[[Tensor], Any],
    num_batches: int = 1,
) -> Tensor:  # fmt: skip
    """`frechet_classifier_distance_from_activations` of the activations that a classifier gives.

    Args:
        real_images: Real images.
        generated_images: Generated images.
        classifier_fn: Gives activations [batch, size] of images.
        num_batches: Into how many parts the images are divided, which are classified one after the
            other.

    Returns:
        A scalar of the dtype of the images.
    """
    return frechet_classifier_distance_from_activations(
        in_batches(real_images, classifier_fn, num_batches),
        in_batches(generated_images, classifier_fn, num_batches),
    )


def _between_means(one: Tensor, other: Tensor) -> Tensor:
    return math_ops.reduce_sum(gen_ops.squared_difference(one, other))


def mean_only_frechet_classifier_distance_from_activations(
    real_activations: Tensor, generated_activations: Tensor
) -> Tensor:
    """|m - m'|^2 for the means of real and generated activations.

    Args:
        real_activations: [images, size].
        generated_activations: [images, size].

    Returns:
        A scalar of the dtype of the real activations.

    Raises:
        ValueError: Activations are of another rank.
    """
    real, generated = _exact(real_activations, generated_activations)
    distance = _between_means(math_ops.reduce_mean(real, 0), math_ops.reduce_mean(generated, 0))
    return math_ops.cast(distance, real_activations.dtype)


def diagonal_only_frechet_classifier_distance_from_activations(
    real_activations: Tensor, generated_activations: Tensor
) -> Tensor:
    """|m - m'|^2 + sum(v + v' - 2 sqrt(v v')) for means and variances of activations.

    Args:
        real_activations: [images, size].
        generated_activations: [images, size].

    Returns:
        A scalar of the dtype of the real activations.

    Raises:
        ValueError: Activations are of another rank.
    """
    real, generated = _exact(real_activations, generated_activations)
    (mean, variance), (other_mean, other_variance) = moments(real, [0]), moments(generated, [0])
    root = gen_ops.sqrt(variance * other_variance)
    spread = math_ops.reduce_sum(variance + other_variance - 2.0 * root)
    distance = spread + _between_means(mean, other_mean)
    return math_ops.cast(distance, real_activations.dtype)


def frechet_classifier_distance_from_activations(
    real_activations: Tensor, generated_activations: Tensor
) -> Tensor:
    """|m - m'|^2 + trace(C + C' - 2 sqrt(C C')) for means and covariances of activations.

    With the activations of an Inception network it is the FID (arXiv:1706.08500). It grows as there
    are fewer images.

    Args:
        real_activations: [images, size].
        generated_activations: [images, size].

    Returns:
        A scalar of the dtype of the real activations.

    Raises:
        ValueError: Activations are of another rank.
    """
    means, covariances = [], []
    for activations in _exact(real_activations, generated_activations):
        mean = math_ops.reduce_mean(activations, 0)
        centered = activations - mean
        count = math_ops.cast(array_ops.shape(activations)[0], dtypes.float64)
        means.append(mean)
        covariances.append(math_ops.matmul(centered, centered, transpose_a=True) / (count - 1.0))
    spread = trace(covariances[0] + covariances[1]) - 2.0 * trace_sqrt_product(*covariances)
    return math_ops.cast(spread + _between_means(*means), real_activations.dtype)
