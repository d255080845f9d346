"""Images side by side, as one image."""

from __future__ import annotations

import math
from typing import Any, List, Optional, Sequence

from troupe._src.graph.elements import Tensor
from troupe._src.ops import array_ops, creation_ops


def image_grid(
    input_tensor: Tensor,
    grid_shape: Sequence[int],
    image_shape: Sequence[int] = (32, 32),
    num_channels: int = 3,
) -> Tensor:
    """The images of a batch as one image.

    Args:
        input_tensor: The images, [batch, height, width, channels] or [batch, elements], where the
            sizes are known.
        grid_shape: How many images there are in a column and in a row.
        image_shape: The height and width of an image.
        num_channels: The channels of an image.

    Returns:
        [1, height, width, channels].

    Raises:
        ValueError: The images are of another number or shape.
    """
    rows, columns = grid_shape
    height, width = image_shape
    sizes = input_tensor.shape.as_list()
    if rows * columns != sizes[0]:
        raise ValueError(f"Grid shape {grid_shape} incompatible with minibatch size {sizes[0]}.")
    if len(sizes) not in (2, 4):
        raise ValueError("Unrecognized input tensor format.")
    elements = [height, width, num_channels]
    if sizes[1:] != (elements if len(sizes) == 4 else [math.prod(elements)]):
        raise ValueError("Image shape and number of channels incompatible with input tensor.")
    images = array_ops.reshape(input_tensor, [rows, columns, height, width, num_channels])
    lines = array_ops.transpose(images, [0, 2, 1, 3, 4])
    return array_ops.reshape(lines, [1, rows * height, columns * width, num_channels])


def image_reshaper(images: Any, num_cols: Optional[int] = None) -> Tensor:
    """Images as one, in rows; the last row is filled up with images of zeros.

    Args:
        images: A tensor [batch, height, width, channels], or a list of images of one shape; there
            are 1 or 3 channels.
        num_cols: How many images a row has, by default about as many as there are rows.

    Returns:
        [1, height, width, channels].

    Raises:
        ValueError: The shape of an image is not known, or it has other numbers of channels.
    """
    tiles: List[Tensor] = array_ops.unstack(images) if isinstance(images, Tensor) else list(images)
    for tile in tiles:
        tile.shape.assert_has_rank(3)
        tile.shape.assert_is_fully_defined()
        if tile.shape.as_list()[-1] not in (1, 3):
            raise ValueError("image_reshaper only supports 1 or 3 channel images.")
    columns = num_cols or math.ceil(math.sqrt(len(tiles)))
    missing = -len(tiles) % columns
    tiles += [creation_ops.zeros_like(tiles[-1])] * missing
    rows = [
        array_ops.concat(tiles[begin : begin + columns], 1)
        for begin in range(0, len(tiles), columns)
    ]
    return array_ops.expand_dims(array_ops.concat(rows, 0), 0)
