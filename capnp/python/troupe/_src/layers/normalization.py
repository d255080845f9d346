"""Batch normalization, as a class."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Sequence, Tuple, Union

from troupe._src.graph.elements import Tensor
from troupe._src.graph.graph import get_default_graph
from troupe._src.graph.operand import Operand
from troupe._src.layers.base import Layer
from troupe._src.layers.input_spec import InputSpec
from troupe._src.layers.renormalization import (
    Select,
    checked_clipping,
    compose,
    corrections,
    move_average,
)
from troupe._src.nn import norm_ops
from troupe._src.ops import array_ops, creation_ops, math_ops, raw_ops, selection_ops
from troupe._src.ops.convert import constant, convert_to_tensor, is_tensor
from troupe._src.ops.gen_ops import sqrt, square
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.shapes import ShapeLike, TensorShape, as_shape
from troupe._src.variables.initializers import Ones, Zeros
from troupe._src.variables.synchronization import VariableAggregation, VariableSynchronization

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
        renorm: Corrects what training normalizes, so that it is as by moving averages, up to
            clipping: batch renormalization.
        renorm_clipping: {"rmin", "rmax" or "dmax": bound}: the correction multiplies by `r`, in
            [rmin, rmax], and adds `d`, in [-dmax, dmax]; without bounds it is not clipped.
        renorm_momentum: How much each update keeps of the averages that corrections use.
        fused: False for no use of the op for images, which otherwise is used where it can be.
        trainable: Whether optimizers train its variables by default.
        virtual_batch_size: Batches of this size are normalized each by itself; it has to divide
            the number of rows. Variables then have all axes of the inputs, and one more.
        adjustment: Is called with the shape of the inputs, and gives (scale, offset), which in
            training the normalized values are multiplied by and added to.
        **kwargs: Arguments of `Layer`.

    Raises:
        ValueError: `renorm_clipping` has other keys.
    """

    supports_masking = True
    _config_names = (
        "axis", "momentum", "epsilon", "center", "scale", "beta_initializer", "gamma_initializer",
        "moving_mean_initializer", "moving_variance_initializer", "beta_regularizer",
        "gamma_regularizer", "beta_constraint", "gamma_constraint",
    )  # fmt: skip

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
        self.axis: Any = axis
        self.momentum, self.epsilon = momentum, epsilon
        self.center, self.scale, self.fused = center, scale, fused
        self.beta_initializer, self.gamma_initializer = beta_initializer, gamma_initializer
        self.moving_mean_initializer = moving_mean_initializer
        self.moving_variance_initializer = moving_variance_initializer
        self.beta_regularizer, self.gamma_regularizer = beta_regularizer, gamma_regularizer
        self.beta_constraint, self.gamma_constraint = beta_constraint, gamma_constraint
        self.renorm, self.renorm_momentum = renorm, renorm_momentum
        self.renorm_clipping = checked_clipping(renorm_clipping) if renorm else {}
        self.virtual_batch_size, self.adjustment = virtual_batch_size, adjustment
        self._resolve_arguments()
        self.gamma: Any = None
        self.beta: Any = None
        self.moving_mean: Any = None
        self.moving_variance: Any = None
        self.moving_stddev: Any = None
        self.renorm_mean: Any = None
        self.renorm_stddev: Any = None

    def build(self, input_shape: ShapeLike) -> None:
        shape = as_shape(input_shape)
        if shape.rank is None:
            raise ValueError(f"Input has undefined rank: {shape}")
        listed = list(self.axis) if isinstance(self.axis, (list, tuple)) else [self.axis]
        axes = [axis + shape.rank if axis < 0 else axis for axis in listed]
        if any(axis < 0 or axis >= shape.rank for axis in axes) or len(set(axes)) < len(axes):
            raise ValueError(f"Invalid axis: {self.axis}")
        self._check_virtual_batches(axes)
        self.axis = axes
        sizes = [shape[axis].value for axis in axes]
        if None in sizes:
            raise ValueError(f"Input has undefined `axis` dimension. Input shape: {shape}")
        self.input_spec = InputSpec(ndim=shape.rank, axes=dict(zip(axes, sizes)))
        is_plain = not self.renorm and self.virtual_batch_size is None and not self.adjustment
        is_image = shape.rank == 4 and axes in ([1], [3])
        self.fused = self.fused is not False and is_image and is_plain
        full = [shape[axis].value if axis in axes else 1 for axis in range(shape.rank)]
        if self.virtual_batch_size is not None:
            # The inputs get an axis of virtual batches after the first one.
            self.axis = [axis + 1 for axis in axes]
            full.insert(1, 1)
        is_vector = len(axes) == 1 and self.virtual_batch_size is None
        self._add_weights(sizes if is_vector else full)
        self.built = True

    def _check_virtual_batches(self, axes: Sequence[int]) -> None:
        if self.virtual_batch_size is None:
            return
        if self.virtual_batch_size <= 0:
            raise ValueError(
                "virtual_batch_size must be a positive integer that divides the batch size, but "
                f"is {self.virtual_batch_size}"
            )
        if 0 in axes:
            raise ValueError("With virtual_batch_size, axis 0 is that of the batch, not a channel")
        if self.adjustment is not None:
            raise ValueError("With virtual_batch_size, adjustment cannot be specified")

    def _add_weights(self, shape: List[Any]) -> None:
        half = self._dtype in (dtypes.float16, dtypes.bfloat16)
        dtype = dtypes.float32 if half else self._dtype
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

        def add_average(name: str, initializer: Any) -> Any:
            return self.add_weight(
                name, shape, dtype, initializer, trainable=False,
                synchronization=VariableSynchronization.ON_READ,
                aggregation=VariableAggregation.MEAN,
            )  # fmt: skip

        # Averages are assigned as a whole, so they are in one part.
        scope = self._enter(None)
        partitioner, scope.partitioner = scope.partitioner, None
        try:
            self._add_averages(add_average)
        finally:
            scope.partitioner = partitioner

    def _add_averages(self, add_average: Callable[[str, Any], Any]) -> None:
        self.moving_mean = add_average("moving_mean", self.moving_mean_initializer)
        self.moving_variance = add_average("moving_variance", self.moving_variance_initializer)
        if self.renorm:
            variance_initializer = self.moving_variance_initializer

            def initial_stddev(*args: Any, **kwargs: Any) -> Any:
                return sqrt(variance_initializer(*args, **kwargs))

            self.moving_stddev = add_average("moving_stddev", initial_stddev)
            self.renorm_mean = add_average("renorm_mean", self.moving_mean_initializer)
            self.renorm_stddev = add_average("renorm_stddev", initial_stddev)

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
        if self.virtual_batch_size is None:
            return self._normalize(tensor, training)
        rank = tensor.shape.rank or 0
        sizes: List[Any] = [tensor.shape[axis].value for axis in range(1, rank)]
        if None in sizes:
            shape = array_ops.shape(tensor)
            sizes = [shape[i + 1] if size is None else size for i, size in enumerate(sizes)]
        batches = array_ops.reshape(tensor, [self.virtual_batch_size, -1, *sizes])
        outputs = array_ops.reshape(self._normalize(batches, training), [-1, *sizes])
        outputs.set_shape(tensor.shape)
        return outputs

    def _normalize(self, tensor: Tensor, training: Any) -> Tensor:
        """By ops of elements."""
        if is_tensor(training) or training:
            mean, variance, scale, offset = self._train(tensor, training)
        else:
            mean, variance = self.moving_mean, self.moving_variance
            scale = self._broadcast(tensor, self.gamma)
            offset = self._broadcast(tensor, self.beta)
        outputs = norm_ops.batch_normalization(
            tensor,
            self._like(tensor, self._broadcast(tensor, mean)),
            self._like(tensor, self._broadcast(tensor, variance)),
            self._like(tensor, offset),
            self._like(tensor, scale),
            self.epsilon,
        )
        outputs.set_shape(tensor.shape)
        return outputs

    def _broadcast(self, tensor: Tensor, value: Any) -> Any:
        """A value of each channel with the axes of the tensor, where channels are not last."""
        rank = tensor.shape.rank or 0
        if value is None or value.shape.rank == rank or self.axis == [rank - 1]:
            return value
        sizes = [tensor.shape[axis].value if axis in self.axis else 1 for axis in range(rank)]
        return array_ops.reshape(value, sizes)

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
            self._update(tensor, mean, variance, _selector(True))
        return outputs

    def _train(self, tensor: Tensor, training: Any) -> Tuple[Any, Any, Any, Any]:
        """(mean, variance, scale, offset) to normalize by; adds the updates of the averages."""
        select = _selector(training)
        scale = self._broadcast(tensor, self.gamma)
        offset = self._broadcast(tensor, self.beta)
        if self.adjustment is not None:
            factor, bias = map(convert_to_tensor, self.adjustment(array_ops.shape(tensor)))
            factor = select(factor, creation_ops.ones_like(factor))
            bias = select(bias, creation_ops.zeros_like(bias))
            scale, offset = compose(factor, bias, scale, offset)
        mean, variance = self._moments(tensor)
        mean = select(mean, self.moving_mean)
        variance = select(variance, self.moving_variance)
        new_mean, new_variance = mean, variance
        if self.virtual_batch_size is not None:
            new_mean = math_ops.reduce_mean(mean, axis=1, keepdims=True)
            new_variance = math_ops.reduce_mean(variance, axis=1, keepdims=True)
        if self.fused:  # whose op gives averages the variance of the population
            new_variance = variance * math_ops.cast(_bessel(tensor, self.axis), variance.dtype)
        if self.renorm:
            r, d, new_mean, new_variance = self._renormalize(new_mean, new_variance, select)
            r, d = self._broadcast(tensor, r), self._broadcast(tensor, d)
            scale, offset = compose(r, d, scale, offset)
        self._update(tensor, new_mean, new_variance, select)
        return mean, variance, scale, offset

    def _moments(self, tensor: Tensor) -> Tuple[Tensor, Tensor]:
        """Those of the batch, or of each virtual one."""
        axes = [axis for axis in range(tensor.shape.rank or 0) if axis not in self.axis]
        is_virtual = self.virtual_batch_size is not None
        if is_virtual:
            axes.remove(1)
        given = math_ops.cast(tensor, self.moving_mean.dtype)
        keeps_axes = is_virtual or len(self.axis) > 1
        mean, variance = norm_ops.moments(given, axes, keep_dims=keeps_axes)
        return mean, variance

    def _rate(self, momentum: Any, select: Select) -> Any:
        """How far averages move in a step: not at all where it does not train."""
        rate = rest_of(momentum, self.moving_mean.dtype)
        return select(rate, creation_ops.zeros_like(rate))

    def _renormalize(
        self, mean: Tensor, variance: Tensor, select: Select
    ) -> Tuple[Tensor, Tensor, Tensor, Tensor]:
        """(r, d, mean, variance): corrections, and moments that wait for the averages to move."""
        averages = (self.renorm_mean, self.renorm_stddev)
        r, d = corrections(mean, variance, averages, self.epsilon, self.renorm_clipping)
        graph, rate = get_default_graph(), self._rate(self.renorm_momentum, select)
        # The corrections use the averages from before this step.
        with graph.control_dependencies([r, d]):
            moved = [
                move_average(self.renorm_mean, mean, rate),
                move_average(self.renorm_stddev, sqrt(variance + self.epsilon), rate),
            ]
        with graph.control_dependencies(moved):
            mean, variance = array_ops.identity(mean), array_ops.identity(variance)
        r = raw_ops.StopGradient(input=select(r, creation_ops.ones_like(r)))
        d = raw_ops.StopGradient(input=select(d, creation_ops.zeros_like(d)))
        return r, d, mean, variance

    def _update(self, tensor: Tensor, mean: Tensor, variance: Tensor, select: Select) -> None:
        """Adds the updates that move the averages towards those moments."""
        rate = self._rate(self.momentum, select)
        self.add_update(self._move_mean(mean, select), inputs=[tensor])
        if not self.renorm:
            update = move_average(self.moving_variance, variance, rate)
        else:
            stddev = move_average(self.moving_stddev, sqrt(variance + self.epsilon), rate)
            # Rounding may make the difference negative.
            moved = raw_ops.Relu(features=square(stddev) - self.epsilon)
            update = self.moving_variance.assign(select(moved, self.moving_variance))
        self.add_update(update, inputs=[tensor])

    def _move_mean(self, mean: Tensor, select: Select) -> Tensor:
        return move_average(self.moving_mean, mean, self._rate(self.momentum, select))

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        return as_shape(input_shape)


def _bessel(tensor: Tensor, axes: Sequence[int]) -> Tensor:
    """n / (n - 1), of n numbers for each channel."""
    sizes = array_ops.shape(tensor)
    others = [sizes[axis] for axis in range(tensor.shape.rank or 0) if axis not in axes]
    count = math_ops.cast(math_ops.reduce_prod(array_ops.stack(others)), dtypes.float32)
    return count / raw_ops.Maximum(x=count - 1.0, y=1.0)


def rest_of(momentum: Any, dtype: Any) -> Tensor:
    """1 - momentum; of Python's numbers, whose difference is more exact than that of float32."""
    return math_ops.cast(convert_to_tensor(1.0 - momentum, preferred_dtype=dtype), dtype)


def _selector(training: Any) -> Select:
    """Of two values the first where a step trains."""
    if not is_tensor(training):
        return lambda value, otherwise: value
    # Of a condition without a known shape, selections would have none.
    flag = array_ops.reshape(math_ops.cast(convert_to_tensor(training), dtypes.bool_), [])
    return lambda value, otherwise: selection_ops.where_v2(flag, value, otherwise)
