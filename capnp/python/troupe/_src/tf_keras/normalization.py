"""Batch normalization with what TensorFlow's layer has besides Keras's."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional

from troupe._src.layers.normalization import BatchNormalization as Normalization
from troupe._src.set_module import set_module
from troupe._src.keras.loaded import keras_module
from troupe._src.ops.math_ops import cast
from troupe._src.types.dtypes import as_dtype
from troupe._src.types.shapes import TensorShape
from troupe._src.variables.creators import variable_creator_scope
from troupe._src.variables.synchronization import VariableAggregation, VariableSynchronization

_BatchNormalization: Any = keras_module("layers.normalization").BatchNormalization
_InputSpec: Any = keras_module("engine.base_layer").InputSpec
_backend = keras_module("backend")
_SIZE_OF_HALF = 2  # bytes of float16 and bfloat16


class _Normalizer(Normalization):
    """The layer of `tf.layers` with the variables and updates of one of Keras."""

    def __init__(self, owner: Any, **options: Any) -> None:
        super().__init__(**options)
        self._owner, self._given = owner, None

    def _add_weights(self, shape: List[Any]) -> None:
        owner = self._owner
        for name in ("gamma", "beta"):
            if owner.scale if name == "gamma" else owner.center:
                weight = owner.add_weight(
                    shape=tuple(shape), name=name,
                    initializer=getattr(owner, f"{name}_initializer"),
                    regularizer=getattr(owner, f"{name}_regularizer"),
                    constraint=getattr(owner, f"{name}_constraint"),
                )  # fmt: skip
                setattr(self, name, weight)

        def add_average(name: str, initializer: Any) -> Any:
            return owner.add_weight(
                shape=tuple(shape), name=name, initializer=initializer, trainable=False
            )

        self._add_averages(add_average)

    def add_update(self, updates: Any, inputs: Any = None) -> None:
        # Models look for updates by the inputs of the layer, of which these may be a part.
        self._owner.add_update(updates, inputs=self._given)

    def normalize(self, inputs: Any, training: Any) -> Any:
        self._given = inputs
        return self.call(inputs, training=training)


def _make_weight(next_creator: Callable[..., Any], **arguments: Any) -> Any:
    """Makes a weight; averages are of replicas, whose mean is what is saved."""
    name = str(arguments["name"] or "").split("/")[-1]
    if name.startswith(("moving_", "renorm_")):
        arguments["synchronization"] = VariableSynchronization.ON_READ
        arguments["aggregation"] = VariableAggregation.MEAN
    return next_creator(**arguments)


@set_module("troupe.keras.layers")
class BatchNormalization(_BatchNormalization):  # type: ignore[misc]
    """Normalizes channels: in training by the moments of the batch, else by moving averages.

    Args:
        axis: The axis of the channels, or a list of several.
        momentum: How much of the moving averages each update keeps.
        epsilon: What is added to variances.
        renorm: Corrects what training normalizes, so that it is as by moving averages.
        renorm_clipping: {"rmin", "rmax" or "dmax": bound} of the corrections.
        renorm_momentum: How much each update keeps of the averages that corrections use.
        fused: False for no use of the op for images where others are needed besides it.
        virtual_batch_size: Batches of this size are normalized each by itself.
        adjustment: Is called with the shape of the inputs, and gives (scale, offset) for training.
        **kwargs: The others of Keras's layer: `center`, `scale`, initializers, regularizers and
            constraints.

    Raises:
        ValueError: `renorm_clipping` has other keys.
    """

    def __init__(
        self, axis: Any = -1, momentum: float = 0.99, epsilon: float = 1e-3, *args: Any,
        renorm: bool = False, renorm_clipping: Any = None, renorm_momentum: float = 0.99,
        fused: Optional[bool] = None, virtual_batch_size: Optional[int] = None,
        adjustment: Optional[Callable[..., Any]] = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        listed = list(axis) if isinstance(axis, (list, tuple)) else [axis]
        only = listed[0] if len(listed) == 1 else listed
        super().__init__(only, momentum, epsilon, *args, **kwargs)
        self.axis = listed if isinstance(axis, (list, tuple)) else axis
        self.renorm, self.renorm_momentum, self.fused = renorm, renorm_momentum, fused
        self.renorm_clipping, self.adjustment = renorm_clipping, adjustment
        self.virtual_batch_size = virtual_batch_size
        self._given: Any = None  # the inputs of a call, where it casts them
        self._normalizer: Optional[_Normalizer] = None
        if self._is_general:
            self._normalizer = self._made_normalizer()
            self.uses_learning_phase = True

    @property
    def _is_general(self) -> bool:
        """Whether Keras's layer does not know how."""
        is_plain = self.virtual_batch_size is None and self.fused is not False
        is_plain = is_plain and not self.renorm and not self.adjustment
        return not is_plain or isinstance(self._channel, list)

    def _made_normalizer(self) -> _Normalizer:
        return _Normalizer(
            self, axis=self._channel, momentum=self.momentum, epsilon=self.epsilon,
            center=self.center, scale=self.scale, renorm=self.renorm,
            renorm_clipping=self.renorm_clipping, renorm_momentum=self.renorm_momentum,
            fused=False, virtual_batch_size=self.virtual_batch_size, adjustment=self.adjustment,
            moving_mean_initializer=self.moving_mean_initializer,
            moving_variance_initializer=self.moving_variance_initializer,
            dtype=self.dtype,
        )  # fmt: skip

    def build(self, input_shape: Any) -> None:
        """Makes the weights.

        Raises:
            ValueError: There is no such axis, or its size is not known.
        """
        listed = self.axis if isinstance(self.axis, list) else [self.axis]
        made = self._normalizer
        if made is None:
            with variable_creator_scope(_make_weight):
                super().build(input_shape)
        else:
            with variable_creator_scope(_make_weight):
                made.build(TensorShape(input_shape))
        self.axis = [axis % len(input_shape) for axis in listed]
        axes = {axis: input_shape[axis] for axis in self.axis}
        self.input_spec = _InputSpec(ndim=len(input_shape), axes=axes)
        if made is None:
            return
        for name in ("gamma", "beta", "moving_mean", "moving_variance"):
            setattr(self, name, getattr(made, name))
        if self.renorm:
            for name in ("moving_stddev", "renorm_mean", "renorm_stddev"):
                setattr(self, name, getattr(made, name))
        self.built = True

    def add_weight(self, *args: Any, **kwargs: Any) -> Any:
        """Makes a weight, of float32 where the layer is of 16 bits."""
        if self.dtype is not None and as_dtype(self.dtype).size == _SIZE_OF_HALF:
            kwargs.setdefault("dtype", "float32")
        return super().add_weight(*args, experimental_autocast=False, **kwargs)

    def add_update(self, updates: Any, inputs: Any = None) -> None:
        """Adds updates of averages, which models look for by the inputs of the layer."""
        super().add_update(updates, inputs if self._given is None else self._given)

    def call(self, inputs: Any, training: Any = None) -> Any:
        """Normalizes the inputs, in float32 where they are of 16 bits."""
        kind = inputs.dtype.base_dtype
        if not kind.is_floating or kind.size != _SIZE_OF_HALF:
            return self._normalized(inputs, training)
        self._given = inputs
        try:
            return cast(self._normalized(cast(inputs, "float32"), training), kind)
        finally:
            self._given = None

    def _normalized(self, inputs: Any, training: Any) -> Any:
        if self._normalizer is None:
            return super().call(inputs, training=training)
        training = _backend.learning_phase() if training is None else training
        if isinstance(training, int):
            training = bool(training)
        return self._normalizer.normalize(inputs, training)

    def get_config(self) -> Dict[str, Any]:
        """The arguments that make such a layer again."""
        config: Dict[str, Any] = super().get_config()
        config["axis"] = self.axis
        if self.renorm:
            config.update(
                renorm=True, renorm_clipping=self.renorm_clipping,
                renorm_momentum=self.renorm_momentum,
            )  # fmt: skip
        if self.virtual_batch_size is not None:
            config["virtual_batch_size"] = self.virtual_batch_size
        return config
