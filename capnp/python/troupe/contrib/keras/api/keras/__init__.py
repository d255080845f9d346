"""The modules of `tf.keras`, by their longest name."""

import importlib
from typing import TYPE_CHECKING, Any, List

from troupe._src.api.keras_modules import serve_modules as _serve_modules

_serve_modules(__name__, ())

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name in __all__:
            return importlib.import_module(f"troupe.keras.{name}")
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


def __dir__() -> List[str]:
    return list(__all__)


__all__ = [
    "activations", "applications", "backend", "callbacks", "constraints", "datasets",
    "initializers", "layers", "losses", "metrics", "models", "optimizers", "preprocessing",
    "regularizers", "utils", "wrappers",
]  # fmt: skip
