"""Boxes in images: the best of many, drawn ones, random ones."""

from __future__ import annotations

from typing import Any, List, Optional, Tuple

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.random_seed import get_seed
from troupe._src.ops import raw_ops
from troupe._src.ops.convert import convert_to_tensor, is_tensor
from troupe._src.types import dtypes

NO_THRESHOLD = float("-inf")


def _thresholds(*values: Any) -> List[Any]:
    return [value if is_tensor(value) else convert_to_tensor(value, dtypes.float32)
            for value in values]  # fmt: skip


def non_max_suppression(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = NO_THRESHOLD,
    name: Optional[str] = None,
) -> Tensor:
    """The indices of the best boxes that do not overlap better ones by more than a threshold."""
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
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = NO_THRESHOLD,
    soft_nms_sigma: Any = 0.0,
    name: Optional[str] = None,
) -> Tuple[Tensor, Tensor]:
    """(indices, scores) of the best boxes; with a sigma, overlaps lower the scores of others."""
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
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = NO_THRESHOLD,
    pad_to_max_output_size: bool = False,
    name: Optional[str] = None,
) -> Tuple[Tensor, Tensor]:
    """(indices, how many of them count): they may be padded with zeros to max_output_size."""
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


def non_max_suppression_overlaps(
    overlaps: Any,
    scores: Any,
    max_output_size: Any,
    overlap_threshold: Any = 0.5,
    score_threshold: Any = NO_THRESHOLD,
    name: Optional[str] = None,
) -> Tensor:
    """As non_max_suppression(), with a matrix of how far any two boxes overlap."""
    return raw_ops.NonMaxSuppressionWithOverlaps(
        overlaps=overlaps,
        scores=scores,
        max_output_size=max_output_size,
        overlap_threshold=overlap_threshold,
        score_threshold=score_threshold,
        name=name or "non_max_suppression_overlaps",
    )


def draw_bounding_boxes(
    images: Any, boxes: Any, name: Optional[str] = None, colors: Any = None
) -> Tensor:
    """A batch of images with boxes [y1, x1, y2, x2] drawn on them."""
    if colors is None:
        return raw_ops.DrawBoundingBoxes(images=images, boxes=boxes, name=name)
    return raw_ops.DrawBoundingBoxesV2(images=images, boxes=boxes, colors=colors, name=name)


def sample_distorted_bounding_box(
    image_size: Any,
    bounding_boxes: Any,
    seed: Optional[int] = None,
    seed2: Optional[int] = None,
    min_object_covered: Any = 0.1,
    aspect_ratio_range: Optional[List[float]] = None,
    area_range: Optional[List[float]] = None,
    max_attempts: Optional[int] = None,
    use_image_if_no_bounding_boxes: Optional[bool] = None,
    name: Optional[str] = None,
) -> Tuple[Tensor, Tensor, Tensor]:
    """(begin, size, box): a random part of an image that has some of an object, for tf.slice."""
    first, second = (seed or 0, seed2 or 0) if seed or seed2 else get_seed(None)
    with get_default_graph().name_scope(name or "sample_distorted_bounding_box"):
        begin, size, box = raw_ops.SampleDistortedBoundingBoxV2(
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
    return begin, size, box


def extract_glimpse(
    input: Any,
    size: Any,
    offsets: Any,
    centered: bool = True,
    normalized: bool = True,
    uniform_noise: bool = True,
    name: Optional[str] = None,
) -> Tensor:
    """A window of each image of a batch; what is outside of the image is noise."""
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
