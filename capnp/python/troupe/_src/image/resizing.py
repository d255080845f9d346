"""Images of other sizes."""

from __future__ import annotations

from typing import Any, List, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.image.shapes import rows_axis, sizes_of_image
from troupe._src.ops import array_ops, gen_ops, math_ops, raw_ops
from troupe._src.arguments import either, required
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types import dtypes


class ResizeMethod:
    """How resize_images() computes pixels."""

    BILINEAR = 0
    NEAREST_NEIGHBOR = 1
    BICUBIC = 2
    AREA = 3


def resize_bilinear(
    images: TensorLike,
    size: TensorLike,
    align_corners: bool = False,
    name: Optional[str] = None,
    half_pixel_centers: bool = False,
) -> Tensor:
    """A batch of images of another size, interpolated between the four nearest pixels.

    Args:
        images: [batch, height, width, channels].
        size: [new height, new width], int32.
        align_corners: The middles of the corners' pixels stay in place.
        half_pixel_centers: Pixels are squares, whose middles lie at a half; not together with
            `align_corners`.

    Returns:
        [batch, new height, new width, channels] of float32.
    """
    return raw_ops.ResizeBilinear(
        images=images,
        size=size,
        align_corners=align_corners,
        half_pixel_centers=half_pixel_centers,
        name=name,
    )


def resize_bicubic(
    images: TensorLike,
    size: TensorLike,
    align_corners: bool = False,
    name: Optional[str] = None,
    half_pixel_centers: bool = False,
) -> Tensor:
    """A batch of images of another size, interpolated between the 16 nearest pixels.

    Args:
        images: [batch, height, width, channels].
        size: [new height, new width], int32.
        align_corners: The middles of the corners' pixels stay in place.
        half_pixel_centers: Pixels are squares, whose middles lie at a half; not together with
            `align_corners`.

    Returns:
        [batch, new height, new width, channels] of float32.
    """
    return raw_ops.ResizeBicubic(
        images=images,
        size=size,
        align_corners=align_corners,
        half_pixel_centers=half_pixel_centers,
        name=name,
    )


def resize_nearest_neighbor(
    images: TensorLike,
    size: TensorLike,
    align_corners: bool = False,
    name: Optional[str] = None,
    half_pixel_centers: bool = False,
) -> Tensor:
    """A batch of images of another size, each pixel the nearest one.

    Args:
        images: [batch, height, width, channels].
        size: [new height, new width], int32.
        align_corners: The middles of the corners' pixels stay in place.
        half_pixel_centers: Pixels are squares, whose middles lie at a half; not together with
            `align_corners`.

    Returns:
        [batch, new height, new width, channels] of the dtype of `images`.
    """
    return raw_ops.ResizeNearestNeighbor(
        images=images,
        size=size,
        align_corners=align_corners,
        half_pixel_centers=half_pixel_centers,
        name=name,
    )


def resize_images(
    images: TensorLike,
    size: TensorLike,
    method: int = ResizeMethod.BILINEAR,
    align_corners: bool = False,
    preserve_aspect_ratio: bool = False,
    name: Optional[str] = None,
) -> Tensor:
    """An image, or a batch, of another size.

    Args:
        images: [height, width, channels], or a batch of such.
        size: [new height, new width], int32.
        method: How pixels are interpolated, one of `ResizeMethod`.
        align_corners: The middles of the corners' pixels stay in place.
        preserve_aspect_ratio: Gives the largest size that has the same shape and fits into `size`.

    Returns:
        [new height, new width, channels], or a batch of such: float32, but of the dtype of `images`
        for the nearest pixels, and where they have that size already.

    Raises:
        ValueError: The rank, the method or the form of `size` is another one.
    """
    with get_default_graph().name_scope(name or "resize"):
        pixels = convert_to_tensor(images)
        sizes = wanted_sizes(pixels, size, preserve_aspect_ratio)
        known = sizes_of_image(pixels)
        if all(isinstance(each, int) for each in known) and known == sizes:
            return pixels
        is_single = rows_axis(pixels) == 0
        batch = array_ops.expand_dims(pixels, 0) if is_single else pixels
        result = _resized(batch, size_input(sizes), method, align_corners)
        return array_ops.squeeze(result, [0]) if is_single else result


def _resized(batch: Tensor, size: Any, method: int, align_corners: bool) -> Tensor:
    if method == ResizeMethod.BILINEAR:
        return resize_bilinear(batch, size, align_corners)
    if method == ResizeMethod.NEAREST_NEIGHBOR:
        return resize_nearest_neighbor(batch, size, align_corners)
    if method == ResizeMethod.BICUBIC:
        return resize_bicubic(batch, size, align_corners)
    if method == ResizeMethod.AREA:
        return raw_ops.ResizeArea(images=batch, size=size, align_corners=align_corners)
    raise ValueError("Resize method is not implemented.")


def wanted_sizes(image: Tensor, size: Any, keeps_ratio: bool) -> List[Any]:
    """Height and width of the result: numbers, or tensors where they are not known."""
    try:
        given = convert_to_tensor(size, dtypes.int32)
    except (TypeError, ValueError):
        raise ValueError("'size' must be a 1-D int32 Tensor") from None
    if not given.shape.is_compatible_with([2]):
        raise ValueError("'size' must be a 1-D Tensor of 2 elements: new_height, new_width")
    value = array_ops.get_static_value(given)
    wanted: List[Any] = [given[0], given[1]] if value is None else [int(each) for each in value]
    if not keeps_ratio:
        return wanted
    wholes = sizes_of_image(image)
    if all(isinstance(each, int) for each in wanted + wholes):
        scale = min(target / whole for target, whole in zip(wanted, wholes))
        return [int(round(scale * whole)) for whole in wholes]
    exact = [math_ops.cast(each, dtypes.float32) for each in wholes]
    scales = [
        gen_ops.realdiv(math_ops.cast(target, dtypes.float32), whole)
        for target, whole in zip(wanted, exact)
    ]
    factor = gen_ops.minimum(scales[0], scales[1])
    return [
        math_ops.cast(raw_ops.Round(x=gen_ops.multiply(factor, whole)), dtypes.int32)
        for whole in exact
    ]


def size_input(sizes: List[Any]) -> Any:
    """A tensor of sizes, a constant where they are numbers."""
    if all(isinstance(each, int) for each in sizes):
        return convert_to_tensor(sizes, dtypes.int32)
    return array_ops.stack([convert_to_tensor(each, dtypes.int32) for each in sizes])


def crop_and_resize(
    image: TensorLike,
    boxes: TensorLike,
    box_ind: Optional[TensorLike] = None,
    crop_size: Optional[TensorLike] = None,
    method: str = "bilinear",
    extrapolation_value: float = 0,
    name: Optional[str] = None,
    box_indices: Optional[TensorLike] = None,
) -> Tensor:
    """Parts of images, all of one size.

    Args:
        image: [batch, height, width, channels].
        boxes: [count, 4] of float32: the corners [y1, x1, y2, x2] of each part, where 1 is the
            height or width of the image.
        box_ind: [count] of int32: the image of each part.
        crop_size: [height, width] of the results, int32.
        method: "bilinear" or "nearest".
        extrapolation_value: The pixels of what lies outside of the image.
        box_indices: The newer name of `box_ind`.

    Returns:
        [count, height, width, channels] of float32.

    Raises:
        ValueError: The images of the parts or the size are missing.
    """
    return raw_ops.CropAndResize(
        image=image,
        boxes=boxes,
        box_ind=required("box_ind", either("box_indices", box_indices, "box_ind", box_ind)),
        crop_size=required("crop_size", crop_size),
        method=method,
        extrapolation_value=extrapolation_value,
        name=name,
    )
