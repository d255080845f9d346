"""Layers of convolutions."""

from __future__ import annotations

from typing import Any, Callable, Optional, Sequence, Tuple, Union

from troupe._src.graph.elements import Tensor
from troupe._src.layers.base import Layer
from troupe._src.layers.input_spec import InputSpec
from troupe._src.layers.windows import (
    data_format_of,
    format_of_op,
    output_shape,
    padding_of,
    tuple_of,
    windowed,
)
from troupe._src.nn import nn_ops
from troupe._src.nn.conv_ops import convolution
from troupe._src.ops import creation_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types.shapes import ShapeLike, TensorShape, as_shape
from troupe._src.variables.initializers import Zeros

_zeros = Zeros()


class Convolution(Layer):
    """What the layers of convolutions have in common: a kernel, a bias and an activation."""

    _config_names: Tuple[str, ...] = (
        "filters", "kernel_size", "strides", "padding", "data_format", "dilation_rate",
        "activation", "use_bias", "kernel_initializer", "bias_initializer", "kernel_regularizer",
        "bias_regularizer", "activity_regularizer", "kernel_constraint", "bias_constraint",
    )  # fmt: skip

    def __init__(
        self,
        rank: int,
        filters: Any,
        kernel_size: Union[int, Sequence[int]],
        strides: Union[int, Sequence[int]],
        padding: str,
        data_format: str,
        dilation_rate: Union[int, Sequence[int]],
        activation: Optional[Callable[..., Any]] = None,
        use_bias: bool = True,
        kernel_initializer: Any = None,
        bias_initializer: Any = _zeros,
        kernel_regularizer: Optional[Callable[[Any], Any]] = None,
        bias_regularizer: Optional[Callable[[Any], Any]] = None,
        kernel_constraint: Optional[Callable[[Any], Any]] = None,
        bias_constraint: Optional[Callable[[Any], Any]] = None,
        **kwargs: Any,
    ) -> None:
        """Sets what convolutions have in common.

        Args:
            rank: The number of dimensions.
            filters: The number of channels of the result.
            kernel_size: The size of the window in each dimension, or one number for all.
            strides: How far the window moves in each dimension, or one number for all.
            padding: "valid" for whole windows only, or "same" for a result as large as the input,
                divided by the strides.
            data_format: "channels_last" or "channels_first".
            dilation_rate: The distance of the elements of a window in each dimension, or one number
                for all.
            activation: A function that is applied to the result; None for none.
            use_bias: Adds a variable `bias`.
            kernel_initializer: Makes the first values of the kernel; None for the scope's default.
            bias_initializer: Makes the first values of the bias, by default zeros.
            kernel_regularizer: Makes a loss of the kernel, which is added to REGULARIZATION_LOSSES.
            bias_regularizer: Makes a loss of the bias, likewise.
            kernel_constraint: Is applied to the kernel after an optimizer has updated it.
            bias_constraint: Is applied to the bias after an optimizer has updated it.
            **kwargs: Arguments of `Layer`.

        Raises:
            ValueError: An argument has another form.
        """
        super().__init__(**kwargs)
        self.rank, self.filters = rank, None if filters is None else int(filters)
        self.kernel_size = tuple(tuple_of(kernel_size, rank, "kernel_size"))
        self.strides = tuple(tuple_of(strides, rank, "strides"))
        self.padding = padding_of(padding, ["causal"] if rank == 1 else [])
        self.data_format = data_format_of(data_format)
        self.dilation_rate = tuple(tuple_of(dilation_rate, rank, "dilation_rate"))
        self.use_bias = use_bias
        self.activation: Any = activation
        self.kernel_initializer, self.bias_initializer = kernel_initializer, bias_initializer
        self.kernel_regularizer, self.bias_regularizer = kernel_regularizer, bias_regularizer
        self.kernel_constraint, self.bias_constraint = kernel_constraint, bias_constraint
        self._resolve_arguments()
        self.input_spec = InputSpec(ndim=rank + 2)
        self.kernel: Any = None
        self.bias: Any = None

    def _channels(self, input_shape: Any) -> int:
        axis = -1 if self.data_format == "channels_last" else 1
        size = as_shape(input_shape)[axis].value
        if size is None:
            raise ValueError("The channel dimension of the inputs should be defined. Found `None`.")
        self.input_spec = InputSpec(ndim=self.rank + 2, axes={axis: size})
        return size

    def _add_kernel(self, shape: Any) -> None:
        self.kernel = self.add_weight(
            "kernel",
            shape,
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )

    def _add_bias(self) -> None:
        if self.use_bias:
            self.bias = self.add_weight(
                "bias",
                [self.filters],
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )

    def build(self, input_shape: ShapeLike) -> None:
        channels = self._channels(input_shape)
        self._add_kernel([*self.kernel_size, channels, self.filters])
        self._add_bias()
        self.built = True

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        tensor = convert_to_tensor(inputs)
        padding = self.padding
        if padding == "causal":
            tensor, padding = self._padded_before(tensor), "valid"
        outputs = convolution(
            tensor,
            self._used_kernel(),
            padding.upper(),
            self.strides,
            self.dilation_rate,
            name="conv1d" if self.rank == 1 else None,
            data_format=format_of_op(self.data_format, self.rank),
        )
        return self._finish(outputs)

    def _used_kernel(self) -> Any:
        """What inputs are convolved with, which a class of layers may make of the kernel."""
        return self.kernel

    def _padded_before(self, tensor: Tensor) -> Tensor:
        """With zeros before it, so that no result depends on what comes later."""
        before = [self.dilation_rate[0] * (self.kernel_size[0] - 1), 0]
        is_last = self.data_format == "channels_last"
        return creation_ops.pad(
            tensor, [[0, 0], before, [0, 0]] if is_last else [[0, 0], [0, 0], before]
        )

    def _finish(self, outputs: Tensor) -> Any:
        """Adds the bias, and applies the activation."""
        if self.use_bias:
            outputs = nn_ops.bias_add(outputs, self.bias, format_of_op(self.data_format, self.rank))
        return self.activation(outputs)

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        def size_of(axis: int, size: Optional[int]) -> Optional[int]:
            return windowed(
                size,
                self.kernel_size[axis],
                self.padding,
                self.strides[axis],
                self.dilation_rate[axis],
            )

        return output_shape(input_shape, self.data_format, size_of, self.filters)
