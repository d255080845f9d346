"""Keras by its place in the contributed modules: its modules are those of `tf.keras`."""

from typing import TYPE_CHECKING

from troupe._src.api.keras_modules import CONTRIBUTED as _CONTRIBUTED
from troupe._src.api.keras_modules import serve_copies as _serve_copies

if TYPE_CHECKING:
    from troupe.contrib.keras import api
else:
    __getattr__, __dir__ = _serve_copies(
        __name__, _CONTRIBUTED, ("contrib.keras.api", "contrib.keras.api.keras")
    )
    from troupe.contrib.keras import api

__all__ = [
    "activations", "api", "applications", "backend", "callbacks", "constraints", "datasets",
    "initializers", "layers", "losses", "metrics", "models", "optimizers", "preprocessing",
    "regularizers", "utils", "wrappers",
]  # fmt: skip
