"""Locally connected layers whose kernels are matrices of all inputs and outputs."""

from __future__ import annotations

from typing import Any, Dict, Sequence, Tuple

import numpy as np

from troupe._src.ops import array_ops, gen_ops, math_ops
from troupe._src.ops.convert import constant
from troupe._src.set_module import set_module
from troupe._src.keras.loaded import keras_module

_local = keras_module("layers.local")
_backend = keras_module("backend")
_InputSpec = keras_module("engine.base_layer").InputSpec
_lengths = keras_module("utils.conv_utils")
_Local1D: Any = _local.LocallyConnected1D
_Local2D: Any = _local.LocallyConnected2D


class _Connected:
    """What both have in common. The implementation 1 is Keras's; 2 multiplies by a matrix that is 0
    where nothing is connected; 3 has the numbers of that matrix alone."""

    implementation: int
    padding: str

    def _begin(self, padding: str, implementation: int) -> None:
        if padding not in ("valid", "same"):
            raise ValueError(
                'The `padding` argument must be a list/tuple or one of "valid", "same". '
                f"Received: {padding}"
            )
        if padding != "valid" and implementation == 1:
            raise ValueError(
                f"Invalid border mode for {type(self).__name__} (only \"valid\" is supported if "
                f"implementation is 1): {padding}"
            )
        if implementation not in (1, 2, 3):
            raise ValueError(f"Unrecognized implementation mode: {implementation}.")
        self.padding, self.implementation = padding, implementation

    def _build(self: Any, input_shape: Any) -> None:
        is_first = self.data_format == "channels_first"
        sizes = list(input_shape[2:] if is_first else input_shape[1:-1])
        channels = input_shape[1] if is_first else input_shape[-1]
        if channels is None or None in sizes:
            raise ValueError(
                "The spatial dimensions of the inputs to a LocallyConnected layer should be fully-"
                f"defined, but layer received the inputs shape {tuple(input_shape)}"
            )
        outputs = [
            _lengths.conv_output_length(size, kernel, self.padding, stride)
            for size, kernel, stride in zip(sizes, self.kernel_size, self.strides)
        ]
        mask = _mask(sizes, outputs, self.kernel_size, self.strides, self.padding)
        given, made = ([channels, *sizes], [self.filters, *outputs]) if is_first else (
            [*sizes, channels], [*outputs, self.filters]
        )  # fmt: skip
        rank, place = len(sizes), 0 if is_first else len(sizes)
        mask = np.expand_dims(np.expand_dims(mask, place), place + 1 + rank)
        self._connected = np.broadcast_to(mask, [*given, *made])
        self._outputs = made
        shape: Tuple[int, ...] = (*given, *made)
        if self.implementation == 3:
            shape = (int(self._connected.sum()),)
        self.kernel = self.add_weight(
            shape=shape, name="kernel", initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer, constraint=self.kernel_constraint,
        )  # fmt: skip
        self.bias = None
        if self.use_bias:
            self.bias = self.add_weight(
                shape=(*outputs, self.filters), name="bias", initializer=self.bias_initializer,
                regularizer=self.bias_regularizer, constraint=self.bias_constraint,
            )  # fmt: skip
        self.input_spec = _InputSpec(
            ndim=rank + 2, axes={1 if is_first else rank + 1: channels}
        )
        self.built = True

    def _matrix(self: Any) -> Any:
        """The weight of each input for each output, [inputs, outputs]."""
        count = int(np.prod(self._outputs))
        flat = self._connected.reshape(-1, count)
        if self.implementation == 2:
            weights = array_ops.reshape(self.kernel, [-1, count])
            return weights * constant(flat.astype("float32"), weights.dtype)
        places = np.argwhere(flat.T)
        found = gen_ops.scatter_nd(
            constant(places.astype("int32")), self.kernel, [count, flat.shape[0]]
        )
        return array_ops.transpose(found)

    def _call(self: Any, inputs: Any) -> Any:
        rows = array_ops.reshape(inputs, [array_ops.shape(inputs)[0], -1])
        outputs = math_ops.matmul(rows, self._matrix())
        outputs = array_ops.reshape(outputs, [-1, *self._outputs])
        if self.use_bias:
            outputs = _backend.bias_add(outputs, self.bias, data_format=self.data_format)
        return self.activation(outputs)


def _mask(
    sizes: Sequence[int], outputs: Sequence[int], kernel: Sequence[int], strides: Sequence[int],
    padding: str,
) -> Any:  # fmt: skip
    """Whether an output sees an input, [*sizes, *outputs]."""
    found: Any = np.ones((), bool)
    for size, count, width, stride in zip(sizes, outputs, kernel, strides):
        before = width // 2
        middle = np.arange(count) * stride + (before if padding == "valid" else 0)
        distance = np.arange(size)[:, None] - middle[None, :]
        sees = (distance >= -before) & (distance < width - before)
        found = np.logical_and(found[..., None, None], sees)
    rank = len(sizes)
    return np.transpose(found, [*range(0, 2 * rank, 2), *range(1, 2 * rank, 2)])


@set_module("troupe.keras.layers")
class LocallyConnected1D(_Connected, _Local1D):  # type: ignore[misc]
    """A convolution of sequences with other weights at each place.

    Args:
        filters: How many outputs each place has.
        kernel_size: How many inputs a place sees.
        strides: From one place to the next.
        padding: "valid", or "same", for which the implementation is not 1.
        **kwargs: Those of Keras's layer, and `implementation`: 1, 2 or 3, as of TensorFlow's.

    Raises:
        ValueError: The padding or the implementation is another one.
    """

    def __init__(
        self, filters: int, kernel_size: Any, strides: Any = 1, padding: str = "valid",
        *args: Any, implementation: int = 1, **kwargs: Any,
    ) -> None:  # fmt: skip
        _Local1D.__init__(self, filters, kernel_size, strides, "valid", *args, **kwargs)
        self._begin(padding, implementation)

    def build(self, input_shape: Any) -> None:
        """Makes the weights; ValueError where sizes are not known."""
        if self.implementation != 1:
            self._build(input_shape)
            return
        _Local1D.build(self, self._turned(input_shape))
        if self.data_format == "channels_first":
            self.input_spec = _InputSpec(ndim=3, axes={1: input_shape[1]})

    def _turned(self, shape: Any) -> Any:
        """The shape with its channels where Keras's layer has them, or back."""
        return (shape[0], shape[2], shape[1]) if self.data_format == "channels_first" else shape

    def call(self, inputs: Any) -> Any:
        """What each place sees, weighted."""
        if self.implementation != 1:
            return self._call(inputs)
        if self.data_format != "channels_first":
            return _Local1D.call(self, inputs)
        steps = range(0, self.kernel.shape.as_list()[0] * self.strides[0], self.strides[0])
        seen = [inputs[:, :, step : step + self.kernel_size[0]] for step in steps]
        width = self.kernel.shape.as_list()[1]
        rows = array_ops.stack([array_ops.reshape(each, [-1, width]) for each in seen])
        found = array_ops.transpose(math_ops.matmul(rows, self.kernel), [1, 2, 0])
        if self.use_bias:
            found = _backend.bias_add(found, self.bias, data_format="channels_first")
        return self.activation(found)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """(batch, places, filters), or with the filters before the places."""
        return self._turned(_Local1D.compute_output_shape(self, self._turned(input_shape)))

    def get_config(self) -> Dict[str, Any]:
        """The arguments that make such a layer again."""
        own = {"data_format": self.data_format, "implementation": self.implementation}
        return {**_Local1D.get_config(self), **own}


@set_module("troupe.keras.layers")
class LocallyConnected2D(_Connected, _Local2D):  # type: ignore[misc]
    """A convolution of images with other weights at each place.

    Args:
        filters: How many outputs each place has.
        kernel_size: How many inputs a place sees: rows and columns.
        strides: From one place to the next.
        padding: "valid", or "same", for which the implementation is not 1.
        **kwargs: Those of Keras's layer, and `implementation`: 1, 2 or 3, as of TensorFlow's.

    Raises:
        ValueError: The padding or the implementation is another one.
    """

    def __init__(
        self, filters: int, kernel_size: Any, strides: Any = (1, 1), padding: str = "valid",
        *args: Any, implementation: int = 1, **kwargs: Any,
    ) -> None:  # fmt: skip
        _Local2D.__init__(self, filters, kernel_size, strides, "valid", *args, **kwargs)
        self._begin(padding, implementation)

    def build(self, input_shape: Any) -> None:
        """Makes the weights; ValueError where sizes are not known."""
        _Local2D.build(self, input_shape) if self.implementation == 1 else self._build(input_shape)

    def call(self, inputs: Any) -> Any:
        """What each place sees, weighted."""
        return _Local2D.call(self, inputs) if self.implementation == 1 else self._call(inputs)

    def get_config(self) -> Dict[str, Any]:
        """The arguments that make such a layer again."""
        return {**_Local2D.get_config(self), "implementation": self.implementation}
