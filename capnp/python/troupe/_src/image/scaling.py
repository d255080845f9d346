"""Images of other sizes, as TensorFlow 2 makes them: pixels are squares, by several kernels."""

from __future__ import annotations

import math
from typing import Any, Callable, Dict, Optional, Tuple, Union

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.operand import Operand
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.image.fitting import between_stripes
from troupe._src.image.resizing import (
    resize_bicubic,
    resize_bilinear,
    resize_nearest_neighbor,
    size_input,
    wanted_sizes,
)
from troupe._src.image.shapes import rows_axis
from troupe._src.ops import arithmetic_ops, array_ops, gen_ops, math_ops, raw_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.selection_ops import where_v2
from troupe._src.set_module import set_module
from troupe._src.types import dtypes


@set_module("troupe.compat.v2.image")
class ResizeMethod:
    """How `resize` computes pixels."""

    BILINEAR = "bilinear"
    NEAREST_NEIGHBOR = "nearest"
    BICUBIC = "bicubic"
    AREA = "area"
    LANCZOS3 = "lanczos3"
    LANCZOS5 = "lanczos5"
    GAUSSIAN = "gaussian"
    MITCHELLCUBIC = "mitchellcubic"


def resize(
    images: TensorLike,
    size: TensorLike,
    method: str = ResizeMethod.BILINEAR,
    preserve_aspect_ratio: bool = False,
    antialias: bool = False,
    name: Optional[str] = None,
) -> Tensor:
    """An image, or a batch, of another size.

    Args:
        images: [height, width, channels], or a batch of such.
        size: [new height, new width], int32.
        method: How pixels are interpolated, one of `ResizeMethod`.
        preserve_aspect_ratio: Gives the largest size that has the same shape and fits into `size`.
        antialias: Where the image becomes smaller, a pixel is a mean of all that it covers.

    Returns:
        [new height, new width, channels], or a batch of such: float32, but of the dtype of `images`
        for the nearest pixels.

    Raises:
        ValueError: The rank, the method or the form of `size` is another one.
    """
    with get_default_graph().name_scope(name or "resize"):
        pixels = convert_to_tensor(images)
        is_single = rows_axis(pixels) == 0
        sizes = size_input(wanted_sizes(pixels, size, preserve_aspect_ratio))
        batch = array_ops.expand_dims(pixels, 0) if is_single else pixels
        result = _resized(batch, sizes, method, antialias)
        return array_ops.squeeze(result, [0]) if is_single else result


def resize_with_pad(
    image: TensorLike,
    target_height: Union[int, Operand],
    target_width: Union[int, Operand],
    method: str = ResizeMethod.BILINEAR,
    antialias: bool = False,
) -> Tensor:
    """An image, or each of a batch, as large as it fits with its ratio, between black stripes.

    Args:
        image: [height, width, channels], or a batch of such.
        target_height: The height of the result.
        target_width: The width of the result.
        method: How pixels are interpolated, one of `ResizeMethod`.
        antialias: Where the image becomes smaller, a pixel is a mean of all that it covers.

    Returns:
        [target_height, target_width, channels], or a batch of such.

    Raises:
        ValueError: The rank or the method is another one, or a size of the result is not above 0.
    """
    return between_stripes(
        image, target_height, target_width,
        lambda batch, size: resize(batch, size, method, antialias=antialias),
    )  # fmt: skip


def _resized(batch: Tensor, size: Any, method: str, antialias: bool) -> Tensor:
    if method == ResizeMethod.NEAREST_NEIGHBOR:
        return resize_nearest_neighbor(batch, size, half_pixel_centers=True)
    if method == ResizeMethod.AREA:
        return raw_ops.ResizeArea(images=batch, size=size)
    if not antialias and method == ResizeMethod.BILINEAR:
        return resize_bilinear(batch, size, half_pixel_centers=True)
    if not antialias and method == ResizeMethod.BICUBIC:
        return resize_bicubic(batch, size, half_pixel_centers=True)
    if method not in _KERNELS:
        raise ValueError("Resize method is not implemented.")
    pixels = math_ops.cast(batch, dtypes.float32)
    given, wanted = array_ops.shape(pixels), convert_to_tensor(size, dtypes.int32)
    rows = _weights(given[1], wanted[0], method, antialias)
    columns = _weights(given[2], wanted[1], method, antialias)
    # The kernels are products of one for rows and one for columns.
    flat = array_ops.reshape(pixels, array_ops.stack([given[0], given[1], -1]))
    tall = array_ops.stack([given[0], wanted[0], given[2], given[3]])
    high = array_ops.reshape(_by_rows(rows, flat, given[0]), tall)
    turned = array_ops.transpose(high, [0, 2, 1, 3])
    flat = array_ops.reshape(turned, array_ops.stack([given[0], given[2], -1]))
    wide = array_ops.stack([given[0], wanted[1], wanted[0], given[3]])
    found = array_ops.transpose(
        array_ops.reshape(_by_rows(columns, flat, given[0]), wide), [0, 2, 1, 3]
    )
    known = array_ops.get_static_value(wanted)
    heights = (None, None) if known is None else (int(known[0]), int(known[1]))
    found.set_shape([batch.shape[0], *heights, batch.shape[3]])
    return found


def _by_rows(weights: Tensor, batch: Tensor, count: Tensor) -> Tensor:
    """[batch, new rows, ...], of weights [new rows, rows]."""
    sizes = array_ops.concat([array_ops.stack([count]), array_ops.shape(weights)], 0)
    return math_ops.matmul(array_ops.broadcast_to(weights, sizes), batch)


def _weights(given: Tensor, wanted: Tensor, method: str, antialias: bool) -> Tensor:
    """How much of each pixel is in a new one: [new pixels, pixels], whose rows add up to 1."""
    radius, kernel = _KERNELS[method]
    # A pixel at the very end of a kernel is in it or not by how these numbers are rounded.
    ratio = 1.0 / (math_ops.cast(wanted, dtypes.float32) / math_ops.cast(given, dtypes.float32))
    spread = gen_ops.maximum(ratio, 1.0) if antialias else convert_to_tensor(1.0)
    middles = (math_ops.cast(math_ops.range(wanted), dtypes.float32) + 0.5) * ratio
    pixels = math_ops.cast(math_ops.range(given), dtypes.float32) + 0.5
    apart = array_ops.expand_dims(pixels, 0) - array_ops.expand_dims(middles, 1)
    distance = arithmetic_ops.abs(apart * (1.0 / spread))
    inside = gen_ops.less(distance, radius)
    found = where_v2(inside, kernel(distance), 0.0)
    total = math_ops.reduce_sum(found, 1, keepdims=True)
    is_empty = gen_ops.less(arithmetic_ops.abs(total), 1e-30)
    return where_v2(is_empty, 0.0, found / where_v2(is_empty, 1.0, total))


def _lanczos(radius: float) -> Callable[[Tensor], Tensor]:
    def kernel(x: Tensor) -> Tensor:
        is_middle = gen_ops.less_equal(x, 1e-3)
        angle = math.pi * where_v2(is_middle, 1.0, x)
        found = radius * gen_ops.sin(angle) * gen_ops.sin(angle / radius) / (angle * angle)
        return where_v2(is_middle, 1.0, found)

    return kernel


def _triangle(x: Tensor) -> Tensor:
    return gen_ops.maximum(1.0 - x, 0.0)


def _gaussian(x: Tensor) -> Tensor:
    return gen_ops.exp(-2.0 * x * x)  # of a deviation of 1 / 2


def _keys_cubic(x: Tensor) -> Tensor:
    outer = ((-0.5 * x + 2.5) * x - 4.0) * x + 2.0
    return where_v2(gen_ops.less(x, 1.0), ((1.5 * x - 2.5) * x) * x + 1.0, outer)


def _mitchell_cubic(x: Tensor) -> Tensor:
    outer = ((-7.0 / 18 * x + 2.0) * x - 10.0 / 3) * x + 16.0 / 9
    return where_v2(gen_ops.less(x, 1.0), ((7.0 / 6 * x - 2.0) * x) * x + 8.0 / 9, outer)


# How far a kernel reaches, and the weight of a pixel at a distance.
_KERNELS: Dict[str, Tuple[float, Callable[[Tensor], Tensor]]] = {
    ResizeMethod.BILINEAR: (1.0, _triangle),
    ResizeMethod.BICUBIC: (2.0, _keys_cubic),
    ResizeMethod.LANCZOS3: (3.0, _lanczos(3.0)),
    ResizeMethod.LANCZOS5: (5.0, _lanczos(5.0)),
    ResizeMethod.GAUSSIAN: (1.5, _gaussian),
    ResizeMethod.MITCHELLCUBIC: (2.0, _mitchell_cubic),
}
