"""What modules of `tf.keras` have besides those of the package `keras`."""

from __future__ import annotations

import abc
import functools
import importlib
import itertools
import types
from typing import Any, Callable, Container, Dict, Mapping, Sequence

import numpy as np

from troupe._src.keras.datasets import accept_datasets
from troupe._src.control_flow.conversion import call_or_converted
from troupe._src.keras_optimizers.wrapped_optimizer import TFOptimizer
from troupe._src.keras.loaded import late_module
from troupe._src.keras.sessions import learning_phase_scope
from troupe._src.keras.settings import floatx, unique_object_name
from troupe._src.layers.base import Layer
from troupe._src.modules.module import Module
from troupe._src.ops.creation_ops import placeholder_with_default
from troupe._src.tf_keras.cells import (
    call_cell,
    extend_cells,
    layer_again,
    state_sizes,
    with_positions,
)
from troupe._src.tf_keras.layer_methods import (
    accept,
    extend_layers,
    extend_models,
    with_batch_size,
)
from troupe._src.tf_keras.layer_shapes import as_tuples, convert_shapes, shapes_of
from troupe._src.tf_keras.model_files import load_model, save_method, save_model
from troupe._src.tf_keras.saved_weights import let_models_save

_PACKAGE = __name__.split(".")[0]
_own_layers = importlib.import_module(f"{_PACKAGE}.layers")


def _unique_among(names: Container[str], name: str) -> str:
    """The name, or with the first number with which it is none of the others."""
    numbered = (f"{name}_{number}" for number in itertools.count(1))
    return next(each for each in itertools.chain([name], numbered) if each not in names)


def _sample_weight_placeholder(shape: Sequence[Any], name: str) -> Any:
    ones = np.ones([1] * len(shape), floatx())
    return placeholder_with_default(ones, shape=list(shape), name=name)


def _add_names(module: Any) -> None:
    module.sample_weight_placeholder = _sample_weight_placeholder
    module.unique_object_name = unique_object_name
    module.unique_among = _unique_among
    module.learning_phase_scope = learning_phase_scope
    module.TFOptimizer = TFOptimizer
    module.LayerType = abc.ABCMeta
    module.as_tuples, module.shapes_of = as_tuples, shapes_of
    module.state_sizes, module.call_cell = state_sizes, call_cell
    module.layer_again = layer_again
    module.call = call_or_converted


def _add_layers(module: Any) -> None:
    for name in _KINDS_OF_LAYERS:
        getattr(module, name).register(getattr(_own_layers, name))
    dense_features = late_module("keras_layers.dense_features").dense_features_class
    module.DenseFeatures = dense_features(module.Layer)
    module.LayerNormalization = late_module("tf_keras.layer_normalization").LayerNormalization
    attention = late_module("tf_keras.attention")
    module.Attention, module.AdditiveAttention = attention.Attention, attention.AdditiveAttention
    module.Convolution2DTranspose = module.Conv2DTranspose
    module.Convolution3DTranspose = module.Conv3DTranspose
    module.SeparableConvolution1D = module.SeparableConv1D
    module.SeparableConvolution2D = module.SeparableConv2D


def _let_models_take_datasets(module: Any) -> None:
    accept_datasets(module.Model)


def _extend_layers(module: Any) -> None:
    extend_layers(module.Layer)
    convert_shapes(module.Layer)
    module.Layer.__call__ = with_positions(module.Layer.__call__)
    module.Layer.register(Layer)
    Module.register(module.Layer)


def _add_metrics(module: Any) -> None:
    own = late_module("tf_keras.metrics")
    module.MeanIoU, module.MeanRelativeError = own.MeanIoU, own.MeanRelativeError
    module.KLD = module.kld = module.kullback_leibler_divergence


def _add_losses(module: Any) -> None:
    module.CosineSimilarity = late_module("tf_keras.cosine_similarity").CosineSimilarity


def _add_initializers(module: Any) -> None:
    own = late_module("tf_keras.initializers")
    module.Orthogonal = module.orthogonal = own.Orthogonal
    module.Identity = module.identity = own.Identity
    module.GlorotUniform = module.glorot_uniform = own.GlorotUniform
    module.GlorotNormal = module.glorot_normal = own.GlorotNormal


def _extend_models(module: Any) -> None:
    let_models_save(module.Network)
    extend_models(module.Network)
    module.Network.save = save_method
    own = module.Network._init_graph_network

    @functools.wraps(own)
    def init(self: Any, inputs: Any, outputs: Any, *args: Any, **kwargs: Any) -> None:
        listed = outputs if isinstance(outputs, (list, tuple)) else [outputs]
        late_module("tf_keras.op_layers").complete_history(listed)
        own(self, inputs, outputs, *args, **kwargs)

    module.Network._init_graph_network = init


def _let_files_have_formats(module: Any) -> None:
    module.save_model, module.load_model = (
        save_model(module.save_model),
        load_model(module.load_model),
    )


def _let_inputs_have_sizes(module: Any) -> None:
    module.Input = with_batch_size(module.Input)
    accept(module.InputLayer, {"ragged": (False, None)})


def _accept_arguments(kinds: Mapping[str, Mapping[str, Any]]) -> Callable[[Any], None]:
    def accept_all(module: Any) -> None:
        for name, arguments in kinds.items():
            accept(getattr(module, name), arguments)

    return accept_all


def _extend_networks(module: Any) -> None:
    _accept_arguments({"RNN": {"time_major": (False,)}})(module)
    extend_cells(module)


def _let_normalization_have_a_list(module: Any) -> None:
    """Files of TensorFlow have the one axis in a list."""
    accept(module.BatchNormalization, _OF_BATCH_NORMALIZATION)
    own = module.BatchNormalization.__init__

    @functools.wraps(own)
    def make(self: Any, axis: Any = -1, *args: Any, **kwargs: Any) -> None:
        own(self, axis[0] if isinstance(axis, (list, tuple)) else axis, *args, **kwargs)

    module.BatchNormalization.__init__ = make


# Arguments of TensorFlow's classes that Keras's do not have, and the values that change nothing.
_OF_BATCH_NORMALIZATION: Dict[str, Any] = {
    "fused": None, "renorm": (False,), "renorm_clipping": None, "renorm_momentum": None,
    "virtual_batch_size": (None,), "adjustment": (None,),
}  # fmt: skip
_OF_LOCAL_LAYERS: Dict[str, Any] = {"implementation": None}

_KINDS_OF_LAYERS = (
    "AveragePooling1D", "AveragePooling2D", "AveragePooling3D", "BatchNormalization", "Conv1D",
    "Conv2D", "Conv2DTranspose", "Conv3D", "Conv3DTranspose", "Dense", "Dropout", "Flatten",
    "MaxPooling1D", "MaxPooling2D", "MaxPooling3D", "SeparableConv1D", "SeparableConv2D",
)  # fmt: skip

_ADDITIONS: Dict[str, Callable[[Any], None]] = {
    "backend": _add_names,
    "engine.base_layer": _extend_layers,
    "engine.input_layer": _let_inputs_have_sizes,
    "engine.network": _extend_models,
    "engine.saving": _let_files_have_formats,
    "engine.training": _let_models_take_datasets,
    "initializers": _add_initializers,
    "layers": _add_layers,
    "layers.local": _accept_arguments(
        {"LocallyConnected1D": _OF_LOCAL_LAYERS, "LocallyConnected2D": _OF_LOCAL_LAYERS}
    ),
    "layers.normalization": _let_normalization_have_a_list,
    "layers.recurrent": _extend_networks,
    "losses": _add_losses,
    "metrics": _add_metrics,
    "layers.wrappers": _accept_arguments({"Bidirectional": {"backward_layer": (None,)}}),
}


def add_to(module: types.ModuleType, place: str) -> None:
    """Adds to a module that has just been loaded.

    Args:
        module: The module.
        place: Its name without that of the package.
    """
    if place in _ADDITIONS:
        _ADDITIONS[place](module)
