"""Layers whose kernel is multiplied by a mask."""

from __future__ import annotations

from typing import Any

from troupe._src.graph.elements import Tensor
from troupe._src.layers.convolutional import Conv2D
from troupe._src.layers.core import Dense
from troupe._src.layers.windows import format_of_op
from troupe._src.linalg.linear_ops import tensordot
from troupe._src.model_pruning.masks import masked
from troupe._src.nn import nn_ops
from troupe._src.nn.conv_ops import convolution
from troupe._src.ops import math_ops
from troupe._src.ops.convert import convert_to_tensor
from troupe._src.types.shapes import ShapeLike, as_shape
from troupe._src.layers.input_spec import InputSpec
from troupe._src.variables.initializers import Ones, Zeros


def add_mask(layer: Any, shape: Any) -> Any:
    """Adds the variable `mask` to a layer."""
    return layer.add_weight("mask", shape, initializer=Ones(), trainable=False)


def add_threshold(layer: Any) -> Any:
    """Adds the variable `threshold` to a layer."""
    return layer.add_weight("threshold", [], initializer=Zeros(), trainable=False)


class MaskedConv2D(Conv2D):
    """A convolution of images with a mask."""

    mask: Any = None
    threshold: Any = None
    masked_kernel: Tensor

    def _add_kernel(self, shape: Any) -> None:
        self.mask = add_mask(self, shape)
        super()._add_kernel(shape)
        self.threshold = add_threshold(self)
        self.masked_kernel = masked(self.kernel, self.mask, self.threshold)

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        outputs = convolution(
            convert_to_tensor(inputs),
            self.masked_kernel,
            self.padding.upper(),
            self.strides,
            self.dilation_rate,
            data_format=format_of_op(self.data_format, self.rank),
        )
        return self._finish(outputs)


class MaskedFullyConnected(Dense):
    """A fully connected layer with a mask."""

    mask: Any = None
    threshold: Any = None
    masked_kernel: Tensor

    def build(self, input_shape: ShapeLike) -> None:
        size = as_shape(input_shape)[-1].value
        if size is None:
            raise ValueError(
                "The last dimension of the inputs to `Dense` should be defined. Found `None`."
            )
        self.input_spec = InputSpec(min_ndim=2, axes={-1: size})
        self.kernel = self.add_weight(
            "kernel",
            [size, self.units],
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
        )
        self.mask = add_mask(self, [size, self.units])
        self.threshold = add_threshold(self)
        self.masked_kernel = masked(self.kernel, self.mask, self.threshold)
        if self.use_bias:
            self.bias = self.add_weight(
                "bias",
                [self.units],
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
            )
        self.built = True

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        tensor = convert_to_tensor(inputs)
        rank = tensor.shape.rank or 0
        if rank > 2:
            outputs = tensordot(tensor, self.masked_kernel, [[rank - 1], [0]])
        else:
            outputs = math_ops.matmul(tensor, self.masked_kernel)
        if self.use_bias:
            outputs = nn_ops.bias_add(outputs, self.bias)
        return outputs if self.activation is None else self.activation(outputs)
