"""Losses of models, and in `wargs` those of tensors."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.gan.tuple_losses import (
    acgan_discriminator_loss,
    acgan_generator_loss,
    combine_adversarial_loss,
    cycle_consistency_loss,
    least_squares_discriminator_loss,
    least_squares_generator_loss,
    minimax_discriminator_loss,
    minimax_generator_loss,
    modified_discriminator_loss,
    modified_generator_loss,
    mutual_information_penalty,
    stargan_discriminator_loss_wrapper,
    stargan_generator_loss_wrapper,
    stargan_gradient_penalty_wrapper,
    wasserstein_discriminator_loss,
    wasserstein_generator_loss,
    wasserstein_gradient_penalty,
)
from troupe.contrib.gan.losses import wargs

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "acgan_discriminator_loss",
    "acgan_generator_loss",
    "combine_adversarial_loss",
    "cycle_consistency_loss",
    "least_squares_discriminator_loss",
    "least_squares_generator_loss",
    "minimax_discriminator_loss",
    "minimax_generator_loss",
    "modified_discriminator_loss",
    "modified_generator_loss",
    "mutual_information_penalty",
    "stargan_discriminator_loss_wrapper",
    "stargan_generator_loss_wrapper",
    "stargan_gradient_penalty_wrapper",
    "wargs",
    "wasserstein_discriminator_loss",
    "wasserstein_generator_loss",
    "wasserstein_gradient_penalty",
]
