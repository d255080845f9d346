"""An estimator of data of several domains: `StarGANEstimator`."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional

from troupe._src.contrib.variables import get_trainable_variables
from troupe._src.estimator.estimator import Estimator
from troupe._src.estimator.run_config import RunConfig
from troupe._src.estimator.spec import EstimatorSpec, ModeKeys
from troupe._src.gan import summaries
from troupe._src.gan.models import as_tensors, stargan_model
from troupe._src.gan.tuples import StarGANModel
from troupe._src.gan_estimators.specs import (
    SummaryType, add_summaries_of, check_mode, check_options, evaluation_spec, training_spec,
    with_mode,
)  # fmt: skip
from troupe._src.set_module import set_module
from troupe._src.types.paths import PathLike
from troupe._src.variables.variable_store import variable_scope

_ADDERS: Dict[SummaryType, Any] = {
    SummaryType.VARIABLES: summaries.add_gan_model_summaries,
    SummaryType.IMAGES: summaries.add_stargan_image_summaries,
}


def _model(
    mode: str, generator_fn: Any, discriminator_fn: Any, data: Any, labels: Any, kinds: Any
) -> StarGANModel:
    generator = with_mode(generator_fn, mode)
    if mode != ModeKeys.PREDICT:
        discriminator = with_mode(discriminator_fn, mode)
        model = stargan_model(generator, discriminator, data, labels)
        add_summaries_of(model, kinds, _ADDERS)
        return model
    with variable_scope("Generator") as scope:
        tensors, targets = as_tensors(data), as_tensors(labels)
        generated = generator(tensors, targets)
    return StarGANModel(
        tensors, None, generated, targets, None, None, None, None, None,
        get_trainable_variables(scope), scope, generator, None, None, None,
    )  # fmt: skip


@set_module("troupe.contrib.gan.estimator")
class StarGANEstimator(Estimator):
    """Trains a generator that maps data of several domains to others of them.

    The features of inputs are data, and the labels their domains; to predict, the features are data
    and wanted domains, a pair. Predictions are generated data.

    Args:
        model_dir: As of Estimator.
        generator_fn: As of `stargan_model`; it is given the mode where it has an argument `mode`.
        discriminator_fn: As of `stargan_model`, likewise.
        loss_fn: The losses of a model.
        generator_optimizer: Trains the generator: an optimizer, or a function that makes it.
        discriminator_optimizer: Trains the discriminator, likewise.
        get_hooks_fn: Gives the hooks that run train ops, by default
            `get_sequential_train_hooks()`.
        get_eval_metric_ops_fn: Gives a dict of further metrics of a model.
        add_summaries: A `SummaryType`, or a list of them.
        use_loss_summaries: Has no effect: `loss_fn` adds summaries or not.
        config: As of Estimator.

    Raises:
        ValueError: The loss cannot be called, or `use_loss_summaries` is no bool.
        TypeError: `get_hooks_fn` cannot be called.
    """

    def __init__(
        self,
        model_dir: Optional[PathLike] = None,
        generator_fn: Optional[Callable[..., Any]] = None,
        discriminator_fn: Optional[Callable[..., Any]] = None,
        loss_fn: Optional[Callable[..., Any]] = None,
        generator_optimizer: Any = None,
        discriminator_optimizer: Any = None,
        get_hooks_fn: Optional[Callable[..., Any]] = None,
        get_eval_metric_ops_fn: Optional[Callable[..., Any]] = None,
        add_summaries: Any = None,
        use_loss_summaries: Optional[bool] = True,
        config: Optional[RunConfig] = None,
    ) -> None:
        check_options(use_loss_summaries, get_hooks_fn, loss_fn=loss_fn)
        losses_of: Any = loss_fn

        def model_fn(features: Any, labels: Any, mode: str) -> EstimatorSpec:
            check_mode(mode)
            data, domains = features if mode == ModeKeys.PREDICT else (features, labels)
            model = _model(mode, generator_fn, discriminator_fn, data, domains, add_summaries)
            if mode == ModeKeys.PREDICT:
                return EstimatorSpec(mode, predictions=model.generated_data)
            loss = losses_of(model)
            if mode == ModeKeys.EVAL:
                return evaluation_spec(model, loss, get_eval_metric_ops_fn)
            return training_spec(
                model, loss, generator_optimizer, discriminator_optimizer, get_hooks_fn
            )

        super().__init__(model_fn, model_dir, config)
