"""Hues, saturations and values that are changed in the YIQ space of colours."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.image.shapes import convert_image_dtype
from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.ops.assert_ops import assert_equal
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.random import random_ops
from troupe._src.types import dtypes

_TO_YIQ = np.array([[0.299, 0.587, 0.114], [0.596, -0.274, -0.322], [0.211, -0.523, 0.312]])
_TO_RGB = np.array(
    [[1, 0.95617069, 0.62143257], [1, -0.2726886, -0.64681324], [1, -1.103744, 1.70062309]]
)
_TURN = np.array([[0, 0, 0], [0, 0, -1], [0, 1, 0]])


def adjust_hsv_in_yiq(
    image: TensorLike, delta_hue: Any = 0, scale_saturation: Any = 1, scale_value: Any = 1,
    name: Optional[str] = None,
) -> Tensor:  # fmt: skip
    """Images of other hues, saturations and values, which is one matrix for all pixels.

    As `tf.contrib.image.adjust_hsv_in_yiq`.

    Args:
        image: RGB, [..., height, width, 3].
        delta_hue: How far hues are turned, in radians.
        scale_saturation: What the colours are multiplied by.
        scale_value: What all is multiplied by.
        name: The scope of the nodes.

    Returns:
        A tensor of the shape and dtype of the image.

    Raises:
        ValueError: The rank is below 3.
        InvalidArgumentError: There are not 3 channels; of a step where that is not known.
    """
    with get_default_graph().name_scope(name or "adjust_hsv_in_yiq"):
        given = convert_to_tensor(image, name="image")
        if given.shape.rank is not None and given.shape.rank < 3:
            raise ValueError(f"Shape must be at least rank 3, but is {given.shape}")
        pixels = convert_image_dtype(given, dtypes.float32)
        channels = array_ops.shape(pixels)[-1]
        check = assert_equal(channels, 3, message="input must have 3 channels")
        with get_default_graph().control_dependencies([check]):
            rows = array_ops.reshape(pixels, [-1, 3])
        hue, saturation, value = (
            math_ops.cast(each, dtypes.float32)
            for each in (delta_hue, scale_saturation, scale_value)
        )
        grey, colour, turned = (
            constant((_TO_RGB @ middle @ _TO_YIQ).T, dtypes.float32)
            for middle in (np.diag([1, 0, 0]), np.diag([0, 1, 1]), _TURN)
        )
        coloured = gen_ops.cos(hue) * colour + gen_ops.sin(hue) * turned
        matrix = value * (grey + saturation * coloured)
        changed = array_ops.reshape(math_ops.matmul(rows, matrix), array_ops.shape(pixels))
        changed.set_shape(given.shape)
        return convert_image_dtype(changed, given.dtype)


def random_hsv_in_yiq(
    image: TensorLike, max_delta_hue: float = 0, lower_saturation: float = 1,
    upper_saturation: float = 1, lower_value: float = 1, upper_value: float = 1,
    seed: Optional[int] = None,
) -> Tensor:  # fmt: skip
    """`adjust_hsv_in_yiq` by random numbers.

    Args:
        image: RGB, [..., height, width, 3].
        max_delta_hue: How far hues are turned at most in either direction, in radians.
        lower_saturation: The least number that colours are multiplied by.
        upper_saturation: The greatest one.
        lower_value: The least number that all is multiplied by.
        upper_value: The greatest one.
        seed: The seed of the op.

    Returns:
        A tensor of the shape and dtype of the image.

    Raises:
        ValueError: A number is negative, or a least one is above the greatest one.
    """
    for name, least in (
        ("max_delta", max_delta_hue), ("lower_saturation", lower_saturation),
        ("lower_value", lower_value),
    ):  # fmt: skip
        if least < 0:
            raise ValueError(f"{name} must be non-negative.")
    if lower_saturation > upper_saturation:
        raise ValueError("lower_saturation must be < upper_saturation.")
    if lower_value > upper_value:
        raise ValueError("lower_value must be < upper_value.")

    def between(least: float, greatest: float) -> Any:
        if least == greatest:
            return least
        return random_ops.random_uniform([], least, greatest, seed=seed)

    return adjust_hsv_in_yiq(
        image,
        between(-max_delta_hue, max_delta_hue),
        between(lower_saturation, upper_saturation),
        between(lower_value, upper_value),
    )
