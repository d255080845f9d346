"""Layers of all elements: dense, dropout, flatten."""

from __future__ import annotations

from typing import Any, Callable, Optional, Union

from troupe._src.graph.elements import Tensor
from troupe._src.graph.operand import Operand
from troupe._src.graph.tensor_like import TensorLike
from troupe._src.layers.base import Layer
from troupe._src.layers.input_spec import InputSpec
from troupe._src.linalg.linear_ops import tensordot
from troupe._src.nn import nn_ops
from troupe._src.ops import array_ops, math_ops, selection_ops
from troupe._src.ops.convert import constant, convert_to_tensor, is_tensor
from troupe._src.set_module import set_module
from troupe._src.types import dtypes
from troupe._src.types.shapes import ShapeLike, TensorShape, as_shape
from troupe._src.variables.initializers import Zeros

_zeros = Zeros()


def if_training(
    training: Union[bool, Operand], one: Callable[[], Tensor], other: Callable[[], Tensor]
) -> Tensor:
    """One of two results, by a bool or by a tensor; with a tensor, a step computes both."""
    if is_tensor(training):
        known = array_ops.get_static_value(training)
        if known is None:
            flag = math_ops.cast(convert_to_tensor(training), dtypes.bool_)
            if flag.shape.rank is None:
                flag = array_ops.reshape(flag, [])  # so that the shape of the result is known
            return selection_ops.where_v2(flag, one(), other())
        training = known
    return one() if training else other()


@set_module("troupe.layers")
class Dense(Layer):
    """activation(inputs * kernel + bias), along the last axis.

    Args:
        units: The last size of the result.
        activation: A function that is applied to the result; None for none.
        use_bias: Adds a variable `bias`.
        kernel_initializer: Makes the first values of the kernel; None for the scope's default.
        bias_initializer: Makes the first values of the bias, by default zeros.
        kernel_regularizer: Makes a loss of the kernel, which is added to REGULARIZATION_LOSSES.
        bias_regularizer: Makes a loss of the bias, likewise.
        activity_regularizer: Makes a loss of the result, likewise.
        kernel_constraint: Is applied to the kernel after an optimizer has updated it.
        bias_constraint: Is applied to the bias after an optimizer has updated it.
        trainable: Whether optimizers train its variables by default.
        **kwargs: Arguments of `Layer`.
    """

    supports_masking = True
    _config_names = (
        "units", "activation", "use_bias", "kernel_initializer", "bias_initializer",
        "kernel_regularizer", "bias_regularizer", "activity_regularizer", "kernel_constraint",
        "bias_constraint",
    )  # fmt: skip

    def __init__(
        self,
        units: int,
        activation: Optional[Callable[..., Any]] = None,
        use_bias: bool = True,
        kernel_initializer: Any = None,
        bias_initializer: Any = _zeros,
        kernel_regularizer: Optional[Callable[[Any], Any]] = None,
        bias_regularizer: Optional[Callable[[Any], Any]] = None,
        activity_regularizer: Optional[Callable[[Any], Any]] = None,
        kernel_constraint: Optional[Callable[[Any], Any]] = None,
        bias_constraint: Optional[Callable[[Any], Any]] = None,
        trainable: bool = True,
        name: Optional[str] = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(trainable, name, activity_regularizer=activity_regularizer, **kwargs)
        self.units, self.use_bias = int(units), use_bias
        self.activation: Any = activation
        self.kernel_initializer, self.bias_initializer = kernel_initializer, bias_initializer
        self.kernel_regularizer, self.bias_regularizer = kernel_regularizer, bias_regularizer
        self.kernel_constraint, self.bias_constraint = kernel_constraint, bias_constraint
        self._resolve_arguments()
        self.input_spec = InputSpec(min_ndim=2)
        self.kernel: Any = None
        self.bias: Any = None

    def build(self, input_shape: ShapeLike) -> None:
        size = as_shape(input_shape)[-1].value
        if size is None:
            raise ValueError(
                "The last dimension of the inputs to `Dense` should be defined. Found `None`."
            )
        self.input_spec = InputSpec(min_ndim=2, axes={-1: size})
        self._add_kernel([size, self.units])
        if self.use_bias:
            self.bias = self.add_weight(
                "bias",
                [self.units],
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )
        self.built = True

    def _add_kernel(self, shape: Any) -> None:
        self.kernel = self.add_weight(
            "kernel",
            shape,
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )

    def _used_kernel(self) -> Any:
        """What inputs are multiplied by, which a class of layers may make of the kernel."""
        return self.kernel

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        tensor, kernel = convert_to_tensor(inputs), self._used_kernel()
        rank = tensor.shape.rank or 0
        if rank > 2:
            outputs = tensordot(tensor, kernel, [[rank - 1], [0]])
        else:
            outputs = math_ops.matmul(tensor, kernel)
        if self.use_bias:
            outputs = nn_ops.bias_add(outputs, self.bias)
        return self.activation(outputs)

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        shape = as_shape(input_shape).with_rank_at_least(2)
        if shape[-1].value is None:
            raise ValueError(f"The innermost dimension of input_shape must be defined: {shape}")
        return shape[:-1].concatenate(self.units)


def dense(
    inputs: TensorLike,
    units: int,
    activation: Optional[Callable[..., Any]] = None,
    use_bias: bool = True,
    kernel_initializer: Any = None,
    bias_initializer: Any = _zeros,
    kernel_regularizer: Optional[Callable[[Any], Any]] = None,
    bias_regularizer: Optional[Callable[[Any], Any]] = None,
    activity_regularizer: Optional[Callable[[Any], Any]] = None,
    kernel_constraint: Optional[Callable[[Any], Any]] = None,
    bias_constraint: Optional[Callable[[Any], Any]] = None,
    trainable: bool = True,
    name: Optional[str] = None,
    reuse: Any = None,
) -> Tensor:
    """activation(inputs * kernel + bias), along the last axis.

    Args:
        inputs: A tensor of rank 2 or more, with a known last size.
        units: The last size of the result.
        activation: A function that is applied to the result; None for none.
        use_bias: Adds a variable `bias`.
        kernel_initializer: Makes the first values of the kernel; None for the scope's default.
        bias_initializer: Makes the first values of the bias, by default zeros.
        kernel_regularizer: Makes a loss of the kernel, which is added to REGULARIZATION_LOSSES.
        bias_regularizer: Makes a loss of the bias, likewise.
        activity_regularizer: Makes a loss of the result, likewise.
        kernel_constraint: Is applied to the kernel after an optimizer has updated it.
        bias_constraint: Is applied to the bias after an optimizer has updated it.
        trainable: Whether optimizers train its variables by default.
        reuse: Takes the variables that the scope has, instead of making them; by default as the
            scope says.

    Returns:
        A tensor of the shape of `inputs`, but for the last size.

    Raises:
        ValueError: The last size is not known.
    """
    layer = Dense(
        units,
        activation=activation,
        use_bias=use_bias,
        kernel_initializer=kernel_initializer,
        bias_initializer=bias_initializer,
        kernel_regularizer=kernel_regularizer,
        bias_regularizer=bias_regularizer,
        activity_regularizer=activity_regularizer,
        kernel_constraint=kernel_constraint,
        bias_constraint=bias_constraint,
        trainable=trainable,
        name=name,
        _scope=name,
        _reuse=reuse,
    )
    outputs: Tensor = layer(inputs)
    return outputs


@set_module("troupe.layers")
class Dropout(Layer):
    """In training, sets elements to zero at that rate and scales the others.

    Args:
        rate: The part of the elements that is set to zero: a number or a scalar tensor.
        noise_shape: The shape of the choices, which are broadcast; by default that of the inputs.
        seed: Of the random numbers; by default that of the graph.
        **kwargs: Arguments of `Layer`.
    """

    supports_masking = True
    _config_names = ("rate", "noise_shape", "seed")

    def __init__(
        self,
        rate: Union[float, Operand] = 0.5,
        noise_shape: Optional[TensorLike] = None,
        seed: Optional[int] = None,
        name: Optional[str] = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, **kwargs)
        self.rate, self.noise_shape, self.seed = rate, noise_shape, seed

    def call(self, inputs: Any, training: Union[bool, Operand] = False, **kwargs: Any) -> Any:
        """Drops elements of the inputs, in training.

        Args:
            inputs: A tensor of floating point numbers.
            training: A bool or a boolean tensor; where it is false, the result is the inputs.
            **kwargs: Not used.

        Returns:
            A tensor of the same shape.
        """
        tensor = convert_to_tensor(inputs)
        return if_training(
            training,
            lambda: nn_ops.dropout(
                tensor, noise_shape=self.noise_shape, seed=self.seed, rate=self.rate
            ),
            lambda: array_ops.identity(tensor),
        )

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        return as_shape(input_shape)


def dropout(
    inputs: TensorLike,
    rate: Union[float, Operand] = 0.5,
    noise_shape: Optional[TensorLike] = None,
    seed: Optional[int] = None,
    training: Union[bool, Operand] = False,
    name: Optional[str] = None,
) -> Tensor:
    """In training, sets elements to zero at that rate and scales the others.

    Args:
        inputs: A tensor of floating point numbers.
        rate: The part of the elements that is set to zero: a number or a scalar tensor.
        noise_shape: The shape of the choices, which are broadcast; by default that of the inputs.
        seed: Of the random numbers; by default that of the graph.
        training: A bool or a boolean tensor; where it is false, the result is the inputs.

    Returns:
        A tensor of the same shape.
    """
    layer = Dropout(rate, noise_shape=noise_shape, seed=seed, name=name)
    outputs: Tensor = layer(inputs, training=training)
    return outputs


@set_module("troupe.layers")
class Flatten(Layer):
    """All axes but the first as one, with the channels last.

    Args:
        data_format: "channels_last", also where it is None, or "channels_first", whose channels
            become the last axis first.
        **kwargs: Arguments of `Layer`.
    """

    _config_names = ("data_format",)

    def __init__(self, data_format: Optional[str] = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = data_format or "channels_last"
        self.input_spec = InputSpec(min_ndim=1)

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        tensor = convert_to_tensor(inputs)
        rank = tensor.shape.rank or 0
        if self.data_format == "channels_first" and rank > 2:
            tensor = array_ops.transpose(tensor, [0, *range(2, rank), 1])
        shape = self.compute_output_shape(tensor.shape)
        batch, size = shape.as_list()
        if size is not None:
            sizes = [-1, size] if size else [array_ops.shape(tensor)[0], 0]
            flat = array_ops.reshape(tensor, sizes)
        elif batch:
            flat = array_ops.reshape(tensor, [batch, -1])
        else:
            first = array_ops.slice(array_ops.shape(tensor), [0], [1])
            flat = array_ops.reshape(tensor, array_ops.concat([first, constant([-1])], 0))
        flat.set_shape(shape)
        return flat

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        sizes = as_shape(input_shape)
        return TensorShape([sizes[0], sizes[1:].num_elements()])


def flatten(
    inputs: TensorLike, name: Optional[str] = None, data_format: str = "channels_last"
) -> Tensor:
    """All axes but the first as one, with the channels last.

    Args:
        inputs: A tensor of rank 1 or more.
        data_format: "channels_last" or "channels_first", whose channels become the last axis first.

    Returns:
        A tensor, [batch, product of the other sizes].
    """
    outputs: Tensor = Flatten(name=name, data_format=data_format)(inputs)
    return outputs
