"""Images in files: JPEG, PNG, GIF, BMP."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Tuple

from troupe._src.control_flow.conditional import cond
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.image.shapes import convert_image_dtype, like_image
from troupe._src.ops import array_ops, gen_ops, math_ops, raw_ops
from troupe._src.ops.assert_ops import Assert
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.parsing import parsing_ops
from troupe._src.random import random_ops
from troupe._src.strings import string_ops
from troupe._src.types import dtypes
from troupe._src.types.dtypes import DTypeLike, as_dtype


def encode_png(image: TensorLike, compression: int = -1, name: Optional[str] = None) -> Tensor:
    """An image as a PNG file.

    Args:
        image: [height, width, 1 to 4 channels] of uint8 or uint16.
        compression: From 0, none, to 9, the most; -1 for the library's own choice.

    Returns:
        The contents of the file, a string scalar.
    """
    return raw_ops.EncodePng(image=image, compression=compression, name=name)


def decode_image(
    contents: TensorLike,
    channels: Optional[int] = None,
    dtype: DTypeLike = dtypes.uint8,
    name: Optional[str] = None,
    expand_animations: bool = True,
) -> Tensor:
    """The image in a JPEG, PNG, GIF or BMP file, whichever it is.

    Args:
        contents: The contents of the file, a string scalar.
        channels: 1, 3 or 4; by default, and with 0, as many as the file has. A JPEG file has no 4,
            a GIF file always 3.
        dtype: That of the result: an integer or a floating point one.
        expand_animations: Whether a GIF file gives all of its images; otherwise the first one.

    Returns:
        [height, width, channels], or [images, height, width, 3] of a GIF file, so that the shape is
        not known with `expand_animations`.

    Raises:
        ValueError: There are other channels.
    """
    wanted = as_dtype(dtype)
    with get_default_graph().name_scope(name or "decode_image"):
        if channels not in (None, 0, 1, 3, 4):
            raise ValueError("channels must be in (None, 0, 1, 3, 4)")
        given = convert_to_tensor(contents, dtypes.string)
        count = channels or 0
        deep = dtypes.uint8 if wanted == dtypes.uint8 else dtypes.uint16

        def animation() -> Tensor:
            images = raw_ops.DecodeGif(contents=_with_channels(given, count in (0, 3), "GIF"))
            return images if expand_animations else images[0]

        kinds: List[Tuple[bytes, Callable[[], Tensor]]] = [
            (b"GIF", animation),
            (b"BM", lambda: raw_ops.DecodeBmp(contents=given, channels=count)),
            (b"\xff\xd8\xff", lambda: raw_ops.DecodeJpeg(
                contents=_with_channels(given, count != 4, "JPEG"), channels=count)),
        ]  # fmt: skip

        def decode(left: List[Tuple[bytes, Callable[[], Tensor]]]) -> Tensor:
            if not left:
                image = raw_ops.DecodePng(contents=given, channels=count, dtype=deep)
                return convert_image_dtype(image, wanted)
            start, kind = left[0]
            result: Tensor = cond(
                _begins_with(given, start),
                lambda: convert_image_dtype(kind(), wanted),
                lambda: decode(left[1:]),
            )
            return result

        image = decode(kinds)
        if not expand_animations:
            image.set_shape([None, None, channels or None])
        return image


def _with_channels(contents: Tensor, are_possible: bool, kind: str) -> Tensor:
    """The contents of a file, where an image of such a file has these channels."""
    if are_possible:
        return contents
    check = Assert(constant(False), [f"a {kind} file has no image with that number of channels"])
    with get_default_graph().control_dependencies([check]):
        return array_ops.identity(contents)


def is_jpeg(contents: TensorLike, name: Optional[str] = None) -> Tensor:
    """True where the contents begin as those of a JPEG file.

    Args:
        contents: The contents of a file, a string scalar.

    Returns:
        A bool scalar.
    """
    with get_default_graph().name_scope(name or "is_jpeg"):
        return _begins_with(contents, b"\xff\xd8\xff")


def _begins_with(contents: Any, start: bytes) -> Tensor:
    padded = string_ops.string_join([contents, bytes(len(start))])
    given = parsing_ops.decode_raw(string_ops.substr(padded, 0, len(start)), dtypes.uint8)
    return math_ops.reduce_all(gen_ops.equal(given, constant(list(start), dtypes.uint8)))


def adjust_jpeg_quality(
    image: TensorLike, jpeg_quality: TensorLike, dct_method: str = "", name: Optional[str] = None
) -> Tensor:
    """The image as it is after it has been in a JPEG file.

    Args:
        image: [height, width, channels] of uint8, or of floats in [0, 1].
        jpeg_quality: The quality, an int32 scalar from 0 to 100.
        dct_method: "INTEGER_FAST", "INTEGER_ACCURATE", or "" for the library's own choice.

    Returns:
        A tensor of the shape and dtype of `image`.
    """
    with get_default_graph().name_scope(name or "adjust_jpeg_quality"):
        pixels = convert_to_tensor(image)
        channels = pixels.shape.as_list()[-1]
        bytes_ = convert_image_dtype(pixels, dtypes.uint8, saturate=True)
        quality = math_ops.cast(jpeg_quality, dtypes.int32)
        encoded = raw_ops.EncodeJpegVariableQuality(images=bytes_, quality=quality)
        decoded = raw_ops.DecodeJpeg(
            contents=encoded, channels=channels or 0, dct_method=dct_method
        )
        return like_image(decoded, pixels)


def random_jpeg_quality(
    image: TensorLike, min_jpeg_quality: int, max_jpeg_quality: int, seed: Optional[int] = None
) -> Tensor:
    """adjust_jpeg_quality() with a quality in [min_jpeg_quality, max_jpeg_quality).

    Args:
        image: [height, width, channels] of uint8, or of floats in [0, 1].
        min_jpeg_quality: The least quality, at least 0.
        max_jpeg_quality: More than the greatest quality, at most 100.
        seed: Of the random number; by default that of the graph.

    Returns:
        A tensor of the shape and dtype of `image`.

    Raises:
        ValueError: The bounds are not in this order, or outside of these limits.
    """
    if min_jpeg_quality < 0 or max_jpeg_quality < 0 or min_jpeg_quality > 100:
        raise ValueError("jpeg encoding range must be between 0 and 100.")
    if max_jpeg_quality > 100 or min_jpeg_quality >= max_jpeg_quality:
        raise ValueError("`min_jpeg_quality` must be less than `max_jpeg_quality`, at most 100.")
    quality = random_ops.random_uniform(
        [], min_jpeg_quality, max_jpeg_quality, seed=seed, dtype=dtypes.int32
    )
    return adjust_jpeg_quality(image, quality)
