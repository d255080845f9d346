"""Models of `tf.keras` as SavedModels."""

from __future__ import annotations

import os
from typing import Any, Callable, Dict, List, Optional, Tuple

from troupe._src.functions.traced import Function
from troupe._src.graph.tensor_spec import TensorSpec
from troupe._src.keras.sessions import get_session, learning_phase_scope
from troupe._src.module_scopes.checkpointable import CheckpointableBase
from troupe._src.object_saved_models.save import save as save_object
from troupe._src.object_saved_models.saved_view import Description, SavedList
from troupe._src.keras_saved_models import layer_functions as functions
from troupe._src.keras.loaded import keras_module
from troupe._src.keras_saved_models.saved_metadata import metadata_of
from troupe._src.types.paths import PathLike


class _KerasAttributes(CheckpointableBase):
    """What a layer has for programs that load it."""

    def __init__(self, attributes: Dict[str, Any]) -> None:
        self._attributes = attributes

    @property
    def _checkpoint_dependencies(self) -> List[Tuple[str, Any]]:
        return list(self._attributes.items())


def save_model(
    model: Any, path: PathLike, overwrite: bool, include_optimizer: bool, signatures: Any
) -> None:
    """Saves a model as a SavedModel.

    Args:
        model: The model, whose inputs are known: it has been called, or fitted.
        path: The folder.
        overwrite: Replaces what is there without asking.
        include_optimizer: Saves the optimizer, too.
        signatures: As of `tf.saved_model.save`.

    Raises:
        ValueError: The inputs of the model are not known.
    """
    folder = os.fspath(path)
    ask = keras_module("engine.saving").ask_to_proceed_with_overwrite
    if not overwrite and os.path.exists(folder) and not ask(folder):
        return
    if not getattr(model, "inputs", None):
        raise ValueError(
            f"Model {model} cannot be saved because the input shapes have not been set. Usually, "
            "input shapes are automatically determined from calling .fit() or .predict(). To "
            "manually set the shapes, call model._set_inputs(inputs)."
        )
    optimizer = getattr(model, "optimizer", None)
    if not include_optimizer:
        vars(model)["optimizer"] = None
    try:
        session = get_session()
        with session.graph.as_default(), learning_phase_scope(0):
            save_object(model, folder, signatures)
    finally:
        if not include_optimizer:
            vars(model)["optimizer"] = optimizer


def describe(layer: Any, saved: Dict[int, Any]) -> Description:
    """What SavedModels say of a layer or model.

    Args:
        layer: The layer or model.
        saved: What was described so far in the same SavedModel, by identity.

    Returns:
        The description.
    """
    known: Optional[Tuple[Any, Description]] = saved.get(id(layer))
    if known is not None:
        return known[1]
    identifier = _identifier(layer)
    is_first = not saved
    saved[id(layer)] = layer, Description(identifier)
    children = _attributes(layer, identifier != "_tf_keras_layer", saved)
    if is_first and identifier not in ("_tf_keras_layer", "_tf_keras_network"):
        specs = functions.input_specs(layer.inputs, layer.input_names)
        children["_default_save_signature"] = functions.default_signature(layer, specs)
    made = Description(identifier, metadata_of(layer, identifier), list(children.items()))
    saved[id(layer)] = layer, made
    return made


def _identifier(layer: Any) -> str:
    models = keras_module("models")
    if isinstance(layer, models.Sequential):
        return "_tf_keras_sequential"
    if isinstance(layer, models.Model):
        return "_tf_keras_model"
    network = keras_module("engine.network").Network
    return "_tf_keras_network" if isinstance(layer, network) else "_tf_keras_layer"


def _losses(layer: Any, saved: Dict[int, Any]) -> List[Function]:
    """The functions of the regularizers of its own weights: the same for all who ask."""
    key = -id(layer)
    if key not in saved:
        saved[key] = functions.loss_functions(layer)
    found: List[Function] = saved[key]
    return found


def _attributes(layer: Any, is_model: bool, saved: Dict[int, Any]) -> Dict[str, Any]:
    """What others find of it by name."""
    inner = functions.all_layers(layer)[1:]
    own = _losses(layer, saved)
    losses = own + [loss for each in inner for loss in _losses(each, saved)]
    children: Dict[str, Any] = {
        "trainable_variables": SavedList(layer.trainable_weights),
        "variables": SavedList(layer.weights),
        "regularization_losses": SavedList(losses),
    }
    hidden: Dict[str, Any] = {
        **children,
        "layer_regularization_losses": SavedList(own),
        "metrics": SavedList([]),
        "non_trainable_variables": SavedList(layer.non_trainable_weights),
        "layers": SavedList(layer.layers if is_model else inner),
    }
    if is_model and not getattr(layer, "inputs", None) or not layer.built:
        return {}
    calls = functions.functions_of_layer(layer, is_model)
    if calls is not None:
        children["__call__"] = calls.call
        children["call_and_return_all_conditional_losses"] = calls.with_all_losses
        hidden.update(
            __call__=calls.call,
            call_and_return_conditional_losses=calls.with_losses,
            call_and_return_all_conditional_losses=calls.with_all_losses,
        )
    regularizer: Optional[Callable[..., Any]] = getattr(layer, "activity_regularizer", None)
    if callable(regularizer):
        spec = TensorSpec(None, getattr(layer, "dtype", None) or "float32")
        made = Function(regularizer, (spec,), relaxes_shapes=False)
        children["activity_regularizer_fn"] = hidden["activity_regularizer_fn"] = made
    children["keras_api"] = _KerasAttributes(hidden)
    return children
