"""Batch normalization, as a class and as a function."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Sequence, Tuple, Union

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.operand import Operand
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.layers.base import Layer
from troupe._src.layers.input_spec import InputSpec
from troupe._src.nn import norm_ops
from troupe._src.ops import array_ops, creation_ops, math_ops, selection_ops
from troupe._src.ops.convert import constant, convert_to_tensor, is_tensor
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.shapes import ShapeLike, TensorShape, as_shape
from troupe._src.variables.initializers import Ones, Zeros

_zeros, _ones = Zeros(), Ones()


@set_module("troupe.layers")
class BatchNormalization(Layer):
    """Normalizes each channel: in training by the moments of the batch, else by moving averages.

    A step of training has to run the updates of the moving averages, which are in the collection
    UPDATE_OPS. Where `training` is a tensor, a step computes both moments and selects.

    Args:
        axis: The axis of the channels, or several.
        momentum: How much of the moving averages each update keeps.
        epsilon: What is added to variances.
        center: Adds a variable `beta`.
        scale: Multiplies by a variable `gamma`.
        beta_initializer: Makes the first values of `beta`, by default zeros.
        gamma_initializer: Makes the first values of `gamma`, by default ones.
        moving_mean_initializer: Makes the first moving means, by default zeros.
        moving_variance_initializer: Makes the first moving variances, by default ones.
        beta_regularizer: Makes a loss of `beta`, which is added to REGULARIZATION_LOSSES.
        gamma_regularizer: Makes a loss of `gamma`, likewise.
        beta_constraint: Is applied to `beta` after an optimizer has updated it.
        gamma_constraint: Is applied to `gamma` after an optimizer has updated it.
        renorm: Must be False.
        renorm_clipping: Not used.
        renorm_momentum: Not used.
        fused: False for no use of the op for images, which otherwise is used where it can be.
        trainable: Whether optimizers train its variables by default.
        virtual_batch_size: Must be None.
        adjustment: Must be None.
        **kwargs: Arguments of `Layer`.

    Raises:
        NotImplementedError: For renormalization, virtual batches and adjustments.
    """

    def __init__(
        self,
        axis: Union[int, Sequence[int]] = -1,
        momentum: Union[float, Operand] = 0.99,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = _zeros,
        gamma_initializer: Any = _ones,
        moving_mean_initializer: Any = _zeros,
        moving_variance_initializer: Any = _ones,
        beta_regularizer: Optional[Callable[[Any], Any]] = None,
        gamma_regularizer: Optional[Callable[[Any], Any]] = None,
        beta_constraint: Optional[Callable[[Any], Any]] = None,
        gamma_constraint: Optional[Callable[[Any], Any]] = None,
        renorm: bool = False,
        renorm_clipping: Any = None,
        renorm_momentum: Any = 0.99,
        fused: Optional[bool] = None,
        trainable: bool = True,
        virtual_batch_size: Optional[int] = None,
        adjustment: Optional[Callable[..., Any]] = None,
        name: Optional[str] = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(trainable, name, **kwargs)
        if renorm or virtual_batch_size is not None or adjustment is not None:
            raise NotImplementedError(
                "batch renormalization, virtual batches and adjustments are not part of this "
                "version"
            )
        self.axis: Any = axis
        self.momentum, self.epsilon = momentum, epsilon
        self.center, self.scale, self.fused = center, scale, fused
        self.beta_initializer, self.gamma_initializer = beta_initializer, gamma_initializer
        self.moving_mean_initializer = moving_mean_initializer
        self.moving_variance_initializer = moving_variance_initializer
        self.beta_regularizer, self.gamma_regularizer = beta_regularizer, gamma_regularizer
        self.beta_constraint, self.gamma_constraint = beta_constraint, gamma_constraint
        self.gamma: Any = None
        self.beta: Any = None
        self.moving_mean: Any = None
        self.moving_variance: Any = None

    def build(self, input_shape: ShapeLike) -> None:
        shape = as_shape(input_shape)
        if shape.rank is None:
            raise ValueError(f"Input has undefined rank: {shape}")
        listed = list(self.axis) if isinstance(self.axis, (list, tuple)) else [self.axis]
        axes = [axis + shape.rank if axis < 0 else axis for axis in listed]
        if any(axis < 0 or axis >= shape.rank for axis in axes) or len(set(axes)) < len(axes):
            raise ValueError(f"Invalid axis: {self.axis}")
        self.axis = axes
        sizes = [shape[axis].value for axis in axes]
        if None in sizes:
            raise ValueError(f"Input has undefined `axis` dimension. Input shape: {shape}")
        self.input_spec = InputSpec(ndim=shape.rank, axes=dict(zip(axes, sizes)))
        self.fused = self.fused is not False and shape.rank == 4 and axes in ([1], [3])
        full = [shape[axis].value if axis in axes else 1 for axis in range(shape.rank)]
        self._add_weights(sizes if len(axes) == 1 else full)
        self.built = True

    def _add_weights(self, shape: List[Any]) -> None:
        half = self.dtype in (dtypes.float16, dtypes.bfloat16)
        dtype = dtypes.float32 if half else self.dtype
        if self.scale:
            self.gamma = self.add_weight(
                "gamma",
                shape,
                dtype,
                self.gamma_initializer,
                self.gamma_regularizer,
                constraint=self.gamma_constraint,
            )
        if self.center:
            self.beta = self.add_weight(
                "beta",
                shape,
                dtype,
                self.beta_initializer,
                self.beta_regularizer,
                constraint=self.beta_constraint,
            )
        self.moving_mean = self.add_weight(
            "moving_mean", shape, dtype, self.moving_mean_initializer, trainable=False
        )
        self.moving_variance = self.add_weight(
            "moving_variance", shape, dtype, self.moving_variance_initializer, trainable=False
        )

    def call(self, inputs: Any, training: Union[bool, Operand] = False, **kwargs: Any) -> Any:
        """Normalizes the inputs.

        Args:
            inputs: A tensor of floating point numbers.
            training: A bool or a boolean tensor: whether the moments are those of the batch.
            **kwargs: Not used.

        Returns:
            A tensor of the same shape.
        """
        tensor = convert_to_tensor(inputs)
        if is_tensor(training):
            known = array_ops.get_static_value(training)
            training = training if known is None else bool(known)
        if self.fused and not is_tensor(training):
            return self._fused(tensor, bool(training))
        mean, variance = self._moments(tensor, training)
        rank = tensor.shape.rank or 0
        sizes = [tensor.shape[axis].value if axis in self.axis else 1 for axis in range(rank)]

        def broadcast(value: Any) -> Any:
            if value is None or (len(self.axis) == 1 and self.axis[0] == rank - 1):
                return value
            return array_ops.reshape(value, sizes)

        outputs = norm_ops.batch_normalization(
            tensor,
            self._like(tensor, broadcast(mean)),
            self._like(tensor, broadcast(variance)),
            self._like(tensor, broadcast(self.beta)),
            self._like(tensor, broadcast(self.gamma)),
            self.epsilon,
        )
        outputs.set_shape(tensor.shape)
        return outputs

    @staticmethod
    def _like(tensor: Tensor, value: Any) -> Any:
        return None if value is None else math_ops.cast(value, tensor.dtype)

    def _fused(self, tensor: Tensor, training: bool) -> Tensor:
        """By the op for images."""
        channels = self.moving_mean.shape
        dtype = self.moving_mean.dtype
        gamma = self.gamma if self.scale else constant(1.0, dtype, channels)
        beta = self.beta if self.center else constant(0.0, dtype, channels)
        outputs, mean, variance = norm_ops.fused_batch_norm(
            tensor,
            gamma,
            beta,
            None if training else self.moving_mean,
            None if training else self.moving_variance,
            self.epsilon,
            "NHWC" if self.axis == [3] else "NCHW",
            training,
        )
        if training:
            self._update(tensor, mean, variance, 1.0 - convert_to_tensor(self.momentum, dtype))
        return outputs

    def _moments(self, tensor: Tensor, training: Any) -> Tuple[Any, Any]:
        """(mean, variance) to normalize by."""
        if training is False or (not is_tensor(training) and not training):
            return self.moving_mean, self.moving_variance
        rank = tensor.shape.rank or 0
        axes = [axis for axis in range(rank) if axis not in self.axis]
        dtype = self.moving_mean.dtype
        given = math_ops.cast(tensor, dtype)
        mean, variance = norm_ops.moments(given, axes, keep_dims=len(self.axis) > 1)
        rate = 1.0 - convert_to_tensor(self.momentum, dtype)
        if not is_tensor(training):
            self._update(tensor, mean, variance, rate)
            return mean, variance
        flag = math_ops.cast(convert_to_tensor(training), dtypes.bool_)
        rate = selection_ops.where_v2(flag, rate, creation_ops.zeros_like(rate))
        self._update(tensor, mean, variance, rate)
        return (
            selection_ops.where_v2(flag, mean, self.moving_mean),
            selection_ops.where_v2(flag, variance, self.moving_variance),
        )

    def _update(self, tensor: Tensor, mean: Tensor, variance: Tensor, rate: Tensor) -> None:
        """Adds the updates that move the averages towards those moments."""
        moved = ((self.moving_mean, mean), (self.moving_variance, variance))
        for average, value in moved:
            with get_default_graph().name_scope("AssignMovingAvg"):
                update = average.assign_sub((average - value) * rate)
            self.add_update(update, inputs=[tensor])

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        return as_shape(input_shape)


def batch_normalization(
    inputs: TensorLike,
    axis: Union[int, Sequence[int]] = -1,
    momentum: Union[float, Operand] = 0.99,
    epsilon: float = 1e-3,
    center: bool = True,
    scale: bool = True,
    beta_initializer: Any = _zeros,
    gamma_initializer: Any = _ones,
    moving_mean_initializer: Any = _zeros,
    moving_variance_initializer: Any = _ones,
    beta_regularizer: Optional[Callable[[Any], Any]] = None,
    gamma_regularizer: Optional[Callable[[Any], Any]] = None,
    beta_constraint: Optional[Callable[[Any], Any]] = None,
    gamma_constraint: Optional[Callable[[Any], Any]] = None,
    training: Union[bool, Operand] = False,
    trainable: bool = True,
    name: Optional[str] = None,
    reuse: Any = None,
    renorm: bool = False,
    renorm_clipping: Any = None,
    renorm_momentum: Any = 0.99,
    fused: Optional[bool] = None,
    virtual_batch_size: Optional[int] = None,
    adjustment: Optional[Callable[..., Any]] = None,
) -> Tensor:
    """Normalizes each channel: in training by the moments of the batch, else by moving averages.

    A step of training has to run the collection UPDATE_OPS, which updates the moving averages.

    Args:
        inputs: A tensor of floating point numbers, with a known number of channels.
        axis: The axis of the channels, or several.
        momentum: How much of the moving averages each update keeps.
        epsilon: What is added to variances.
        center: Adds a variable `beta`.
        scale: Multiplies by a variable `gamma`.
        beta_initializer: Makes the first values of `beta`, by default zeros.
        gamma_initializer: Makes the first values of `gamma`, by default ones.
        moving_mean_initializer: Makes the first moving means, by default zeros.
        moving_variance_initializer: Makes the first moving variances, by default ones.
        beta_regularizer: Makes a loss of `beta`, which is added to REGULARIZATION_LOSSES.
        gamma_regularizer: Makes a loss of `gamma`, likewise.
        beta_constraint: Is applied to `beta` after an optimizer has updated it.
        gamma_constraint: Is applied to `gamma` after an optimizer has updated it.
        training: A bool or a boolean tensor: whether the moments are those of the batch.
        trainable: Whether optimizers train its variables by default.
        reuse: Takes the variables that the scope has, instead of making them; by default as the
            scope says.
        renorm: Must be False.
        renorm_clipping: Not used.
        renorm_momentum: Not used.
        fused: False for no use of the op for images, which otherwise is used where it can be.
        virtual_batch_size: Must be None.
        adjustment: Must be None.

    Returns:
        A tensor of the same shape.

    Raises:
        NotImplementedError: For renormalization, virtual batches and adjustments.
        ValueError: The rank or the number of channels is not known, or there is no such axis.
    """
    layer = BatchNormalization(
        axis=axis,
        momentum=momentum,
        epsilon=epsilon,
        center=center,
        scale=scale,
        beta_initializer=beta_initializer,
        gamma_initializer=gamma_initializer,
        moving_mean_initializer=moving_mean_initializer,
        moving_variance_initializer=moving_variance_initializer,
        beta_regularizer=beta_regularizer,
        gamma_regularizer=gamma_regularizer,
        beta_constraint=beta_constraint,
        gamma_constraint=gamma_constraint,
        renorm=renorm,
        renorm_clipping=renorm_clipping,
        renorm_momentum=renorm_momentum,
        fused=fused,
        trainable=trainable,
        virtual_batch_size=virtual_batch_size,
        adjustment=adjustment,
        name=name,
        _reuse=reuse,
        _scope=name,
    )
    outputs: Tensor = layer(inputs, training=training)
    return outputs
