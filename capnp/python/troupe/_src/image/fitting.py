"""Images that are resized as they are, and filled up to a size."""

from __future__ import annotations

from typing import Any, Callable, Union

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.operand import Operand
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.image.geometry import pad_to_bounding_box
from troupe._src.image.resizing import resize_images
from troupe._src.image.shapes import sizes_of_image
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types import dtypes


def resize_image_with_pad(
    image: TensorLike, target_height: Union[int, Operand], target_width: Union[int, Operand],
    method: int = 0, align_corners: bool = False,
) -> Tensor:  # fmt: skip
    """An image, or each of a batch, as large as it fits with its ratio, between black stripes.

    Args:
        image: [height, width, channels], or a batch of such.
        target_height: The height of the result.
        target_width: The width of the result.
        method: A `ResizeMethod`.
        align_corners: Whether the centres of the corner pixels stay at the corners.

    Returns:
        [target_height, target_width, channels], or a batch of such.

    Raises:
        ValueError: The rank is another one, or a size of the result is not above 0.
    """
    return between_stripes(
        image, target_height, target_width,
        lambda batch, size: resize_images(batch, size, method, align_corners),
    )  # fmt: skip


def between_stripes(
    image: TensorLike, target_height: Union[int, Operand], target_width: Union[int, Operand],
    resized_to: Callable[[Tensor, Tensor], Tensor],
) -> Tensor:  # fmt: skip
    """An image, or each of a batch, as large as it fits with its ratio, between black stripes.

    Args:
        image: [height, width, channels], or a batch of such.
        target_height: The height of the result.
        target_width: The width of the result.
        resized_to: A function of a batch and of [new height, new width].

    Returns:
        [target_height, target_width, channels], or a batch of such.

    Raises:
        ValueError: The rank is another one, or a size of the result is not above 0.
    """
    with get_default_graph().name_scope("resize_image_with_pad"):
        pixels = convert_to_tensor(image)
        if pixels.shape.rank not in (3, 4):
            raise ValueError("'image' must have either 3 or 4 dimensions.")
        for name, size in (("target_height", target_height), ("target_width", target_width)):
            if isinstance(size, int) and size <= 0:
                raise ValueError(f"{name} must be > 0.")
        is_single = pixels.shape.rank == 3
        batch = array_ops.expand_dims(pixels, 0) if is_single else pixels
        wanted = [_number(size) for size in (target_height, target_width)]
        given = [_number(size) for size in sizes_of_image(batch)[:2]]
        ratio = gen_ops.maximum(given[1] / wanted[1], given[0] / wanted[0])
        sizes = [size / ratio for size in given]
        free = [(whole - part) / 2 for whole, part in zip(wanted, sizes)]
        top, left = (gen_ops.maximum(0, _whole(part)) for part in free)
        resized = resized_to(batch, array_ops.stack([_whole(size) for size in sizes]))
        padded = pad_to_bounding_box(resized, top, left, target_height, target_width)
        return array_ops.squeeze(padded, axis=[0]) if is_single else padded


def _number(value: Any) -> Tensor:
    return math_ops.cast(value, dtypes.float64)


def _whole(value: Tensor) -> Tensor:
    return math_ops.cast(gen_ops.floor(value), dtypes.int32)
