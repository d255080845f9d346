"""An estimator of a generator and a discriminator: `GANEstimator`."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional

from troupe._src.contrib.variables import get_trainable_variables
from troupe._src.estimator.estimator import Estimator
from troupe._src.estimator.run_config import RunConfig
from troupe._src.estimator.spec import EstimatorSpec, ModeKeys
from troupe._src.gan import summaries
from troupe._src.gan.models import as_tensors, gan_model
from troupe._src.gan.tuples import GANLoss, GANModel
from troupe._src.gan_estimators.specs import (
    SummaryType, add_summaries_of, check_mode, check_options, evaluation_spec, training_spec,
    with_mode,
)  # fmt: skip
from troupe._src.set_module import set_module
from troupe._src.types.paths import PathLike
from troupe._src.variables.variable_store import variable_scope

_ADDERS: Dict[SummaryType, Any] = {
    SummaryType.VARIABLES: summaries.add_gan_model_summaries,
    SummaryType.IMAGES: summaries.add_gan_model_image_summaries,
    SummaryType.IMAGE_COMPARISON: summaries.add_image_comparison_summaries,
}


def model_of(
    mode: str, generator_fn: Any, discriminator_fn: Any, real_data: Any, inputs: Any, kinds: Any
) -> GANModel:
    """The model of a mode, with summaries; to predict there is no discriminator."""
    generator = with_mode(generator_fn, mode)
    if mode != ModeKeys.PREDICT:
        discriminator = with_mode(discriminator_fn, mode)
        model = gan_model(generator, discriminator, real_data, inputs, check_shapes=False)
        add_summaries_of(model, kinds, _ADDERS)
        return model
    if real_data is not None:
        raise ValueError(
            f"`labels` must be `None` when mode is `predict`. Instead, found {real_data}"
        )
    with variable_scope("Generator") as scope:
        tensors = as_tensors(inputs)
        generated = generator(tensors)
    return GANModel(
        tensors, generated, get_trainable_variables(scope), scope, generator, None, None, None,
        None, None, None,
    )  # fmt: skip


@set_module("troupe.contrib.gan.estimator")
class GANEstimator(Estimator):
    """Trains a generator, and a discriminator of real and generated data.

    The features of inputs are those of the generator, and the labels are the real data; to predict,
    there are features alone. Predictions are generated data.

    Args:
        model_dir: As of Estimator.
        generator_fn: As of `gan_model`; it is given the mode where it has an argument `mode`.
        discriminator_fn: As of `gan_model`, likewise.
        generator_loss_fn: The generator's loss of a model.
        discriminator_loss_fn: The discriminator's loss of a model.
        generator_optimizer: Trains the generator: an optimizer, or a function that makes it.
        discriminator_optimizer: Trains the discriminator, likewise.
        get_hooks_fn: Gives the hooks that run train ops, by default
            `get_sequential_train_hooks()`.
        get_eval_metric_ops_fn: Gives a dict of further metrics of a model.
        add_summaries: A `SummaryType`, or a list of them.
        use_loss_summaries: Whether there are summaries of the losses.
        config: As of Estimator.
        warm_start_from: As of Estimator.
        is_chief: Whether this worker is the chief, which a `SyncReplicasOptimizer` must know.

    Raises:
        ValueError: A loss cannot be called, or `use_loss_summaries` is no bool.
        TypeError: `get_hooks_fn` cannot be called.
    """

    def __init__(
        self,
        model_dir: Optional[PathLike] = None,
        generator_fn: Optional[Callable[..., Any]] = None,
        discriminator_fn: Optional[Callable[..., Any]] = None,
        generator_loss_fn: Optional[Callable[..., Any]] = None,
        discriminator_loss_fn: Optional[Callable[..., Any]] = None,
        generator_optimizer: Any = None,
        discriminator_optimizer: Any = None,
        get_hooks_fn: Optional[Callable[..., Any]] = None,
        get_eval_metric_ops_fn: Optional[Callable[..., Any]] = None,
        add_summaries: Any = None,
        use_loss_summaries: Optional[bool] = True,
        config: Optional[RunConfig] = None,
        warm_start_from: Any = None,
        is_chief: bool = True,
    ) -> None:
        check_options(
            use_loss_summaries, get_hooks_fn, generator_loss_fn=generator_loss_fn,
            discriminator_loss_fn=discriminator_loss_fn,
        )  # fmt: skip
        of_generator: Any = generator_loss_fn
        of_discriminator: Any = discriminator_loss_fn

        def model_fn(features: Any, labels: Any, mode: str) -> EstimatorSpec:
            check_mode(mode)
            model = model_of(mode, generator_fn, discriminator_fn, labels, features, add_summaries)
            if mode == ModeKeys.PREDICT:
                return EstimatorSpec(mode, predictions=model.generated_data)
            loss = GANLoss(
                of_generator(model, add_summaries=use_loss_summaries),
                of_discriminator(model, add_summaries=use_loss_summaries),
            )
            if mode == ModeKeys.EVAL:
                return evaluation_spec(model, loss, get_eval_metric_ops_fn)
            return training_spec(
                model, loss, generator_optimizer, discriminator_optimizer, get_hooks_fn, is_chief
            )

        super().__init__(model_fn, model_dir, config, warm_start_from=warm_start_from)
