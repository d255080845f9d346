"""Training in mixed precision, and state of Python: the interface was not settled."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.mixed_precision.graph_rewrite import (
    disable_mixed_precision_graph_rewrite,
    enable_mixed_precision_graph_rewrite,
)
from troupe._src.mixed_precision.loss_scale import DynamicLossScale, FixedLossScale, LossScale
from troupe._src.mixed_precision.loss_scale_optimizer import MixedPrecisionLossScaleOptimizer
from troupe._src.object_checkpoints.python_state import PythonState

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "DynamicLossScale",
    "FixedLossScale",
    "LossScale",
    "MixedPrecisionLossScaleOptimizer",
    "PythonState",
    "disable_mixed_precision_graph_rewrite",
    "enable_mixed_precision_graph_rewrite",
]
