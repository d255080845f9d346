"""Methods and arguments that the layers and models of `tf.keras` have besides Keras's."""

from __future__ import annotations

import functools
import inspect
import operator
from typing import Any, Callable, Container, List, Mapping, Optional

from troupe._src.control_flow.structure import flatten, map_leaves
from troupe._src.graph.graph_keys import GraphKeys
from troupe._src.graph.tensor_spec import TensorSpec
from troupe._src.module_scopes.module import Module
from troupe._src.module_scopes.named_scope import name_scope
from troupe._src.keras.loaded import late_module
from troupe._src.keras_layers.layer_dtypes import compute_dtype, dtype_policy, take_policy
from troupe._src.keras.sessions import initialize_too
from troupe._src.mixed_precision.auto_cast_variable import let_cast
from troupe._src.mixed_precision.keras_loss_scale_optimizer import scaled_as
from troupe._src.platform.logging import not_obeyed
from troupe._src.types.dtypes import as_dtype
from troupe._src.variables.synchronization import (
    VariableAggregation, VariableSynchronization, is_trainable,
)  # fmt: skip

# Arguments of `add_weight` that change nothing: all variables are resources.
_WITHOUT_EFFECT = ("use_resource",)
# Those that scopes say here.
_OF_SCOPES = ("getter", "caching_device")


def accept(kind: Any, arguments: Mapping[str, Optional[Container[Any]]]) -> None:
    """Lets a class be made with arguments that it does not know.

    Args:
        kind: The class.
        arguments: Their names, and the values that change nothing; None: all.
    """
    own = kind.__init__

    @functools.wraps(own)
    def make(self: Any, *args: Any, **kwargs: Any) -> None:
        for name, values in arguments.items():
            if name in kwargs:
                value = kwargs.pop(name)
                if values is not None and value not in values:
                    raise ValueError(f"{kind.__name__}: {name}={value!r} is not supported")
        own(self, *args, **kwargs)

    kind.__init__ = make


def _add_weight(own: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(own)
    def add_weight(
        self: Any, name: Any = None, shape: Any = None, *args: Any, partitioner: Any = None,
        **kwargs: Any,
    ) -> Any:  # fmt: skip
        if partitioner is not None:
            raise ValueError("add_weight: variables in parts are not supported: use get_variable")
        casts = kwargs.pop("experimental_autocast", True)
        for each in _WITHOUT_EFFECT:
            kwargs.pop(each, None)
        for each in _OF_SCOPES:
            if kwargs.pop(each, None) is not None:
                not_obeyed("Layer.add_weight", each)
        synchronization, aggregation, collections = (
            kwargs.pop(each, None) for each in ("synchronization", "aggregation", "collections")
        )
        if not args and _is_shape(name, shape):  # the order of Keras 1: shape, initializer
            return own(
                self, name=kwargs.pop("name", None), shape=name, initializer=shape, **kwargs
            )
        names = ("dtype", "initializer", "regularizer", "trainable", "constraint")
        kwargs.update(zip(names, args))
        dtype = kwargs.get("dtype")
        if dtype is not None:
            kwargs["dtype"] = as_dtype(dtype).name
        if kwargs.get("initializer") is None:
            is_float = as_dtype(kwargs.get("dtype") or self.dtype or "float32").is_floating
            kwargs["initializer"] = "glorot_uniform" if is_float else "zeros"
        if synchronization is not None:
            kwargs["trainable"] = is_trainable(kwargs.get("trainable"), synchronization)
        if kwargs.get("trainable", True) is None:
            del kwargs["trainable"]
        sizes = () if shape is None else [size if size is None else int(size) for size in shape]
        made = own(self, name=name, shape=tuple(sizes), **kwargs)
        if casts and dtype_policy(self).should_cast_variables:
            let_cast(made)
        if kwargs.get("trainable") is False:
            _take_out(made, GraphKeys.TRAINABLE_VARIABLES)
        if synchronization is not None:
            made.synchronization = VariableSynchronization(synchronization)
        if aggregation is not None:
            made.aggregation = VariableAggregation(aggregation)
        if collections is not None:
            _take_out(made, GraphKeys.GLOBAL_VARIABLES)
            made.graph.add_to_collections(list(collections), made)
            initialize_too(made)
        if kwargs.get("regularizer") is not None:  # SavedModels have it as a function
            vars(self).setdefault("_weight_losses", []).append((kwargs["regularizer"], made))
        return made

    return add_weight


def _take_out(variable: Any, collection: str) -> None:
    kept = variable.graph.get_collection_ref(collection)
    kept[:] = [each for each in kept if each is not variable]


def _is_shape(name: Any, shape: Any) -> bool:
    return isinstance(name, (list, tuple)) and not isinstance(shape, (list, tuple))


def _add_variable(self: Any, *args: Any, **kwargs: Any) -> Any:
    """The former name of `add_weight`."""
    return self.add_weight(*args, **kwargs)


def _apply(self: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:
    """The former name of a call."""
    return self(inputs, *args, **kwargs)


def _describe_saved(self: Any, saved: Any) -> Any:
    """What a SavedModel says of it."""
    return late_module("keras_saved_models.saved_models").describe(self, saved)


def _track(self: Any, trackable: Any, name: str, overwrite: bool = False) -> Any:
    """Saves an object as one of the layer."""
    vars(self).setdefault("_tracked", {})[name] = trackable
    return trackable


def _output_signature(self: Any, input_signature: Any) -> Any:
    """What the results are for inputs of that kind: `tf.TensorSpec`s."""
    shapes = map_leaves(lambda spec: tuple(spec.shape.as_list()), input_signature)
    found = self.compute_output_shape(shapes)
    dtype = self.dtype or flatten(input_signature)[0].dtype
    if isinstance(found, list):
        return [TensorSpec(shape, dtype) for shape in found]
    return TensorSpec(found, dtype)


def _add_loss(own: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(own)
    def add_loss(self: Any, losses: Any, inputs: Any = None) -> None:
        listed = losses if isinstance(losses, (list, tuple)) else [losses]
        waiting = [loss for loss in listed if callable(loss)]
        vars(self).setdefault("_callable_losses", []).extend(waiting)
        made = [loss for loss in listed if not callable(loss)]
        own(self, made, None if inputs is True else inputs)

    return add_loss


def _read_losses(add: Callable[..., Any], read: Callable[..., Any]) -> Callable[..., Any]:
    """Reads losses, which functions make once those are asked for that depend on no inputs."""

    @functools.wraps(read)
    def read_losses(self: Any, *args: Any, **kwargs: Any) -> Any:
        waiting = vars(self).get("_callable_losses")
        if waiting and all(each is None for each in (*args, *kwargs.values())):
            made = [loss() for loss in waiting]
            waiting.clear()
            add(self, [loss for loss in made if loss is not None])
        return read(self, *args, **kwargs)

    return read_losses


def _submodules(self: Any) -> List[Any]:
    found: List[Any] = []
    for layer in getattr(self, "_layers", ()):
        found += [layer, *_submodules(layer)]
    return found


def _set_dtype(self: Any, dtype: Any) -> None:
    """What layers of programs assign, before there is an input that tells it."""
    self.dtype = None if dtype is None else as_dtype(dtype).name


def extend_layers(kind: Any) -> None:
    """Gives the class of layers what TensorFlow's has.

    Args:
        kind: The class.
    """
    for name, own in (
        ("variables", "weights"),
        ("trainable_variables", "trainable_weights"),
        ("non_trainable_variables", "non_trainable_weights"),
        ("inbound_nodes", "_inbound_nodes"),
        ("outbound_nodes", "_outbound_nodes"),
    ):
        setattr(kind, name, property(operator.attrgetter(own)))
    kind.submodules = property(lambda self: tuple(_submodules(self)))
    # What each layer has, and the class, too.
    kind.dynamic, kind.trainable = False, True
    kind._dtype = property(operator.attrgetter("dtype"), _set_dtype)
    kind.name = kind.dtype = kind.activity_regularizer = kind.input_spec = None
    kind._dtype_policy, kind._compute_dtype = property(dtype_policy), property(compute_dtype)
    kind.name_scope = property(lambda self: name_scope(f"{self.name}/"))
    kind.with_name_scope = vars(Module)["with_name_scope"]
    kind.compute_output_signature = _output_signature
    add_loss = kind.add_loss
    kind.losses = property(_read_losses(add_loss, kind.losses.fget))
    kind.get_losses_for = _read_losses(add_loss, kind.get_losses_for)
    kind.add_loss = _add_loss(add_loss)
    kind.add_weight = _add_weight(kind.add_weight)
    kind._describe_saved, kind._track_trackable = _describe_saved, _track
    kind.add_variable, kind.apply = _add_variable, _apply


def _weights_of_model(self: Any) -> List[Any]:
    """The weights of all layers, in the order of the layers, as in files and in TensorFlow."""
    own = [*self.trainable_weights, *self.non_trainable_weights]
    found = {id(each): each for layer in self.layers for each in layer.weights}
    return list({**found, **{id(each): each for each in own}}.values())


def extend_models(kind: Any) -> None:
    """Gives the class of models what TensorFlow's has.

    Args:
        kind: `Network`, the base of models.
    """
    kind.weights = property(_weights_of_model)
    kind.sample_weights = None
    own = kind._base_init

    @functools.wraps(own)
    def init(
        self: Any, name: Any = None, trainable: bool = True, dtype: Any = None,
        autocast: Optional[bool] = None,
    ) -> None:  # fmt: skip
        own(self, name, trainable, take_policy(self, dtype, autocast))

    kind._base_init = init


def _run_eagerly(self: Any) -> bool:
    """False: models are graphs."""
    return False


def _set_run_eagerly(self: Any, value: Any) -> None:
    if value:
        raise ValueError("You can only set `run_eagerly=True` if eager execution is enabled.")


def extend_trained_models(kind: Any) -> None:
    """Gives the class of models that can be trained what TensorFlow's has.

    Args:
        kind: `Model`.
    """
    own = kind.compile

    @functools.wraps(own)
    def compile_model(self: Any, *args: Any, **kwargs: Any) -> None:
        self.run_eagerly = kwargs.pop("run_eagerly", None)
        kwargs.pop("experimental_run_tf_function", None)
        if kwargs.pop("distribute", None) is not None:
            raise ValueError("compile: distribute is not supported: use tf.distribute's scopes")
        own(self, *args, **kwargs)
        self.optimizer = scaled_as(dtype_policy(self), self.optimizer)

    kind.compile = compile_model
    kind.run_eagerly = property(_run_eagerly, _set_run_eagerly)


def with_batch_size(make_input: Callable[..., Any]) -> Callable[..., Any]:
    """`Input`, which may be told how large its batches are.

    Args:
        make_input: Keras's.

    Returns:
        The function.
    """
    signature = inspect.signature(make_input)

    @functools.wraps(make_input)
    def make(
        *args: Any, batch_size: Optional[int] = None, ragged: bool = False, **kwargs: Any
    ) -> Any:
        if ragged:
            raise ValueError("Input: ragged=True is not supported")
        given = signature.bind(*args, **kwargs).arguments
        if batch_size is not None:
            shape = given.pop("shape", ())
            given["batch_shape"] = (batch_size, *shape)
        if given.get("dtype") is not None:
            given["dtype"] = as_dtype(given["dtype"]).name
        return make_input(**given)

    return make
