"""The colours of images: adjustments, and other systems of colours."""

from __future__ import annotations

from typing import Any, List, Optional, Union

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.operand import Operand
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.image.shapes import check_pixels, convert_image_dtype, like_image
from troupe._src.linalg import linear_ops
from troupe._src.ops import array_ops, gen_ops, math_ops, raw_ops, reduction_ops
from troupe._src.ops.assert_ops import Assert, assert_equal
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.random import random_ops
from troupe._src.types import dtypes

# A column for each component of the result.
RGB_TO_YIQ = [
    [0.299, 0.59590059, 0.2115],
    [0.587, -0.27455667, -0.52273617],
    [0.114, -0.32134392, 0.31119955],
]
YIQ_TO_RGB = [
    [1.0, 1.0, 1.0],
    [0.95598634, -0.27201283, -1.10674021],
    [0.6208248, -0.64720424, 1.70423049],
]
RGB_TO_YUV = [
    [0.299, -0.14714119, 0.61497538],
    [0.587, -0.28886916, -0.51496512],
    [0.114, 0.43601035, -0.10001026],
]
YUV_TO_RGB = [[1.0, 1.0, 1.0], [0.0, -0.394642334, 2.03206185], [1.13988303, -0.58062185, 0.0]]


def adjust_brightness(image: TensorLike, delta: TensorLike) -> Tensor:
    """A number added to all pixels.

    Args:
        image: [height, width, channels], or a batch of such: floats in [0, 1], or integers up to
            the greatest number of their dtype.
        delta: The number, where 1 is the greatest pixel.

    Returns:
        A tensor of the shape and dtype of `image`.
    """
    with get_default_graph().name_scope("adjust_brightness"):
        pixels = convert_to_tensor(image)
        wide = convert_image_dtype(pixels, dtypes.float32)
        return like_image(math_ops.add(wide, math_ops.cast(delta, dtypes.float32)), pixels)


def adjust_contrast(images: TensorLike, contrast_factor: TensorLike) -> Tensor:
    """The distance of all pixels from the mean of their channel, times a factor.

    Args:
        images: [height, width, channels], or a batch of such: floats in [0, 1], or integers up to
            the greatest number of their dtype.
        contrast_factor: The factor, a float scalar.

    Returns:
        A tensor of the shape and dtype of `images`.
    """
    with get_default_graph().name_scope("adjust_contrast"):
        pixels = convert_to_tensor(images)
        wide = convert_image_dtype(pixels, dtypes.float32)
        factor = convert_to_tensor(contrast_factor, dtypes.float32)
        return like_image(raw_ops.AdjustContrastv2(images=wide, contrast_factor=factor), pixels)


def adjust_gamma(
    image: TensorLike, gamma: Union[float, Operand] = 1, gain: TensorLike = 1
) -> Tensor:
    """gain * image ** gamma, where 1 is the greatest pixel.

    Args:
        image: [height, width, channels], or a batch of such: floats in [0, 1], or integers up to
            the greatest number of their dtype.
        gamma: The exponent, a scalar of at least 0.
        gain: The factor, a scalar.

    Returns:
        A tensor of the shape and dtype of `image`.

    Raises:
        ValueError: `gamma` is a number below 0.
        InvalidArgumentError: In a step: it is a tensor below 0.
    """
    if not isinstance(gamma, Tensor) and gamma < 0:
        raise ValueError("Gamma should be a non-negative real number.")
    with get_default_graph().name_scope("adjust_gamma"):
        pixels = convert_to_tensor(image)
        wide = convert_image_dtype(pixels, dtypes.float32)
        exponent = gamma
        if isinstance(gamma, Tensor):
            is_right = gen_ops.greater_equal(gamma, constant(0, gamma.dtype))
            check = Assert(is_right, ["Gamma should be a non-negative real number."])
            with get_default_graph().control_dependencies([check]):
                exponent = array_ops.identity(gamma)
        return like_image(gen_ops.multiply(gen_ops.pow(wide, exponent), gain), pixels)


def adjust_hue(image: TensorLike, delta: TensorLike, name: Optional[str] = None) -> Tensor:
    """A number added to the hue.

    Args:
        image: [height, width, channels], or a batch of such: floats in [0, 1], or integers up to
            the greatest number of their dtype.
        delta: The number, where 1 is a whole turn.

    Returns:
        A tensor of the shape and dtype of `image`.
    """
    with get_default_graph().name_scope(name or "adjust_hue"):
        pixels = convert_to_tensor(image)
        wide = convert_image_dtype(pixels, dtypes.float32)
        turn = convert_to_tensor(delta, dtypes.float32)
        return like_image(raw_ops.AdjustHue(images=wide, delta=turn), pixels)


def adjust_saturation(
    image: TensorLike, saturation_factor: TensorLike, name: Optional[str] = None
) -> Tensor:
    """The saturation times a factor.

    Args:
        image: [height, width, channels], or a batch of such: floats in [0, 1], or integers up to
            the greatest number of their dtype.
        saturation_factor: The factor, a float scalar.

    Returns:
        A tensor of the shape and dtype of `image`.
    """
    with get_default_graph().name_scope(name or "adjust_saturation"):
        pixels = convert_to_tensor(image)
        wide = convert_image_dtype(pixels, dtypes.float32)
        scale = convert_to_tensor(saturation_factor, dtypes.float32)
        return like_image(raw_ops.AdjustSaturation(images=wide, scale=scale), pixels)


def random_brightness(image: TensorLike, max_delta: float, seed: Optional[int] = None) -> Tensor:
    """adjust_brightness() by at most max_delta up or down.

    Args:
        image: [height, width, channels], or a batch of such: floats in [0, 1], or integers up to
            the greatest number of their dtype.
        max_delta: The number, at least 0.
        seed: Of the random number; by default that of the graph.

    Returns:
        A tensor of the shape and dtype of `image`.

    Raises:
        ValueError: `max_delta` is below 0.
    """
    if max_delta < 0:
        raise ValueError("max_delta must be non-negative.")
    return adjust_brightness(image, random_ops.random_uniform([], -max_delta, max_delta, seed=seed))


def random_contrast(
    image: TensorLike, lower: float, upper: float, seed: Optional[int] = None
) -> Tensor:
    """adjust_contrast() by a factor in [lower, upper).

    Args:
        image: [height, width, channels], or a batch of such: floats in [0, 1], or integers up to
            the greatest number of their dtype.
        lower: The least factor, at least 0.
        upper: The greatest factor, more than `lower`.
        seed: Of the random number; by default that of the graph.

    Returns:
        A tensor of the shape and dtype of `image`.

    Raises:
        ValueError: The bounds are not in this order, or below 0.
    """
    return adjust_contrast(image, _factor(lower, upper, seed))


def random_saturation(
    image: TensorLike, lower: float, upper: float, seed: Optional[int] = None
) -> Tensor:
    """adjust_saturation() by a factor in [lower, upper).

    Args:
        image: [height, width, channels], or a batch of such: floats in [0, 1], or integers up to
            the greatest number of their dtype.
        lower: The least factor, at least 0.
        upper: The greatest factor, more than `lower`.
        seed: Of the random number; by default that of the graph.

    Returns:
        A tensor of the shape and dtype of `image`.

    Raises:
        ValueError: The bounds are not in this order, or below 0.
    """
    return adjust_saturation(image, _factor(lower, upper, seed))


def _factor(lower: float, upper: float, seed: Optional[int]) -> Tensor:
    if upper <= lower:
        raise ValueError("upper must be > lower.")
    if lower < 0:
        raise ValueError("lower must be non-negative.")
    return random_ops.random_uniform([], lower, upper, seed=seed)


def random_hue(image: TensorLike, max_delta: float, seed: Optional[int] = None) -> Tensor:
    """adjust_hue() by at most max_delta of a turn in either direction.

    Args:
        image: [height, width, channels], or a batch of such: floats in [0, 1], or integers up to
            the greatest number of their dtype.
        max_delta: At most half a turn: from 0 to 0.5.
        seed: Of the random number; by default that of the graph.

    Returns:
        A tensor of the shape and dtype of `image`.

    Raises:
        ValueError: `max_delta` is outside of this range.
    """
    if max_delta > 0.5 or max_delta < 0:
        raise ValueError("max_delta must be <= 0.5 and non-negative.")
    return adjust_hue(image, random_ops.random_uniform([], -max_delta, max_delta, seed=seed))


def per_image_standardization(image: TensorLike) -> Tensor:
    """Each image with mean 0 and variance 1.

    Args:
        image: [height, width, channels], or a batch of such: floats in [0, 1], or integers up to
            the greatest number of their dtype.

    Returns:
        A tensor of the shape and dtype of `image`; of integers, what is out of their range is the
        nearest one.

    Raises:
        ValueError: The rank is less than 3, or a size that is known is 0.
    """
    with get_default_graph().name_scope("per_image_standardization"):
        given = convert_to_tensor(image)
        check_pixels(given)
        if given.shape.rank is not None and given.shape.rank < 3:
            raise ValueError(f"'image' must have at least 3 dimensions, but has {given.shape}")
        is_narrow = given.dtype in (dtypes.float16, dtypes.float32)
        pixels = given if is_narrow else convert_image_dtype(given, dtypes.float32)
        axes = [-1, -2, -3]
        mean = math_ops.reduce_mean(pixels, axes, keepdims=True)
        deviation = reduction_ops.reduce_std(pixels, axes, keepdims=True)
        count = math_ops.reduce_prod(array_ops.shape(pixels)[-3:])
        least = gen_ops.rsqrt(math_ops.cast(count, pixels.dtype))
        centred = gen_ops.subtract(pixels, mean)
        return like_image(gen_ops.realdiv(centred, gen_ops.maximum(deviation, least)), given)


def rgb_to_grayscale(images: TensorLike, name: Optional[str] = None) -> Tensor:
    """One channel: how bright red, green and blue are together.

    Args:
        images: [height, width, channels], or a batch of such: floats in [0, 1], or integers up to
            the greatest number of their dtype.

    Returns:
        A tensor of the same dtype and shape, but for a last size of 1.
    """
    with get_default_graph().name_scope(name or "rgb_to_grayscale"):
        pixels = convert_to_tensor(images)
        wide = convert_image_dtype(pixels, dtypes.float32)
        grey = linear_ops.tensordot(wide, constant([0.2989, 0.5870, 0.1140]), [[-1], [-1]])
        return like_image(array_ops.expand_dims(grey, -1), pixels)


def grayscale_to_rgb(images: TensorLike, name: Optional[str] = None) -> Tensor:
    """The one channel three times.

    Args:
        images: Images whose last size is 1.

    Returns:
        A tensor of the same dtype and shape, but for a last size of 3.

    Raises:
        ValueError: It is known that the rank is less than 2 or the last size is another one.
        InvalidArgumentError: In a step: the last size is another one.
    """
    with get_default_graph().name_scope(name or "grayscale_to_rgb"):
        pixels = _grayscale(convert_to_tensor(images))
        return array_ops.concat([pixels, pixels, pixels], axis=-1)


def _grayscale(pixels: Tensor) -> Tensor:
    message = "Last dimension of a grayscale image should be size 1."
    if pixels.shape.rank is not None:
        if pixels.shape.rank < 2:
            raise ValueError("A grayscale image must be at least two-dimensional.")
        channels = pixels.shape.as_list()[-1]
        if channels == 1:
            return pixels
        if channels is not None:
            raise ValueError(message)
    check = assert_equal(array_ops.shape(pixels)[-1], 1, message=message)
    with get_default_graph().control_dependencies([check]):
        return array_ops.identity(pixels)


def rgb_to_yiq(images: TensorLike) -> Tensor:
    """Colours of red, green and blue in the system of NTSC.

    Args:
        images: Floats whose last size is 3.

    Returns:
        A tensor of the same shape and dtype.
    """
    return _mixed(images, RGB_TO_YIQ)


def yiq_to_rgb(images: TensorLike) -> Tensor:
    """Colours of the system of NTSC as red, green and blue.

    Args:
        images: Floats whose last size is 3.

    Returns:
        A tensor of the same shape and dtype.
    """
    return _mixed(images, YIQ_TO_RGB)


def rgb_to_yuv(images: TensorLike) -> Tensor:
    """Colours of red, green and blue in the system of PAL.

    Args:
        images: Floats whose last size is 3.

    Returns:
        A tensor of the same shape and dtype.
    """
    return _mixed(images, RGB_TO_YUV)


def yuv_to_rgb(images: TensorLike) -> Tensor:
    """Colours of the system of PAL as red, green and blue.

    Args:
        images: Floats whose last size is 3.

    Returns:
        A tensor of the same shape and dtype.
    """
    return _mixed(images, YUV_TO_RGB)


def _mixed(images: Any, columns: List[List[float]]) -> Tensor:
    pixels = convert_to_tensor(images)
    return linear_ops.tensordot(pixels, constant(columns, pixels.dtype), [[-1], [0]])
