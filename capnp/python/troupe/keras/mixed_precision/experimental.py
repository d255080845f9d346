"""The dtypes of layers, and an optimizer that scales losses."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.mixed_precision.keras_loss_scale_optimizer import LossScaleOptimizer
from troupe._src.mixed_precision.policy import Policy, global_policy, set_policy

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = ["LossScaleOptimizer", "Policy", "global_policy", "set_policy"]
