"""An estimator of the input of a generator that has been trained before."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional

from troupe._src.estimator.estimator import Estimator
from troupe._src.estimator.run_config import RunConfig
from troupe._src.estimator.spec import EstimatorSpec
from troupe._src.estimator.warm_start_settings import WarmStartSettings
from troupe._src.gan.models import gan_model
from troupe._src.gan_estimators.specs import with_mode
from troupe._src.ops.clip_ops import clip_by_value, global_norm
from troupe._src.random.random_ops import truncated_normal
from troupe._src.summary import summary_ops
from troupe._src.train.global_step import get_or_create_global_step
from troupe._src.train.gradients import gradients
from troupe._src.variables.variable_store import variable_scope
from troupe._src.variables.variable_scope import get_variable

INPUT_NAME = "new_var_z_input"
OPTIMIZER_NAME = "latent_gan_optimizer"


def _model_fn(
    generator_fn: Any, discriminator_fn: Any, loss_fn: Any, optimizer: Any
) -> Callable[..., EstimatorSpec]:
    def model_fn(features: Any, labels: Any, mode: str, params: Any) -> EstimatorSpec:
        bound = params["input_clip"]
        shape = [params["batch_size"], *params["z_shape"]]
        inputs = get_variable(
            INPUT_NAME, initializer=truncated_normal(shape),
            constraint=lambda value: clip_by_value(value, -bound, bound),
        )  # fmt: skip
        model = gan_model(
            with_mode(generator_fn, mode), with_mode(discriminator_fn, mode), labels, inputs,
            check_shapes=False,
        )  # fmt: skip
        add_summaries = params["add_summaries"]
        loss = loss_fn(model, features, labels, add_summaries)
        # By their scope a warm start knows the optimizer's variables, which no checkpoint has.
        with variable_scope(OPTIMIZER_NAME):
            made = optimizer(learning_rate=params["learning_rate"], **params["opt_kwargs"])
            train_op = made.minimize(
                loss, global_step=get_or_create_global_step(), var_list=[inputs]
            )
        if add_summaries:
            summary_ops.scalar("z_loss/z_grads", global_norm(gradients(loss, inputs)))
            summary_ops.scalar("z_loss/loss", loss)
        return EstimatorSpec(mode, predictions=model.generated_data, loss=loss, train_op=train_op)

    return model_fn


def get_latent_gan_estimator(
    generator_fn: Callable[..., Any],
    discriminator_fn: Callable[..., Any],
    loss_fn: Callable[..., Any],
    optimizer: Callable[..., Any],
    params: Dict[str, Any],
    config: Optional[RunConfig],
    ckpt_dir: Any,
    warmstart_options: Any = True,
) -> Estimator:
    """An estimator that finds the input for which generated data have the least loss.

    The networks begin with the values of a checkpoint, and are not trained; the input is the
    variable `new_var_z_input`.

    Args:
        generator_fn: As of `gan_model`; it is given the mode where it has an argument `mode`.
        discriminator_fn: As of `gan_model`, likewise.
        loss_fn: The loss of a model, features, labels, and whether there are summaries.
        optimizer: Makes the optimizer, of a `learning_rate` and of "opt_kwargs".
        params: "batch_size"; "z_shape", that of one input, as a list; "learning_rate";
            "input_clip", the greatest absolute value of the input; "add_summaries"; and perhaps
            "opt_kwargs", further arguments of the optimizer.
        config: As of Estimator; its folder has no checkpoints yet.
        ckpt_dir: The folder of the checkpoint.
        warmstart_options: Whether variables begin with its values; or a WarmStartSettings.

    Returns:
        The estimator.
    """
    settings: Optional[WarmStartSettings] = None
    if isinstance(warmstart_options, WarmStartSettings):
        settings = warmstart_options
    elif warmstart_options:
        settings = WarmStartSettings(
            ckpt_dir, vars_to_warm_start=f"^(?!.*({INPUT_NAME}|{OPTIMIZER_NAME}).*)"
        )
    model_fn = _model_fn(generator_fn, discriminator_fn, loss_fn, optimizer)
    return Estimator(
        model_fn, config=config, params={"opt_kwargs": {}, **params}, warm_start_from=settings
    )
