"""The distance of images by their patches at several resolutions (arXiv:1710.10196)."""

from __future__ import annotations

from typing import Any, List, Tuple

import numpy as np

from troupe._src.graph.elements import Tensor
from troupe._src.nn.conv_ops import conv2d
from troupe._src.nn.norm_ops import moments
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops
from troupe._src.ops.arithmetic_ops import abs as absolute
from troupe._src.ops.convert import constant
from troupe._src.ops.order_ops import top_k
from troupe._src.ops.rearrange_ops import svd
from troupe._src.ops.space_ops import batch_to_space
from troupe._src.random.random_ops import random_normal
from troupe._src.session.py_func import py_func
from troupe._src.types import dtypes

_LINE = np.array([1, 4, 6, 4, 1], np.float32) / 16
_GAUSSIAN = np.outer(_LINE, _LINE).reshape([5, 5, 1, 1])


def _smoothed(images: Tensor, gain: float) -> Tensor:
    """Images whose channels are convolved with a bell curve of 5 by 5 pixels."""
    batch, height, width, channels = array_ops.unstack(array_ops.shape(images), 4)
    padded = creation_ops.pad(images, [[0, 0], [2, 2], [2, 2], [0, 0]], "REFLECT")
    planes = array_ops.transpose(padded, [0, 3, 1, 2])
    planes = array_ops.reshape(planes, [batch * channels, height + 4, width + 4, 1])
    convolved = conv2d(planes, constant(_GAUSSIAN * gain), [1, 1, 1, 1], "VALID")
    planes = array_ops.reshape(convolved, [batch, channels, height, width])
    return array_ops.transpose(planes, [0, 2, 3, 1])


def _enlarged(images: Tensor) -> Tensor:
    """Images of twice the height and width."""
    batch, height, width, channels = array_ops.unstack(array_ops.shape(images), 4)
    zeros = creation_ops.zeros([3 * batch, height, width, channels])
    spread = batch_to_space(array_ops.concat([images, zeros], 0), [[0, 0], [0, 0]], 2)
    return _smoothed(spread, 4)


def laplacian_pyramid(images: Tensor, levels: int) -> List[Tensor]:
    """Images at lower and lower resolutions, each without what the next one has.

    Args:
        images: [batch, height, width, channels].
        levels: How many resolutions there are, each of half the height and width.

    Returns:
        The images of each, from the highest resolution.
    """
    pyramid = [math_ops.cast(images, dtypes.float32)]
    for _ in range(1, levels):
        smaller = _smoothed(pyramid[-1], 1)[:, ::2, ::2]
        pyramid[-1] -= _enlarged(smaller)
        pyramid.append(smaller)
    return pyramid


def patches_of(images: Any, count: int, size: int) -> Any:
    """Squares of images, at random places.

    Args:
        images: An array [batch, height, width, 3].
        count: How many squares of an image there are.
        size: Their height and width, odd.

    Returns:
        An array [batch * count, size, size, 3].
    """
    batch, height, width, _ = images.shape
    half, total = size // 2, count * batch
    number, y, x = np.ogrid[:total, -half : half + 1, -half : half + 1]
    y = y + np.random.randint(half, height - half, size=(total, 1, 1))
    x = x + np.random.randint(half, width - half, size=(total, 1, 1))
    return images[number // count, y, x]


def _normalized_patches(images: Tensor, count: int, size: int) -> Tensor:
    """[patches, elements], each patch with the mean 0 and the variance 1."""
    patches = py_func(
        lambda values: patches_of(values, count, size), [images], images.dtype
    )
    mean, variance = moments(patches, [1, 2, 3], keepdims=True)
    normalized = (patches - mean) / gen_ops.sqrt(variance)
    return array_ops.reshape(normalized, [array_ops.shape(normalized)[0], -1])


def _sorted_columns(matrix: Tensor, rows: Tensor) -> Tensor:
    return top_k(array_ops.transpose(matrix, [1, 0]), rows)[0]


def _distance(one: Tensor, other: Tensor) -> Tensor:
    """That between the columns of two matrices, as distributions of numbers."""
    rows = array_ops.shape(one)[0]
    difference = _sorted_columns(one, rows) - _sorted_columns(other, rows)
    return math_ops.reduce_mean(absolute(difference))


def _by_projections(one: Tensor, other: Tensor, count: int, size: int) -> Tensor:
    distances = []
    for _ in range(count):
        directions = random_normal([array_ops.shape(one)[1], size])
        lengths = math_ops.reduce_sum(gen_ops.square(directions), 0, keepdims=True)
        directions *= gen_ops.rsqrt(lengths)
        distances.append(
            _distance(math_ops.matmul(one, directions), math_ops.matmul(other, directions))
        )
    return math_ops.reduce_mean(array_ops.stack(distances))


def _by_svd(one: Tensor, other: Tensor) -> Tensor:
    """The distance along the main axes of both."""
    values, left, _ = svd(array_ops.concat([one, other], 0))
    projections: Any = array_ops.split(left * values, 2, axis=0)
    return _distance(*projections)


def sliced_wasserstein_distance(
    real_images: Tensor, fake_images: Tensor, resolution_min: int = 16,
    patches_per_image: int = 64, patch_size: int = 7, random_sampling_count: int = 1,
    random_projection_dim: int = 7 * 7 * 3, use_svd: bool = False,
) -> List[Tuple[Tensor, Tensor]]:  # fmt: skip
    """The mean distance of patches of images along random axes, for several resolutions.

    Args:
        real_images: Real images, [batch, size, size, 3].
        fake_images: Generated images, likewise.
        resolution_min: The lowest resolution.
        patches_per_image: How many patches are taken of an image of each resolution.
        patch_size: The height and width of a patch, odd.
        random_sampling_count: How many matrices of axes there are.
        random_projection_dim: How many axes each has.
        use_svd: Whether the axes are the main ones of both kinds of patches.

    Returns:
        For each resolution, from the highest one, the distance between patches of real images, and
        that between those of real and of generated images.

    Raises:
        ValueError: The images are not square, not of three channels, or of different shapes.
    """
    height: Any = real_images.shape.as_list()[1]
    real_images.shape.assert_is_compatible_with([None, None, height, 3])
    fake_images.shape.assert_is_compatible_with(real_images.shape)
    lowest = min(resolution_min, height)
    levels = int(np.log2(height)) - int(np.log2(lowest)) + 1

    def patches(level: Tensor) -> Tensor:
        return _normalized_patches(level, patches_per_image, patch_size)

    def distance(one: Tensor, other: Tensor) -> Tensor:
        if use_svd:
            return _by_svd(one, other)
        return _by_projections(one, other, random_sampling_count, random_projection_dim)

    scores = []
    pyramids = laplacian_pyramid(real_images, levels), laplacian_pyramid(fake_images, levels)
    for real_level, fake_level in zip(*pyramids):
        real, again, fake = patches(real_level), patches(real_level), patches(fake_level)
        scores.append((distance(real, again), distance(real, fake)))
    return scores
