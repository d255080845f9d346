"""What an estimator's model function gives for a model of two networks, in each mode."""

from __future__ import annotations

import enum
import functools
from typing import Any, Callable, Dict, Optional

from troupe._src.estimator.input_fns import accepts
from troupe._src.estimator.spec import EstimatorSpec, ModeKeys
from troupe._src.gan.training import gan_train_ops, get_sequential_train_hooks
from troupe._src.gan.tuples import GANLoss
from troupe._src.graph.scopes import name_scope
from troupe._src.metrics.means import mean
from troupe._src.set_module import set_module


@set_module("troupe.contrib.gan.estimator")
class SummaryType(enum.IntEnum):
    """What an estimator adds summaries of: of nothing, variables, images, or images in rows."""

    NONE = 0
    VARIABLES = 1
    IMAGES = 2
    IMAGE_COMPARISON = 3


def check_mode(mode: str) -> None:
    """ValueError, if that is no mode."""
    if mode not in (ModeKeys.TRAIN, ModeKeys.EVAL, ModeKeys.PREDICT):
        raise ValueError(f"Mode not recognized: {mode}")


def check_options(
    use_loss_summaries: Optional[bool], get_hooks_fn: Any, **functions: Any
) -> None:
    """ValueError or TypeError, if an argument of an estimator is of a wrong type."""
    for name, function in functions.items():
        if not callable(function):
            raise ValueError(f"{name} must be callable.")
    if use_loss_summaries not in (True, False, None):
        raise ValueError("use_loss_summaries must be True, False or None.")
    if get_hooks_fn is not None and not callable(get_hooks_fn):
        raise TypeError("get_hooks_fn must be callable.")


def with_mode(network: Callable[..., Any], mode: str) -> Callable[..., Any]:
    """A network that is given the mode, where it has an argument of that name."""
    return functools.partial(network, mode=mode) if accepts(network, "mode") else network


def add_summaries_of(model: Any, kinds: Any, adders: Dict[SummaryType, Any]) -> None:
    """Adds the summaries of one kind, or of several."""
    if not kinds:
        return
    with name_scope(None):
        for kind in kinds if isinstance(kinds, (list, tuple)) else [kinds]:
            if kind != SummaryType.NONE:
                adders[kind](model)


def total_of(loss: GANLoss) -> Any:
    """The loss that is logged, of both networks."""
    return loss.generator_loss + loss.discriminator_loss


def metrics_of(
    model: Any, loss: GANLoss, get_eval_metric_ops_fn: Any, suffix: str = ""
) -> Dict[str, Any]:
    """The mean losses of an evaluation, and what the function makes of the model."""
    with name_scope("metrics"):
        metrics: Dict[str, Any] = {
            f"{name}{suffix}": mean(getattr(loss, name))
            for name in ("generator_loss", "discriminator_loss")
        }
        if get_eval_metric_ops_fn is not None:
            more = get_eval_metric_ops_fn(model)
            if not isinstance(more, dict):
                raise TypeError(f"get_eval_metric_ops_fn must return a dict, received: {more}")
            metrics.update(more)
    return metrics


def evaluation_spec(
    model: Any, loss: GANLoss, get_eval_metric_ops_fn: Any, suffix: str = ""
) -> EstimatorSpec:
    """The spec of an evaluation."""
    return EstimatorSpec(
        ModeKeys.EVAL, predictions=model.generated_data, loss=total_of(loss),
        eval_metric_ops=metrics_of(model, loss, get_eval_metric_ops_fn, suffix),
    )  # fmt: skip


def _made(optimizer: Any) -> Any:
    """An optimizer, or what a function without arguments gives."""
    return optimizer() if callable(optimizer) else optimizer


def training_spec(
    model: Any, loss: GANLoss, generator_optimizer: Any, discriminator_optimizer: Any,
    get_hooks_fn: Any, is_chief: bool = True,
) -> EstimatorSpec:  # fmt: skip
    """The spec of a training, each step of which trains both networks by hooks."""
    train_ops = gan_train_ops(
        model, loss, _made(generator_optimizer), _made(discriminator_optimizer), is_chief=is_chief
    )
    return EstimatorSpec(
        ModeKeys.TRAIN, loss=total_of(loss), train_op=train_ops.global_step_inc_op,
        training_hooks=(get_hooks_fn or get_sequential_train_hooks())(train_ops),
    )  # fmt: skip
