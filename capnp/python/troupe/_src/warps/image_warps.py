"""Images whose pixels move each for itself, or as some points of them do."""

from __future__ import annotations

from typing import Any, Tuple

import numpy as np

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import array_ops, creation_ops, gen_ops, math_ops
from troupe._src.ops.assert_ops import assert_greater_equal
from troupe._src.ops.clip_ops import clip_by_value
from troupe._src.ops.convert import constant, convert_to_tensor
from troupe._src.types import dtypes, errors
from troupe._src.warps.pixels import pixels_at
from troupe._src.warps.splines import interpolate_spline


def dense_image_warp(
    image: TensorLike, flow: TensorLike, name: str = "dense_image_warp"
) -> Tensor:
    """Images whose pixels come from elsewhere in them: `tf.contrib.image.dense_image_warp`.

    The pixel at row y and column x is that of the image at (y - flow[y, x, 0], x - flow[y, x, 1]),
    between pixels their bilinear interpolation, and beyond the border the nearest one.

    Args:
        image: floating, [batch, height, width, channels], at least 2 high and 2 wide.
        flow: floating, [batch, height, width, 2], perhaps of another dtype.

    Returns:
        A tensor of the shape and dtype of the image.

    Raises:
        ValueError: if a rank is another.
        InvalidArgumentError: if an image is too small; of a step where that is not known.
    """
    with get_default_graph().name_scope(name):
        images, moves = convert_to_tensor(image), convert_to_tensor(flow)
        images.shape.assert_has_rank(4)
        moves.shape.assert_has_rank(4)
        size = array_ops.shape(images)
        with get_default_graph().control_dependencies([_check_size(images)]):
            height, width = size[1], size[2]
            y = array_ops.reshape(math_ops.cast(math_ops.range(height), moves.dtype), [1, -1, 1])
            x = array_ops.reshape(math_ops.cast(math_ops.range(width), moves.dtype), [1, 1, -1])
            result = _between(images, y - moves[..., 0], x - moves[..., 1])
        result.set_shape(images.shape)
        return result


def interpolate_bilinear(
    grid: TensorLike, query_points: TensorLike, name: str = "interpolate_bilinear",
    indexing: str = "ij",
) -> Tensor:  # fmt: skip
    """What images have at some points, between pixels their bilinear interpolation.

    Args:
        grid: floating, [batch, height, width, channels], at least 2 high and 2 wide.
        query_points: floating, [batch, points, 2].
        indexing: "ij" for rows and columns, "xy" for columns and rows.

    Returns:
        A tensor [batch, points, channels], of points beyond the border that of the nearest pixel.

    Raises:
        ValueError: if a rank or the last size is another, or the indexing is unknown.
        InvalidArgumentError: if an image is too small; of a step where that is not known.
    """
    if indexing not in ("ij", "xy"):
        raise ValueError("Indexing mode must be 'ij' or 'xy'")
    with get_default_graph().name_scope(name):
        images, points = convert_to_tensor(grid), convert_to_tensor(query_points)
        images.shape.assert_has_rank(4)
        points.shape.assert_has_rank(3)
        if points.shape[2].value not in (None, 2):
            raise ValueError(f"Query points must be size 2 in dim 2, not {points.shape}")
        with get_default_graph().control_dependencies([_check_size(images)]):
            rows, columns = (points[:, :, axis] for axis in (0, 1))
            return _between(images, *((rows, columns) if indexing == "ij" else (columns, rows)))


def _check_size(images: Tensor) -> Any:
    sizes = images.shape.as_list()[1:3]
    if any(size is not None and size < 2 for size in sizes):
        raise errors.InvalidArgumentError(
            None, None, f"An image must be at least 2 high and 2 wide, not {images.shape}"
        )
    size = array_ops.shape(images)[1:3]
    return assert_greater_equal(size, 2, message="images must be 2 high and 2 wide")


def sparse_image_warp(
    image: TensorLike,
    source_control_point_locations: TensorLike,
    dest_control_point_locations: TensorLike,
    interpolation_order: int = 2,
    regularization_weight: float = 0.0,
    num_boundary_points: int = 0,
    name: str = "sparse_image_warp",
) -> Tuple[Tensor, Tensor]:
    """Images some of whose points move elsewhere, and the others smoothly with them.

    It is `tf.contrib.image.sparse_image_warp`.

    Args:
        image: floating, [batch, height, width, channels], of which only channels may be unknown.
        source_control_point_locations: rows and columns of the points, [batch, points, 2], of the
            dtype of the image.
        dest_control_point_locations: where these points are in the result.
        interpolation_order: as of `interpolate_spline`.
        regularization_weight: as of `interpolate_spline`.
        num_boundary_points: 0, or 1 for points at the corners that do not move, or n for those and
            n - 1 along each side.

    Returns:
        A tensor of the shape and dtype of the image, and how far each pixel has come, [batch,
        height, width, 2].

    Raises:
        ValueError: if the rank is another, or such a size is not known.
    """
    with get_default_graph().name_scope(name):
        images, sources, targets = (
            convert_to_tensor(each)
            for each in (image, source_control_point_locations, dest_control_point_locations)
        )
        images.shape.assert_has_rank(4)
        batch, height, width = (size.value for size in images.shape[:3])
        if batch is None or height is None or width is None:
            raise ValueError(f"All sizes but the channels must be known, not {images.shape}")
        moves = targets - sources
        if num_boundary_points > 0:
            fixed = _repeated(_on_border(height, width, num_boundary_points), batch, targets.dtype)
            targets = array_ops.concat([targets, fixed], 1)
            moves = array_ops.concat([moves, creation_ops.zeros_like(fixed)], 1)
        grid = np.moveaxis(np.indices((height, width)), 0, -1).reshape(-1, 2)
        flow = interpolate_spline(
            targets, moves, _repeated(grid, batch, images.dtype), interpolation_order,
            regularization_weight,
        )  # fmt: skip
        dense = array_ops.reshape(flow, [batch, height, width, 2])
        return dense_image_warp(images, dense), dense


def _between(images: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
    sizes = array_ops.shape(images)
    (top, down), (left, right) = _parts(rows, sizes[1]), _parts(columns, sizes[2])
    of_down, of_right = (
        array_ops.expand_dims(math_ops.cast(each, images.dtype), -1) for each in (down, right)
    )

    def along(row: Tensor) -> Tensor:
        one, other = pixels_at(images, row, left), pixels_at(images, row, left + 1)
        return one + of_right * (other - one)

    above = along(top)
    return above + of_down * (along(top + 1) - above)


def _parts(places: Tensor, size: Tensor) -> Tuple[Tensor, Tensor]:
    """The pixel before each place, of which the image has the next, and how far it is from it."""
    last = math_ops.cast(size - 2, places.dtype)
    before = gen_ops.minimum(gen_ops.maximum(gen_ops.floor(places), 0.0), last)
    return math_ops.cast(before, dtypes.int32), clip_by_value(places - before, 0.0, 1.0)


def _on_border(height: int, width: int, count: int) -> Any:
    """The corners of an image, and count - 1 points on each side, as rows and columns."""
    y, x = np.meshgrid(
        np.linspace(0, height - 1, count + 1), np.linspace(0, width - 1, count + 1), indexing="ij"
    )
    is_on_border = (x == 0) | (x == width - 1) | (y == 0) | (y == height - 1)
    return np.stack([y[is_on_border], x[is_on_border]], -1)


def _repeated(points: Any, batch: int, dtype: Any) -> Tensor:
    return constant(np.tile(points, (batch, 1, 1)), dtype)
