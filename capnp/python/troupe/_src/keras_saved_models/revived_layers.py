"""Layers and models that call functions of a SavedModel."""

from __future__ import annotations

import json
from typing import Any, Dict, List, Optional

from troupe._src.control_flow.structure import flatten
from troupe._src.graph.tensor_spec import TensorSpec
from troupe._src.object_saved_models.load import ObjectLoader
from troupe._src.keras.loaded import keras_module

_Layer: Any = keras_module("engine.base_layer").Layer
_Model: Any = keras_module("engine.training").Model
_backend = keras_module("backend")

_HIDDEN = (
    "variables", "trainable_variables", "non_trainable_variables", "regularization_losses",
    "keras_api", "__call__", "call_and_return_all_conditional_losses",
    "call_and_return_conditional_losses", "activity_regularizer_fn", "_default_save_signature",
    "signatures", "metrics", "layers", "_updates", "_callable_losses", "updates", "losses",
)  # fmt: skip


class _Revived:
    """What both have in common. The functions are those that the attribute `keras_api` has."""

    _saved: Dict[str, Any]
    _told: Dict[str, Any]
    trainable: bool

    def _begin(self, metadata: Dict[str, Any]) -> None:
        vars(self).update(_saved={}, _told=metadata)

    def _set_child(self, name: str, value: Any) -> None:
        if name in _HIDDEN or "-" in name:
            self._saved[name] = value
        else:
            vars(self)[name] = value

    def _attribute(self, name: str, default: Any = ()) -> Any:
        return getattr(self._saved.get("keras_api"), name, default)

    @property
    def trainable_weights(self) -> List[Any]:
        """The weights that are trained."""
        return list(self._attribute("trainable_variables")) if self.trainable else []

    @property
    def non_trainable_weights(self) -> List[Any]:
        """The other weights."""
        others = list(self._attribute("non_trainable_variables"))
        trained = list(self._attribute("trainable_variables"))
        return others if self.trainable else [*trained, *others]

    @property
    def weights(self) -> List[Any]:
        """All weights."""
        return list(self._attribute("variables"))

    def get_config(self) -> Dict[str, Any]:
        """The configuration that was saved."""
        if "config" not in self._told:
            raise NotImplementedError
        config: Dict[str, Any] = self._told["config"]
        return config

    def call(self, inputs: Any, training: Any = None, **kwargs: Any) -> Any:
        """Calls the function that was saved."""
        if not self._told["expects_training_arg"]:
            return self._call_with(inputs, kwargs)
        training = _backend.learning_phase() if training is None else training
        if isinstance(training, (bool, int)):
            return self._call_with(inputs, {**kwargs, "training": bool(training)})
        return _backend.in_train_phase(
            lambda: self._call_with(inputs, {**kwargs, "training": True}),
            lambda: self._call_with(inputs, {**kwargs, "training": False}),
            training=training,
        )

    def _call_with(self, inputs: Any, kwargs: Dict[str, Any]) -> Any:
        function = self._attribute("call_and_return_conditional_losses", None)
        if function is None:
            raise NotImplementedError(f"{self!r} was saved without its function")
        outputs, losses = function(inputs, **kwargs)
        if losses:
            self.add_loss(losses, inputs)  # type: ignore[attr-defined]
        return outputs

    def _finish(self) -> None:
        for loss in self._attribute("layer_regularization_losses"):
            self.add_loss(loss())  # type: ignore[attr-defined]


class _RevivedLayer(_Revived, _Layer):  # type: ignore[misc]
    def __init__(self, metadata: Dict[str, Any]) -> None:
        arguments = {"name": metadata["name"], "trainable": metadata["trainable"]}
        if metadata.get("dtype") is not None:
            arguments["dtype"] = metadata["dtype"]
        if metadata.get("batch_input_shape") is not None:
            arguments["batch_input_shape"] = metadata["batch_input_shape"]
        _Layer.__init__(self, **arguments)
        self._begin(metadata)
        self.built = True


class _RevivedModel(_Revived, _Model):  # type: ignore[misc]
    def __init__(self, metadata: Dict[str, Any]) -> None:
        _Model.__init__(self, name=metadata["name"])
        self._begin(metadata)
        self.trainable = metadata["trainable"]

    def _finish(self) -> None:
        super()._finish()
        self.__dict__["_layers"] = list(self._attribute("layers"))
        specs = self._input_specs()
        if specs:
            given = [
                _backend.placeholder(
                    shape=each.shape.as_list(), dtype=each.dtype.name, name=each.name
                )
                for each in specs
            ]
            self.built = False
            self._set_inputs(given[0] if len(given) == 1 else given)

    def _input_specs(self) -> List[TensorSpec]:
        function = self._attribute("call_and_return_conditional_losses", None)
        traces = [] if function is None else function._traces
        if not traces:
            return []
        first: List[TensorSpec] = flatten(traces[0].structured_input_signature[0][0])
        return first


class KerasLoader(ObjectLoader):
    """Makes the objects of a SavedModel, of which layers and models are such of `tf.keras`."""

    def load(self) -> Any:
        """The first object."""
        root = super().load()
        revived = [each for each in self.objects.values() if isinstance(each, _Revived)]
        for each in [*(e for e in revived if e is not root), *(e for e in revived if e is root)]:
            each._finish()
        return root

    def made(self, number: int, node: Any, key: Optional[str]) -> Any:
        """An object that is no function."""
        identifier = node.user_object.identifier
        if not identifier.startswith("_tf_keras_"):
            return super().made(number, node, key)
        kind = _RevivedLayer if identifier == "_tf_keras_layer" else _RevivedModel
        metadata = json.loads(node.user_object.metadata)
        return type(str(metadata["class_name"]), (kind,), {})(metadata)

