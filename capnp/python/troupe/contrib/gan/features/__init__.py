"""Conditions, pools of generated data, clipped and normalized weights."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.gan.clipping import clip_discriminator_weights, clip_variables
from troupe._src.gan.conditioning import condition_tensor, condition_tensor_from_onehot
from troupe._src.gan.spectral_normalization import (
    compute_spectral_norm,
    spectral_norm_regularizer,
    spectral_normalization_custom_getter,
    spectral_normalize,
)
from troupe._src.gan.tensor_pool import tensor_pool
from troupe._src.gan.virtual_batchnorm import VBN

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "VBN",
    "clip_discriminator_weights",
    "clip_variables",
    "compute_spectral_norm",
    "condition_tensor",
    "condition_tensor_from_onehot",
    "spectral_norm_regularizer",
    "spectral_normalization_custom_getter",
    "spectral_normalize",
    "tensor_pool",
]
