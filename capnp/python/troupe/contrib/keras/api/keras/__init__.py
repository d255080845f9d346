"""The modules of `tf.keras`, by their longest name."""

from typing import TYPE_CHECKING

from troupe._src.api.keras_modules import CONTRIBUTED as _CONTRIBUTED
from troupe._src.api.keras_modules import serve_copies as _serve_copies

if not TYPE_CHECKING:
    __getattr__, __dir__ = _serve_copies(__name__, _CONTRIBUTED)

__all__ = [
    "activations", "applications", "backend", "callbacks", "constraints", "datasets",
    "initializers", "layers", "losses", "metrics", "models", "optimizers", "preprocessing",
    "regularizers", "utils", "wrappers",
]  # fmt: skip
