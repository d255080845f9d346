"""What modules of `tf.keras` have besides those of the package `keras`."""

from __future__ import annotations

import abc
import functools
import importlib
import itertools
import threading
import types
from typing import Any, Callable, Container, Dict, Optional, Sequence

import numpy as np

from troupe._src.keras.datasets import accept_datasets
from troupe._src.control_flow.structure import flatten
from troupe._src.keras_optimizers.wrapped_optimizer import TFOptimizer
from troupe._src.keras.loaded import keras_module, late_module
from troupe._src.keras.recurrent import rnn
from troupe._src.keras.sessions import learning_phase_scope
from troupe._src.keras.worker_pools import make_pool, terminate_keras_multiprocessing_pools
from troupe._src.keras.settings import floatx, unique_object_name
from troupe._src.keras_layers import source_names, structures
from troupe._src.keras_layers.layer_dtypes import computed, take_policy
from troupe._src.keras_layers.layer_inputs import conform, with_arguments, with_values
from troupe._src.keras_layers.wrappers import extend_wrappers
from troupe._src.layers.base import Layer
from troupe._src.mixed_precision.policy import Policy
from troupe._src.module_scopes.module_like import ModuleLike
from troupe._src.ops.convert import constant, is_tensor
from troupe._src.ops.creation_ops import placeholder_with_default
from troupe._src.keras_layers.cells import call_cell, state_sizes, with_positions
from troupe._src.tf_keras.layer_methods import (
    accept,
    extend_layers,
    extend_models,
    extend_trained_models,
    with_batch_size,
)
from troupe._src.keras_layers.layer_shapes import as_tuples, convert_shapes, shapes_of
from troupe._src.tf_keras.replicated_models import extend_added, extend_replicated_models
from troupe._src.tf_keras.model_files import load_model, save_method, save_model
from troupe._src.tf_keras.saved_weights import let_models_save
from troupe._src.types.dtypes import as_dtype

_PACKAGE = __name__.split(".")[0]
_own_layers = importlib.import_module(f"{_PACKAGE}.layers")
Copy = Callable[[Any], Any]


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
    module.ModuleLike, module.LayerType = ModuleLike, abc.ABCMeta
    module.as_tuples, module.shapes_of, module.conform = as_tuples, shapes_of, conform
    module.state_sizes, module.call_cell, module.computed = state_sizes, call_cell, computed
    for each in (
        structures.call_layer, structures.call_node, structures.shapes_to_build,
        structures.shape_of_call, structures.inputs_of_model, structures.name_of_input,
        structures.results_of_model, structures.has_structure,
    ):  # fmt: skip
        setattr(module, each.__name__, each)
    module.clone_layer, module.rnn = _clone_layer, rnn
    for name, parameter in (("set_epsilon", "value"), ("set_floatx", "value")):
        setattr(module, name, _with_parameter(getattr(module, name), parameter))
    module.batch_get_value = _with_parameter(module.batch_get_value, "tensors")
    module.constant = _constant


def _with_parameter(own: Callable[[Any], Any], name: str) -> Callable[..., Any]:
    """A function of one value, whose parameter TensorFlow calls so."""

    @functools.wraps(own)
    def function(*args: Any, **kwargs: Any) -> Any:
        return own(*args, *([kwargs.pop(name)] if name in kwargs else []), **kwargs)

    return function


def _constant(value: Any, dtype: Any = None, shape: Any = None, name: Any = None) -> Any:
    """A constant of that dtype, by default `floatx()`, also of bools."""
    kind = as_dtype(dtype or floatx())
    if (kind.is_floating or kind.is_bool) and not is_tensor(value):
        value = np.asarray(value, kind.as_numpy_dtype)
    return constant(value, kind, shape, name)


def _add_specs(module: Any) -> None:
    module.InputSpec.get_config = lambda self: {
        each: getattr(self, each)
        for each in ("dtype", "shape", "ndim", "max_ndim", "min_ndim", "axes")
    }
    module.InputSpec.from_config = classmethod(lambda cls, config: cls(**config))


def _add_layers(module: Any) -> None:
    features = late_module("keras_layers.dense_features")
    module.Dense._casts_always = True
    module.DenseFeatures = features.dense_features_class(module.Layer)
    module.BatchNormalization = late_module("tf_keras.normalization").BatchNormalization
    module.TensorFlowOpLayer = late_module("tf_keras.op_layers").TensorFlowOpLayer
    local = late_module("tf_keras.local_layers")
    module.LocallyConnected1D = local.LocallyConnected1D
    module.LocallyConnected2D = local.LocallyConnected2D
    module.AbstractRNNCell = late_module("tf_keras.recurrent_cells").AbstractRNNCell
    module.LayerNormalization = late_module("tf_keras.layer_normalization").LayerNormalization
    attention = late_module("tf_keras.attention")
    module.Attention, module.AdditiveAttention = attention.Attention, attention.AdditiveAttention
    module.Bidirectional = late_module("keras_layers.bidirectional").Bidirectional
    module.Convolution2DTranspose = module.Conv2DTranspose
    module.Convolution3DTranspose = module.Conv3DTranspose
    module.SeparableConvolution1D = module.SeparableConv1D
    module.SeparableConvolution2D = module.SeparableConv2D
    for name in _KINDS_OF_LAYERS:
        getattr(module, name).register(getattr(_own_layers, name))


def _let_models_take_datasets(module: Any) -> None:
    accept_datasets(module.Model)
    extend_trained_models(module.Model)
    extend_replicated_models(module.Model)


def _add_callbacks(module: Any) -> None:
    own = late_module("tf_keras.callbacks")
    module.ModelCheckpoint, module.TensorBoard = own.ModelCheckpoint, own.TensorBoard


def _add_constraints(module: Any) -> None:
    own = late_module("tf_keras.constraints").RadialConstraint
    module.RadialConstraint = module.radial_constraint = own


def _extend_recurrent_layers(module: Any) -> None:
    late_module("tf_keras.recurrent_cells").extend_cells(module)
    kind = module.RNN
    own, own_config = kind.__init__, kind.get_config

    @functools.wraps(own)
    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        given = {name: kwargs.pop(name) for name in _OF_SEQUENCES if name in kwargs}
        own(self, *args, **kwargs)
        vars(self).update(given)
        if isinstance(kwargs.get("dtype"), Policy) and kind is not type(self):
            take_policy(self.cell, kwargs["dtype"], None)

    @functools.wraps(own_config)
    def get_config(self: Any) -> Dict[str, Any]:
        zeros = {"zero_output_for_mask": True} if self.zero_output_for_mask else {}
        return {**own_config(self), "time_major": self.time_major, **zeros}

    for name in _OF_SEQUENCES:
        setattr(kind, name, False)
    kind.__init__, kind.get_config = init, get_config


def _let_copies_be_made(module: Any) -> None:
    """`clone_model` may be told how to copy a layer that is not one of the inputs."""
    own = module.clone_model

    @functools.wraps(own)
    def clone_model(
        model: Any, input_tensors: Any = None, clone_function: Optional[Copy] = None
    ) -> Any:
        before = _copying.function
        _copying.function = clone_function
        try:
            made = own(model, input_tensors)
        finally:
            _copying.function = before
        if isinstance(made, module.Sequential) and model.inputs and not made.inputs:
            made.build(model.input_shape)
        return made

    module.clone_model = clone_model


class _Copying(threading.local):
    function: Optional[Copy] = None


_copying = _Copying()


def _clone_layer(layer: Any) -> Any:
    is_input = type(layer).__name__ == "InputLayer"
    if _copying.function is None or is_input:
        return type(layer).from_config(layer.get_config())
    return _copying.function(layer)


def _extend_layers(module: Any) -> None:
    _add_specs(module)
    extend_layers(module.Layer)
    extend_added(module.Layer)
    convert_shapes(module.Layer)
    module.Layer.__call__ = with_values(
        structures.with_structures(with_positions(module.Layer.__call__))
    )
    module.Layer.__init__ = with_arguments(module.Layer.__init__)
    module.Layer.register(Layer)


def _add_metrics(module: Any) -> None:
    own = late_module("tf_keras.metrics")
    module.MeanTensor = own.MeanTensor
    module.MeanIoU, module.MeanRelativeError = own.MeanIoU, own.MeanRelativeError
    module.KLD = module.kld = module.kullback_leibler_divergence


def _add_utilities(module: Any) -> None:
    module.SequenceEnqueuer = keras_module("utils.data_utils").SequenceEnqueuer


def _add_pools(module: Any) -> None:
    module.make_pool = make_pool
    module.terminate_keras_multiprocessing_pools = terminate_keras_multiprocessing_pools


def _add_losses(module: Any) -> None:
    module.CosineSimilarity = late_module("tf_keras.cosine_similarity").CosineSimilarity


def _add_initializers(module: Any) -> None:
    own = late_module("tf_keras.initializers")
    module.Orthogonal = module.orthogonal = own.Orthogonal
    module.Identity = module.identity = own.Identity
    module.GlorotUniform = module.glorot_uniform = own.GlorotUniform
    module.GlorotNormal = module.glorot_normal = own.GlorotNormal
    own.accept_dtypes(module)


def _extend_models(module: Any) -> None:
    let_models_save(module.Network)
    extend_models(module.Network)
    module.Network.save = save_method
    own = module.Network._init_graph_network

    @functools.wraps(own)
    def init(self: Any, inputs: Any, outputs: Any, *args: Any, **kwargs: Any) -> None:
        inputs, outputs = (
            flatten(each) if structures.is_structured(each) else each for each in (inputs, outputs)
        )
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


_OF_SEQUENCES = ("time_major", "zero_output_for_mask")  # arguments of RNN
_KINDS_OF_LAYERS = (
    "AveragePooling1D", "AveragePooling2D", "AveragePooling3D", "BatchNormalization", "Conv1D",
    "Conv2D", "Conv2DTranspose", "Conv3D", "Conv3DTranspose", "Dense", "Dropout", "Flatten",
    "MaxPooling1D", "MaxPooling2D", "MaxPooling3D", "SeparableConv1D", "SeparableConv2D",
)  # fmt: skip

_ADDITIONS: Dict[str, Callable[[Any], None]] = {
    "applications": lambda module: keras_module("applications.imagenet_utils"),
    "backend": _add_names,
    "callbacks": _add_callbacks,
    "constraints": _add_constraints,
    "engine.base_layer": _extend_layers,
    "engine.input_layer": _let_inputs_have_sizes,
    "engine.network": _extend_models,
    "engine.saving": _let_files_have_formats,
    "engine.training": _let_models_take_datasets,
    "initializers": _add_initializers,
    "layers": _add_layers,
    "layers.recurrent": _extend_recurrent_layers,
    "losses": _add_losses,
    "metrics": _add_metrics,
    "models": _let_copies_be_made,
    "utils": _add_utilities,
    "utils.data_utils": _add_pools,
    "layers.wrappers": extend_wrappers,
    **source_names.ADDITIONS,
}


def add_to(module: types.ModuleType, place: str) -> None:
    """Adds to a module that has just been loaded.

    Args:
        module: The module.
        place: Its name without that of the package.
    """
    if place in _ADDITIONS:
        _ADDITIONS[place](module)
