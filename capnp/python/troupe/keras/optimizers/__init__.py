"""Optimizers of `troupe.keras`, as TensorFlow 1.15 has them: also without the package `keras`."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.keras_optimizers.identifiers import deserialize, get, serialize
from troupe._src.keras_optimizers.moment_optimizers import Adam, Adamax, Nadam
from troupe._src.keras_optimizers.optimizer_v2 import Optimizer
from troupe._src.keras_optimizers.rate_optimizers import SGD, Adadelta, Adagrad, Ftrl, RMSprop
from troupe.keras.optimizers import schedules as schedules

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "Adadelta",
    "Adagrad",
    "Adam",
    "Adamax",
    "Ftrl",
    "Nadam",
    "Optimizer",
    "RMSprop",
    "SGD",
    "deserialize",
    "get",
    "schedules",
    "serialize",
]
