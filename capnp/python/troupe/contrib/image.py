"""Images that are turned, moved and warped."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.image.boxes import bipartite_match
from troupe._src.warps.splines import interpolate_spline
from troupe._src.warps.transforms import (
    angles_to_projective_transforms,
    compose_transforms,
    flat_transforms_to_matrices,
    matrices_to_flat_transforms,
    rotate,
    transform,
    translate,
    translations_to_projective_transforms,
)
from troupe._src.warps.components import connected_components
from troupe._src.warps.image_warps import (
    dense_image_warp,
    interpolate_bilinear,
    sparse_image_warp,
)
from troupe._src.warps.yiq_colours import adjust_hsv_in_yiq, random_hsv_in_yiq

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "adjust_hsv_in_yiq",
    "angles_to_projective_transforms",
    "bipartite_match",
    "compose_transforms",
    "connected_components",
    "dense_image_warp",
    "flat_transforms_to_matrices",
    "interpolate_bilinear",
    "interpolate_spline",
    "matrices_to_flat_transforms",
    "random_hsv_in_yiq",
    "rotate",
    "sparse_image_warp",
    "transform",
    "translate",
    "translations_to_projective_transforms",
]
