"""Heights and widths of images, known or not, and the conversion of what pixels are."""

from __future__ import annotations

from typing import Any, List, Optional

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import array_ops, cast_ops, gen_ops, math_ops
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.types.dtypes import DTypeLike, as_dtype


def rows_axis(image: Tensor) -> int:
    """The axis of the rows: of an image [height, width, channels], or of a batch of them."""
    rank = image.shape.rank
    if rank not in (None, 3, 4):
        raise ValueError("'image' must have either 3 or 4 dimensions.")
    return 1 if rank == 4 else 0


def check_pixels(image: Tensor) -> None:
    """ValueError where it is known that an image, or a batch, has no pixels."""
    if image.shape.rank is not None and 0 in image.shape.as_list():
        raise ValueError(f"all sizes of 'image' must be more than 0, but are {image.shape}")


def of_known_rank(result: Tensor) -> Tensor:
    """An image, which has three axes where the rank of what it was made of is not known."""
    if result.shape.rank is None:
        result.set_shape([None] * 3)
    return result


def sizes_of_image(image: Tensor) -> List[Any]:
    """Height and width: numbers, or tensors where they are not known."""
    first = rows_axis(image)
    known = image.shape.as_list() if image.shape.rank is not None else [None] * 3
    found: List[Any] = known[first : first + 2]
    if None in found:
        given = array_ops.shape(image)
        found = [given[first + i] if size is None else size for i, size in enumerate(found)]
    return found


def convert_image_dtype(
    image: TensorLike, dtype: DTypeLike, saturate: bool = False, name: Optional[str] = None
) -> Tensor:
    """Images of another dtype: floats are in [0, 1], integers up to their greatest number.

    Args:
        image: Numbers of any shape.
        dtype: The dtype of the result.
        saturate: Pixels outside of the range become the nearest one; otherwise they wrap.

    Returns:
        A tensor of the same shape.
    """
    pixels, wanted = convert_to_tensor(image), as_dtype(dtype)
    if pixels.dtype == wanted:
        return array_ops.identity(pixels, name=name)
    cast = cast_ops.saturate_cast if saturate else math_ops.cast
    with get_default_graph().name_scope(name or "convert_image"):
        if pixels.dtype.is_floating and wanted.is_floating:
            return math_ops.cast(pixels, wanted)
        if pixels.dtype.is_floating:
            return cast(gen_ops.multiply(pixels, wanted.max + 0.5), wanted)
        if wanted.is_floating:
            return gen_ops.multiply(math_ops.cast(pixels, wanted), 1.0 / pixels.dtype.max)
        if pixels.dtype.max > wanted.max:
            scale = (int(pixels.dtype.max) + 1) // (int(wanted.max) + 1)
            return cast(gen_ops.floor_div(pixels, constant(scale, pixels.dtype)), wanted)
        scale = (int(wanted.max) + 1) // (int(pixels.dtype.max) + 1)
        return gen_ops.multiply(cast(pixels, wanted), constant(scale, wanted))


def like_image(result: Tensor, image: Tensor) -> Tensor:
    """What was computed in float32, in the dtype of the image."""
    return convert_image_dtype(result, image.dtype, saturate=True)
