"""Initializers with the numbers of TensorFlow's ops, where Keras has NumPy's, and its names."""

from __future__ import annotations

import functools
from typing import Any, Dict, Optional

from troupe._src.set_module import set_module
from troupe._src.keras.loaded import keras_module
from troupe._src.types.dtypes import as_dtype
from troupe._src.variables.orthogonal import Identity as IdentityValues
from troupe._src.variables.orthogonal import Orthogonal as OrthogonalValues

backend = keras_module("backend")
_initializers = keras_module("initializers")
_Orthogonal: Any = _initializers.Orthogonal
_Identity: Any = _initializers.Identity
_VarianceScaling: Any = _initializers.VarianceScaling


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


class _Glorot(_VarianceScaling):  # type: ignore[misc]
    _distribution = ""

    def __init__(self, seed: Optional[int] = None) -> None:
        super().__init__(mode="fan_avg", distribution=self._distribution, seed=seed)

    def get_config(self) -> Dict[str, Any]:
        """The arguments that make such an initializer again."""
        return {"seed": self.seed}


@set_module("troupe.keras.initializers")
class GlorotUniform(_Glorot):
    """Uniform numbers below sqrt(6 / (inputs + outputs)) (Glorot and Bengio, 2010).

    Args:
        seed: The seed of the random numbers.
    """

    _distribution = "uniform"


@set_module("troupe.keras.initializers")
class GlorotNormal(_Glorot):
    """Normal numbers of the variance 2 / (inputs + outputs), cut off (Glorot and Bengio, 2010).

    Args:
        seed: The seed of the random numbers.
    """

    _distribution = "truncated_normal"


def accept_dtypes(module: Any) -> None:
    """Lets the initializers be told a dtype, which their configurations have as TensorFlow's do.

    Args:
        module: That of the initializers.
    """
    kinds = [
        each for each in vars(module).values()
        if isinstance(each, type) and issubclass(each, module.Initializer)
    ]  # fmt: skip
    module.Initializer.from_config = classmethod(lambda cls, config: cls(**config))
    for kind in {each for each in kinds if each is not module.Initializer}:
        _accept_dtype(kind)


def _accept_dtype(kind: Any) -> None:
    own_init, own_config = kind.__init__, kind.get_config

    @functools.wraps(own_init)
    def make(self: Any, *args: Any, dtype: Any = "float32", **kwargs: Any) -> None:
        kwargs.pop("verify_shape", None)
        own_init(self, *args, **kwargs)
        self.dtype = as_dtype(dtype)

    @functools.wraps(own_config)
    def get_config(self: Any) -> Dict[str, Any]:
        config = {**own_config(self), "dtype": self.dtype.name}
        if config.get("distribution") == "normal":  # which is cut off
            config["distribution"] = "truncated_normal"
        return config

    kind.__init__, kind.get_config = make, get_config
