"""Training in mixed precision, as `tf.train.experimental` has it."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.mixed_precision.graph_rewrite import (
    disable_mixed_precision_graph_rewrite,
    enable_mixed_precision_graph_rewrite,
)
from troupe._src.mixed_precision.loss_scale import DynamicLossScale, FixedLossScale, LossScale
from troupe._src.mixed_precision.loss_scale_optimizer import MixedPrecisionLossScaleOptimizer
from troupe.mixed_precision import experimental

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "DynamicLossScale",
    "FixedLossScale",
    "LossScale",
    "MixedPrecisionLossScaleOptimizer",
    "disable_mixed_precision_graph_rewrite",
    "enable_mixed_precision_graph_rewrite",
    "experimental",
]
