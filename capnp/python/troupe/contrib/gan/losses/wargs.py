"""Losses of tensors."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.gan.adversarial_losses import (
    least_squares_discriminator_loss,
    least_squares_generator_loss,
    minimax_discriminator_loss,
    minimax_generator_loss,
    modified_discriminator_loss,
    modified_generator_loss,
    wasserstein_discriminator_loss,
    wasserstein_generator_loss,
)
from troupe._src.gan.auxiliary_losses import (
    acgan_discriminator_loss,
    acgan_generator_loss,
    cycle_consistency_loss,
    mutual_information_penalty,
    wasserstein_gradient_penalty,
)
from troupe._src.gan.combined_losses import combine_adversarial_loss

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
    "wasserstein_discriminator_loss",
    "wasserstein_generator_loss",
    "wasserstein_gradient_penalty",
]
