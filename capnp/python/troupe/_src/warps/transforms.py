"""Projective transforms of images."""

from __future__ import annotations

from typing import Any, Optional, Tuple

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops
from troupe._src.ops.arithmetic_ops import not_equal
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.ops.selection_ops import where_v2
from troupe._src.types import dtypes
from troupe._src.warps.pixels import pixels_at

_DTYPES = (
    dtypes.uint8, dtypes.int32, dtypes.int64, dtypes.float16, dtypes.float32, dtypes.float64,
)  # fmt: skip
_FAR = 1e9  # farther away than any pixel, and still an int32


def rotate(
    images: TensorLike,
    angles: TensorLike,
    interpolation: str = "NEAREST",
    name: Optional[str] = None,
) -> Tensor:
    """Images that are turned counterclockwise around their middle: `tf.contrib.image.rotate`.

    Args:
        images: [batch, height, width, channels], [height, width, channels] or [height, width], of
            uint8, int32, int64 or floating.
        angles: in radians, a scalar, or one for each image.
        interpolation: "NEAREST" or "BILINEAR".

    Returns:
        A tensor of the shape and dtype of the images, with 0 where there was no image.

    Raises:
        TypeError: if the dtype or a rank is another.
        ValueError: if the interpolation is another.
    """
    with get_default_graph().name_scope(name or "rotate"):
        batch, _ = _batch(images)
        height, width = (
            math_ops.cast(array_ops.shape(batch)[axis], dtypes.float32) for axis in (1, 2)
        )
        turns = angles_to_projective_transforms(angles, height, width)
        return transform(images, turns, interpolation)


def translate(
    images: TensorLike,
    translations: TensorLike,
    interpolation: str = "NEAREST",
    name: Optional[str] = None,
) -> Tensor:
    """Images that are moved: `tf.contrib.image.translate`.

    Args:
        images: as of `rotate`.
        translations: how far to the right and down, in pixels, [2] or [batch, 2].
        interpolation: "NEAREST" or "BILINEAR".

    Returns:
        A tensor of the shape and dtype of the images, with 0 where there was no image.

    Raises:
        TypeError: if the dtype or a rank is another.
        ValueError: if the interpolation is another.
    """
    with get_default_graph().name_scope(name or "translate"):
        moves = translations_to_projective_transforms(translations)
        return transform(images, moves, interpolation)


def angles_to_projective_transforms(
    angles: TensorLike,
    image_height: TensorLike,
    image_width: TensorLike,
    name: Optional[str] = None,
) -> Tensor:
    """Transforms that turn images around their middle.

    It is `tf.contrib.image.angles_to_projective_transforms`.

    Args:
        angles: counterclockwise, in radians, a scalar or a vector.
        image_height: a number of rows.
        image_width: a number of columns.

    Returns:
        A tensor of float32, [angles, 8], for `transform`.

    Raises:
        TypeError: if the angles have a higher or an unknown rank.
    """
    with get_default_graph().name_scope(name or "angles_to_projective_transforms"):
        given = convert_to_tensor(angles, dtypes.float32)
        if given.shape.rank not in (0, 1):
            raise TypeError(f"Angles should have rank 0 or 1, not the shape {given.shape}")
        turns = array_ops.reshape(given, [-1])
        right, down = (
            (math_ops.cast(size, dtypes.float32) - 1.0) / 2.0
            for size in (image_width, image_height)
        )
        cos, sin = gen_ops.cos(turns), gen_ops.sin(turns)
        x_shift = right - (cos * right - sin * down)
        y_shift = down - (sin * right + cos * down)
        zeros = creation_ops.zeros_like(turns)
        return array_ops.stack([cos, -sin, x_shift, sin, cos, y_shift, zeros, zeros], axis=1)


def translations_to_projective_transforms(
    translations: TensorLike, name: Optional[str] = None
) -> Tensor:
    """Transforms that move images: `tf.contrib.image.translations_to_projective_transforms`.

    Args:
        translations: how far to the right and down, in pixels, [2] or [translations, 2].

    Returns:
        A tensor of float32, [translations, 8], for `transform`.

    Raises:
        TypeError: if the rank is another or not known.
    """
    with get_default_graph().name_scope(name or "translations_to_projective_transforms"):
        given = convert_to_tensor(translations, dtypes.float32)
        if given.shape.rank not in (1, 2):
            raise TypeError(f"Translations should have rank 1 or 2, not the shape {given.shape}")
        moves = array_ops.reshape(given, [-1, 2])
        right, down = moves[:, 0], moves[:, 1]
        ones, zeros = creation_ops.ones_like(right), creation_ops.zeros_like(right)
        return array_ops.stack([ones, zeros, -right, zeros, ones, -down, zeros, zeros], axis=1)


def transform(
    images: TensorLike,
    transforms: TensorLike,
    interpolation: str = "NEAREST",
    output_shape: Optional[TensorLike] = None,
    name: Optional[str] = None,
) -> Tensor:
    """Images by projective transforms: `tf.contrib.image.transform`.

    A transform [a0, a1, a2, b0, b1, b2, c0, c1] says where the pixel at (x, y) of the result is in
    the image: at ((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k) with k = c0 x + c1 y + 1. The
    gradient is that with respect to the images.

    Args:
        images: as of `rotate`.
        transforms: float32, [8], or [batch, 8] with one for each image.
        interpolation: "NEAREST" or "BILINEAR".
        output_shape: the height and the width of the result; by default those of the images.

    Returns:
        A tensor of the rank and dtype of the images, with 0 where there was no image.

    Raises:
        TypeError: if the dtype or a rank is another.
        ValueError: if the interpolation is another, or the output shape is no vector of 2 sizes.
    """
    with get_default_graph().name_scope(name or "transform"):
        batch, kept = _batch(images)
        given = convert_to_tensor(transforms, dtypes.float32)
        if given.shape.rank not in (1, 2):
            raise TypeError(f"Transforms should have rank 1 or 2, not the shape {given.shape}")
        sample = {"NEAREST": _nearest, "BILINEAR": _bilinear}.get(interpolation.upper())
        if sample is None:
            raise ValueError(f"interpolation must be NEAREST or BILINEAR, not {interpolation!r}")
        sizes = array_ops.shape(batch)[1:3] if output_shape is None else output_shape
        wanted = convert_to_tensor(sizes, dtypes.int32)
        if not wanted.shape.is_compatible_with([2]):
            raise ValueError(f"output_shape must be a height and a width, not {output_shape!r}")
        rows = array_ops.reshape(gen_ops.stop_gradient(given), [-1, 8])
        result = sample(batch, *_places(rows, wanted, array_ops.shape(batch)[0]))
        known = array_ops.get_static_value(wanted)
        if known is not None:
            result.set_shape([batch.shape[0], *known.tolist(), batch.shape[3]])
        return result[kept]


def compose_transforms(*transforms: TensorLike) -> Tensor:
    """The transforms that do what several do one after the other.

    It is `tf.contrib.image.compose_transforms`.

    Args:
        *transforms: each [8] or [transforms, 8], of one shape.

    Returns:
        A tensor of float32, [transforms, 8].

    Raises:
        ValueError: if there are none.
    """
    if not transforms:
        raise ValueError("transforms cannot be empty")
    with get_default_graph().name_scope("compose_transforms"):
        composed = flat_transforms_to_matrices(transforms[0])
        for each in transforms[1:]:
            composed = math_ops.matmul(composed, flat_transforms_to_matrices(each))
        return matrices_to_flat_transforms(composed)


def flat_transforms_to_matrices(transforms: TensorLike) -> Tensor:
    """The matrices of transforms: `tf.contrib.image.flat_transforms_to_matrices`.

    Args:
        transforms: [8] or [transforms, 8].

    Returns:
        A tensor [transforms, 3, 3], whose last elements are 1.
    """
    rows = array_ops.reshape(convert_to_tensor(transforms, dtypes.float32), [-1, 8])
    ones = creation_ops.ones_like(rows[:, :1])
    return array_ops.reshape(array_ops.concat([rows, ones], 1), [-1, 3, 3])


def matrices_to_flat_transforms(transform_matrices: TensorLike) -> Tensor:
    """The transforms of matrices: `tf.contrib.image.matrices_to_flat_transforms`.

    Args:
        transform_matrices: [3, 3] or [transforms, 3, 3], whose last elements are not 0.

    Returns:
        A tensor [transforms, 8].
    """
    rows = array_ops.reshape(convert_to_tensor(transform_matrices, dtypes.float32), [-1, 9])
    return (rows / rows[:, 8:9])[:, :8]


def _batch(images: Any) -> Tuple[Tensor, Any]:
    """The images as [batch, height, width, channels], and what gives the result their rank."""
    given = convert_to_tensor(images)
    if given.dtype not in _DTYPES:
        raise TypeError(f"Invalid dtype {given.dtype!r} of images.")
    every = slice(None)
    if given.shape.rank == 2:
        return given[None, :, :, None], (0, every, every, 0)
    if given.shape.rank == 3:
        return given[None], 0
    if given.shape.rank == 4:
        return given, every
    raise TypeError(f"Images should have rank between 2 and 4, not the shape {given.shape}")


def _places(rows: Tensor, sizes: Tensor, batch: Tensor) -> Tuple[Tensor, Tensor]:
    """Where the pixels of the results are: rows and columns of the images, [batch, ...]."""
    x = array_ops.reshape(math_ops.cast(math_ops.range(sizes[1]), dtypes.float32), [1, 1, -1])
    y = array_ops.reshape(math_ops.cast(math_ops.range(sizes[0]), dtypes.float32), [1, -1, 1])
    a0, a1, a2, b0, b1, b2, c0, c1 = (
        array_ops.reshape(each, [-1, 1, 1]) for each in array_ops.unstack(rows, 8, axis=1)
    )
    k = c0 * x + c1 * y + 1.0
    shape = array_ops.stack([batch, sizes[0], sizes[1]])

    def divided(numerator: Tensor) -> Tensor:
        # Beyond the horizon, and where the numbers are too large for it, there is no image.
        place = where_v2(not_equal(k, 0.0), numerator / k, _FAR)
        return array_ops.broadcast_to(gen_ops.maximum(gen_ops.minimum(place, _FAR), -_FAR), shape)

    return divided(b0 * x + b1 * y + b2), divided(a0 * x + a1 * y + a2)


def _nearest(images: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
    return _pixels_or_zeros(images, _rounded(rows), _rounded(columns))


def _rounded(x: Tensor) -> Tensor:
    """The nearest whole number, the one farther from 0 of two."""
    below = gen_ops.floor(x)
    rest = x - below
    is_up = where_v2(
        gen_ops.less(x, 0.0), gen_ops.greater(rest, 0.5), gen_ops.greater_equal(rest, 0.5)
    )
    return below + math_ops.cast(is_up, dtypes.float32)


def _bilinear(images: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
    dtype = dtypes.float64 if images.dtype == dtypes.float64 else dtypes.float32
    top, left = gen_ops.floor(rows), gen_ops.floor(columns)
    total: Any = 0.0
    for row, of_row in ((top, top + 1.0 - rows), (top + 1.0, rows - top)):
        for column, of_column in ((left, left + 1.0 - columns), (left + 1.0, columns - left)):
            weight = array_ops.expand_dims(math_ops.cast(of_row * of_column, dtype), -1)
            pixels = math_ops.cast(_pixels_or_zeros(images, row, column), dtype)
            total = total + weight * pixels
    return math_ops.cast(total, images.dtype)


def _pixels_or_zeros(images: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
    """The pixels at whole rows and columns, and zeros for those that are not in the images."""
    row, column = (math_ops.cast(each, dtypes.int32) for each in (rows, columns))
    sizes = array_ops.shape(images)
    is_inside = gen_ops.logical_and(_is_below(row, sizes[1]), _is_below(column, sizes[2]))
    pixels = pixels_at(images, row, column)
    return where_v2(
        array_ops.expand_dims(is_inside, -1), pixels, creation_ops.zeros_like(pixels)
    )


def _is_below(place: Tensor, size: Tensor) -> Tensor:
    return gen_ops.logical_and(gen_ops.greater_equal(place, 0), gen_ops.less(place, size))
