"""Models that are made of SavedModels."""

from __future__ import annotations

import json
import os
from typing import Any, Dict, Mapping, Optional

from troupe._src.object_saved_models.load import load_as
from troupe._src.platform import logging
from troupe._src.saved_model import constants
from troupe._src.saved_model.loader import parse_saved_model
from troupe._src.keras.loaded import keras_module
from troupe._src.keras_saved_models.revived_layers import KerasLoader
from troupe._src.types.paths import PathLike

_MODELS = ("_tf_keras_sequential", "_tf_keras_model", "_tf_keras_network")
# What makes no layer of a configuration that another program wrote.
_FAILURES = (ValueError, TypeError, KeyError, AttributeError, ImportError, IndexError, EOFError)


def load_model(
    path: PathLike, custom_objects: Optional[Mapping[str, Any]] = None, compiles: bool = True
) -> Any:
    """The model of a SavedModel.

    A model of layers that are known is made of its configuration; any other one calls the functions
    that were saved. It is compiled as it was; the state of the optimizer is not restored.

    Args:
        path: The folder.
        custom_objects: Classes and functions of the program that the configuration names.
        compiles: Whether to compile it.

    Returns:
        The model; of a SavedModel of another object, that.

    Raises:
        OSError: There is no SavedModel.
    """
    message = parse_saved_model(path)
    graphs = list(message.meta_graphs)
    root = graphs[0].object_graph_def.nodes[:1] if len(graphs) == 1 else []
    if not root or root[0].user_object.identifier not in _MODELS:
        return load_as(path, None, KerasLoader)
    metadata = json.loads(root[0].user_object.metadata)
    model = _of_config(metadata, os.fspath(path), custom_objects)
    if model is None:
        model = load_as(path, None, KerasLoader)
    training = metadata.get("training_config")
    if compiles and training is not None and hasattr(model, "compile"):
        model.compile(**compile_arguments(training, custom_objects))
    return model


def _of_config(
    metadata: Dict[str, Any], path: str, custom_objects: Optional[Mapping[str, Any]]
) -> Any:
    """The model that its configuration describes, with its weights; None where it cannot be."""
    config, kind = metadata.get("config"), metadata["class_name"]
    models = keras_module("models")
    if config is None or kind not in ("Sequential", "Model") or '"Lambda"' in json.dumps(config):
        return None
    try:
        told = {"class_name": kind, "config": config}
        model = models.model_from_config(told, custom_objects=custom_objects)
        if kind == "Sequential" and not model.built:
            return None
        model.load_weights(constants.variables_path(path)).assert_existing_objects_matched()
    except (*_FAILURES, AssertionError) as error:
        logging.info("The model is made of the functions that were saved: %s", error)
        return None
    return model


def compile_arguments(
    training: Mapping[str, Any], custom_objects: Optional[Mapping[str, Any]] = None
) -> Dict[str, Any]:
    """The arguments of `compile` that a file tells.

    Args:
        training: What the file has as `training_config`.
        custom_objects: Classes and functions of the program that it names.

    Returns:
        The arguments by their names.
    """
    own = dict(custom_objects or {})
    optimizers, losses = keras_module("optimizers"), keras_module("losses")
    metrics = keras_module("metrics")

    def found(value: Any, deserialize: Any) -> Any:
        if isinstance(value, dict) and "class_name" in value:
            return deserialize(value, own)
        if isinstance(value, dict):
            return {key: found(each, deserialize) for key, each in value.items()}
        if isinstance(value, (list, tuple)):
            return [found(each, deserialize) for each in value]
        return own.get(value, value) if isinstance(value, str) else value

    return {
        "optimizer": optimizers.deserialize(training["optimizer_config"], own),
        "loss": found(training["loss"], losses.deserialize),
        "metrics": found(training["metrics"], metrics.deserialize),
        "weighted_metrics": found(training.get("weighted_metrics"), metrics.deserialize),
        "loss_weights": training["loss_weights"],
        "sample_weight_mode": training["sample_weight_mode"],
    }
