"""The losses of a whole model: an adversarial one, and what is added to it."""

from __future__ import annotations

from typing import Any, Callable, Optional

from troupe._src.gan import adversarial_losses, auxiliary_losses, tuple_losses
from troupe._src.gan.tuples import (
    ACGANModel, CycleGANLoss, CycleGANModel, GANLoss, GANModel, InfoGANModel, StarGANModel,
)  # fmt: skip
from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.scopes import name_scope
from troupe._src.nn.class_losses import softmax_cross_entropy
from troupe._src.nn.loss_collections import get_regularization_loss
from troupe._src.nn.losses import absolute_difference
from troupe._src.ops import array_ops, math_ops
from troupe._src.ops.assert_ops import assert_greater_equal
from troupe._src.summary import summary_ops
from troupe._src.variables.variable_store import variable_scope

Loss = Callable[..., Any]


def _checked_weight(weight: Any, name: str) -> Any:
    """The weight of an additional loss, None for none; ValueError where it is negative."""
    if isinstance(weight, Tensor):
        weight.shape.assert_is_compatible_with([])
        with get_default_graph().control_dependencies([assert_greater_equal(weight, 0.0)]):
            return array_ops.identity(weight)
    if weight is not None and weight < 0:
        raise ValueError(f"`{name}` must be greater than 0. Instead, was {weight}")
    return weight


def _counts(weight: Any) -> bool:
    """Whether an additional loss of that weight is added."""
    return isinstance(weight, Tensor) or (weight is not None and weight > 0)


def pooled(model: Any, tensor_pool_fn: Loss) -> Any:
    """A model whose generated data, and the inputs of these, may be older ones, from a pool."""
    if isinstance(model, (GANModel, ACGANModel)):
        inputs, generated = tensor_pool_fn((model.generator_inputs, model.generated_data))
        changed = {}
        discriminator: Any = model.discriminator_fn
    elif isinstance(model, InfoGANModel):
        inputs, generated, structured = tensor_pool_fn(
            (model.generator_inputs, model.generated_data, model.structured_generator_inputs)
        )
        changed = {"structured_generator_inputs": structured}
        discriminator = model.discriminator_and_aux_fn
    else:
        raise ValueError(f"Tensor pool does not support `model`: {type(model)}.")
    with variable_scope(model.discriminator_scope, reuse=True):
        outputs = discriminator(generated, inputs)
    if isinstance(model, ACGANModel):
        outputs, changed["discriminator_gen_classification_logits"] = outputs
    elif isinstance(model, InfoGANModel):
        outputs, changed["predicted_distributions"] = outputs
    return model._replace(
        generator_inputs=inputs, generated_data=generated, discriminator_gen_outputs=outputs,
        **changed,
    )  # fmt: skip


def gan_loss(
    model: Any, generator_loss_fn: Loss = tuple_losses.wasserstein_generator_loss,
    discriminator_loss_fn: Loss = tuple_losses.wasserstein_discriminator_loss,
    gradient_penalty_weight: Any = None, gradient_penalty_epsilon: float = 1e-10,
    gradient_penalty_target: Any = 1.0, gradient_penalty_one_sided: bool = False,
    mutual_information_penalty_weight: Any = None, aux_cond_generator_weight: Any = None,
    aux_cond_discriminator_weight: Any = None, tensor_pool_fn: Optional[Loss] = None,
    add_summaries: bool = True,
) -> GANLoss:  # fmt: skip
    """The losses of a model, with those of the regularizers of its variables.

    Args:
        model: A `GANModel`, `InfoGANModel` or `ACGANModel`.
        generator_loss_fn: The generator's loss of a model.
        discriminator_loss_fn: The discriminator's loss of a model.
        gradient_penalty_weight: What `losses.wasserstein_gradient_penalty` counts for the
            discriminator, a number or a scalar tensor; None for nothing.
        gradient_penalty_epsilon: The argument `epsilon` of that penalty.
        gradient_penalty_target: Its argument `target`.
        gradient_penalty_one_sided: Its argument `one_sided`.
        mutual_information_penalty_weight: What `losses.mutual_information_penalty` counts for both
            networks of an `InfoGANModel`.
        aux_cond_generator_weight: What `losses.acgan_generator_loss` counts for an `ACGANModel`.
        aux_cond_discriminator_weight: What `losses.acgan_discriminator_loss` counts for it.
        tensor_pool_fn: A function of generator inputs and generated data that gives such that the
            discriminator is trained with, as does `features.tensor_pool`.
        add_summaries: Whether there are summaries of the losses.

    Returns:
        The losses.

    Raises:
        ValueError: A weight is negative, or is one of another kind of model.
    """
    penalty_weight = _checked_weight(gradient_penalty_weight, "gradient_penalty_weight")
    information_weight = _checked_weight(mutual_information_penalty_weight, "infogan_weight")
    generator_weight = _checked_weight(aux_cond_generator_weight, "aux_cond_generator_weight")
    discriminator_weight = _checked_weight(
        aux_cond_discriminator_weight, "aux_cond_discriminator_weight"
    )
    _check_kind(model, InfoGANModel, mutual_information_penalty_weight=information_weight)
    _check_kind(
        model, ACGANModel, aux_cond_generator_weight=generator_weight,
        aux_cond_discriminator_weight=discriminator_weight,
    )  # fmt: skip
    judged = model if tensor_pool_fn is None else pooled(model, tensor_pool_fn)
    of_generator = generator_loss_fn(model, add_summaries=add_summaries)
    of_discriminator = discriminator_loss_fn(judged, add_summaries=add_summaries)
    if _counts(penalty_weight):
        of_discriminator += penalty_weight * tuple_losses.wasserstein_gradient_penalty(
            judged, epsilon=gradient_penalty_epsilon, target=gradient_penalty_target,
            one_sided=gradient_penalty_one_sided, add_summaries=add_summaries,
        )  # fmt: skip
    if _counts(information_weight):
        penalty = tuple_losses.mutual_information_penalty
        of_generated = of_judged = penalty(model, add_summaries=add_summaries)
        if judged is not model:
            of_judged = penalty(judged, add_summaries=add_summaries)
        of_generator += information_weight * of_generated
        of_discriminator += information_weight * of_judged
    if _counts(generator_weight):
        classes = tuple_losses.acgan_generator_loss(model, add_summaries=add_summaries)
        of_generator += generator_weight * classes
    if _counts(discriminator_weight):
        classes = tuple_losses.acgan_discriminator_loss(judged, add_summaries=add_summaries)
        of_discriminator += discriminator_weight * classes
    return GANLoss(
        of_generator + _regularization(model.generator_scope),
        of_discriminator + _regularization(model.discriminator_scope),
    )


def _check_kind(model: Any, kind: Any, **weights: Any) -> None:
    if any(_counts(weight) for weight in weights.values()) and not isinstance(model, kind):
        names = " or ".join(f"`{name}`" for name in weights)
        raise ValueError(
            f"When {names} is provided, `model` must be an `{kind.__name__}`. Instead, was "
            f"{type(model)}."
        )


def _regularization(scope: Any) -> Any:
    return get_regularization_loss(scope.name) if scope else 0


def cyclegan_loss(
    model: CycleGANModel, generator_loss_fn: Loss = tuple_losses.least_squares_generator_loss,
    discriminator_loss_fn: Loss = tuple_losses.least_squares_discriminator_loss,
    cycle_consistency_loss_fn: Loss = tuple_losses.cycle_consistency_loss,
    cycle_consistency_loss_weight: Any = 10.0, **kwargs: Any,
) -> CycleGANLoss:  # fmt: skip
    """The losses of both models, where those of both generators have one of reconstructions.

    Args:
        model: The models.
        generator_loss_fn: The generator's loss of one model.
        discriminator_loss_fn: The discriminator's loss of one model.
        cycle_consistency_loss_fn: The loss of reconstructions, of a `CycleGANModel`.
        cycle_consistency_loss_weight: What that counts, a number or a scalar tensor.
        **kwargs: Further arguments of `gan_loss`.

    Returns:
        The losses.

    Raises:
        ValueError: `model` is another kind of model, or a weight is negative.
    """
    if not isinstance(model, CycleGANModel):
        raise ValueError(f"`model` must be a `CycleGANModel`. Instead, was {type(model)}.")
    consistency = cycle_consistency_loss_fn(model, add_summaries=kwargs.get("add_summaries", True))
    weight = _checked_weight(cycle_consistency_loss_weight, "cycle_consistency_loss_weight")
    added = weight * consistency

    def of_one(one: GANModel) -> GANLoss:
        loss = gan_loss(one, generator_loss_fn, discriminator_loss_fn, **kwargs)
        return loss._replace(generator_loss=loss.generator_loss + added)

    with name_scope("cyclegan_loss_x2y"):
        x2y = of_one(model.model_x2y)
    with name_scope("cyclegan_loss_y2x"):
        y2x = of_one(model.model_y2x)
    return CycleGANLoss(x2y, y2x)


_STARGAN_GENERATOR_LOSS = tuple_losses.stargan_generator_loss_wrapper(
    adversarial_losses.wasserstein_generator_loss
)
_STARGAN_DISCRIMINATOR_LOSS = tuple_losses.stargan_discriminator_loss_wrapper(
    adversarial_losses.wasserstein_discriminator_loss
)
_stargan_penalty = tuple_losses.stargan_gradient_penalty_wrapper(
    auxiliary_losses.wasserstein_gradient_penalty
)


def stargan_loss(
    model: StarGANModel, generator_loss_fn: Loss = _STARGAN_GENERATOR_LOSS,
    discriminator_loss_fn: Loss = _STARGAN_DISCRIMINATOR_LOSS,
    gradient_penalty_weight: Any = 10.0, gradient_penalty_epsilon: float = 1e-10,
    gradient_penalty_target: Any = 1.0, gradient_penalty_one_sided: bool = False,
    reconstruction_loss_fn: Loss = absolute_difference, reconstruction_loss_weight: Any = 10.0,
    classification_loss_fn: Loss = softmax_cross_entropy, classification_loss_weight: Any = 1.0,
    classification_one_hot: bool = True, add_summaries: bool = True,
) -> GANLoss:  # fmt: skip
    """The losses of a model of several domains (arXiv:1711.09020).

    Args:
        model: The model.
        generator_loss_fn: The generator's loss of the model.
        discriminator_loss_fn: The discriminator's loss of the model.
        gradient_penalty_weight: What the penalty of the discriminator's gradients counts, a number
            or a scalar tensor; None or 0 for nothing.
        gradient_penalty_epsilon: The argument `epsilon` of that penalty.
        gradient_penalty_target: Its argument `target`.
        gradient_penalty_one_sided: Its argument `one_sided`.
        reconstruction_loss_fn: A loss of data and reconstructed data.
        reconstruction_loss_weight: What that counts for the generator.
        classification_loss_fn: A loss of the arguments `onehot_labels` and `logits`.
        classification_loss_weight: What that counts for both networks.
        classification_one_hot: False where the losses are [batch, domains], as of domains that
            data may be in several of; they are summed along the domains.
        add_summaries: Whether there are summaries of the losses.

    Returns:
        The losses.

    Raises:
        ValueError: The labels are not of rank 2, or the number of domains is not known.
    """

    def classification(labels: Any, logits: Any, name: str) -> Tensor:
        with name_scope(name):
            loss = classification_loss_fn(onehot_labels=labels, logits=logits)
            if not classification_one_hot:
                loss = math_ops.reduce_sum(loss, axis=1)
            loss = math_ops.reduce_mean(loss)
            if add_summaries:
                summary_ops.scalar(name, loss)
            return loss

    model.input_data_domain_label.shape.assert_has_rank(2)
    model.input_data_domain_label.shape[1:].assert_is_fully_defined()
    of_generator = generator_loss_fn(model, add_summaries=add_summaries)
    of_discriminator = discriminator_loss_fn(model, add_summaries=add_summaries)
    if _counts(gradient_penalty_weight):
        penalty = _stargan_penalty(
            model, epsilon=gradient_penalty_epsilon, target=gradient_penalty_target,
            one_sided=gradient_penalty_one_sided, add_summaries=add_summaries,
        )  # fmt: skip
        of_discriminator += penalty * gradient_penalty_weight
    reconstruction = reconstruction_loss_fn(model.input_data, model.reconstructed_data)
    of_generator += reconstruction * reconstruction_loss_weight
    if add_summaries:
        summary_ops.scalar("reconstruction_loss", reconstruction)
    of_generator += classification_loss_weight * classification(
        model.generated_data_domain_target, model.discriminator_generated_data_domain_predication,
        "generator_classification_loss",
    )  # fmt: skip
    of_discriminator += classification_loss_weight * classification(
        model.input_data_domain_label, model.discriminator_input_data_domain_predication,
        "discriminator_classification_loss",
    )  # fmt: skip
    return GANLoss(of_generator, of_discriminator)
