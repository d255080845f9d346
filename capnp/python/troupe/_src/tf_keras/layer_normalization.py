"""The layer that normalizes each element of a batch by itself."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

from troupe._src.nn.norm_ops import batch_normalization, moments
from troupe._src.ops import array_ops
from troupe._src.set_module import set_module
from troupe._src.keras.loaded import keras_module

_Layer: Any = keras_module("layers").Layer
constraints, initializers, regularizers = (
    keras_module(name) for name in ("constraints", "initializers", "regularizers")
)


@set_module("troupe.keras.layers")
class LayerNormalization(_Layer):  # type: ignore[misc]
    """Scales and shifts so that the numbers along some axes have mean 0 and variance 1.

    Each element of a batch is normalized by its own numbers; the weights `gamma` and `beta`, one
    for each place along the axes, scale and shift them afterwards (Ba et al., 2016). As TensorFlow
    1.15's layer of the name.

    Args:
        axis: The axis, or the axes, of the numbers that are normalized together.
        epsilon: Added to the variance.
        center: Whether there is a `beta`.
        scale: Whether there is a `gamma`.
        beta_initializer: Of `beta`.
        gamma_initializer: Of `gamma`.
        beta_regularizer: Of `beta`.
        gamma_regularizer: Of `gamma`.
        beta_constraint: Of `beta`.
        gamma_constraint: Of `gamma`.
        trainable: Whether trainings change the weights.
        name: The name of the layer.
        **kwargs: Those of layers.

    Raises:
        ValueError: An axis is no axis of the inputs, or is given twice.
    """

    def __init__(
        self, axis: Union[int, Sequence[int]] = -1, epsilon: float = 1e-3, center: bool = True,
        scale: bool = True, beta_initializer: Any = "zeros", gamma_initializer: Any = "ones",
        beta_regularizer: Any = None, gamma_regularizer: Any = None, beta_constraint: Any = None,
        gamma_constraint: Any = None, trainable: bool = True, name: Optional[str] = None,
        **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(name=name, trainable=trainable, **kwargs)
        if not isinstance(axis, (int, list, tuple)):
            raise ValueError(
                "Expected an int or a list/tuple of ints for the argument 'axis', but received "
                f"instead: {axis}"
            )
        self.axis = axis
        self.epsilon, self.center, self.scale = epsilon, center, scale
        self.beta_initializer = initializers.get(beta_initializer)
        self.gamma_initializer = initializers.get(gamma_initializer)
        self.beta_regularizer = regularizers.get(beta_regularizer)
        self.gamma_regularizer = regularizers.get(gamma_regularizer)
        self.beta_constraint = constraints.get(beta_constraint)
        self.gamma_constraint = constraints.get(gamma_constraint)
        self.gamma = self.beta = None
        self.supports_masking = True

    def _axes(self, rank: int) -> List[int]:
        given = [self.axis] if isinstance(self.axis, int) else list(self.axis)
        axes = [axis + rank if axis < 0 else axis for axis in given]
        for axis in axes:
            if not 0 <= axis < rank:
                raise ValueError(f"Invalid axis: {axis}")
        if len(set(axes)) < len(axes):
            raise ValueError(f"Duplicate axis: {tuple(axes)}")
        return axes

    def build(self, input_shape: Tuple[Optional[int], ...]) -> None:
        """Makes the weights."""
        self.axis = self._axes(len(input_shape))  # as configurations have it from now on
        shape = [input_shape[axis] for axis in self.axis]
        for name in ("gamma",) * self.scale + ("beta",) * self.center:
            weight = self.add_weight(
                name=name, shape=shape, initializer=getattr(self, f"{name}_initializer"),
                regularizer=getattr(self, f"{name}_regularizer"),
                constraint=getattr(self, f"{name}_constraint"),
            )  # fmt: skip
            setattr(self, name, weight)
        self.built = True

    def call(self, inputs: Any) -> Any:
        """The normalized numbers, of the shape of the inputs."""
        axes = self._axes(len(inputs.shape))
        mean, variance = moments(inputs, axes, keep_dims=True)
        shape = [1] * len(inputs.shape)
        for axis in axes:
            shape[axis] = int(inputs.shape[axis])

        def along_axes(weight: Any) -> Any:
            return None if weight is None else array_ops.reshape(weight, shape)

        normalized = batch_normalization(
            inputs, mean, variance, along_axes(self.beta), along_axes(self.gamma), self.epsilon
        )
        normalized.set_shape(inputs.shape)
        return normalized

    def compute_output_shape(self, input_shape: Any) -> Any:
        """That of the inputs."""
        return input_shape

    def get_config(self) -> Dict[str, Any]:
        """The arguments that make such a layer again."""
        config = {
            "axis": self.axis, "epsilon": self.epsilon, "center": self.center,
            "scale": self.scale,
            "beta_initializer": initializers.serialize(self.beta_initializer),
            "gamma_initializer": initializers.serialize(self.gamma_initializer),
            "beta_regularizer": regularizers.serialize(self.beta_regularizer),
            "gamma_regularizer": regularizers.serialize(self.gamma_regularizer),
            "beta_constraint": constraints.serialize(self.beta_constraint),
            "gamma_constraint": constraints.serialize(self.gamma_constraint),
        }  # fmt: skip
        return {**super().get_config(), **config}
