"""What SavedModels say of layers and models, besides their variables and functions."""

from __future__ import annotations

import inspect
import json
from typing import Any, Dict, Optional

from troupe._src.keras_optimizers.wrapped_optimizer import TFOptimizer
from troupe._src.platform import logging
from troupe._src.keras.loaded import keras_module


def metadata_of(layer: Any, identifier: str) -> str:
    """What a program needs to make a layer or a model again.

    Args:
        layer: The layer or model.
        identifier: What it is: "_tf_keras_layer" and the like.

    Returns:
        The text of a JSON object.
    """
    told: Dict[str, Any] = {
        "class_name": type(layer).__name__,
        "name": layer.name,
        "trainable": layer.trainable,
        "expects_training_arg": "training" in inspect.signature(layer.call).parameters,
        "dtype": getattr(layer, "dtype", None),
        "batch_input_shape": getattr(layer, "batch_input_shape", None),
    }
    config = config_of(layer)
    if config is not None:
        told["config"] = config
    told["input_spec"] = _specs(getattr(layer, "input_spec", None))
    regularizer = getattr(layer, "activity_regularizer", None)
    if hasattr(regularizer, "get_config"):
        regularizers = keras_module("regularizers")
        told["activity_regularizer"] = regularizers.serialize(regularizer)
    else:
        told["activity_regularizer"] = None
    if identifier in ("_tf_keras_model", "_tf_keras_sequential"):
        told.update(_of_model(layer, config))
    return json.dumps(told, default=plain)


def config_of(layer: Any) -> Any:
    """The configuration of a layer; None where it has none, as with a function `call`."""
    try:
        return layer.get_config()
    except NotImplementedError:
        return None


def _of_model(model: Any, config: Any) -> Dict[str, Any]:
    described = {"class_name": type(model).__name__}
    if config is not None:
        described["config"] = config
    told = {"keras_version": "2.2.4-tf", "backend": "tensorflow", "model_config": described}
    training = training_config(model)
    if training is not None:
        told["training_config"] = training
    return told


def training_config(model: Any) -> Optional[Dict[str, Any]]:
    """How a model was compiled; None where it was not, or by an optimizer of `tf.train`.

    Args:
        model: The model.

    Returns:
        A dict for JSON.
    """
    optimizer = getattr(model, "optimizer", None)
    if not optimizer:
        return None
    if isinstance(optimizer, TFOptimizer):
        logging.warning(
            "TensorFlow optimizers do not make it possible to access optimizer attributes or "
            "optimizer state after instantiation. As a result, we cannot save the optimizer as "
            "part of the model save file. You will have to compile your model again after loading "
            "it. Prefer using a Keras optimizer instead (see keras.io/optimizers)."
        )
        return None
    return {
        "loss": model.loss,
        "metrics": model._compile_metrics,
        "weighted_metrics": model._compile_weighted_metrics,
        "sample_weight_mode": model.sample_weight_mode,
        "loss_weights": model.loss_weights,
        "optimizer_config": {
            "class_name": type(optimizer).__name__,
            "config": optimizer.get_config(),
        },
    }


def _specs(value: Any) -> Any:
    if value is None:
        return None
    if isinstance(value, (list, tuple)):
        return [_specs(each) for each in value]
    names = ("dtype", "shape", "ndim", "max_ndim", "min_ndim", "axes")
    config = {name: getattr(value, name) for name in names}
    return {"class_name": "InputSpec", "config": config}


def plain(value: Any) -> Any:
    """A value of a configuration as JSON has it.

    Args:
        value: The value, which is not one of JSON's.

    Returns:
        What stands for it.

    Raises:
        TypeError: Nothing does.
    """
    if hasattr(value, "get_config"):
        return {"class_name": type(value).__name__, "config": value.get_config()}
    if hasattr(value, "tolist"):
        return value.tolist()
    if callable(value):
        return value.__name__
    if hasattr(value, "as_list"):
        return value.as_list()
    if hasattr(value, "__index__"):
        return int(value)
    if isinstance(value, bytes):
        return value.decode()
    if hasattr(value, "items"):
        return dict(value)
    raise TypeError(f"Not JSON Serializable: {value!r}")
