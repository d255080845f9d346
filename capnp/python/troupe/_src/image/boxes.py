"""Boxes in images: the best of many, drawn ones, random ones."""

from __future__ import annotations

from typing import Any, List, Optional, Tuple

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.random_seed import get_seed
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.ops import raw_ops
from troupe._src.ops.convert import convert_to_tensor, is_tensor
from troupe._src.types import dtypes

NO_THRESHOLD = float("-inf")


def _thresholds(*values: Any) -> List[Any]:
    return [value if is_tensor(value) else convert_to_tensor(value, dtypes.float32)
            for value in values]  # fmt: skip


def non_max_suppression(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: TensorLike,
    iou_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = NO_THRESHOLD,
    name: Optional[str] = None,
) -> Tensor:
    """The indices of the best boxes that do not overlap better ones by more than a threshold.

    Args:
        boxes: [count, 4] of floating point numbers: the corners [y1, x1, y2, x2] of each.
        scores: [count]: how good each box is.
        max_output_size: How many boxes are chosen at most, an int32 scalar.
        iou_threshold: How much of their union two chosen boxes may share, from 0 to 1.
        score_threshold: Boxes with a lower score are left out; by default none are.

    Returns:
        The indices, an int32 vector, the best box first.
    """
    overlap, score = _thresholds(iou_threshold, score_threshold)
    return raw_ops.NonMaxSuppressionV3(
        boxes=boxes,
        scores=scores,
        max_output_size=max_output_size,
        iou_threshold=overlap,
        score_threshold=score,
        name=name or "non_max_suppression",
    )


def non_max_suppression_with_scores(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: TensorLike,
    iou_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = NO_THRESHOLD,
    soft_nms_sigma: TensorLike = 0.0,
    name: Optional[str] = None,
) -> Tuple[Tensor, Tensor]:
    """The indices and scores of the best boxes.

    Args:
        boxes: [count, 4] of floating point numbers: the corners [y1, x1, y2, x2] of each.
        scores: [count]: how good each box is.
        max_output_size: How many boxes are chosen at most, an int32 scalar.
        iou_threshold: How much of their union two chosen boxes may share, from 0 to 1.
        score_threshold: Boxes with a lower score are left out; by default none are.
        soft_nms_sigma: The deviation of the Gaussian by which overlaps lower the scores of other
            boxes, which then stay; 0 for none.

    Returns:
        (an int32 vector of indices, a vector of their scores).
    """
    overlap, score, sigma = _thresholds(iou_threshold, score_threshold, soft_nms_sigma)
    indices, kept, _ = raw_ops.NonMaxSuppressionV5(
        boxes=boxes,
        scores=scores,
        max_output_size=max_output_size,
        iou_threshold=overlap,
        score_threshold=score,
        soft_nms_sigma=sigma,
        name=name or "non_max_suppression_with_scores",
    )
    return indices, kept


def non_max_suppression_padded(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: TensorLike,
    iou_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = NO_THRESHOLD,
    pad_to_max_output_size: bool = False,
    name: Optional[str] = None,
) -> Tuple[Tensor, Tensor]:
    """The indices of the best boxes, as many at each step.

    Args:
        boxes: [count, 4] of floating point numbers: the corners [y1, x1, y2, x2] of each.
        scores: [count]: how good each box is.
        max_output_size: How many boxes are chosen at most, an int32 scalar.
        iou_threshold: How much of their union two chosen boxes may share, from 0 to 1.
        score_threshold: Boxes with a lower score are left out; by default none are.
        pad_to_max_output_size: Adds zeros up to `max_output_size`.

    Returns:
        (an int32 vector of indices, an int32 scalar: how many of them count).
    """
    overlap, score = _thresholds(iou_threshold, score_threshold)
    indices, valid = raw_ops.NonMaxSuppressionV4(
        boxes=boxes,
        scores=scores,
        max_output_size=max_output_size,
        iou_threshold=overlap,
        score_threshold=score,
        pad_to_max_output_size=pad_to_max_output_size,
        name=name or "non_max_suppression_padded",
    )
    return indices, valid


def combined_non_max_suppression(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size_per_class: TensorLike,
    max_total_size: TensorLike,
    iou_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = NO_THRESHOLD,
    pad_per_class: bool = False,
    clip_boxes: bool = True,
    name: Optional[str] = None,
) -> Tuple[Tensor, Tensor, Tensor, Tensor]:
    """The best boxes of each class, and of them the best ones of all classes, for each image.

    Args:
        boxes: [batch, count, classes, 4], float32: the corners [y1, x1, y2, x2] of each; or
            [batch, count, 1, 4], the same for all classes.
        scores: [batch, count, classes], float32: how good each box is for each class.
        max_output_size_per_class: How many boxes of a class are chosen at most, an int32 scalar.
        max_total_size: How many boxes of an image are chosen at most, an int32 scalar.
        iou_threshold: How much of their union two chosen boxes of a class may share.
        score_threshold: Boxes with a lower score are left out; by default none are.
        pad_per_class: Whether the results have no more places than all classes together may fill.
        clip_boxes: Whether the corners are clipped to [0, 1].

    Returns:
        (boxes, scores, classes, how many of them count): float32 [batch, n, 4], [batch, n] and
        [batch, n], the best first and zeros behind, and int32 [batch].
    """
    overlap, score = _thresholds(iou_threshold, score_threshold)
    return raw_ops.CombinedNonMaxSuppression(  # type: ignore[return-value]
        boxes=boxes,
        scores=scores,
        max_output_size_per_class=max_output_size_per_class,
        max_total_size=max_total_size,
        iou_threshold=overlap,
        score_threshold=score,
        pad_per_class=pad_per_class,
        clip_boxes=clip_boxes,
        name=name or "combined_non_max_suppression",
    )


def non_max_suppression_overlaps(
    overlaps: TensorLike,
    scores: TensorLike,
    max_output_size: TensorLike,
    overlap_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = NO_THRESHOLD,
    name: Optional[str] = None,
) -> Tensor:
    """As non_max_suppression(), with a matrix of how far any two boxes overlap.

    Args:
        overlaps: [count, count] of floating point numbers.
        scores: [count]: how good each box is.
        max_output_size: How many boxes are chosen at most, an int32 scalar.
        overlap_threshold: How far two chosen boxes may overlap.
        score_threshold: Boxes with a lower score are left out; by default none are.

    Returns:
        The indices, an int32 vector, the best box first.
    """
    return raw_ops.NonMaxSuppressionWithOverlaps(
        overlaps=overlaps,
        scores=scores,
        max_output_size=max_output_size,
        overlap_threshold=overlap_threshold,
        score_threshold=score_threshold,
        name=name or "non_max_suppression_overlaps",
    )


def draw_bounding_boxes(
    images: TensorLike,
    boxes: TensorLike,
    name: Optional[str] = None,
    colors: Optional[TensorLike] = None,
) -> Tensor:
    """A batch of images with boxes drawn on them.

    Args:
        images: [batch, height, width, 1, 3 or 4] of floating point numbers.
        boxes: [batch, boxes, 4] of float32: corners [y1, x1, y2, x2], from 0 to 1.
        colors: [colours, channels]: the colours, which the boxes take in turns; by default ten of
            the runtime's.

    Returns:
        Images of the same shape.
    """
    if colors is None:
        return raw_ops.DrawBoundingBoxes(images=images, boxes=boxes, name=name)
    return raw_ops.DrawBoundingBoxesV2(images=images, boxes=boxes, colors=colors, name=name)


def sample_distorted_bounding_box(
    image_size: TensorLike,
    bounding_boxes: TensorLike,
    seed: Optional[int] = None,
    seed2: Optional[int] = None,
    min_object_covered: TensorLike = 0.1,
    aspect_ratio_range: Optional[List[float]] = None,
    area_range: Optional[List[float]] = None,
    max_attempts: Optional[int] = None,
    use_image_if_no_bounding_boxes: Optional[bool] = None,
    name: Optional[str] = None,
) -> Tuple[Tensor, Tensor, Tensor]:
    """A random part of an image that has some of an object.

    Args:
        image_size: [height, width, channels] of the image, integers.
        bounding_boxes: [1, boxes, 4] of float32: the objects, [y1, x1, y2, x2], from 0 to 1.
        seed: Of the random numbers; without both seeds it is derived from the graph's.
        seed2: The second part of the seed.
        min_object_covered: How much of some object is in the part, from 0 to 1.
        aspect_ratio_range: The least and the greatest width / height, by default [0.75, 1.33].
        area_range: The least and the greatest share of the image, by default [0.05, 1.0].
        max_attempts: After how many tries the whole image is taken, by default 100.
        use_image_if_no_bounding_boxes: Takes the whole image as the object where there are no
            boxes, which otherwise is an error of the step.

    Returns:
        (begin, size, box): two vectors of three numbers for `tf.slice`, and [1, 1, 4] for
        `draw_bounding_boxes`.
    """
    first, second = (seed or 0, seed2 or 0) if seed or seed2 else get_seed(None)
    with get_default_graph().name_scope(name or "sample_distorted_bounding_box"):
        return raw_ops.SampleDistortedBoundingBoxV2(  # type: ignore[return-value]
            image_size=image_size,
            bounding_boxes=bounding_boxes,
            min_object_covered=min_object_covered,
            seed=first,
            seed2=second,
            aspect_ratio_range=aspect_ratio_range or [0.75, 1.33],
            area_range=area_range or [0.05, 1.0],
            max_attempts=100 if max_attempts is None else max_attempts,
            use_image_if_no_bounding_boxes=bool(use_image_if_no_bounding_boxes),
        )


def extract_glimpse(
    input: TensorLike,
    size: TensorLike,
    offsets: TensorLike,
    centered: bool = True,
    normalized: bool = True,
    uniform_noise: bool = True,
    name: Optional[str] = None,
) -> Tensor:
    """A window of each image of a batch; what is outside of the image is noise.

    Args:
        input: [batch, height, width, channels] of float32.
        size: [height, width] of the window, int32.
        offsets: [batch, 2] of float32: the middle of each window, (y, x).
        centered: Offsets count from the middle of the image, not from its upper left corner.
        normalized: Offsets are shares of the image: from -1 to 1 if centered, else from 0 to 1.
            Otherwise they count pixels.
        uniform_noise: The noise is uniform, not Gaussian.

    Returns:
        [batch, height, width, channels].
    """
    return raw_ops.ExtractGlimpse(
        input=input,
        size=size,
        offsets=offsets,
        centered=centered,
        normalized=normalized,
        uniform_noise=uniform_noise,
        noise="uniform" if uniform_noise else "gaussian",
        name=name,
    )


def bipartite_match(
    distance_mat: TensorLike,
    num_valid_rows: TensorLike,
    top_k: int = -1,
    name: Optional[str] = "bipartite_match",
) -> Tuple[Tensor, Tensor]:
    """Matches rows and columns, the nearest pair first, and each at most once.

    As `tf.contrib.image.bipartite_match`.

    Args:
        distance_mat: [rows, columns] of float32, how far a row is from a column.
        num_valid_rows: How many of the rows are matched, a number; a negative one for all.
        top_k: How many pairs are made at most; without one, as many as there can be.
        name: The name of the op.

    Returns:
        (the column of each row, the row of each column), both int32, -1 where there is none.
    """
    row_matches, column_matches = raw_ops.BipartiteMatch(
        distance_mat=distance_mat, num_valid_rows=num_valid_rows, top_k=top_k, name=name
    )
    return row_matches, column_matches
