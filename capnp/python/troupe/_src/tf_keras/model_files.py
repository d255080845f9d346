"""Files of models: in HDF5, or in the folders of SavedModels."""

from __future__ import annotations

import functools
import os
from typing import Any, Callable, Mapping, Optional

from troupe._src.keras.loaded import keras_module, late_module

_ENDINGS_OF_HDF5 = (".h5", ".keras", ".hdf5")


def _is_file(value: Any) -> bool:
    return not isinstance(value, (str, os.PathLike))


def save_model(own: Callable[..., Any]) -> Callable[..., Any]:
    """The function `save_model`, which knows both formats.

    Args:
        own: Keras's, which writes HDF5.

    Returns:
        The function.
    """

    @functools.wraps(own)
    def save(
        model: Any, filepath: Any, overwrite: bool = True, include_optimizer: bool = True,
        save_format: Optional[str] = None, signatures: Any = None,
    ) -> None:  # fmt: skip
        if save_format not in (None, "h5", "hdf5", "keras", "tf", "tensorflow"):
            raise ValueError(f"Unknown format '{save_format}'. Was expecting one of {{'tf', 'h5'}}")
        in_hdf5 = save_format in (None, "h5", "hdf5", "keras") or _is_file(filepath)
        if not in_hdf5 and os.path.splitext(os.fspath(filepath))[1] not in _ENDINGS_OF_HDF5:
            written = late_module("keras_saved_models.saved_models").save_model
            written(model, filepath, overwrite, include_optimizer, signatures)
            return
        is_graph = getattr(model, "_is_graph_network", False)
        if not is_graph and not isinstance(model, keras_module("models").Sequential):
            raise NotImplementedError(
                "Saving the model to HDF5 format requires the model to be a Functional model or a "
                "Sequential model. It does not work for subclassed models, because such models are "
                "defined via the body of a Python method, which isn't safely serializable. "
                "Consider saving to the Tensorflow SavedModel format (by setting "
                'save_format="tf") or using `save_weights`.'
            )
        path = filepath if _is_file(filepath) else os.fspath(filepath)
        own(model, path, overwrite=overwrite, include_optimizer=include_optimizer)

    return save


def load_model(own: Callable[..., Any]) -> Callable[..., Any]:
    """The function `load_model`, which knows both formats.

    Args:
        own: Keras's, which reads HDF5.

    Returns:
        The function.
    """

    @functools.wraps(own)
    def load(
        filepath: Any, custom_objects: Optional[Mapping[str, Any]] = None,
        compile: bool = True,  # noqa: A002
    ) -> Any:  # fmt: skip
        path = filepath if _is_file(filepath) else os.fspath(filepath)
        if _is_file(path) or os.path.isfile(path):
            return own(path, custom_objects=custom_objects, compile=compile)
        return late_module("keras_saved_models.loaded_models").load_model(
            path, custom_objects, compile
        )

    return load


def save_method(
    self: Any, filepath: Any, overwrite: bool = True, include_optimizer: bool = True,
    save_format: Optional[str] = None, signatures: Any = None,
) -> None:  # fmt: skip
    """Saves a model: the method `save` of models, with the arguments of `save_model`."""
    write = keras_module("engine.saving").save_model
    write(self, filepath, overwrite, include_optimizer, save_format, signatures)
