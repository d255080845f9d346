"""Estimators of generative adversarial networks."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.gan_estimators.gan import GANEstimator
from troupe._src.gan_estimators.latent import get_latent_gan_estimator
from troupe._src.gan_estimators.specs import SummaryType
from troupe._src.gan_estimators.stargan import StarGANEstimator

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "GANEstimator",
    "StarGANEstimator",
    "SummaryType",
    "get_latent_gan_estimator",
]
