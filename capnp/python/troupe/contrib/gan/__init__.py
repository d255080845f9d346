"""Generative adversarial networks, that of TensorFlow 1.14, which is the last one with it."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.gan.model_losses import cyclegan_loss, gan_loss, stargan_loss
from troupe._src.gan.models import (
    acgan_model,
    cyclegan_model,
    gan_model,
    infogan_model,
    stargan_model,
)
from troupe._src.gan.training import (
    RunTrainOpsHook,
    gan_train,
    gan_train_ops,
    get_joint_train_hooks,
    get_sequential_train_hooks,
    get_sequential_train_steps,
)
from troupe._src.gan.tuples import (
    ACGANModel,
    CycleGANLoss,
    CycleGANModel,
    GANLoss,
    GANModel,
    GANTrainOps,
    GANTrainSteps,
    InfoGANModel,
    StarGANModel,
)
from troupe.contrib.gan import estimator, eval, features, losses

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "ACGANModel",
    "CycleGANLoss",
    "CycleGANModel",
    "GANLoss",
    "GANModel",
    "GANTrainOps",
    "GANTrainSteps",
    "InfoGANModel",
    "RunTrainOpsHook",
    "StarGANModel",
    "acgan_model",
    "cyclegan_loss",
    "cyclegan_model",
    "estimator",
    "eval",
    "features",
    "gan_loss",
    "gan_model",
    "gan_train",
    "gan_train_ops",
    "get_joint_train_hooks",
    "get_sequential_train_hooks",
    "get_sequential_train_steps",
    "infogan_model",
    "losses",
    "stargan_loss",
    "stargan_model",
]
