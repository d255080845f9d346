"""Images of other sizes."""

from __future__ import annotations

from typing import Any, List, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.image.shapes import rows_axis, sizes_of_image
from troupe._src.ops import array_ops, gen_ops, math_ops, raw_ops
from troupe._src.ops.arguments import either, required
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types import dtypes


class ResizeMethod:
    """How resize_images() computes pixels."""

    BILINEAR = 0
    NEAREST_NEIGHBOR = 1
    BICUBIC = 2
    AREA = 3


def resize_bilinear(
    images: Any,
    size: Any,
    align_corners: bool = False,
    name: Optional[str] = None,
    half_pixel_centers: bool = False,
) -> Tensor:
    """A batch of images of another size, interpolated between the four nearest pixels."""
    return raw_ops.ResizeBilinear(
        images=images,
        size=size,
        align_corners=align_corners,
        half_pixel_centers=half_pixel_centers,
        name=name,
    )


def resize_bicubic(
    images: Any,
    size: Any,
    align_corners: bool = False,
    name: Optional[str] = None,
    half_pixel_centers: bool = False,
) -> Tensor:
    """A batch of images of another size, interpolated between the 16 nearest pixels."""
    return raw_ops.ResizeBicubic(
        images=images,
        size=size,
        align_corners=align_corners,
        half_pixel_centers=half_pixel_centers,
        name=name,
    )


def resize_nearest_neighbor(
    images: Any,
    size: Any,
    align_corners: bool = False,
    name: Optional[str] = None,
    half_pixel_centers: bool = False,
) -> Tensor:
    """A batch of images of another size, each pixel the nearest one."""
    return raw_ops.ResizeNearestNeighbor(
        images=images,
        size=size,
        align_corners=align_corners,
        half_pixel_centers=half_pixel_centers,
        name=name,
    )


def resize_images(
    images: Any,
    size: Any,
    method: int = ResizeMethod.BILINEAR,
    align_corners: bool = False,
    preserve_aspect_ratio: bool = False,
    name: Optional[str] = None,
) -> Tensor:
    """An image, or a batch, of that height and width, or the largest that fits into it.

    The result is float32, but for the nearest pixels, and for images that have that size already.
    """
    with get_default_graph().name_scope(name or "resize"):
        pixels = convert_to_tensor(images)
        sizes = _wanted_sizes(pixels, size, preserve_aspect_ratio)
        known = sizes_of_image(pixels)
        if all(isinstance(each, int) for each in known) and known == sizes:
            return pixels
        is_single = rows_axis(pixels) == 0
        batch = array_ops.expand_dims(pixels, 0) if is_single else pixels
        result = _resized(batch, _size_input(sizes), method, align_corners)
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


def _wanted_sizes(image: Tensor, size: Any, keeps_ratio: bool) -> List[Any]:
    """Height and width of the result: numbers, or tensors where they are not known."""
    given = convert_to_tensor(size, dtypes.int32)
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


def _size_input(sizes: List[Any]) -> Any:
    if all(isinstance(each, int) for each in sizes):
        return convert_to_tensor(sizes, dtypes.int32)
    return array_ops.stack([convert_to_tensor(each, dtypes.int32) for each in sizes])


def crop_and_resize(
    image: Any,
    boxes: Any,
    box_ind: Any = None,
    crop_size: Any = None,
    method: str = "bilinear",
    extrapolation_value: float = 0,
    name: Optional[str] = None,
    box_indices: Any = None,
) -> Tensor:
    """A crop of one size for each box [y1, x1, y2, x2], of image box_ind of a batch."""
    return raw_ops.CropAndResize(
        image=image,
        boxes=boxes,
        box_ind=required("box_ind", either("box_indices", box_indices, "box_ind", box_ind)),
        crop_size=required("crop_size", crop_size),
        method=method,
        extrapolation_value=extrapolation_value,
        name=name,
    )
