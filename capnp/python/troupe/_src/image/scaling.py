"""Images of other sizes, as TensorFlow 2 makes them: pixels are squares, by several kernels."""

from __future__ import annotations

from typing import Any, Dict, Optional, Union

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
from troupe._src.ops import array_ops, math_ops, raw_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.creation_ops import zeros
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
    wanted = convert_to_tensor(size, dtypes.int32)
    given = array_ops.shape(batch)[1:3]
    scale = math_ops.cast(wanted, dtypes.float32) / math_ops.cast(given, dtypes.float32)
    return raw_ops.ScaleAndTranslate(
        images=batch, size=wanted, scale=scale, translation=zeros([2]),
        kernel_type=_KERNELS[method], antialias=antialias,
    )  # fmt: skip


# The op's names of the kernels.
_KERNELS: Dict[str, str] = {
    ResizeMethod.BILINEAR: "triangle",
    ResizeMethod.BICUBIC: "keyscubic",
    ResizeMethod.LANCZOS3: "lanczos3",
    ResizeMethod.LANCZOS5: "lanczos5",
    ResizeMethod.GAUSSIAN: "gaussian",
    ResizeMethod.MITCHELLCUBIC: "mitchellcubic",
}
