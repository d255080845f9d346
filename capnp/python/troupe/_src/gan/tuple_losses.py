"""The losses of models: those of tensors, which are called with the fields of a model."""

from __future__ import annotations

import inspect
from typing import Any, Callable, Optional

from troupe._src.gan import adversarial_losses, auxiliary_losses, combined_losses
from troupe._src.gan.tuples import CycleGANModel, GANLoss, GANModel
from troupe._src.graph.elements import Tensor

Loss = Callable[..., Tensor]


def of_model(loss_fn: Loss) -> Loss:
    """A loss whose arguments are fields of a model, as a function of that model."""
    parameters = inspect.signature(loss_fn).parameters.values()
    name = loss_fn.__name__

    def loss(gan_model: Any, **kwargs: Any) -> Tensor:
        fields = {field: getattr(gan_model, field) for field in gan_model._fields}
        twice = sorted(set(fields) & set(kwargs))
        if twice:
            raise ValueError(
                f"The following args are present in both the tuple and keyword args for {name}: "
                f"{twice}"
            )
        given = dict(kwargs)
        for each in parameters:
            if each.default is each.empty:
                if each.name not in fields and each.name not in kwargs:
                    raise ValueError(f"`{each.name}` must be supplied to {name} loss function.")
                given.setdefault(each.name, fields.get(each.name))
            elif given.get(each.name) is None:  # None is for the default, as in TensorFlow
                of_field = fields.get(each.name)
                given[each.name] = each.default if of_field is None else of_field
        return loss_fn(**given)

    return _named(
        loss,
        loss_fn,
        f"`wargs.{name}` of the fields of a model.",
        "gan_model: A model that has the tensors among its fields.",
        "The arguments that are no fields; None for the default.",
    )


def _named(loss: Loss, loss_fn: Any, summary: str, model: str, options: str) -> Loss:
    loss.__name__ = loss.__qualname__ = loss_fn.__name__
    loss.__doc__ = (
        f"{summary}\n\n    Args:\n        {model}\n        **kwargs: {options}\n\n"
        "    Returns:\n        The loss, as of that function.\n\n"
        "    Raises:\n        ValueError: An argument is missing, or is given twice.\n    "
    )
    return loss


wasserstein_generator_loss = of_model(adversarial_losses.wasserstein_generator_loss)
wasserstein_discriminator_loss = of_model(adversarial_losses.wasserstein_discriminator_loss)
minimax_generator_loss = of_model(adversarial_losses.minimax_generator_loss)
minimax_discriminator_loss = of_model(adversarial_losses.minimax_discriminator_loss)
modified_generator_loss = of_model(adversarial_losses.modified_generator_loss)
modified_discriminator_loss = of_model(adversarial_losses.modified_discriminator_loss)
least_squares_generator_loss = of_model(adversarial_losses.least_squares_generator_loss)
least_squares_discriminator_loss = of_model(adversarial_losses.least_squares_discriminator_loss)
acgan_generator_loss = of_model(auxiliary_losses.acgan_generator_loss)
acgan_discriminator_loss = of_model(auxiliary_losses.acgan_discriminator_loss)
wasserstein_gradient_penalty = of_model(auxiliary_losses.wasserstein_gradient_penalty)
mutual_information_penalty = of_model(auxiliary_losses.mutual_information_penalty)


def combine_adversarial_loss(
    gan_loss: GANLoss,
    gan_model: GANModel,
    non_adversarial_loss: Tensor,
    weight_factor: Any = None,
    gradient_ratio: Any = None,
    gradient_ratio_epsilon: float = 1e-6,
    scalar_summaries: bool = True,
    gradient_summaries: bool = True,
) -> GANLoss:
    """Adds another loss to that of a generator, whose factor is as of `wargs`.

    Args:
        gan_loss: The losses of a model.
        gan_model: The model, of whose generator's variables the gradients are.
        non_adversarial_loss: The other loss, a scalar.
        weight_factor: The factor of the generator's loss.
        gradient_ratio: How much longer the gradient of the other loss is than that of the product.
        gradient_ratio_epsilon: Is added to the length of the generator's gradient.
        scalar_summaries: Whether there are summaries of the losses.
        gradient_summaries: Whether there are summaries of the lengths of the gradients.

    Returns:
        The losses, with the sum as that of the generator.

    Raises:
        ValueError: There is neither a factor nor a ratio, or both, or a loss is no scalar.
    """
    combined = combined_losses.combine_adversarial_loss(
        non_adversarial_loss, gan_loss.generator_loss, weight_factor, gradient_ratio,
        gradient_ratio_epsilon, gan_model.generator_variables, scalar_summaries,
        gradient_summaries,
    )  # fmt: skip
    return gan_loss._replace(generator_loss=combined)


def cycle_consistency_loss(
    cyclegan_model: CycleGANModel, scope: Optional[str] = None, add_summaries: bool = False
) -> Tensor:
    """How far reconstructed data are from the data of a model.

    Args:
        cyclegan_model: The model.
        scope: The name scope.
        add_summaries: Whether there are summaries of the loss and its parts.

    Returns:
        The loss, a scalar.

    Raises:
        ValueError: The model is no `CycleGANModel`.
    """
    if not isinstance(cyclegan_model, CycleGANModel):
        raise ValueError(
            f"`cyclegan_model` must be a `CycleGANModel`. Instead, was {type(cyclegan_model)}."
        )
    return auxiliary_losses.cycle_consistency_loss(
        cyclegan_model.model_x2y.generator_inputs, cyclegan_model.reconstructed_x,
        cyclegan_model.model_y2x.generator_inputs, cyclegan_model.reconstructed_y, scope,
        add_summaries,
    )  # fmt: skip


_STARGAN = "stargan_model: A `StarGANModel`."
_OPTIONS = "The arguments that are no tensors of the model."


def stargan_generator_loss_wrapper(loss_fn: Loss) -> Loss:
    """A generator's loss of logits, as one of a `StarGANModel`.

    Args:
        loss_fn: A loss of the logits of generated data.

    Returns:
        A loss of the model, with the other arguments by name.
    """

    def loss(stargan_model: Any, **kwargs: Any) -> Tensor:
        return loss_fn(stargan_model.discriminator_generated_data_source_predication, **kwargs)

    return _named(loss, loss_fn, f"`{loss_fn.__name__}` of a model.", _STARGAN, _OPTIONS)


def stargan_discriminator_loss_wrapper(loss_fn: Loss) -> Loss:
    """A discriminator's loss of logits, as one of a `StarGANModel`.

    Args:
        loss_fn: A loss of the logits of real data and those of generated data.

    Returns:
        A loss of the model, with the other arguments by name.
    """

    def loss(stargan_model: Any, **kwargs: Any) -> Tensor:
        return loss_fn(
            stargan_model.discriminator_input_data_source_predication,
            stargan_model.discriminator_generated_data_source_predication, **kwargs,
        )  # fmt: skip

    return _named(loss, loss_fn, f"`{loss_fn.__name__}` of a model.", _STARGAN, _OPTIONS)


def stargan_gradient_penalty_wrapper(loss_fn: Loss) -> Loss:
    """A penalty of a discriminator's gradients, as one of a `StarGANModel`.

    Args:
        loss_fn: A loss of the arguments `real_data`, `generated_data`, `generator_inputs`, which
            is the number of domains, `discriminator_fn` and `discriminator_scope`.

    Returns:
        A loss of the model, with the other arguments by name.
    """

    def loss(stargan_model: Any, **kwargs: Any) -> Tensor:
        return loss_fn(
            real_data=stargan_model.input_data, generated_data=stargan_model.generated_data,
            generator_inputs=stargan_model.input_data_domain_label.shape.as_list()[-1],
            discriminator_fn=stargan_model.discriminator_fn,
            discriminator_scope=stargan_model.discriminator_scope, **kwargs,
        )  # fmt: skip

    return _named(loss, loss_fn, f"`{loss_fn.__name__}` of a model.", _STARGAN, _OPTIONS)
