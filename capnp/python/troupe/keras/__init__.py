"""Keras: the package `keras` of PyPI, of version 2.3, where that is installed.

`pip install 'keras==2.3.1'`. Its layers, models and optimizers add nodes to the default graph, and
run in the session that `keras.backend.set_session` is given, or in one that they make. The
optimizers are those of TensorFlow 1.15, and need no such package.
"""

from typing import TYPE_CHECKING

from troupe._src.api.keras_modules import serve_keras as _serve_keras

if not TYPE_CHECKING:
    __getattr__, __dir__ = _serve_keras(
        (
            "estimator",
            "experimental",
            "mixed_precision",
            "mixed_precision.experimental",
            "optimizers",
            "optimizers.schedules",
        )
    )

__all__ = [
    "Input", "Model", "Sequential", "activations", "applications", "backend", "callbacks",
    "constraints", "datasets", "engine", "estimator", "experimental", "initializers", "layers",
    "legacy", "losses", "metrics", "mixed_precision", "models", "optimizers", "preprocessing",
    "regularizers", "utils", "wrappers",
]  # fmt: skip
