"""Measures of images: differences of two, edges."""

from __future__ import annotations

import math
from typing import Any, List, Optional, Tuple

import numpy as np

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.image.shapes import convert_image_dtype
from troupe._src.nn.depthwise_ops import depthwise_conv2d
from troupe._src.ops import arithmetic_ops, array_ops, creation_ops, gen_ops, math_ops, raw_ops
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.types import dtypes


def total_variation(images: TensorLike, name: Optional[str] = None) -> Tensor:
    """The sum of the differences of neighbouring pixels: of an image, or of each of a batch.

    Args:
        images: [height, width, channels], or a batch of such.

    Returns:
        A scalar, or [batch].

    Raises:
        ValueError: The rank is another one.
    """
    with get_default_graph().name_scope(name or "total_variation"):
        pixels = convert_to_tensor(images)
        if pixels.shape.rank == 3:
            rows, columns, axes = pixels[1:] - pixels[:-1], pixels[:, 1:] - pixels[:, :-1], None
        elif pixels.shape.rank == 4:
            rows = pixels[:, 1:] - pixels[:, :-1]
            columns, axes = pixels[:, :, 1:] - pixels[:, :, :-1], [1, 2, 3]
        else:
            raise ValueError("'images' must be either 3 or 4-dimensional.")
        parts = [math_ops.reduce_sum(arithmetic_ops.abs(x), axes) for x in (rows, columns)]
        return math_ops.add(parts[0], parts[1])


def psnr(a: TensorLike, b: TensorLike, max_val: TensorLike, name: Optional[str] = None) -> Tensor:
    """The peak signal-to-noise ratio of two images, in decibels, for each of a batch.

    Args:
        a: [..., height, width, channels].
        b: The other image, of the same shape and dtype.
        max_val: The greatest pixel that there may be: 1.0 for floats, 255 for uint8.

    Returns:
        A float32 tensor of the shape without the last three axes.
    """
    with get_default_graph().name_scope(name or "PSNR"):
        first, second, most = as_floats(a, b, max_val)
        error = math_ops.reduce_mean(gen_ops.squared_difference(first, second), [-3, -2, -1])
        peak = gen_ops.multiply(gen_ops.log(most), 20 / math.log(10))
        return gen_ops.subtract(peak, gen_ops.multiply(gen_ops.log(error), 10 / math.log(10)))


def ssim(
    img1: TensorLike,
    img2: TensorLike,
    max_val: TensorLike,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
) -> Tensor:
    """The structural similarity of two images, at most 1, for each of a batch.

    Args:
        img1: [..., height, width, channels], at least as large as the window.
        img2: The other image, of the same shape and dtype.
        max_val: The greatest pixel that there may be: 1.0 for floats, 255 for uint8.
        filter_size: The height and width of the window.
        filter_sigma: The deviation of its Gaussian, in pixels.
        k1: Keeps the comparison of brightness steady in the dark.
        k2: Keeps the comparison of contrast steady where there is little.

    Returns:
        A float32 tensor of the shape without the last three axes.
    """
    with get_default_graph().name_scope("SSIM"):
        first, second, most = as_floats(img1, img2, max_val)
        kernel = gauss(filter_size, filter_sigma)
        least = [gen_ops.square(gen_ops.multiply(most, k)) for k in (k1, k2)]
        luminance, structure = similarities(first, second, kernel, least[0], least[1])
        by_channel = math_ops.reduce_mean(gen_ops.multiply(luminance, structure), [-3, -2])
        return math_ops.reduce_mean(by_channel, [-1])


def as_floats(one: Any, other: Any, max_val: Any) -> List[Tensor]:
    """Two images and the greatest value that they may have, in float32."""
    first, second = convert_to_tensor(one), convert_to_tensor(other)
    most = math_ops.cast(max_val, first.dtype)
    return [convert_image_dtype(value, dtypes.float32) for value in (first, second, most)]


def gauss(size: int, sigma: float) -> np.ndarray[Any, Any]:
    """The weights of a window, whose sum is 1."""
    distance = np.arange(size) - (size - 1) / 2
    weights = np.exp(-0.5 / sigma**2 * np.add.outer(distance**2, distance**2))
    return np.asarray(weights / weights.sum(), dtype=np.float32)


def similarities(
    x: Tensor, y: Tensor, kernel: np.ndarray[Any, Any], c1: Tensor, c2: Tensor
) -> Tuple[Tensor, Tensor]:
    """The similarity of means, and of what differs from them, around each pixel."""

    def mean(image: Tensor) -> Tensor:
        return _filtered(image, kernel[:, :, np.newaxis], "VALID")

    mean_x, mean_y = mean(x), mean(y)
    product = gen_ops.multiply(gen_ops.multiply(mean_x, mean_y), 2.0)
    squares = math_ops.add(gen_ops.square(mean_x), gen_ops.square(mean_y))
    luminance = gen_ops.realdiv(math_ops.add(product, c1), math_ops.add(squares, c1))
    products = gen_ops.multiply(mean(gen_ops.multiply(x, y)), 2.0)
    all_squares = mean(math_ops.add(gen_ops.square(x), gen_ops.square(y)))
    above = math_ops.add(gen_ops.subtract(products, product), c2)
    below = math_ops.add(gen_ops.subtract(all_squares, squares), c2)
    return luminance, gen_ops.realdiv(above, below)


def _filtered(image: Tensor, kernels: np.ndarray[Any, Any], padding: str) -> Tensor:
    """Each channel of images of any number of batch axes, filtered by all kernels [h, w, n]."""
    channels = None if image.shape.rank is None else image.shape.as_list()[-1]
    shape = array_ops.shape(image)
    flat = array_ops.reshape(image, array_ops.concat([[-1], shape[-3:]], axis=0))
    weights = constant(kernels[:, :, np.newaxis, :], image.dtype)
    count = shape[-1] if channels is None else channels
    weights = gen_ops.tile(weights, array_ops.stack([1, 1, count, 1]))
    result = depthwise_conv2d(flat, weights, [1, 1, 1, 1], padding)
    sizes = array_ops.concat([shape[:-3], array_ops.shape(result)[1:]], axis=0)
    return array_ops.reshape(result, sizes)


def sobel_edges(image: TensorLike) -> Tensor:
    """The change of each pixel's neighbourhood by rows and by columns.

    Args:
        image: [batch, height, width, channels] of floating point numbers.

    Returns:
        [batch, height, width, channels, 2], the changes by rows first.
    """
    pixels = convert_to_tensor(image)
    rows = np.array([[-1, -2, -1], [0, 0, 0], [1, 2, 1]])
    kernels = np.stack([rows, rows.T], axis=-1)
    padded = raw_ops.MirrorPad(
        input=pixels, paddings=[[0, 0], [1, 1], [1, 1], [0, 0]], mode="REFLECT"
    )
    edges = _filtered(padded, kernels, "VALID")
    sizes = array_ops.concat([array_ops.shape(pixels), [2]], axis=0)
    result = array_ops.reshape(edges, sizes)
    result.set_shape(pixels.shape.concatenate([2]))
    return result


def image_gradients(image: TensorLike) -> Tuple[Tensor, Tensor]:
    """How the next row and the next column differ.

    Args:
        image: [batch, height, width, channels].

    Returns:
        (dy, dx), of the shape of `image`; 0 for the last row and the last column.

    Raises:
        ValueError: The rank is another one.
    """
    pixels = convert_to_tensor(image)
    if pixels.shape.rank != 4:
        raise ValueError(
            f"image_gradients expects a 4D tensor [batch_size, h, w, d], not {pixels.shape}."
        )
    dy = creation_ops.pad(pixels[:, 1:] - pixels[:, :-1], [[0, 0], [0, 1], [0, 0], [0, 0]])
    dx = creation_ops.pad(pixels[:, :, 1:] - pixels[:, :, :-1], [[0, 0], [0, 0], [0, 1], [0, 0]])
    dy.set_shape(pixels.shape)
    dx.set_shape(pixels.shape)
    return dy, dx
