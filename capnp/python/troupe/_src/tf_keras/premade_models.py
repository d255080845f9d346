"""Models that need no layers of a program's own: a linear one, and one beside a deep one."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple

from troupe._src.control_flow.structure import is_nested
from troupe._src.set_module import set_module
from troupe._src.keras.loaded import keras_module

_Layer: Any = keras_module("engine.base_layer").Layer
_Model: Any = keras_module("engine.training").Model
_backend = keras_module("backend")
_layers = keras_module("layers")
_activations = keras_module("activations")
_initializers = keras_module("initializers")
_regularizers = keras_module("regularizers")


@set_module("troupe.keras.experimental")
class LinearModel(_Model):  # type: ignore[misc]
    """The weighted sum of inputs: one tensor [batch, size], or a list of several.

    As TensorFlow 1.15's model of the name.

    Args:
        units: How many sums there are.
        activation: A function of them.
        use_bias: Whether a weight is added.
        kernel_initializer: What the weights begin with.
        bias_initializer: What that weight begins with.
        kernel_regularizer: A loss of the weights.
        bias_regularizer: A loss of that weight.
        **kwargs: `name`.
    """

    def __init__(
        self, units: int = 1, activation: Any = None, use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform", bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None, bias_regularizer: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        self.units, self.use_bias = units, use_bias
        self.activation = _activations.get(activation)
        self.kernel_initializer = _initializers.get(kernel_initializer)
        self.bias_initializer = _initializers.get(bias_initializer)
        self.kernel_regularizer = _regularizers.get(kernel_regularizer)
        self.bias_regularizer = _regularizers.get(bias_regularizer)
        self.dense_layers: List[Any] = []
        self._bias_layer: Any = None

    def _make_layers(self, count: int) -> None:
        for _ in range(count):
            layer = _layers.Dense(
                self.units, use_bias=False, kernel_initializer=self.kernel_initializer,
                kernel_regularizer=self.kernel_regularizer,
            )  # fmt: skip
            self.dense_layers.append(layer)
            self._layers.append(layer)
        if self.use_bias:
            self._bias_layer = _Bias(
                self.units, self.bias_initializer, self.bias_regularizer, name=self.name
            )

    @property
    def bias(self) -> Any:
        """The weight that is added; None without."""
        return None if self._bias_layer is None else self._bias_layer.bias

    def call(self, inputs: Any) -> Any:
        """The sums.

        Raises:
            ValueError: There are more or fewer inputs than in the first call.
        """
        tensors = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
        if not self.dense_layers:
            self._make_layers(len(tensors))
        if len(tensors) != len(self.dense_layers):
            raise ValueError(
                f"Expected {len(self.dense_layers)} inputs, but got {len(tensors)} inputs"
            )
        result = None
        for tensor, layer in zip(tensors, self.dense_layers):
            found = layer(tensor)
            result = found if result is None else result + found
        if self._bias_layer is not None:
            result = self._bias_layer(result)
        return self.activation(result)

    def get_config(self) -> Dict[str, Any]:
        """The arguments that make such a model again."""
        return {
            "name": self.name,
            "units": self.units,
            "activation": _activations.serialize(self.activation),
            "use_bias": self.use_bias,
            "kernel_initializer": _initializers.serialize(self.kernel_initializer),
            "bias_initializer": _initializers.serialize(self.bias_initializer),
            "kernel_regularizer": _regularizers.serialize(self.kernel_regularizer),
            "bias_regularizer": _regularizers.serialize(self.bias_regularizer),
        }

    @classmethod
    def from_config(cls, config: Dict[str, Any], custom_objects: Any = None) -> Any:
        """A model of these arguments."""
        return cls(**config)


class _Bias(_Layer):  # type: ignore[misc]
    """Adds a weight for each column."""

    def __init__(self, units: int, initializer: Any, regularizer: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._options = (units,), initializer, regularizer
        self.bias: Any = None

    def build(self, input_shape: Any) -> None:
        shape, initializer, regularizer = self._options
        self.bias = self.add_weight(
            "bias", shape=shape, initializer=initializer, regularizer=regularizer
        )
        self.built = True

    def call(self, inputs: Any) -> Any:
        return _backend.bias_add(inputs, self.bias)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape


@set_module("troupe.keras.experimental")
class WideDeepModel(_Model):  # type: ignore[misc]
    """The mean of a linear and a deep model, which are trained together (Cheng et al., 2016).

    It is called with [linear inputs, deep inputs], or with inputs for both. `compile` takes one
    optimizer, or a list of two. As TensorFlow 1.15's model of the name.

    Args:
        linear_model: A model, such as LinearModel.
        dnn_model: A model whose outputs have the same shape.
        activation: A function of the mean.
        **kwargs: `name`.
    """

    optimizer: Any

    def __init__(
        self, linear_model: Any, dnn_model: Any, activation: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.linear_model, self.dnn_model = linear_model, dnn_model
        self.activation = _activations.get(activation)

    def call(self, inputs: Any) -> Any:
        """The mean."""
        is_pair = is_nested(inputs) and len(inputs) == 2
        linear, deep = inputs if is_pair else (inputs, inputs)
        return self.activation(0.5 * (self.linear_model(linear) + self.dnn_model(deep)))

    def compile(self, optimizer: Any, *args: Any, **kwargs: Any) -> None:
        """As of models; `optimizer` may be a list of two: the linear model's and the other's."""
        both = list(optimizer) if isinstance(optimizer, (list, tuple)) else [optimizer]
        get = keras_module("optimizers").get
        made = [get(each) for each in both]
        known = vars(self).get("_optimizers")
        if known is not None and made == [known[0]]:  # once the inputs are known
            made = list(known)
        super().compile(made[0], *args, **kwargs)
        self._optimizers: Tuple[Any, Any] = (made[0], made[-1])

    def _make_train_function(self) -> None:
        optimizer = self.optimizer
        try:
            self.optimizer = _Both(self, *self._optimizers)
            super()._make_train_function()
        finally:
            self.optimizer = optimizer

    def get_config(self) -> Dict[str, Any]:
        """The arguments that make such a model again."""
        describe = keras_module("utils.generic_utils").serialize_keras_object
        return {
            "name": self.name,
            "linear_model": describe(self.linear_model),
            "dnn_model": describe(self.dnn_model),
            "activation": _activations.serialize(self.activation),
        }

    @classmethod
    def from_config(cls, config: Dict[str, Any], custom_objects: Any = None) -> Any:
        """A model of these arguments."""
        own = {"LinearModel": LinearModel, **(custom_objects or {})}
        make = _layers.deserialize
        told = dict(config)
        linear = make(told.pop("linear_model"), own)
        return cls(linear, make(told.pop("dnn_model"), own), **told)


class _Both:
    """The updates of two optimizers, of which each has the weights of one model."""

    def __init__(self, model: Any, linear: Any, deep: Any) -> None:
        self._model, self._linear, self._deep = model, linear, deep

    def get_updates(self, params: Any = None, loss: Optional[Any] = None) -> List[Any]:
        updates: List[Any] = []
        for optimizer, model in (
            (self._linear, self._model.linear_model), (self._deep, self._model.dnn_model)
        ):  # fmt: skip
            updates += optimizer.get_updates(params=model.trainable_weights, loss=loss)
        return updates

    def __getattr__(self, name: str) -> Any:
        return getattr(self._linear, name)
