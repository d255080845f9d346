"""What makes sessions compute in float16 where that is fast and safe."""

from __future__ import annotations

from typing import Any

from troupe._src.keras_optimizers.optimizer_v2 import Optimizer as OptimizerV2
from troupe._src.mixed_precision.keras_loss_scale_optimizer import LossScaleOptimizer
from troupe._src.mixed_precision.loss_scale_optimizer import MixedPrecisionLossScaleOptimizer
from troupe._src.platform import logging
from troupe._src.session.default_config import MixedPrecisionState
from troupe._src.set_module import set_module
from troupe._src.train.optimizer import Optimizer


@set_module("troupe.train.experimental")
def enable_mixed_precision_graph_rewrite(opt: Any, loss_scale: Any = "dynamic") -> Any:
    """Lets later sessions compute in float16 on GPUs, and an optimizer scale its loss for that.

    Products of matrices, convolutions and what lies between them become of float16, with casts
    around them; variables and what is fetched stay as they are. It is a pass over the graphs of
    such sessions: `RewriterConfig.auto_mixed_precision` OFF in the options of one leaves it out.

    Args:
        opt: An optimizer of `tf.train` or of `tf.keras`.
        loss_scale: A `LossScale`, a number, or "dynamic".

    Returns:
        An optimizer that scales losses. Gradients are computed and applied by it alone.

    Raises:
        ValueError: `opt` is no optimizer, or scales losses already.
    """
    wrapped = _wrapped(opt, loss_scale)
    if MixedPrecisionState.has_other_sessions:
        logging.warning(
            "You already have existing Sessions that do not use mixed precision. "
            "enable_mixed_precision_graph_rewrite() will not affect these Sessions."
        )
    MixedPrecisionState.is_enabled = True
    return wrapped


def _wrapped(opt: Any, loss_scale: Any) -> Any:
    for kind in (MixedPrecisionLossScaleOptimizer, LossScaleOptimizer):
        if isinstance(opt, kind):
            raise ValueError(
                f'"opt" must not already be an instance of a {kind.__name__}. '
                "`enable_mixed_precision_graph_rewrite` will automatically wrap the optimizer "
                f"with a {kind.__name__}."
            )
    if isinstance(opt, Optimizer):
        return MixedPrecisionLossScaleOptimizer(opt, loss_scale)
    if isinstance(opt, OptimizerV2):
        return LossScaleOptimizer(opt, loss_scale)
    raise ValueError(
        '"opt" must be an instance of a tf.train.Optimizer or a tf.keras.optimizers.Optimizer, '
        f"but got: {opt}"
    )


@set_module("troupe.train.experimental")
def disable_mixed_precision_graph_rewrite() -> None:
    """Lets later sessions compute as their graphs say.

    Sessions that exist stay as they are, and so do optimizers that scale losses.
    """
    if not MixedPrecisionState.is_enabled:
        logging.warning(
            "disable_mixed_precision_graph_rewrite() called when mixed precision is already "
            "disabled."
        )
    MixedPrecisionState.is_enabled = False
