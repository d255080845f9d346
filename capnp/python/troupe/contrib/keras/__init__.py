"""Keras by its place in the contributed modules: its modules are those of `tf.keras`."""

import importlib
from typing import TYPE_CHECKING, Any, List

from troupe._src.api.keras_modules import serve_modules as _serve_modules
from troupe._src.api.missing import missing_names as _missing_names

_serve_modules(__name__, ("contrib.keras.api", "contrib.keras.api.keras"))

if not TYPE_CHECKING:
    _missing, _ = _missing_names(__name__, lazy=("api",))

    def __getattr__(name: str) -> Any:
        is_module = name in __all__ and name != "api"
        return importlib.import_module(f"troupe.keras.{name}") if is_module else _missing(name)


def __dir__() -> List[str]:
    return list(__all__)


__all__ = [
    "activations", "api", "applications", "backend", "callbacks", "constraints", "datasets",
    "initializers", "layers", "losses", "metrics", "models", "optimizers", "preprocessing",
    "regularizers", "utils", "wrappers",
]  # fmt: skip
