"""Initializers whose numbers are those of TensorFlow's ops, where Keras has NumPy's."""

from __future__ import annotations

from typing import Any

from troupe._src.set_module import set_module
from troupe._src.tf_keras.loaded import keras_module
from troupe._src.variables.initializers import Identity as IdentityValues
from troupe._src.variables.orthogonal import Orthogonal as OrthogonalValues

backend = keras_module("backend")
_initializers = keras_module("initializers")
_Orthogonal: Any = _initializers.Orthogonal
_Identity: Any = _initializers.Identity


@set_module("troupe.keras.initializers")
class Orthogonal(_Orthogonal):  # type: ignore[misc]
    """Orthogonal matrices, those of `tf.orthogonal_initializer`.

    Args:
        gain: What they are multiplied by.
        seed: The seed of the random numbers.
    """

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        return OrthogonalValues(self.gain, self.seed, dtype or backend.floatx())(shape)


@set_module("troupe.keras.initializers")
class Identity(_Identity):  # type: ignore[misc]
    """Identity matrices, those of `tf.initializers.identity`.

    Args:
        gain: What they are multiplied by.
    """

    def __call__(self, shape: Any, dtype: Any = None) -> Any:
        return IdentityValues(self.gain, dtype or backend.floatx())(shape)
